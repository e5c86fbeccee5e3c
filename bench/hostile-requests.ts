/** Requests that somebody could send to the bot's port: unsigned, or signed, as if the signing secret had leaked. */
import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";

import * as fc from "fast-check";

import { features } from "../src/features.ts";

/** The workspace and signing secret that the requests are for. */
export interface Target {
  signingSecret: string;
  team: string;
  botUser: string;
  channel: string;
  /** The address at which the fake Slack accepts answers to a request. */
  responseUrl: string;
}

/** One request in bytes. */
export interface HostileRequest {
  kind: string;
  bytes: Buffer;
  /** Whether its sender disconnects before it is complete. */
  isCut: boolean;
}

interface Parts {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  isCut?: boolean;
}

type Payload = Record<string, unknown>;

const json = "application/json";
const form = "application/x-www-form-urlencoded";
const eventsPath = "/slack/events";

/** Names that every object of JavaScript inherits. */
const prototypeNames = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf", "then"];

const nastyTexts = [
  "",
  " ",
  "\u0000",
  "\u0007\u001b[31m\r\n2026-01-01 error forged",
  "\ud800",
  "\udfff\ud800",
  "\u202Egnp.exe\u202C",
  "\uFEFF\u2028\u2029",
  "<!channel> <@U0OTHER> <http://evil.example|Log in>",
  "&lt;!here&gt;",
  "%00%252525252e%25%",
  "${7*7} {{7*7}} ' OR 1=1; --",
  "../../../../etc/passwd",
  "--since --limit --every --in",
  "[".repeat(2_000),
  "*\\".repeat(2_000),
  "a".repeat(40_000),
  ...prototypeNames,
];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
);

const deep = (levels: number): unknown => {
  let value: unknown = "x";
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
};

/** Values in place of a text. */
const noText: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(0, -1, 1e308, true, false, [], {}, [[]], ["x"], { id: "x" }, { toString: 1 }, [null]),
  fc.constantFrom(deep(50), deep(1_000)),
  fc.jsonValue({ maxDepth: 3 }).filter((value) => typeof value !== "string" && value !== null),
);

const id = fc.nat(1e9).map((number) => number.toString(36).toUpperCase());

/** A kind of payload, with the same IDs as Slack's. */
interface Shape {
  make: (unique: string, words: string) => Payload;
  /** The fields that it must have; text, unless the payload that was made holds an object there. */
  needed: string[];
  /** The optional fields with a text. */
  texts: string[];
  /** Whether it is sent as a form, not as JSON inside one. */
  isCommand?: boolean;
}

