import { describe, expect, it } from "vitest";

import { circlesOf } from "./support/circles.ts";
import { type SourceFile, importsOf, read } from "./support/sources.ts";
import { findUnread } from "./support/unread.ts";

const bot = read("src/**/*.ts");
const product = [...bot, ...read("local/**/*.ts")];
const everything = [...product, ...read("test/**/*.ts"), ...read("bench/**/*.ts")];

/** Which part of the bot a file belongs to. */
function partOf(path: string): string {
  if (/^src\/(features|routes|manifest)\.ts$/.test(path)) return "lists";
  if (path === "local/http.ts") return "local-http";
  if (path.startsWith("local/")) return /^local\/(sandbox|workspace)\//.exec(path)?.[1] ?? "local";
  if (/^src\/(operate\/|services\.ts$)/.test(path)) return "app";
  return /^src\/([^/.]+)/.exec(path)?.[1] ?? "elsewhere";
}

const ground = ["apis", "slack", "store", "schedule"];

/** What each part may import of the others. */
const directions: Record<string, string[]> = {
  main: ["app", "local", "lists", "config", "log"],
  app: ["lists", "features", "replicas", ...ground, "config", "log", "metrics"],
  replicas: ["store", "log"],
  local: ["app", "sandbox", "workspace"],
  sandbox: ["local-http"],
  workspace: ["local-http"],
  lists: ["features", "apis", "slack", "log"],
  features: [...ground, "log"],
  config: ["schedule"],
  ...Object.fromEntries(ground.map((part) => [part, ["log"]])),
};

function wrongDirections(sources: SourceFile[]): string[] {
  return sources.flatMap((source) => {
    const own = partOf(source.path);
    const allowed = [own, ...(directions[own] ?? [])];
    return importsOf(source)
      .filter(({ target }) => /^(src|local)\//.test(target) && !allowed.includes(partOf(target)))
      .map(({ line, target }) => `${source.path}:${line} ${own} may not import ${target}`);
  });
}

const folderOf = (path: string) => /^src\/features\/([^/]+)\//.exec(path)?.[1];

/** Folders that features stand on, and whom they are there for; the other features stand beside each other. */
const featureGround: Record<string, RegExp> = {
  articles: /./,
  question: /./,
  sources: /./,
  // Plain sentences are about what people follow.
  subscriptions: /\/(alerts|digests|talk)\//,
};

function crossings(sources: SourceFile[]): string[] {
  return sources.flatMap((source) => {
    if (!source.path.startsWith("src/features/")) return [];
    return importsOf(source).flatMap(({ line, target, kind }) => {
      const folder = folderOf(target) ?? folderOf(source.path);
      if (kind === "type" || folder === undefined || folder === folderOf(source.path)) return [];
      return featureGround[folder]?.test(source.path) ? [] : [`${source.path}:${line} imports ${target}`];
    });
  });
}

const pureNames =
  "view schema rule evaluate compose conversation typed-text blocks mrkdwn close-markdown limits help failure manifest message alert incident posts counts reason quiet-hours digest stories stages".split(
    " ",
  );
const impure =
  /\b(await|async|process|fetch|setTimeout|setInterval|setImmediate|queueMicrotask|randomUUID|Math\.random|Date\.now|performance\.now)\b|\bnew Date\(\)|["']node:/;

const nameOf = (path: string) => path.split("/").at(-1)?.replace(/\.ts$/, "") ?? "";

function impurities(sources: SourceFile[]): string[] {
  const pure = sources.filter(({ path }) => path.startsWith("src/") && pureNames.includes(nameOf(path)));
  return pure.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const offence = /^\s*(\/\/|\/?\*)/.test(line) ? undefined : impure.exec(line)?.[0];
      return offence ? [`${path}:${index + 1} ${offence} in a pure file`] : [];
    }),
  );
}

/** The one place that may import a library. */
const doors: Record<string, string> = {
  undici: "src/apis/http.ts",
  "eventsource-parser": "src/apis/sse.ts",
  keyv: "src/store/",
  "@keyv/sqlite": "src/store/",
  "@keyv/postgres": "src/store/postgres.ts",
  "pg-boss": "src/replicas/lease.ts",
  "node-cron": "src/schedule/schedule.ts",
  croner: "src/schedule/",
  "prom-client": "src/metrics.ts",
  "@slack/bolt": "src/slack/",
  "@slack/oauth": "src/slack/workspaces/oauth.ts",
  "@slack/socket-mode": "src/slack/incoming/socket-mode.ts",
  ws: "local/workspace/",
  preact: "local/workspace/",
  htm: "local/workspace/",
  marked: "local/workspace/",
};

