import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";

export interface SourceFile {
  /** From the root of the repository, with slashes. */
  path: string;
  text: string;
}

export interface Import {
  line: number;
  /** A path from the root of the repository, or the name of a package. */
  target: string;
  kind: "value" | "type" | "dynamic";
}

const root = new URL("../..", import.meta.url);

/** The repository's files that a glob pattern names. */
export function read(pattern: string): SourceFile[] {
  return globSync(pattern, { cwd: root }).map((path) => ({
    path: path.replaceAll("\\", "/"),
    text: readFileSync(new URL(path, root), "utf8"),
  }));
}

/** The imports of a file, `import()` included. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const fixed = /^(?:import|export)\s+(type\s)?(?:[^;"']*?\bfrom\s+)?["']([^"']+)["']/gm;
  const found = [
    ...[...text.matchAll(fixed)].map(({ index, 1: type, 2: target = "" }) => {
      return { index, target, kind: type ? ("type" as const) : ("value" as const) };
    }),
    ...[...text.matchAll(/\bimport\(\s*["']([^"']+)["']/g)].map(({ index, 1: target = "" }) => {
      return { index, target, kind: "dynamic" as const };
    }),
  ];
  return found.map(({ index, target, kind }) => ({
    line: text.slice(0, index).split("\n").length,
    target: target.startsWith(".") ? posix.join(posix.dirname(path), target) : target,
    kind,
  }));
}
