/** `npm run docs`: writes the parts of the documentation that are made from code. */
import { readFileSync, writeFileSync } from "node:fs";

import { documents } from "./documents.ts";

for (const { path, text } of await documents((name) => readFileSync(name, "utf8"))) {
  writeFileSync(path, text);
  console.log(path);
}
