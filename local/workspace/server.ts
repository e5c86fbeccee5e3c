import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createAct, openPlace, stopSession, useShortcut } from "./act.ts";
import { type After, createClock } from "./clock.ts";
import { createBroadcast } from "./broadcast.ts";
import { createDelivery, type Delivery } from "./delivery.ts";
import type { Desk } from "./desk.ts";
import { createFaults, type Fault } from "./faults.ts";
import { createFeed } from "./feed.ts";
import { createListener } from "./http.ts";
import { createIds } from "./ids.ts";
import { createLink, type Farewell } from "./link.ts";
import { parseManifest } from "./manifest.ts";
import type { Acting } from "./payload.ts";
import { say } from "./people.ts";
import type { Ping } from "./pings.ts";
import type {
  Act,
  Open,
  Said,
  Say,
  Shortcut,
  StopSession,
  Submit,
  WorkspaceEvent,
  WorkspaceMessage,
  WorkspaceState,
} from "./protocol.ts";
import { createRates, type LimitModel } from "./rates.ts";
import { createResponses } from "./respond.ts";
import { APP, ME, TEAM } from "./seed.ts";
import { stateFor } from "./state.ts";
import { createStatuses } from "./statuses.ts";
import { closeView, submitView } from "./submit.ts";
import { createTriggers } from "./triggers.ts";
import { createViews } from "./views.ts";
import { type ApiCall, createWebApi } from "./web.ts";
import { createWorld } from "./world.ts";

/** Who does something; the page's own user where missing. */
interface By {
  user?: string;
}

/** A running workspace: its addresses, what people can do in it, and what a test may look at or break. */
export interface Workspace {
  /** The page: `http://127.0.0.1:PORT`. */
  url: string;
  /** What the app takes as its Slack API URL. */
  apiUrl: string;
  botToken: string;
  appToken: string;
  /** The user the page acts as. */
  me: string;
  ids: { team: string; app: string; bot: string; botUser: string };
  /** Says a message or slash command; resolves when the app acked it, or the refusal is shown as a notice. */
  say: (input: Say & By) => Promise<Said>;
  act: (input: Act & By) => Promise<void>;
  submit: (input: Submit & By) => Promise<void>;
  close: (input: { view: string } & By) => Promise<void>;
  shortcut: (input: Shortcut & By) => Promise<void>;
  open: (input: Open & By) => Promise<void>;
  /** Stops the app's work in a thread, as Slack's own button does. */
  stopSession: (input: StopSession & By) => Promise<void>;
  /** The workspace as a user sees it. */
  state: (user?: string) => WorkspaceState;
  /** Every message of a conversation, oldest first, everybody's ephemerals included. */
  messages: (channel: string) => WorkspaceMessage[];
  /** Follows every event, those for a single user included. */
  watch: (listener: (event: WorkspaceEvent) => void) => () => void;
  /** Resolves with what `find` finds, looked for again after every event, call and ack; rejects with what was seen. */
  until: <T>(find: () => T | undefined | false, timeoutMs?: number) => Promise<T>;
  /** The last 20,000 Web API calls. */
  calls: ApiCall[];
  /** Every notification that messages of the app would have caused. */
  pings: Ping[];
  /** Opens a group direct message of the person and others; its ID comes back. */
  openGroup: (input: { users: string[] } & By) => string;
  /** Shares a channel with another workspace; resolves with its ID, a new one where it is private. */
  share: (channel: string) => Promise<string>;
  fail: (fault: Fault) => void;
  /** Takes all faults away. */
  heal: () => void;
  redeliver: Redeliver;
  stop: () => Promise<void>;
}

/** Switches for what Slack does to apps on a bad day. */
interface Redeliver {
  /** Delivers every event twice, under the same event_id. */
  twice: (on: boolean) => void;
  /** Loses the next acks on their way, so that Slack repeats the events. */
  dropAcks: (count: number) => void;
  /** Asks the `count` oldest connections to go; all where missing. */
  disconnect: (reason?: Farewell, count?: number) => void;
}

/** How a workspace is started. */
export interface WorkspaceOptions {
  /** The text of manifest.yml. */
  manifest: string;
  port?: number;
  limits?: LimitModel;
  /** Names of more channels, with everybody and the app in them. */
  channels?: string[];
  /** Draws which calls meet faults; numbers from 0 to 1. */
  draw?: () => number;
  /** How long every Web API call takes at least. */
  latencyMs?: number;
  now?: () => number;
  /** Timers that a test moves by hand, with `now`. */
  after?: After;
}

