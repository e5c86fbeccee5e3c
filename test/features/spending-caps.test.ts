import { describe, expect, it } from "vitest";

import { UsageError } from "../../src/apis/errors.ts";
import type { SummaryEvent } from "../../src/apis/gateway/client.ts";
import type { Caps } from "../../src/features/account/spending/rule.ts";
import { credits, streamOf } from "../support/builders.ts";
import { ann, bob, found, outcomeOf, readAll, spendingWith } from "./spending-setting.ts";

describe("a cap", () => {
  it.each<[string, Caps, RegExp]>([
    ["a person", { person: 2 }, /^You have used your 2 credits for today\./],
    ["a channel", { channel: 2 }, /^This channel has used its 2 credits for today\./],
    ["the workspace", { workspace: 2 }, /^This workspace has used its 2 credits for today\./],
    [
      "the workspace, where all are reached",
      { workspace: 2, channel: 2, person: 2 },
      /^This workspace has used its 2 /,
    ],
  ])("of %s stops the call before it is made, and says when and what is free", async (_, caps, words) => {
    let calls = 0;
    const search = async () => {
      calls += 1;
      return found();
    };
    const on = spendingWith({ gateway: { search }, caps, zone: "Europe/London" });
    const outcomes = [];
    for (let call = 0; call < 3; call += 1) outcomes.push(await outcomeOf(on.gatewayFor(ann).search("oil")));
    expect(outcomes.at(-1)).toMatch(words);
    expect(outcomes.at(-1)).toMatch(
      / They come back at <!date\^\d+\^{time}\|00:00 UTC> \(midnight in Europe\/London\)\./,
    );
    expect(outcomes.at(-1)).toMatch(/ Free meanwhile: `\/trending`, .*`\/bellwether jurisdictions`\.$/);
    expect(calls).toBe(outcomes.filter((outcome) => outcome === "ok").length);
    expect(calls).toBeLessThan(3);
  });

  it("of a person leaves the others alone, and so does that of a channel", async () => {
    const on = spendingWith({ caps: { person: 1, channel: 2 } });
    const asked = [ann, ann, bob, { ...bob, user: "UCID" }, { ...ann, user: "UCID", channel: "C2" }];
    const outcomes = [];
    for (const spender of asked) outcomes.push((await outcomeOf(on.gatewayFor(spender).search("oil"))).slice(0, 21));
    expect(outcomes).toEqual(["ok", "You have used your 1 ", "ok", "This channel has used", "ok"]);
  });

  it("says what is left where a call costs more", async () => {
    const summary = async () => ({ text: "", articles: [], credits: credits({ used: 5 }) });
    const on = spendingWith({ caps: { person: 6 }, gateway: { summary } });
    await on.gatewayFor(ann).summary("oil");
    expect(await outcomeOf(on.gatewayFor(ann).summary("oil"))).toMatch(
      /^A summary costs 5 credits, and 1 of your 6 credits for today is left\. They come back/,
    );
  });

  it("that is lower than a price promises nothing for tomorrow", async () => {
    const on = spendingWith({ caps: { person: 3 } });
    const words = await outcomeOf(on.gatewayFor(ann).summary("oil"));
    expect(words).toMatch(/^A summary costs 5 credits, and you may spend 3 a day\. An operator can allow more\./);
    expect(words).not.toContain("come back");
  });

  it("is not overrun by 20 calls at once, and what fails can be asked again", async () => {
    const open = Promise.withResolvers<void>();
    let calls = 0;
    const summary = async () => {
      calls += 1;
      const isFailing = calls === 1;
      await open.promise;
      if (isFailing) throw new Error("x");
      return { text: "", articles: [], credits: credits({ used: 5 }) };
    };
    const on = spendingWith({ caps: { workspace: 22 }, gateway: { summary } });
    const asked = Array.from({ length: 20 }, () => outcomeOf(on.gatewayFor(ann).summary("oil")));
    await Promise.all(asked.slice(4));
    expect(calls).toBe(4);
    open.resolve();
    const outcomes = await Promise.all(asked);
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(3);
    expect(await outcomeOf(on.gatewayFor(ann).summary("oil"))).toBe("ok");
    expect(await outcomeOf(on.gatewayFor(ann).summary("oil"))).toMatch(/2 of this workspace's 22 credits/);
    expect((await on.report("T1")).today.total).toEqual({ credits: 20, calls: 4 });
  });

  it("holds for streams, also while they are read", async () => {
    const streamSummary = () => streamOf<SummaryEvent>({ type: "text", text: "Oil" }, { type: "text", text: "!" });
    const on = spendingWith({ caps: { person: 5 }, gateway: { streamSummary } });
    const first = on.gatewayFor(ann).streamSummary("oil")[Symbol.asyncIterator]();
    await first.next();
    expect(await readAll(on.gatewayFor(ann).streamSummary("oil"))).toMatch(/^You have used your 5 credits/);
    await first.return?.();
    expect(await readAll(on.gatewayFor(ann).streamSummary("oil"))).toMatch(/^You have used your 5 credits/);
  });

  it("begins anew at midnight of its zone", async () => {
    let time = Date.parse("2026-07-01T22:59:00Z");
    const on = spendingWith({ caps: { person: 1 }, zone: "Europe/London", now: () => time });
    await on.gatewayFor(ann).search("oil");
    await expect(on.gatewayFor(ann).search("oil")).rejects.toBeInstanceOf(UsageError);
    time += 60_000;
    await on.gatewayFor(ann).search("oil");
    const { today, week } = await on.report("T1");
    expect([today.total.calls, week.total.calls]).toEqual([1, 2]);
  });
});
