/** Checks manifest.yml against Slack's published schema: `node .ci/manifest.ts SCHEMA MANIFEST`. */
import { readFileSync } from "node:fs";

import { Ajv } from "ajv";
import { parse } from "yaml";

const [schemaPath = "", manifestPath = ""] = process.argv.slice(2);
// Slack's schema names its regular expressions `regex`, which no validator knows.
const schema: unknown = JSON.parse(readFileSync(schemaPath, "utf8"), (key, value: unknown) => {
  if (typeof value !== "object" || value === null || !("regex" in value) || typeof value.regex !== "string")
    return value;
  return { ...value, pattern: value.regex };
});
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema as object);
if (!validate(parse(readFileSync(manifestPath, "utf8")))) {
  console.error(validate.errors);
  process.exit(1);
}
console.log(`${manifestPath} fits Slack's schema.`);