interface Core {
  desk: Desk;
  delivery: Delivery;
}

function createCore(options: WorkspaceOptions, host: () => string): Core {
  const clock = createClock(options.now, options.after);
  const manifest = parseManifest(options.manifest);
  const ids = createIds(clock.now);
  const feed = createFeed();
  const delivery = createDelivery({ clock, ids, link: () => link });
  const link = createLink({
    clock,
    ids,
    host,
    app: APP.id,
    onAck: (envelope, payload) => {
      delivery.acked(envelope, payload);
      feed.nudge();
    },
    onGone: delivery.gone,
    onCount: (count) => feed.publish({ type: "connected", connected: count > 0 }),
  });
  const world = createWorld({ ids, now: clock.now, name: manifest.name, channels: options.channels ?? [] });
  const desk: Desk = {
    clock,
    ids,
    manifest,
    world,
    feed,
    link,
    views: createViews({ ids, feed }),
    triggers: createTriggers({ ids, now: clock.now }),
    pings: [],
    statuses: createStatuses({ clock, feed, world }),
    url: () => `http://${host()}`,
  };
  return { desk, delivery };
}

type Deeds = Pick<Workspace, "say" | "act" | "submit" | "close" | "shortcut" | "open" | "stopSession">;

function createDeeds(to: Acting): Deeds {
  const act = createAct(to);
  return {
    say: ({ user = ME, ...input }) => say(to, input, user),
    act: ({ user = ME, ...input }) => act(input, user),
    submit: ({ user = ME, ...input }) => submitView(to, input, user),
    close: ({ user = ME, ...input }) => closeView(to, input, user),
    shortcut: ({ user = ME, ...input }) => useShortcut(to, input, user),
    open: ({ user = ME, ...input }) => openPlace(to, input, user),
    stopSession: ({ user = ME, ...input }) => stopSession(to, input, user),
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the workspace has no port");
  return address.port;
}

function createStop({ desk }: Core, server: Server): () => Promise<void> {
  return async () => {
    desk.clock.stop();
    await desk.link.stop();
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

/** Starts a workspace on loopback; rejects where the manifest is none or the port is taken. */
export async function startWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  let port = options.port ?? 0;
  const core = createCore(options, () => `127.0.0.1:${port}`);
  const { desk, delivery } = core;
  const secret = desk.ids.secret();
  const tokens = { bot: `xoxb-local-${desk.ids.secret()}`, app: `xapp-1-${APP.id}-${desk.ids.secret()}` };
  const broadcast = createBroadcast(desk, delivery, secret);
  const responses = createResponses(desk);
  const deeds = createDeeds({ desk, delivery, responses, token: secret, ...broadcast });
  const faults = createFaults(options.draw);
  const rates = createRates(options.limits ?? "window", desk.clock.now);
  const api = createWebApi({ desk, rates, faults, tokens, latencyMs: options.latencyMs ?? 0 });
  const server = createServer(createListener({ desk, api, responses, deeds }));
  server.on("upgrade", desk.link.upgrade);
  port = await listen(server, port);
  return {
    ...deeds,
    url: desk.url(),
    apiUrl: `${desk.url()}/api/`,
    botToken: tokens.bot,
    appToken: tokens.app,
    me: ME,
    ids: { team: TEAM.id, app: APP.id, bot: APP.bot, botUser: APP.botUser },
    state: (user = ME) => stateFor(desk, user),
    messages: (channel) => [...desk.world.messages(channel)],
    watch: (listener) => desk.feed.watch((event) => listener(event)),
    until: desk.feed.until,
    calls: api.calls,
    pings: desk.pings,
    openGroup: ({ users, user = ME }) => desk.world.group([user, ...users]).id,
    async share(channel) {
      const id = desk.world.share(channel);
      await broadcast.settled();
      return id;
    },
    fail: faults.add,
    heal: faults.clear,
    redeliver: {
      twice: delivery.twice,
      dropAcks: delivery.dropAcks,
      disconnect: (reason = "refresh_requested", count = Infinity) => desk.link.disconnect(reason, count),
    },
    stop: createStop(core, server),
  };
}
