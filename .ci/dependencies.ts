/**
 * Checks what production depends on: `node .ci/dependencies.ts SBOM AUDIT`, the files that `npm run sbom` and
 * `npm audit --json` have written.
 */
import { readFileSync } from "node:fs";

import { z } from "zod";

/** Licences that ask for no more than to be named and passed on with the code. */
const allowed = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
  "Unlicense",
]);

const sbomSchema = z.object({
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      licenses: z
        .array(
          z.object({
            license: z.object({ id: z.string().optional(), name: z.string().optional() }).optional(),
            expression: z.string().optional(),
          }),
        )
        .default([]),
    }),
  ),
});

/** The packages of a CycloneDX list whose licence is not allowed, each with its licence. */
export function refusedLicences(sbom: unknown): string[] {
  return sbomSchema.parse(sbom).components.flatMap(({ name, version, licenses }) => {
    const found = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? "");
    return found.length > 0 && found.every(isAllowed)
      ? []
      : [`${name}@${version}: ${found.join(", ") || "no licence"}`];
  });
}

/** Whether a licence is allowed, or one of those that may be chosen from: `(MIT OR CC0-1.0)`. */
function isAllowed(licence: string): boolean {
  const choices = licence.replace(/^\(|\)$/g, "").split(" OR ");
  return !licence.includes(" AND ") && choices.some((choice) => allowed.has(choice));
}

const auditSchema = z.object({ vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })) });

/** The packages with a known vulnerability that is high or critical; undefined where the registry did not say. */
export function seriousVulnerabilities(audit: unknown): string[] | undefined {
  const { data } = auditSchema.safeParse(audit);
  return (
    data &&
    Object.entries(data.vulnerabilities)
      .filter(([, { severity }]) => severity === "high" || severity === "critical")
      .map(([name, { severity }]) => `${name}: ${severity} vulnerability`)
  );
}

if (import.meta.main) {
  const [sbom, audit] = process.argv.slice(2).map((path): unknown => JSON.parse(readFileSync(path, "utf8")));
  const vulnerable = seriousVulnerabilities(audit);
  const refused = [...refusedLicences(sbom), ...(vulnerable ?? [])];
  for (const line of refused) console.error(line);
  if (refused.length > 0) process.exit(1);
  console.log(
    `All licences are allowed. Vulnerabilities: ${vulnerable ? "none that is high" : "the registry was not asked"}.`,
  );
}