function shapesFor({ team, botUser, channel, responseUrl }: Target): Record<string, Shape> {
  const event = (fields: Payload, more: Payload = {}) => ({
    token: "t",
    team_id: team,
    api_app_id: "A0BENCH",
    type: "event_callback",
    event_time: 1_800_000_000,
    authorizations: [
      { enterprise_id: null, team_id: team, user_id: botUser, is_bot: true, is_enterprise_install: false },
    ],
    event: fields,
    ...more,
  });
  const inner = (unique: string) => ({ event_id: `Ev${unique}` });
  const wrapper = ["event", "event.type"];
  const ofTeam = ["team_id", "event_id"];
  const message = (unique: string, words: string) => ({ user: "U0ANA", ts: stampOf(unique), text: words, channel });
  const inChannel = (type: string): Shape => ({
    make: (unique) => event({ type, channel, user: "U0ANA" }, inner(unique)),
    needed: [...wrapper, "event.channel"],
    texts: ofTeam,
  });
  const person = { id: "U0ANA", username: "ana", name: "ana", team_id: team };
  const interaction = { team: { id: team, domain: "acme" }, user: person, api_app_id: "A0BENCH", token: "t" };
  const pressed = {
    ...interaction,
    type: "block_actions",
    channel: { id: channel, name: "desk" },
    container: { type: "message", message_ts: "1700000000.000100", channel_id: channel, is_ephemeral: false },
    message: { type: "message", ts: "1700000000.000100", text: "", user: botUser },
    response_url: responseUrl,
  };
  const metadata = JSON.stringify({ channel, state: "" });
  const view = (unique: string, words: string) => ({
    id: `V${unique}`,
    type: "modal",
    callback_id: "ask",
    private_metadata: metadata,
    hash: `${unique}.h`,
    title: { type: "plain_text", text: "Ask" },
    blocks: [{ type: "input", block_id: "question" }],
    state: { values: { question: { question: { type: "plain_text_input", value: words } } } },
    app_installed_team_id: team,
  });
  return {
    app_mention: {
      make: (unique, words) =>
        event({ type: "app_mention", ...message(unique, `<@${botUser}> ${words}`) }, inner(unique)),
      needed: [...wrapper, "event.channel", "event.ts"],
      texts: [...ofTeam, "event.text", "event.user", "event.thread_ts", "event.bot_id", "event.user_team"],
    },
    message: {
      make: (unique, words) =>
        event({ type: "message", channel_type: "im", ...message(unique, words), channel: "D0ANA" }, inner(unique)),
      needed: [...wrapper, "event.channel", "event.ts"],
      texts: [...ofTeam, "event.text", "event.user", "event.thread_ts", "event.subtype", "event.channel_type"],
    },
    app_home_opened: {
      make: (unique) => event({ type: "app_home_opened", user: "U0ANA", channel: "D0ANA", tab: "home" }, inner(unique)),
      needed: [...wrapper, "event.user"],
      texts: [...ofTeam, "event.tab"],
    },
    agent_session_stopped: {
      make: (unique) =>
        event({ type: "agent_session_stopped", channel: "D0ANA", thread_ts: "1.2", user: "U0ANA" }, inner(unique)),
      needed: [...wrapper, "event.channel", "event.thread_ts", "event.user"],
      texts: ofTeam,
    },
    member_joined_channel: {
      make: (unique) => event({ type: "member_joined_channel", channel, user: "U0ANA" }, inner(unique)),
      needed: [...wrapper, "event.channel", "event.user"],
      texts: ofTeam,
    },
    channel_id_changed: {
      make: (unique) =>
        event({ type: "channel_id_changed", old_channel_id: "C0OLD", new_channel_id: "C0NEW" }, inner(unique)),
      needed: [...wrapper, "event.old_channel_id", "event.new_channel_id"],
      texts: ofTeam,
    },
    channel_archive: inChannel("channel_archive"),
    channel_unarchive: inChannel("channel_unarchive"),
    channel_deleted: inChannel("channel_deleted"),
    channel_left: inChannel("channel_left"),
    group_archive: inChannel("group_archive"),
    group_left: inChannel("group_left"),
    tokens_revoked: {
      make: (unique) => event({ type: "tokens_revoked", tokens: { oauth: ["U0ANA"] } }, inner(unique)),
      needed: [...wrapper, "event.tokens"],
      texts: ofTeam,
    },
    "a slash command": {
      make: (unique, words) => ({
        token: "t",
        team_id: team,
        team_domain: "acme",
        channel_id: channel,
        channel_name: "desk",
        user_id: "U0ANA",
        user_name: "ana",
        command: "/news",
        text: words,
        api_app_id: "A0BENCH",
        is_enterprise_install: "false",
        response_url: responseUrl,
        trigger_id: `1.${unique}`,
      }),
      needed: ["command", "team_id", "channel_id", "user_id", "trigger_id"],
      texts: ["text", "response_url"],
      isCommand: true,
    },
    block_actions: {
      make: (unique, words) => ({
        ...pressed,
        trigger_id: `2.${unique}`,
        actions: [{ type: "button", action_id: "run", block_id: "b", value: words, action_ts: stampOf(unique) }],
      }),
      needed: ["user", "user.id", "actions", "actions.0", "actions.0.type", "actions.0.action_id", "container"],
      texts: ["trigger_id", "response_url", "actions.0.value", "container.message_ts", "container.view_id"],
    },
    "block_actions of a menu": {
      make: (unique, words) => ({
        ...pressed,
        trigger_id: `3.${unique}`,
        actions: [{ type: "overflow", action_id: "run:menu", block_id: "b", selected_option: { value: words } }],
      }),
      needed: ["user", "user.id", "actions.0.type", "actions.0.action_id", "container"],
      texts: ["actions.0.selected_option.value"],
    },
    view_submission: {
      make: (unique, words) => ({
        ...interaction,
        type: "view_submission",
        trigger_id: `4.${unique}`,
        view: view(unique, words),
        response_urls: [],
      }),
      needed:
        "user user.id view view.id view.callback_id view.private_metadata view.title view.blocks view.state view.state.values".split(
          " ",
        ),
      texts: ["view.hash", "view.state.values.question.question.value"],
    },
    block_suggestion: {
      make: (unique, words) => ({
        ...interaction,
        type: "block_suggestion",
        action_id: "pick:entity",
        block_id: "entity",
        value: words,
        container: { type: "view", view_id: `V${unique}` },
        view: view(unique, words),
      }),
      needed: ["user", "user.id", "action_id", "value"],
      texts: [],
    },
    message_action: {
      make: (unique, words) => ({
        ...interaction,
        type: "message_action",
        callback_id: "ask_about_message",
        trigger_id: `5.${unique}`,
        response_url: responseUrl,
        channel: { id: channel, name: "desk" },
        message: { type: "message", user: "U0BEN", ts: stampOf(unique), text: words },
      }),
      needed: ["user", "user.id", "callback_id", "channel", "channel.id", "message", "message.ts"],
      texts: ["trigger_id", "response_url", "message.text"],
    },
  };
}

