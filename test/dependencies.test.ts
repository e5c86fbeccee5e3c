import { describe, expect, it } from "vitest";

import { refusedLicences, seriousVulnerabilities } from "../.ci/dependencies.ts";

describe("a licence of what production depends on", () => {
  const listed = (...licenses: object[]) => ({ components: [{ name: "left-pad", version: "1.3.0", licenses }] });

  it.each([
    ["is a permissive one", listed({ license: { id: "MIT" } })],
    ["can be chosen to be one", listed({ expression: "(MIT OR GPL-2.0)" })],
  ])("passes where it %s", (_, sbom) => {
    expect(refusedLicences(sbom)).toEqual([]);
  });

  it.each([
    ["is another one", listed({ license: { id: "GPL-3.0-only" } }), "left-pad@1.3.0: GPL-3.0-only"],
    ["is unknown", listed({ license: { name: "SEE LICENSE IN EULA" } }), "left-pad@1.3.0: SEE LICENSE IN EULA"],
    [
      "is several at once",
      listed({ expression: "(MIT OR ISC) AND GPL-2.0" }),
      "left-pad@1.3.0: (MIT OR ISC) AND GPL-2.0",
    ],
    ["is missing", { components: [{ name: "left-pad", version: "1.3.0" }] }, "left-pad@1.3.0: no licence"],
  ])("is named with its package where it %s", (_, sbom, line) => {
    expect(refusedLicences(sbom)).toEqual([line]);
  });
});

describe("a known vulnerability of what production depends on", () => {
  it("is named if it is high or critical", () => {
    const severities = { a: "low", b: "moderate", c: "high", d: "critical" };
    const vulnerabilities = Object.fromEntries(
      Object.entries(severities).map(([name, severity]) => [name, { name, severity }]),
    );
    expect(seriousVulnerabilities({ auditReportVersion: 2, vulnerabilities })).toEqual([
      "c: high vulnerability",
      "d: critical vulnerability",
    ]);
  });

  it("is not known where the registry does not answer", () => {
    expect(seriousVulnerabilities({ message: "405 Method Not Allowed", statusCode: 405 })).toBeUndefined();
    expect(seriousVulnerabilities({ vulnerabilities: {} })).toEqual([]);
  });
});
