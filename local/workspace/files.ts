import { readFile, readdir } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import { extname } from "node:path";
import { HttpError } from "../http.ts";

const pageFolder = new URL("page/", import.meta.url);
const packages = new URL("../../node_modules/", import.meta.url);

/** The only files of packages that the page may load. */
const vendorFiles: Record<string, string | undefined> = {
  "preact.js": "preact/dist/preact.module.js",
  "preact-hooks.js": "preact/hooks/dist/hooks.module.js",
  "htm-preact.js": "htm/preact/index.module.js",
  "htm.js": "htm/dist/htm.module.js",
  "marked.js": "marked/lib/marked.esm.js",
  "inter-latin.woff2": "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  "inter-latin-ext.woff2": "@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2",
};

const mediaTypes: Record<string, string | undefined> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".ts": "text/javascript; charset=utf-8",
  ".woff2": "font/woff2",
};

const pageFile = /^[a-z0-9][a-z0-9-]*\.(?:html|css|ts)$/;

function sendContent(response: ServerResponse, content: string | Buffer, ending: string): void {
  const type = mediaTypes[ending] ?? "text/plain; charset=utf-8";
  // A font that is loaded again with every page would make all text jump.
  const caching = type.startsWith("font/") ? "max-age=86400" : "no-cache";
  response.writeHead(200, { "content-type": type, "cache-control": caching, "x-content-type-options": "nosniff" });
  response.end(content);
}

/** The files that the browser loads. TypeScript loses its types, once for each version of the source. */
export function createFiles() {
  const stripped = new Map<string, { source: string; code: string }>();

  async function read(file: URL): Promise<string | Buffer> {
    const content = await readFile(file).catch(() => {
      throw new HttpError(404, "no such file");
    });
    if (!file.pathname.endsWith(".ts")) return content;
    const source = content.toString("utf8");
    const known = stripped.get(file.href);
    if (known?.source === source) return known.code;
    const code = stripTypeScriptTypes(source);
    stripped.set(file.href, { source, code });
    return code;
  }

  async function send(response: ServerResponse, file: URL): Promise<void> {
    sendContent(response, await read(file), extname(file.pathname));
  }

  return {
    /** The page itself. It loads all its modules at once, instead of discovering each one in the module that imports it. */
    async index(response: ServerResponse): Promise<void> {
      const text = await readFile(new URL("index.html", pageFolder), "utf8");
      const modules = (await readdir(pageFolder)).filter((name) => name.endsWith(".ts")).map((name) => `/page/${name}`);
      const libraries = Object.keys(vendorFiles).filter((name) => name.endsWith(".js"));
      const paths = [...modules, ...libraries.map((name) => `/vendor/${name}`)];
      const links = paths.map((path) => `    <link rel="modulepreload" href="${path}" />\n`);
      sendContent(response, text.replace("  </head>", `${links.join("")}  </head>`), ".html");
    },
    page(response: ServerResponse, name: string): Promise<void> {
      if (!pageFile.test(name)) throw new HttpError(404, "no such file");
      return send(response, new URL(name, pageFolder));
    },
    vendor(response: ServerResponse, name: string): Promise<void> {
      const file = Object.hasOwn(vendorFiles, name) ? vendorFiles[name] : undefined;
      if (file === undefined) throw new HttpError(404, "no such file");
      return send(response, new URL(file, packages));
    },
  };
}