const stampOf = (unique: string) => `1700${Number.parseInt(unique, 36) % 1_000_000}.${Number.parseInt(unique, 36)}`;

/** The same payload with another value, or none, at a path such as `event.channel`. */
function replaced(payload: Payload, path: string, value: unknown): Payload {
  const copy = structuredClone(payload);
  const names = path.split(".");
  const last = names.pop() ?? "";
  let parent: Payload = copy;
  for (const name of names) parent = parent[name] as Payload;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

function bodyOf(payload: Payload, isCommand = false): { type: string; body: string } {
  if (!isCommand) return { type: json, body: JSON.stringify(payload) };
  const pairs = Object.entries(payload).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return { type: form, body: new URLSearchParams(pairs).toString() };
}

/** The body of a payload: interactions are JSON in a form, events JSON. */
function wrapped(payload: Payload, shape: Shape): { type: string; body: string } {
  if (shape.isCommand || payload["event"] !== undefined || payload["type"] === "event_callback")
    return bodyOf(payload, shape.isCommand);
  return { type: form, body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() };
}

function signatureOf(secret: string, body: string | Buffer, at = Math.floor(Date.now() / 1_000)) {
  // Bolt verifies the body as text.
  const signature = createHmac("sha256", secret).update(`v0:${at}:${body.toString()}`).digest("hex");
  return { "x-slack-request-timestamp": String(at), "x-slack-signature": `v0=${signature}` };
}

/** The bytes of a request. They are sent as they are, even if they are not valid HTTP. */
function bytesOf(kind: string, { method = "POST", path = eventsPath, headers = {}, body = "", isCut = false }: Parts) {
  const content = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const all: Record<string, string> = {
    host: "bench.example",
    connection: "close",
    "content-length": String(content.length),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = Buffer.from(`${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`, "latin1");
  const whole = Buffer.concat([head, content]);
  return { kind, bytes: isCut ? whole.subarray(0, head.length + Math.floor(content.length / 2)) : whole, isCut };
}

/** One payload as Slack sends it. */
export function signedRequest({ signingSecret }: Target, payload: Payload): HostileRequest {
  const { type, body } = bodyOf(payload);
  return bytesOf("signed", { headers: { "content-type": type, ...signatureOf(signingSecret, body) }, body });
}

/** Requests without a valid signature, unreadable ones, and readable ones with nothing for the bot. */
export function meaninglessRequests(target: Target): fc.Arbitrary<HostileRequest> {
  const shapes = Object.values(shapesFor(target));
  const shape = fc.constantFrom(...shapes);
  const whole = fc.tuple(shape, id, text).map(([one, unique, words]) => wrapped(one.make(unique, words), one));
  return fc.oneof(
    { weight: 45, arbitrary: unsigned(target, whole) },
    { weight: 30, arbitrary: unreadable(target, shape) },
    { weight: 10, arbitrary: unreadableBodies(target, whole) },
    { weight: 8, arbitrary: meaningNothing(target) },
    { weight: 5, arbitrary: oddPaths(target) },
    { weight: 3, arbitrary: forgedInstallations() },
  );
}

/** The beginnings of a command's text, before words of a person. */
const beginnings = [
  "",
  "list",
  "new Gold:",
  "add",
  "add entity",
  "show",
  "edit 1",
  "why-not 1",
  "test 1",
  "run",
  "chat",
];
/** The names of the fields of forms. */
const fieldNames = [
  "question",
  "text",
  "name",
  "query",
  "source",
  "kind",
  "channel",
  "when",
  "include",
  "words",
  "most",
];

/** Requests of every kind that Slack could send, with hostile words in place of a person's, and hostile IDs. */
export function readableRequests(target: Target): fc.Arbitrary<HostileRequest> {
  const shapes = shapesFor(target);
  const slashes = features.flatMap(({ commands }) =>
    commands.filter(({ isSlash }) => isSlash).map(({ verb }) => `/${verb}`),
  );
  const verbs = features.flatMap(({ commands }) => commands.map(({ verb }) => verb));
  const forms = features.flatMap(({ forms: some = [] }) => some.map(({ name }) => name));
  const pickers = features.flatMap(({ pickers: some = [] }) => some.map(({ name }) => name));
  const line = fc.tuple(fc.constantFrom(...beginnings), text).map((words) => words.join(" "));
  const anyLine = fc.tuple(fc.constantFrom(...verbs), line).map((words) => words.join(" "));
  const filledIn = fc.dictionary(fc.constantFrom(...fieldNames), text, { maxKeys: 5 }).map((fields) => {
    const values = Object.entries(fields).map(([name, value]) => [
      name,
      { [name]: { type: "plain_text_input", value } },
    ]);
    return { values: Object.fromEntries(values) as unknown };
  });
  /** The values that replace the usual ones, by kind of request. */
  const changes: Record<string, Record<string, fc.Arbitrary<unknown>>> = {
    "a slash command": {
      command: fc.constantFrom(...slashes, "/bellwether"),
      text: fc.oneof(line, anyLine),
      channel_id: text,
      user_id: text,
      trigger_id: text,
    },
    app_mention: {
      "event.text": anyLine,
      "event.channel": text,
      "event.user": text,
      "event.thread_ts": text,
      "event.ts": text,
    },
    message: { "event.text": anyLine, "event.thread_ts": text, "event.user": text },
    block_actions: {
      "actions.0.value": anyLine,
      "actions.0.action_id": fc.oneof(
        fc.constantFrom("run", "turn", "run:below", "stop", "share", "form", "run@U0BEN"),
        text.map((words) => `run:on:${words}`),
        text,
      ),
      "actions.0.type": text,
      "user.id": text,
      "channel.id": text,
      container: text.map((words) => ({ type: "view", view_id: words })),
    },
    view_submission: {
      "view.callback_id": fc.oneof(fc.constantFrom(...forms), text),
      "view.state": filledIn,
      "view.private_metadata": text.map((state) => JSON.stringify({ channel: target.channel, state })),
      "view.title.text": text,
      "user.id": text,
    },
    block_suggestion: {
      action_id: fc.oneof(fc.constantFrom(...pickers), text).map((name) => `pick:${name}`),
      value: text,
      "user.id": text,
    },
    message_action: { callback_id: text, "message.ts": text, "message.text": text, "channel.id": text },
  };
  const changed = fc.constantFrom(...Object.entries(changes)).chain(([kind, paths]) => {
    const some = fc.subarray(Object.keys(paths), { minLength: 1, maxLength: 2 });
    const values = fc.record(paths);
    return fc.tuple(id, some, values).map(([unique, names, value]) => {
      const shape = shapes[kind] ?? expectShape(kind);
      const payload = names.reduce((before, path) => replaced(before, path, value[path]), shape.make(unique, "help"));
      return { kind, shape, payload };
    });
  });
  const usual = fc.tuple(fc.constantFrom(...Object.entries(shapes)), id, line).map(([[kind, shape], unique, words]) => {
    return { kind, shape, payload: shape.make(unique, words) };
  });
  return fc
    .oneof({ weight: 3, arbitrary: changed }, { weight: 1, arbitrary: usual })
    .map(({ kind, shape, payload }) => {
      const { type, body } = wrapped(payload, shape);
      const headers = { "content-type": type, ...signatureOf(target.signingSecret, body) };
      return bytesOf(`readable: ${kind}`, { headers, body });
    });
}

function expectShape(kind: string): never {
  throw new Error(`there is no ${kind}`);
}

type Body = { type: string; body: string };

function unsigned({ signingSecret }: Target, whole: fc.Arbitrary<Body>): fc.Arbitrary<HostileRequest> {
  const now = () => Math.floor(Date.now() / 1_000);
  const signings: Record<string, (body: string) => Record<string, string>> = {
    "no signature": () => ({}),
    "another secret": (body) => signatureOf("another secret", body),
    "an empty secret": (body) => signatureOf("x", body),
    "another body's signature": (body) => signatureOf(signingSecret, `${body} `),
    "signed ten minutes ago": (body) => signatureOf(signingSecret, body, now() - 600),
    "signed for in ten minutes": (body) => signatureOf(signingSecret, body, now() + 600),
    "no time": (body) => ({ "x-slack-signature": signatureOf(signingSecret, body)["x-slack-signature"] }),
    "a time that is none": (body) => ({ ...signatureOf(signingSecret, body), "x-slack-request-timestamp": "NaN" }),
    "an endless time": (body) => ({
      ...signatureOf(signingSecret, body),
      "x-slack-request-timestamp": "9".repeat(400),
    }),
    "an odd signature": () => ({ "x-slack-request-timestamp": String(now()), "x-slack-signature": "v0=\u00ff\u0080" }),
    "a short signature": () => ({ "x-slack-request-timestamp": String(now()), "x-slack-signature": "v0=" }),
  };
  const signing = fc.constantFrom(...Object.entries(signings));
  const plain = fc.tuple(whole, signing).map(([{ type, body }, [kind, sign]]) => {
    return bytesOf(`unsigned: ${kind}`, { headers: { "content-type": type, ...sign(body) }, body });
  });
  const smuggled = fc
    .tuple(
      whole,
      fc.constantFrom("ssl_check=1&", "ssl_check=1&ssl_check=1&", "a=b&ssl_check=1&", "ssl_check=01&"),
      fc.constantFrom(form, json, `${form}; charset=utf-8`),
    )
    .map(([{ body }, check, type]) =>
      bytesOf("unsigned: a smuggled ssl_check", {
        headers: { "content-type": type },
        body: `${check}payload=${encodeURIComponent(body.toWellFormed())}`,
      }),
    );
  const huge = fc
    .tuple(fc.constantFrom(70_000, 999_999, 1_000_001, 5_000_000), fc.boolean())
    .map(([length, isChunked]) =>
      isChunked
        ? bytesOf("unsigned: huge", {
            headers: { "content-type": json, "transfer-encoding": "chunked", "content-length": "" },
            body: `${length.toString(16)}\r\n${"x".repeat(length)}\r\n0\r\n\r\n`,
          })
        : bytesOf("unsigned: huge", { headers: { "content-type": json }, body: "x".repeat(length) }),
    );
  const cut = fc.tuple(whole, signing).map(([{ type, body }, [, sign]]) => {
    return bytesOf("half a body", { headers: { "content-type": type, ...sign(body) }, body, isCut: true });
  });
  const encodings = fc.constantFrom("gzip", "deflate", "br", "zstd", "identity, gzip", "x-nothing");
  const coded = fc.tuple(whole, encodings).map(([{ type, body }, encoding]) =>
    bytesOf("unsigned: it claims to be compressed", {
      headers: { "content-type": type, "content-encoding": encoding },
      body: encoding === "gzip" ? gzipSync(body) : body,
    }),
  );
  const broken = fc
    .constantFrom<[string, Record<string, string>]>(
      ["POST", { "transfer-encoding": "chunked" }],
      ["POST", { "content-length": "-1" }],
      ["POST", { "content-length": "1e9" }],
      ["POST", { "content-length": "99999999999999999999" }],
      ["POST", { "transfer-encoding": "chunked, gzip", "content-length": "" }],
      ["POST", { expect: "100-continue" }],
      ["POST", { expect: "nothing" }],
      ["POST", { upgrade: "websocket", connection: "upgrade" }],
      ["POST", { host: "" }],
      ["POST", { "x-long": "y".repeat(20_000) }],
      ["POST", { "x-control": "a\u0000b" }],
      ["POST\u0000", {}],
      ["post", {}],
      ["CONNECT", {}],
      ["TRACE", {}],
      ["PRI", {}],
    )
    .map(([method, headers]) => bytesOf("no HTTP", { method, headers, body: "x" }));
  const noise = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => ({
    kind: "no HTTP",
    bytes: Buffer.concat([Buffer.from(bytes), Buffer.from("\r\n\r\n")]),
    isCut: false,
  }));
  return fc.oneof(
    { weight: 60, arbitrary: plain },
    { weight: 10, arbitrary: smuggled },
    { weight: 1, arbitrary: huge },
    { weight: 8, arbitrary: cut },
    { weight: 8, arbitrary: coded },
    { weight: 8, arbitrary: broken },
    { weight: 5, arbitrary: noise },
  );
}

/** A signed request of a kind that Slack sends, with a field that makes it unreadable. */
function unreadable({ signingSecret }: Target, shape: fc.Arbitrary<Shape>): fc.Arbitrary<HostileRequest> {
  const wrong = fc.tuple(shape, id, noText, fc.nat(), fc.nat(9)).chain(([one, unique, value, pick, way]) => {
    const payload = one.make(unique, "help");
    const isOptional = way < 3 && one.texts.length > 0;
    const paths = isOptional ? one.texts : one.needed;
    const path = paths[pick % paths.length] ?? "";
    if (one.isCommand) {
      // A form holds only texts, but a name may occur twice.
      const twice = ["a", "b"];
      return fc.constant({ one, payload: replaced(payload, path, isOptional || way > 6 ? twice : undefined) });
    }
    if (isOptional) return fc.constant({ one, payload: replaced(payload, path, value) });
    const isObject = typeof valueAt(payload, path) === "object";
    const fallbackBlocks = fc.constantFrom<unknown>(undefined, null, isObject ? "text" : value, isObject ? 5 : [value]);
    return fallbackBlocks.map((other) => ({ one, payload: replaced(payload, path, other) }));
  });
  return wrong.map(({ one, payload }) => {
    const { type, body } = wrapped(payload, one);
    const headers = { "content-type": type, ...signatureOf(signingSecret, body) };
    return bytesOf("signed: a field missing or wrong", { headers, body });
  });
}

function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (const name of path.split(".")) value = (value as Payload | undefined)?.[name];
  return value;
}

