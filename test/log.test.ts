import { describe as suite, expect, it } from "vitest";

import { type LogFields, createLog, createTrace, describe, redact } from "../src/log.ts";

const now = () => Date.UTC(2026, 10, 20, 9, 30);

function lineOf(fields: LogFields, secrets: string[] = []): string {
  const lines: string[] = [];
  createLog({ level: "info", secrets, write: (line) => lines.push(line), now }).info("event", fields);
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

suite("a log", () => {
  it("writes time, level, event and what belongs to it as one line", () => {
    const line = lineOf({ route: "news", ms: 12, ok: true, text: "two words", nothing: undefined, none: null });
    expect(line).toBe('2026-11-20T09:30:00.000Z info event route=news ms=12 ok=true text="two words"');
  });

  it.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["warn", ["warn", "error"]],
  ] as const)("at level %s writes %j", (level, expected) => {
    const lines: string[] = [];
    const log = createLog({ level, write: (line) => lines.push(line), now });
    log.debug("debug");
    log.info("info");
    log.warn("warn");
    log.error("error");
    expect(lines.map((line) => line.split(" ")[2])).toEqual(expected);
  });

  it("keeps a text with line breaks and control characters on one harmless line", () => {
    const line = lineOf({ text: "a\nb\r\u001B[31m\u009B31m\u2028\u2029\u202Ec\u0000\u007F" });
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    expect(line).toContain(String.raw`"a\nb\r\u001b[31m\u009b31m\u2028\u2029\u202ec\u0000\u007f"`);
  });
});

suite("a secret", () => {
  it("is removed wherever it stands", () => {
    expect(lineOf({ error: "login as hunter22 failed" }, ["hunter22"])).toContain('"login as [secret] failed"');
  });

  it("is removed although quoting changes it", () => {
    const secret = 'pa"ss\\word\twith all';
    expect(lineOf({ error: `no: ${secret}!` }, [secret])).toContain('"no: [secret]!"');
  });

  it("is removed if the text is cut in its middle", () => {
    const secret = "s3cret-".repeat(10);
    expect(lineOf({ text: `${" x".repeat(490)}${secret}` }, [secret])).not.toContain("s3cret");
  });

  it.each([
    "xoxb-123-456-abcDEF",
    "xoxe.xoxp-1-Mi0yLTM",
    "xapp-1-A012-345-abcdef",
    "hooks.slack.com/commands/T1/123/abc",
    "svc_test_abc-123",
    "Authorization: Bearer abc.def.ghi",
    "wss://wss.example.com/link?ticket=abc-def&app=1",
    "https://a.example/?key=abc&x=1",
    "postgres://bot:abc@db.example.com/bot",
  ])("is known by its shape: %s", (text) => {
    const redacted = redact(`before ${text} after`);
    expect(redacted).toContain("[secret]");
    expect(redacted).not.toMatch(/abc|123|Mi0/);
    expect(redacted).toMatch(/^before .* after$/);
  });

  it("is not seen in ordinary text", () => {
    const text = "The bearer of https://news.example.com/a?page=2 mailed ana@example.com at 10:30: keys, tokens";
    expect(redact(text)).toBe(text);
  });
});

suite("an error in the log", () => {
  it("is its name and words, and those of its causes, on one line", () => {
    const cause = new TypeError("reset", { cause: "ECONNRESET" });
    expect(describe(new Error("no answer", { cause }))).toBe("Error: no answer < TypeError: reset < ECONNRESET");
  });

  it("says what there is to say of what is no error", () => {
    expect(describe("a text")).toBe("a text");
    expect(describe({ code: 7, inner: { deep: {} } })).toBe("{ code: 7, inner: { deep: {} } }");
    expect(describe(undefined)).toBe("unknown error");
  });

  it("ends if causes go in a circle", () => {
    const error = new Error("round");
    error.cause = error;
    expect(describe(error).split(" < ")).toHaveLength(5);
  });
});

suite("a trace", () => {
  it("marks every line that an event leads to, also after waiting, and no other", async () => {
    const lines: string[] = [];
    const { log, within } = createTrace(createLog({ level: "info", write: (line) => lines.push(line.slice(25)) }));
    await Promise.all([
      within("Ev1", async () => {
        await Promise.resolve();
        log.info("upstream", { requestId: "r-1" });
      }),
      within("Ev2", async () => log.warn("answer")),
    ]);
    log.info("connected");
    expect(lines.toSorted()).toEqual([
      "info connected",
      "info upstream requestId=r-1 trace=Ev1",
      "warn answer trace=Ev2",
    ]);
  });
});
