import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { settings } from "../src/config.ts";
import { longestMs } from "../src/slack/incoming/forward.ts";

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");

/** The whole version and the variant; PostgreSQL’s versions have two numbers. */
const fullTag = /^[a-z]+:\d+\.\d+(\.\d+)?-[a-z]+/;

describe("docker-compose.yml", () => {
  const composeSchema = z.object({
    services: z.record(
      z.string(),
      z.object({
        image: z.string(),
        environment: z.record(z.string(), z.coerce.string()),
        depends_on: z.unknown().optional(),
        networks: z.array(z.string()),
        ports: z.array(z.string()).optional(),
        volumes: z.array(z.string()).optional(),
        stop_grace_period: z.string().optional(),
        read_only: z.boolean(),
        cap_drop: z.array(z.string()),
        security_opt: z.array(z.string()),
      }),
    ),
  });
  const { services } = composeSchema.parse(parse(read("docker-compose.yml"), { merge: true }));
  const replicas = Object.entries(services).filter(([name]) => name.startsWith("replica-"));

  it("runs two replicas on one PostgreSQL, each at the address that it gives the others", () => {
    expect(Object.keys(services)).toEqual(["replica-1", "replica-2", "postgres", "proxy"]);
    for (const [name, { environment, stop_grace_period: grace = "" }] of replicas) {
      expect(environment).toMatchObject({ PORT: "3000", REPLICA_URL: `http://${name}:3000` });
      expect(environment["STORE_URL"]).toMatch(
        /^postgres:\/\/bellwether:\$\{POSTGRES_PASSWORD.*\}@postgres\/bellwether$/,
      );
      // The bot takes up to ten seconds to stop.
      expect(parseInt(grace, 10)).toBeGreaterThanOrEqual(12);
    }
  });

  it("gives the replicas only settings that there are", () => {
    const known = new Set(settings.map(({ name }) => name));
    const given = replicas.flatMap(([, { environment }]) => Object.keys(environment));
    expect(given.filter((name) => !known.has(name))).toEqual([]);
  });

  it("names every image by its full version", () => {
    const others = Object.values(services).filter(({ image }) => image !== "bellwether");
    expect(others.map(({ image }) => image)).toEqual([expect.stringMatching(fullTag), expect.stringMatching(fullTag)]);
  });

  it("lets no service write outside of its volumes or gain rights", () => {
    for (const { read_only: isReadOnly, cap_drop: dropped, security_opt: options } of Object.values(services)) {
      expect([isReadOnly, dropped, options]).toEqual([true, ["ALL"], ["no-new-privileges:true"]]);
    }
  });

  it("has a proxy that leaves out a replica that is frozen or gone, and gives none longer than Slack waits", () => {
    const caddyfile = read("ops/Caddyfile");
    const msOf = (name: string) => {
      const [, count = "", unit] = new RegExp(`^\\s*${name} (\\d+)(ms|s)$`, "m").exec(caddyfile) ?? [];
      return Number(count) * (unit === "s" ? 1_000 : 1);
    };
    expect(caddyfile).toMatch(/^\s*health_uri \/readyz$/m);
    for (const name of ["health_interval", "health_timeout", "dial_timeout"]) expect(msOf(name)).toBeGreaterThan(0);
    expect(msOf("health_interval") + msOf("health_timeout")).toBeLessThanOrEqual(2_000);
    expect(msOf("fail_duration")).toBeGreaterThan(0);
    // A replica that passes a request on to a frozen one answers 503 first, and is not taken for a frozen one itself.
    expect(msOf("response_header_timeout")).toBeGreaterThan(longestMs);
    expect(msOf("response_header_timeout")).toBeLessThan(3_000);
  });

  it("is reachable only through the proxy, which passes only Slack’s paths on to the replicas", () => {
    expect(Object.entries(services).flatMap(([name, { ports }]) => (ports ? [name] : []))).toEqual(["proxy"]);
    expect(services["proxy"]?.networks).not.toContain("database");
    expect(services["postgres"]?.networks).toEqual(["database"]);
    const caddyfile = read("ops/Caddyfile");
    expect([...caddyfile.matchAll(/^\s*handle (.*)\{$/gm)].map(([, path]) => path?.trim())).toEqual(["/slack/*", ""]);
    const [, upstreams = ""] = /reverse_proxy (.*) \{$/m.exec(caddyfile) ?? [];
    expect(upstreams.split(" ")).toEqual(replicas.map(([name]) => `${name}:3000`));
  });
});