/** A signed request whose body cannot be read at all. */
function unreadableBodies({ signingSecret }: Target, whole: fc.Arbitrary<Body>): fc.Arbitrary<HostileRequest> {
  const bodies = fc.oneof(
    whole.map(({ body }) => ({ type: json, body: body.slice(0, -1) })),
    fc
      .constantFrom("", "null", "[]", "[null]", "0", "true", '"x"', "{", "{}", "\u0000", '{"a":', "NaN", "undefined")
      .map((body) => ({ type: json, body })),
    fc
      .constantFrom(
        "payload=",
        "payload=null",
        "payload=[]",
        "payload=5",
        "payload=%",
        "payload=%22%22",
        "payload[]=1",
        "payload=1&payload=2",
        "&&&",
        "=",
        "__proto__=1",
        "constructor=1&prototype=2",
      )
      .map((body) => ({ type: form, body })),
    fc
      .constantFrom("[".repeat(30_000), '{"a":'.repeat(10_000), `${"[".repeat(20_000)}${"]".repeat(20_000)}`)
      .map((body) => ({ type: json, body })),
    fc.jsonValue({ maxDepth: 2 }).map((value) => ({ type: json, body: JSON.stringify([value]) })),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ type: json, body: Buffer.from(bytes) })),
    whole.filter(({ type }) => type === form).map(({ body }) => ({ type: json, body })),
    fc
      .tuple(
        whole,
        fc.constantFrom(`${form}; charset=utf-8`, "multipart/form-data; boundary=x", "text/xml", "", "a".repeat(5_000)),
      )
      .filter(([{ type }]) => type === form)
      .map(([{ body }, type]) => ({ type, body })),
    whole.map(({ body, type }) => ({ type, body: gzipSync(body) })),
    whole
      .filter(({ type }) => type === json)
      .map(({ body }) => ({ type: form, body: `payload=${deeplyEncoded(body)}` })),
  );
  return bodies.map(({ type, body }) =>
    bytesOf("signed: no payload", { headers: { "content-type": type, ...signatureOf(signingSecret, body) }, body }),
  );
}

