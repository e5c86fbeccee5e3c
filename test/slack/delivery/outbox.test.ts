import { describe, expect, it } from "vitest";

import {
  ClaimedElsewhere,
  type Post,
  type PostFailure,
  type PostKind,
  createOutbox,
  newPost,
  retriedNow,
} from "../../../src/slack/delivery/outbox.ts";
import { SlackRefused } from "../../../src/slack/delivery/refusal.ts";
import type { Posted } from "../../../src/slack/text/message.ts";
import { now as start, silentLog } from "../../support/builders.ts";
import { fakeDelivery } from "../../support/delivery.ts";
import { createKeyQueue } from "../../../src/store/key-queue.ts";

const minute = 60_000;
const hour = 60 * minute;
const refusal = (code: string) => new SlackRefused("chat.postMessage", code);
const unsure = () => new SlackRefused("chat.postMessage", "internal_error", { reaction: "unsure" });

/** A record with posts: notes on a board. */
interface Board {
  team: string;
  channel: string;
  isPaused?: boolean;
  /** What its notes say, by their names, and how many have read them. */
  words: Record<string, string>;
  readers: number;
  posts: Post<{ note: string }>[];
  stood: string[];
  failures: PostFailure["why"][];
}

/** A store with one board, a Slack that takes posts and edits, and an outbox between them. */
function desk(...notes: string[]) {
  const slack = fakeDelivery();
  const edits: { posted: Posted; text: string }[] = [];
  const state = {
    now: start,
    isFull: false,
    claims: [] as string[],
    claimed: undefined as (() => Error | undefined) | undefined,
    editFails: undefined as Error | undefined,
    /** An edit takes until then. */
    editing: undefined as Promise<void> | undefined,
  };
  let board: Board = {
    team: "T1",
    channel: "C1",
    words: Object.fromEntries(notes.map((note) => [note, `${note} says hello`])),
    readers: 0,
    posts: notes.map((note) => newPost({ key: note, since: start, content: { note } })),
    stood: [],
    failures: [],
  };
  const kind: PostKind<Board, { note: string }> = {
    name: "note",
    label: () => ({}),
    posts: ({ posts }) => posts,
    withPosts: (record, posts) => ({ ...record, posts }),
    read: async () => structuredClone(board),
    async change(_, change) {
      if (state.isFull) throw new Error("the disk is full");
      return (board = change(board));
    },
    place: ({ channel, isPaused }) => (isPaused ? undefined : { channel }),
    async draw({ words, readers }, { key, content: { note } }) {
      const text = words[note];
      if (text === undefined) return { problem: "it was torn off" };
      return {
        message: { text: `${text} to ${readers}` },
        async claim() {
          const error = state.claimed?.();
          if (error) throw error;
          state.claims.push(key);
        },
        async release() {
          state.claims = state.claims.filter((each) => each !== key);
        },
      };
    },
    revision: ({ words, readers }, { content: { note } }) => ({ state: words[note] ?? "", figures: `${readers}` }),
    afterStanding: (record, { key }) => ({ ...record, stood: [...record.stood, key] }),
    afterFailure: (record, _, { why }) => ({ ...record, failures: [...record.failures, why] }),
    async onRefused(record, _, { reaction }) {
      if (reaction === "policy") return "dropped";
      if (reaction !== "destination") return "retried";
      board = { ...record, isPaused: true };
      return "waits";
    },
  };
  const create = () =>
    createOutbox({
      post: slack.post,
      async edit(_, posted, { text }) {
        await state.editing;
        if (state.editFails) throw state.editFails;
        edits.push({ posted, text });
      },
      inTurn: createKeyQueue(),
      log: silentLog,
      now: () => state.now,
    });
  let outbox = create();
  const deliver = async () => {
    await outbox.deliver(kind, board);
    await outbox.refresh(kind, board);
  };
  return {
    ...slack,
    state,
    edits,
    deliver,
    later: (ms: number) => {
      state.now += ms;
      return deliver();
    },
    restart: () => void (outbox = create()),
    board: () => board,
    set: (change: Partial<Board>) => void (board = { ...board, ...change }),
    texts: () => slack.posts.map(({ message }) => message.text),
  };
}

