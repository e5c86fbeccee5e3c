import { describe, expect, it } from "vitest";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import type { Call } from "../../../src/slack/delivery/web-api.ts";
import { createAgentStatus } from "../../../src/slack/incoming/agent-status.ts";
import type { Message } from "../../../src/slack/text/message.ts";
import { direct, mention, setUp as setUpBot, stopSession } from "./receiver.ts";
import { createClock } from "../../support/clock.ts";

const place = { team: "T1", channel: "D1", thread: "7.5" };

function setUp(...refusals: (SlackRefused | undefined)[]) {
  const clock = createClock();
  const told: string[] = [];
  const lines: string[] = [];
  const call: Call = async (method, { channel_id: channel, thread_ts: thread, status }) => {
    told.push(
      `${method} ${String(channel)} ${String(thread)} ${String(status)}`.replace("agents.sessions.setStatus ", ""),
    );
    await clock.sleep(50);
    const refused = refusals.shift();
    if (refused) throw refused;
    return {};
  };
  const underway = new Set<object>();
  const agent = createAgentStatus({
    isAnswering: () => underway.size > 0,
    timer: clock,
    log: { warn: (event, fields) => lines.push(`${event} ${JSON.stringify(fields)}`) },
  });
  /** Shows work that takes that long. */
  const work = (ms: number, at = place) => {
    const one = {};
    underway.add(one);
    return agent.show(
      at,
      call,
      clock.sleep(ms).then(() => void underway.delete(one)),
    );
  };
  return { clock, told, lines, agent, work };
}

describe("the status of a thread in a direct message", () => {
  it("is processing while an answer is under way, and active when it is complete", async () => {
    const { clock, told, work } = setUp();
    const shown = work(5_000);
    await clock.advance(4_000);
    expect(told).toEqual(["D1 7.5 processing"]);
    await clock.until(shown);
    expect(told).toEqual(["D1 7.5 processing", "D1 7.5 active"]);
    expect(clock.pending()).toBe(0);
  });

  it("does not change for an answer that is there at once", async () => {
    const { clock, told, work } = setUp();
    await clock.until(work(299));
    expect(told).toEqual([]);
  });

  it("lasts as long as any answer in the thread", async () => {
    const { clock, told, work } = setUp();
    const both = Promise.all([work(2_000), work(6_000)]);
    await clock.advance(4_000);
    expect(told).not.toContain("D1 7.5 active");
    await clock.until(both);
    expect(told.at(-1)).toBe("D1 7.5 active");
  });
});

describe("the end of the bot", () => {
  it("waits until Slack knows that no answer is under way any more", async () => {
    const { clock, told, agent, work } = setUp();
    void work(1_000);
    await clock.advance(999);
    await clock.until(agent.ended());
    expect(told.at(-1)).toBe("D1 7.5 active");
    expect(clock.pending()).toBe(0);
    await clock.until(agent.ended());
  });
});

describe("a workspace without agents", () => {
  it("is asked once an hour, the answers never notice, and the operator is told", async () => {
    const { clock, told, lines, work } = setUp(new SlackRefused("agents.sessions.setStatus", "unknown_method"));
    await clock.until(work(1_000));
    await clock.until(work(1_000, { ...place, thread: "8.5" }));
    expect(told.length).toBe(1);
    expect(lines).toEqual([expect.stringContaining("unknown_method")]);
    await clock.advance(60 * 60_000);
    await clock.until(work(1_000));
    expect(told.length).toBe(3);
  });

  it.each(["ratelimited", "http_500", "thread_not_found"])("is not what Slack means by %s", async (code) => {
    const reaction = code === "http_500" ? ({ reaction: "lookUp" } as const) : {};
    const { clock, told, work } = setUp(new SlackRefused("agents.sessions.setStatus", code, reaction));
    await clock.until(work(1_000));
    expect(told.length).toBe(2);
  });
});

describe("Slack's own way to stop", () => {
  async function* endless({ signal }: { signal: AbortSignal }): AsyncGenerator<Message> {
    yield { text: "Oil" };
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    throw signal.reason;
  }
  const statuses = (sent: { method: string; body: Record<string, unknown> }[]) =>
    sent.flatMap(({ method, body }) => (method === "agents.sessions.setStatus" ? [body["status"]] : []));

  it("ends the answers in that thread, and its status", async () => {
    const { clock, asked, sent, hear } = setUpBot({ run: (request) => endless(request) });
    await hear(direct("a", { ts: "7.6", thread_ts: "7.5" }));
    await hear(direct("b", { ts: "8.6", thread_ts: "8.5" }));
    await clock.advance(1_000);
    await hear(stopSession());
    await clock.advance(5_000);
    expect(asked.map(({ request }) => request.signal.aborted)).toEqual([true, false]);
    expect(statuses(sent)).toEqual(["processing", "processing", "active"]);
  });

  it("resets the status that an earlier process left", async () => {
    const { sent, hear } = setUpBot();
    await hear(stopSession());
    expect(sent).toMatchObject([
      { method: "agents.sessions.setStatus", body: { channel_id: "D1", thread_ts: "7.5", status: "active" } },
    ]);
  });

  it("ends no answer that others asked for, and none elsewhere", async () => {
    const { clock, asked, hear } = setUpBot({ run: (request) => endless(request) });
    await hear(mention("<@UBOT> a", { ts: "7.5" }));
    await hear(stopSession({ channel: "C1", user: "U9" }));
    await hear(stopSession({ channel: "C2" }));
    await hear(stopSession({ channel: "C1", thread_ts: "7.6" }));
    await hear({ ...stopSession({ channel: "C1" }), team_id: "T2" });
    await clock.advance(2_000);
    expect(asked[0]?.request.signal.aborted).toBe(false);
    await hear(stopSession({ channel: "C1" }));
    expect(asked[0]?.request.signal.aborted).toBe(true);
  });
});