/** Encodes a body three times, so that decoding it once gives no JSON. */
function deeplyEncoded(body: string): string {
  const once = encodeURIComponent(body.slice(0, 2_000).toWellFormed());
  return encodeURIComponent(encodeURIComponent(once));
}

/** A signed, well-formed request with nothing in it for the bot. */
function meaningNothing({ signingSecret, team, channel, botUser }: Target): fc.Arbitrary<HostileRequest> {
  const event = (fields: Payload) => ({ type: "event_callback", team_id: team, event: fields });
  const interaction = { team: { id: team }, user: { id: "U0ANA" }, trigger_id: "9.9" };
  const accessibleText = { type: "message", channel, ts: "1.2", text: `<@${botUser}> help` };
  const others = [
    "view_closed",
    "shortcut",
    "workflow_step_edit",
    "dialog_submission",
    "interactive_message",
    "options",
  ];
  const payloads = fc.oneof(
    { weight: 3, arbitrary: text.map((challenge) => ({ type: "url_verification", challenge })) },
    { weight: 1, arbitrary: fc.constant({ type: "app_rate_limited", team_id: team, minute_rate_limited: 1 }) },
    { weight: 2, arbitrary: fc.constant({ ssl_check: "1", token: "t" }) },
    {
      weight: 5,
      arbitrary: fc
        .constantFrom("reaction_added", "team_join", "file_shared", "channel_rename", "link_shared", ...prototypeNames)
        .map((type) => event({ type, channel, user: "U0ANA" })),
    },
    { weight: 3, arbitrary: text.map((type) => event({ type })) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom<Payload>(
          { subtype: "message_changed" },
          { subtype: "bot_message", bot_id: "B1" },
          { user: botUser },
          { user: "U0ANA", channel_type: "channel" },
          { user: "U0ANA", channel_type: "app_home" },
        )
        .map((fields) => event({ ...accessibleText, ...fields })),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom(...others), text).map(([type, callback]) => ({
        ...interaction,
        type,
        callback_id: callback,
        view: { id: "V1", type: "modal" },
      })),
    },
    {
      weight: 2,
      arbitrary: text.map((command) => ({
        ...interaction,
        type: "message_action",
        callback_id: `x${command}`,
        channel: { id: channel },
        message: { ts: "1.2" },
      })),
    },
    { weight: 2, arbitrary: text.map((type) => ({ type })) },
    {
      weight: 2,
      arbitrary: text.map((action) => ({
        ...interaction,
        type: "block_actions",
        actions: [{ type: "button", action_id: `x${action}` }],
        container: {},
      })),
    },
  );
  return payloads.map((payload) => {
    const isEvent = "event" in payload || !("user" in payload);
    const body = isEvent ? JSON.stringify(payload) : `payload=${encodeURIComponent(JSON.stringify(payload))}`;
    const headers = { "content-type": isEvent ? json : form, ...signatureOf(signingSecret, body) };
    return bytesOf("signed: nothing for the bot", { headers, body });
  });
}

