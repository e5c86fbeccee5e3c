import { beforeEach, describe, expect, it } from "vitest";
import type { Trend } from "../../../src/apis/article.ts";
import { trend } from "../alerts/setting.ts";
import { day, digestDesk } from "./setting.ts";
import { problemsOf } from "../slack-limits.ts";
import { wordsOf } from "../../support/answers.ts";

function rankingDesk() {
  const desk = digestDesk();
  /** The next morning, when this is trending. */
  const morning = (trends: Trend[] | undefined) => {
    desk.state.trends = trends;
    return desk.later(day);
  };
  return { ...desk, morning };
}

let here: ReturnType<typeof rankingDesk>;
beforeEach(() => {
  here = rankingDesk();
  here.state.trends = [trend("Alba"), trend("Brio"), trend("Ada", { type: "Person" })];
});

const last = () => wordsOf(here.posts.at(-1)?.message ?? { text: "" });

describe("a digest of what is trending", () => {
  it("posts the whole ranking first, and then what changed", async () => {
    await here.say("add trending company daily at 9:00");
    await here.morning([trend("Alba"), trend("Brio"), trend("Ada", { type: "Person" }), trend("Cove")]);
    expect(last()).toMatch(/First ranking[^]*\*1\. Alba\* · 12 articles[^]*\*3\. Cove\*/);
    expect(last()).not.toMatch(/Ada|new|up 1/);
    await here.morning([trend("Cove"), trend("Alba"), trend("Dune")]);
    expect(last()).toMatch(/\*1 new, 1 up, 1 down, 1 gone\* since/);
    expect(last()).toMatch(/\*1\. Cove\* · _up 2_[^]*\*2\. Alba\* · _down 1_[^]*\*3\. Dune\* · _new_[^]*Gone: Brio/);
    expect(here.posts.flatMap(({ message }) => problemsOf(message))).toEqual([]);
  });

  it("posts nothing if nobody moved, or says so if somebody chose that", async () => {
    await here.say("add trending company daily at 9:00");
    await here.morning([trend("Alba")]);
    await here.morning([trend("Alba", { mentions: 50 })]);
    expect(here.posts).toHaveLength(1);
    await here.say("edit 1 --empty line");
    await here.morning([trend("Alba")]);
    expect(last()).toContain("Nothing new since");
  });

  it("compares with the ranking that was posted last, whatever failed in between", async () => {
    await here.say("add trending company daily at 9:00");
    await here.morning([trend("Alba"), trend("Brio")]);
    await here.morning(undefined);
    expect((await here.read()).problem).toBe("The news service couldn’t be reached.");
    here.restart();
    await here.morning([trend("Brio"), trend("Alba")]);
    expect(last()).toContain("*1 up, 1 down* since");
    expect(here.posts).toHaveLength(2);
  });

  it("waits if Slack doesn’t accept it, and is sent as it was written down", async () => {
    await here.say("add trending company daily at 9:00");
    here.fail.post = () => new Error("cut");
    await here.morning([trend("Alba")]);
    expect((await here.read()).ranked).toBeUndefined();
    delete here.fail.post;
    here.restart();
    await here.morning([trend("Brio")]);
    expect(last()).toContain("1. Alba");
    expect((await here.read()).ranked).toEqual([{ entity: "company|alba", name: "Alba" }]);
  });

  it("is limited to some names, or leaves some out", async () => {
    await here.say('add trending exclude "brio" daily at 9:00');
    await here.say("add trending only Brio daily at 9:00");
    await here.morning([trend("Alba"), trend("Brio")]);
    expect(here.posts.map(({ message }) => wordsOf(message).match(/\d\. \w+/g))).toEqual([["1. Alba"], ["1. Brio"]]);
    expect(await here.hint("add trending exclude")).toContain("Which names?");
  });

  it("asks for its time in a window that keeps the names", async () => {
    const window = await here.say('add trending company exclude "Brio"');
    expect(window.window?.form?.state).toContain('"exclude":["Brio"]');
  });

  it("is shown privately by a test, which writes nothing down", async () => {
    await here.say("add trending company daily at 9:00 --thread");
    const shown = await here.say("test 1");
    expect(shown.private).toBe(true);
    expect(wordsOf(shown)).toMatch(/Test: digest 1 [^]*the ranking in its thread[^]*1\. Alba/);
    expect((await here.read()).ranked).toBeUndefined();
  });

  it("shows its first names in the channel and the rest in a thread, if somebody chose that", async () => {
    await here.say("add trending company daily at 9:00 --thread compact");
    await here.morning(["Alba", "Brio", "Cove", "Dune"].map((name) => trend(name)));
    const [lead, thread] = here.posts.map(({ message }) => wordsOf(message));
    expect(lead).toContain("The ranking is in the thread.");
    expect(lead).not.toContain("Dune");
    expect(thread).toContain("*4. Dune* · 12 articles");
  });

  it("has no articles, so no AI intro and no stories to ask about", async () => {
    expect(await here.hint("add trending daily --lead")).toContain("`--lead` doesn’t go with a ranking");
    await here.say("add trending daily");
    expect(await here.hint("edit 1 --lead")).toContain("`--lead` doesn’t go with a ranking");
    expect(wordsOf(await here.say("why-not 1 https://news.example.com/1"))).toContain("a ranking, without articles");
  });

  it("escapes names that would ping somebody or break the message", async () => {
    await here.say("add trending daily at 9:00");
    await here.morning([trend("<!channel> & *x*", { type: "<@U1>" }), trend("")]);
    expect(here.posts.flatMap(({ message }) => problemsOf(message))).toEqual([]);
    expect(last()).toContain("Unnamed");
  });
});