function backDoors(sources: SourceFile[]): string[] {
  return sources.flatMap((source) =>
    importsOf(source).flatMap(({ line, target }) => {
      const library = Object.keys(doors).find((name) => target === name || target.startsWith(`${name}/`));
      const door = library && doors[library];
      return door && !source.path.startsWith(door) ? [`${source.path}:${line} imports ${target} beside ${door}`] : [];
    }),
  );
}

/** What the rules above name, and is no more. */
function ghosts(sources: SourceFile[]): string[] {
  const inBot = sources.filter(({ path }) => path.startsWith("src/"));
  const names = new Set(inBot.map(({ path }) => nameOf(path)));
  const pure = pureNames.filter((name) => !names.has(name)).map((name) => `no file is named ${name}.ts`);
  const paths = [...new Set(Object.values(doors))];
  const gone = paths.filter((door) => !sources.some(({ path }) => path.startsWith(door)));
  return [...pure, ...gone.map((door) => `there is no ${door}`)];
}

/** Libraries that only a bot on PostgreSQL needs. */
const forPostgres = ["pg", "pg-boss", "@keyv/postgres"];

/** Where a bot that starts on SQLite would load them, too. */
function loadedForSqlite(sources: SourceFile[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set(["src/main.ts", "src/app.ts"]);
  for (const path of reached) {
    const source = byPath.get(path);
    for (const { kind, target } of source ? importsOf(source) : []) if (kind === "value") reached.add(target);
  }
  return [...reached].flatMap((path) => {
    const source = byPath.get(path);
    const all = source ? importsOf(source) : [];
    return all
      .filter(({ kind, target }) => kind === "value" && forPostgres.includes(target))
      .map(({ line, target }) => `${path}:${line} loads ${target}`);
  });
}

function linesWith(sources: SourceFile[], pattern: RegExp, what: string): string[] {
  return sources.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${what}`] : [])),
  );
}

const environmentReads = (sources: SourceFile[]) =>
  linesWith(
    sources.filter(({ path }) => path !== "src/main.ts"),
    /\bprocess\.env\b|\benv\b.*from "node:process"/,
    "reads the environment beside src/main.ts",
  );

const moduleMocks = (sources: SourceFile[]) => linesWith(sources, /\bvi\.(do)?mock\(/i, "replaces a module");

function vagueFolders(sources: SourceFile[]): string[] {
  return sources.flatMap(({ path }) =>
    /\/(utils?|common|helpers?|types)(\/|\.ts$)|-(manager|service|util|helper)\.ts$/.test(path)
      ? [`${path}:1 has a name that says nothing`]
      : [],
  );
}

/** Imports of the bot from local/ beside the one dynamic import of main.ts: production has no such folder. */
function localImports(sources: SourceFile[]): string[] {
  return sources.flatMap((source) =>
    importsOf(source)
      .filter(({ target }) => target.startsWith("local/"))
      .filter(({ target, kind }) => {
        return !(source.path === "src/main.ts" && target === "local/start.ts" && kind === "dynamic");
      })
      .map(({ line, target }) => `${source.path}:${line} imports ${target}`),
  );
}

/** Each circle of files that import each other when they run, by its first file. */
function importCycles(sources: SourceFile[]): string[] {
  const imports = new Map(
    sources.map((source) => [
      source.path,
      importsOf(source).flatMap(({ target, kind }) => (kind === "value" ? [target] : [])),
    ]),
  );
  const done = new Set<string>();
  const found: string[] = [];

  function visit(path: string, way: string[]): void {
    const at = way.indexOf(path);
    if (at >= 0) found.push(`${path}:1 imports itself: ${[...way.slice(at), path].join(" → ")}`);
    if (at >= 0 || done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  }

  for (const path of imports.keys()) visit(path, []);
  return found;
}

/** How many files the largest circle of imports below a folder may have, types included. */
const circleLimits: [folder: string, limit: number][] = [
  ["local/", 12],
  ["src/", 12],
];

function wideCircles(sources: SourceFile[]): string[] {
  return circleLimits.flatMap(([folder, limit]) => {
    const inside = sources.filter(({ path }) => path.startsWith(folder));
    const imports = inside.map((source) => {
      const fixed = importsOf(source).filter(({ kind }) => kind !== "dynamic");
      return [source.path, fixed.map(({ target }) => target)] as const;
    });
    const wide = circlesOf(new Map(imports)).filter(({ length }) => length > limit);
    return wide.map(
      (circle) => `${folder} has a circle of ${circle.length} files, more than ${limit}: ${circle.join(", ")}`,
    );
  });
}

/** Exported types, interfaces and classes whose name another file exports as well. */
function sharedTypeNames(sources: SourceFile[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of sources) {
    for (const { 1: name = "", index } of text.matchAll(/^export (?:interface|type|(?:abstract )?class) (\w+)/gm)) {
      const line = text.slice(0, index).split("\n").length;
      places.set(name, [...(places.get(name) ?? []), `${path}:${line}`]);
    }
  }
  return [...places].flatMap(([name, at]) => (at.length > 1 ? [`${at.join(" and ")} export a type ${name} each`] : []));
}

/** Sources of which each imports a type of the next, and the last one of the first. */
function ringOf(count: number, pathOf: (at: number) => string): [path: string, text: string][] {
  return Array.from({ length: count }, (_, index) => {
    const next = pathOf(((index + 1) % count) + 1)
      .split("/")
      .at(-1);
    return [pathOf(index + 1), `import type { A } from "./${next}";`];
  });
}

interface Rule {
  name: string;
  check: (sources: SourceFile[]) => string[];
  over: SourceFile[];
  /** Sources that break the rule, and the report that they must get. */
  offender: [path: string, text: string][];
  report: string[];
}

const rules: Rule[] = [
  {
    name: "imports point from main through the features to the ground, never back or across",
    check: wrongDirections,
    over: product,
    offender: [
      ["src/slack/router.ts", 'import { a } from "./a.ts";\nimport {\n  news,\n} from "../features/news/index.ts";'],
      ["local/workspace/server.ts", 'import { a } from "../sandbox/a.ts";\nimport { b } from "../../src/app.ts";'],
      ["local/start.ts", 'import { startApp } from "../src/app.ts";\nimport { parse } from "../src/config.ts";'],
    ],
    report: [
      "src/slack/router.ts:2 slack may not import src/features/news/index.ts",
      "local/workspace/server.ts:1 workspace may not import local/sandbox/a.ts",
      "local/workspace/server.ts:2 workspace may not import src/app.ts",
      "local/start.ts:2 local may not import src/config.ts",
    ],
  },
  {
    name: "a feature imports nothing of another feature but types, and stands on articles, sources and questions alone",
    check: crossings,
    over: product,
    offender: [
      ["src/features/ask/view.ts", 'import { a } from "../articles/view.ts";\nimport { b } from "../news/view.ts";'],
      ["src/features/alerts/job.ts", 'import { a } from "../subscriptions/jobs.ts";'],
      ["src/features/home/view.ts", 'import { a } from "../subscriptions/jobs.ts";'],
      ["src/features/failure.ts", 'import { a } from "./account/view.ts";'],
      ["src/features/ask/chat.ts", 'import type { A } from "../news/store.ts";\nimport { b } from "../news/store.ts";'],
    ],
    report: [
      "src/features/ask/view.ts:2 imports src/features/news/view.ts",
      "src/features/home/view.ts:1 imports src/features/subscriptions/jobs.ts",
      "src/features/failure.ts:1 imports src/features/account/view.ts",
      "src/features/ask/chat.ts:2 imports src/features/news/store.ts",
    ],
  },
  {
    name: "pure files hold no waiting, no input or output, no timers, no randomness and no clock",
    check: impurities,
    over: product,
    offender: [
      ["src/features/news/view.ts", "/** May await nothing. */\nconst now = Date.now();\nconst day = new Date(now);"],
      ["src/slack/message.ts", "export async function x() {}\nconst at = new Date();"],
    ],
    report: [
      "src/features/news/view.ts:2 Date.now in a pure file",
      "src/slack/message.ts:1 async in a pure file",
      "src/slack/message.ts:2 new Date() in a pure file",
    ],
  },
  {
    name: "each library has one door",
    check: backDoors,
    over: product,
    offender: [
      ["src/apis/sse.ts", 'import { x } from "eventsource-parser/stream";\nimport { fetch } from "undici";'],
      ["src/features/news/view.ts", 'import type { types } from "@slack/bolt";'],
    ],
    report: [
      "src/apis/sse.ts:2 imports undici beside src/apis/http.ts",
      "src/features/news/view.ts:1 imports @slack/bolt beside src/slack/",
    ],
  },
  {
    name: "the files that these rules name exist",
    check: ghosts,
    over: product,
    offender: product
      .filter(({ path }) => path !== "src/metrics.ts" && !path.endsWith("/quiet-hours.ts"))
      .map(({ path, text }) => [path, text]),
    report: ["no file is named quiet-hours.ts", "there is no src/metrics.ts"],
  },
  {
    name: "what a function is handed is read",
    check: findUnread,
    // The page is another project of TypeScript’s.
    over: product.filter(({ path }) => !path.startsWith("local/workspace/page/")),
    offender: [
      [
        "src/jobs.ts",
        "interface JobsContext {\n  more: string[];\n  log: string;\n}\nexport const start = ({ log }: JobsContext) => log;",
      ],
      ["src/add.ts", "export const add = (sum: { one: number; other: number }) => sum.one;"],
      [
        "src/pass.ts",
        "interface PassOptions {\n  a: string;\n  b: string;\n}\ninterface TakeOptions {\n  a: string;\n}\n" +
          "const take = (options: TakeOptions) => options.a;\nexport const pass = (options: PassOptions) => take(options);",
      ],
    ],
    report: [
      "src/jobs.ts:2 more is passed and never read",
      "src/add.ts:1 other is passed and never read",
      "src/pass.ts:3 b is passed and never read",
    ],
  },
  {
    name: "a bot on SQLite loads nothing that only PostgreSQL needs",
    check: loadedForSqlite,
    over: bot,
    offender: [
      ["src/app.ts", 'import { a } from "./a.ts";\nawait import("./lease.ts");'],
      ["src/a.ts", 'import type { Pool } from "pg";\nimport { Client } from "pg";'],
      ["src/lease.ts", 'import { PgBoss } from "pg-boss";'],
    ],
    report: ["src/a.ts:2 loads pg"],
  },
  {
    name: "only main.ts reads the environment",
    check: environmentReads,
    over: product,
    offender: [
      ["src/main.ts", "process.env.PORT"],
      ["src/app.ts", "\nprocess.env.PORT"],
    ],
    report: ["src/app.ts:2 reads the environment beside src/main.ts"],
  },
  {
    name: "no test replaces a module",
    check: moduleMocks,
    over: everything,
    offender: [["test/app.test.ts", ["\nvi", 'mock("../src/app.ts");'].join(".")]],
    report: ["test/app.test.ts:2 replaces a module"],
  },
  {
    name: "every file and folder has a name that says something",
    check: vagueFolders,
    over: everything,
    offender: [["src/slack/message-service.ts", ""]],
    report: ["src/slack/message-service.ts:1 has a name that says nothing"],
  },
  {
    name: "the bot imports nothing from local/ but its start, where main.ts starts without Slack",
    check: localImports,
    over: bot,
    offender: [
      ["src/main.ts", 'await import("../local/start.ts");\nawait import("../local/tour.ts");'],
      ["src/app.ts", '\nimport type { Workspace } from "../local/workspace/server.ts";'],
    ],
    report: ["src/main.ts:2 imports local/tour.ts", "src/app.ts:2 imports local/workspace/server.ts"],
  },
  {
    name: "no files import each other in a circle when they run",
    check: importCycles,
    over: product,
    offender: [
      ["src/a.ts", 'import { b } from "./b.ts";'],
      ["src/b.ts", 'import { c } from "./c.ts";\nimport type { a } from "./a.ts";'],
      ["src/c.ts", 'import { b } from "./b.ts";'],
    ],
    report: ["src/b.ts:1 imports itself: src/b.ts → src/c.ts → src/b.ts"],
  },
  {
    name: "the largest circle of imports, types included, has at most 12 files",
    check: wideCircles,
    over: product,
    offender: [
      ["src/main.ts", 'import { a } from "./a/1.ts";'],
      ...ringOf(12, (at) => `src/a/${at}.ts`),
      ...ringOf(13, (at) => `src/b/${at}.ts`),
    ],
    report: [
      "src/ has a circle of 13 files, more than 12: src/b/1.ts, src/b/10.ts, src/b/11.ts, src/b/12.ts, src/b/13.ts, " +
        "src/b/2.ts, src/b/3.ts, src/b/4.ts, src/b/5.ts, src/b/6.ts, src/b/7.ts, src/b/8.ts, src/b/9.ts",
    ],
  },
  {
    name: "an exported type has a name of its own",
    check: sharedTypeNames,
    over: everything,
    offender: [
      ["src/a.ts", "\nexport interface Place {}"],
      ["local/b.ts", "export type Place = string;\nexport type Other = string;"],
      ["test/c.ts", "interface Place {}"],
    ],
    report: ["src/a.ts:2 and local/b.ts:1 export a type Place each"],
  },
];

describe.each(rules)("$name", ({ check, over, offender, report }) => {
  it("holds", () => {
    expect(over.length).toBeGreaterThan(50);
    expect(check(over)).toEqual([]);
  });

  it("is checked: an offender is named with its line", () => {
    expect(check(offender.map(([path, text]) => ({ path, text })))).toEqual(report);
  });
});