const oddPathList =
  "/ // /// //[ * ? # /% /%zz /%00 /..%2f..%2fetc/passwd /slack /slack/events/ /slack//events /slack/./events " +
  "/x/../slack/events /slack/%65vents \\slack\\events /slack\\events http://evil.example/slack/events http://[ " +
  "//evil.example/slack/events /slack/events? /slack/events#x /health /health?x /livez /readyz /metrics /health/.. " +
  "/healt%68 /HEALTH /.env";

function oddPaths({ signingSecret }: Target): fc.Arbitrary<HostileRequest> {
  const fixed = [
    "",
    ...oddPathList.split(" "),
    "/%25".repeat(500),
    `/${"a".repeat(10_000)}`,
    `/${encodeURIComponent(encodeURIComponent(encodeURIComponent("/slack/events")))}`,
    ...prototypeNames.map((name) => `/${name}`),
  ];
  const path = fc.oneof(
    fc.constantFrom(...fixed),
    fc.webPath(),
    fc.string({ maxLength: 40 }).map((tail) => `/${tail}`),
  );
  const method = fc.constantFrom("GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "PROPFIND");
  const signing = fc.constantFrom<(body: string) => Record<string, string>>(
    () => ({}),
    () => ({ authorization: "Bearer \u00ff" }),
    (body) => signatureOf(signingSecret, body),
  );
  return fc.tuple(method, path, signing).map(([how, where, sign]) => {
    const body = how === "POST" || how === "PUT" ? "{}" : "";
    return bytesOf("odd paths", { method: how, path: where, headers: { "content-type": json, ...sign(body) }, body });
  });
}

/** Requests to the address to which Slack sends people after an installation, forged. */
function forgedInstallations(): fc.Arbitrary<HostileRequest> {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forged = `${Date.now()}.${"a".repeat(36)}`;
  const state = fc.oneof(
    fc.constantFrom(
      "",
      ".",
      "..",
      forged,
      `${forged}.`,
      `${forged}.${"A".repeat(43)}`,
      `.${"A".repeat(43)}`,
      "%00",
      "%",
      "null",
    ),
    fc.base64String({ maxLength: 200 }),
    fc.tuple(fc.jsonValue(), fc.base64String()).map(([value, signature]) => `${encoded(value)}.${signature}`),
    text.map((words) => encodeURIComponent(words.slice(0, 2_000).toWellFormed())),
  );
  const query = fc
    .tuple(
      state,
      fc.constantFrom("code=1.2.x", "", "code=", "error=access_denied", "code=a&code=b", "error=%3Cscript%3E"),
    )
    .map(([value, rest]) => `?${rest}&state=${value}`);
  const path = fc.oneof(
    query.map((asked) => `/slack/oauth_redirect${asked}`),
    query.map((asked) => `/slack/install${asked}`),
    fc.constantFrom(
      "/slack/oauth_redirect",
      "/slack/install",
      "/slack/install/",
      "/slack/oauth_redirect?state[]=1&code[]=2",
    ),
  );
  const cookie = fc.oneof(
    fc.constantFrom("", "slack-app-oauth-state=", `slack-app-oauth-state=${forged}`, "=;=;=", "%", "__proto__=x"),
    state.map((value) => `slack-app-oauth-state=${value}`),
  );
  return fc
    .tuple(path, cookie, fc.constantFrom("GET", "GET", "GET", "HEAD", "POST"))
    .map(([where, held, method]) =>
      bytesOf("OAuth with a forged state", { method, path: where, headers: held ? { cookie: held } : {} }),
    );
}