describe("the outbox", () => {
  it("posts what is written down once, in its order, and notes its place", async () => {
    const { deliver, texts, board, counts } = desk("one", "two");
    await deliver();
    await deliver();
    expect(texts()).toEqual(["one says hello to 0", "two says hello to 0"]);
    expect(board().posts.map(({ posted }) => posted?.ts)).toEqual(["1.0", "2.0"]);
    expect([board().stood, counts.tries]).toEqual([["one", "two"], 2]);
  });

  it("posts a message once that is delivered twice at the same time", async () => {
    const { deliver, texts } = desk("one");
    await Promise.all([deliver(), deliver()]);
    expect(texts()).toHaveLength(1);
  });

  it("looks for a message first that Slack may have taken before the process ended", async () => {
    const { deliver, texts, board, fail, counts, restart } = desk("one");
    fail.after = () => new Error("the process ends here");
    await deliver();
    delete fail.after;
    restart();
    await deliver();
    expect([texts().length, counts.looks, board().stood]).toEqual([1, 1, ["one"]]);
  });

  it("sends nothing that can't be written down first", async () => {
    const { deliver, texts, state } = desk("one");
    state.isFull = true;
    await deliver();
    expect([texts(), state.claims]).toEqual([[], []]);
    state.isFull = false;
    await deliver();
    expect(texts()).toHaveLength(1);
  });

  it("drops a message that has nothing left to say", async () => {
    const { deliver, texts, board, set } = desk("one", "two");
    set({ words: { two: "still here" } });
    await deliver();
    expect(texts()).toEqual(["still here to 0"]);
    expect([board().posts.map(({ key }) => key), board().failures]).toEqual([["two"], ["nothing to say"]]);
  });

  it("draws a message again if another post has claimed what it was to show", async () => {
    const { deliver, texts, state, set } = desk("one");
    let isFirst = true;
    state.claimed = () => {
      if (!isFirst) return undefined;
      isFirst = false;
      set({ words: { one: "the rest" } });
      return new ClaimedElsewhere();
    };
    await deliver();
    expect(texts()).toEqual(["the rest to 0"]);
  });

  it("holds a message back whose record is paused or moved before its turn, and keeps it", async () => {
    const { deliver, texts, state, fail, set, board } = desk("one");
    fail.before = () => (set({ channel: "C2" }), undefined);
    await deliver();
    expect([texts(), state.claims, board().posts.map(({ sentAt }) => sentAt)]).toEqual([[], [], [undefined]]);
    delete fail.before;
    await deliver();
    expect(texts()).toHaveLength(1);
  });

  it("tries less and less often, and gives a message up after a day", async () => {
    const { deliver, later, fail, board, counts, state } = desk("one");
    fail.post = () => refusal("message_limit_exceeded");
    await deliver();
    const tries: number[] = [];
    for (let minutes = 1; minutes < 240; minutes++) {
      const before = counts.tries;
      await later(minute);
      if (counts.tries > before) tries.push(minutes);
    }
    expect(tries).toEqual([1, 3, 7, 15, 31, 63, 123, 183]);
    for (let hours = 4; hours < 30; hours++) await later(hour);
    expect([board().posts, board().failures.at(-1), state.claims]).toEqual([[], "given up", []]);
    expect(state.now - start).toBeGreaterThan(24 * hour);
  });

  it("keeps those after a message waiting that Slack doesn't take, so that their order holds", async () => {
    const { deliver, later, texts, fail } = desk("one", "two");
    fail.post = () => refusal("message_limit_exceeded");
    await deliver();
    delete fail.post;
    await deliver();
    expect(texts()).toEqual([]);
    await later(minute);
    expect(texts()).toEqual(["one says hello to 0", "two says hello to 0"]);
  });

  it("sends nothing a second time if Slack doesn't say whether it took it and can't be asked", async () => {
    const { deliver, later, texts, fail, board } = desk("one");
    fail.after = unsure;
    await deliver();
    delete fail.after;
    await later(hour);
    expect([texts().length, board().posts, board().failures]).toEqual([1, [], ["unsure"]]);
  });

  it("drops a message that its kind has no use for after a refusal, and goes on with the next", async () => {
    const { deliver, texts, fail, board } = desk("one", "two");
    fail.post = ({ key }) => (key === "one" ? refusal("restricted_action") : undefined);
    await deliver();
    expect([texts(), board().failures]).toEqual([["two says hello to 0"], ["dropped"]]);
  });

  it("keeps a message whose channel takes nothing until somebody resumes it, and then tries at once", async () => {
    const { deliver, later, texts, fail, board, set, counts } = desk("one");
    fail.post = () => refusal("is_archived");
    await deliver();
    await later(hour);
    expect([counts.tries, board().failures]).toEqual([1, []]);
    delete fail.post;
    set({ isPaused: false, posts: board().posts.map(retriedNow) });
    await deliver();
    expect([texts().length, counts.looks]).toEqual([1, 0]);
  });
});

describe("a message that stands", () => {
  it("is edited at once if its state changes, and after five minutes if its figures do", async () => {
    const { deliver, later, edits, set } = desk("one");
    await deliver();
    set({ readers: 1 });
    await later(4 * minute);
    expect(edits).toEqual([]);
    await later(minute);
    set({ words: { one: "goodbye" } });
    await deliver();
    await deliver();
    expect(edits.map(({ text }) => text)).toEqual(["one says hello to 1", "goodbye to 1"]);
  });

  it("says what is so in the end if that changes back while an edit is under way", async () => {
    const { deliver, edits, set, state } = desk("one");
    await deliver();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.editing = promise;
    set({ words: { one: "muted" } });
    const first = deliver();
    await new Promise((done) => setImmediate(done));
    set({ words: { one: "one says hello" } });
    const second = deliver();
    await new Promise((done) => setImmediate(done));
    resolve();
    await Promise.all([first, second]);
    expect(edits.map(({ text }) => text)).toEqual(["muted to 0", "one says hello to 0"]);
  });

  it("is edited again later if Slack refuses the edit, and never again if it was deleted", async () => {
    const { deliver, later, edits, set, state } = desk("one");
    await deliver();
    state.editFails = new SlackRefused("chat.update", "ratelimited");
    set({ words: { one: "goodbye" } });
    await deliver();
    state.editFails = undefined;
    await deliver();
    expect(edits.map(({ text }) => text)).toEqual(["goodbye to 0"]);
    state.editFails = new SlackRefused("chat.update", "message_not_found");
    set({ words: { one: "hello again" } });
    await deliver();
    state.editFails = undefined;
    await later(hour);
    expect(edits).toHaveLength(1);
  });
});
