import { type RequestListener, createServer } from "node:http";
import { closeServer, listen } from "../http.ts";
import { type SavedIds, type SetTimer, createClock, createIds } from "./clock.ts";
import { createDelivery } from "./delivery.ts";
import { createEventSender } from "./events.ts";
import { createFaults, type SlackFault } from "./faults.ts";
import { createFeed } from "./feed.ts";
import { createListener } from "./http.ts";
import { createInspector } from "./inspector.ts";
import { parseManifest } from "./manifest.ts";
import type { Ping } from "./pings.ts";
import type { DemoAction, DemoState, WorkspaceEvent, WorkspaceMessage, WorkspaceState } from "./protocol.ts";
import { createRates, type LimitModel } from "./rates.ts";
import { createResponseUrls } from "./respond.ts";
import { builtInCommands } from "./say.ts";
import { APP, ME, TEAM } from "./seed.ts";
import { createSocketMode, type DisconnectReason } from "./socket-mode.ts";
import { stateFor } from "./state.ts";
import { createStatuses } from "./statuses.ts";
import { createTriggers } from "./triggers.ts";
import { createTypedCommands } from "./typed-commands.ts";
import { type By, type UserActions, createUserActions } from "./user-actions.ts";
import { createViews } from "./views.ts";
import { type WebApiCall, createWebApi } from "./web-api.ts";
import { type SavedWorld, createWorld } from "./world.ts";

/** A running workspace: its addresses, what people can do in it, and what a test may look at or break. */
export interface Workspace extends UserActions {
  /** The page: `http://127.0.0.1:PORT`. */
  url: string;
  /** The app's Slack API URL. */
  apiUrl: string;
  /** Answers a request as the workspace's own server does, for a server in front of several workspaces. */
  handle: RequestListener;
  botToken: string;
  appToken: string;
  /** The user that the page acts as. */
  me: string;
  ids: { team: string; app: string; bot: string; botUser: string };
  /** The workspace as a user sees it. */
  state: (user?: string) => WorkspaceState;
  /** Every message of a conversation, oldest first, everybody's ephemerals included. */
  messages: (channel: string) => WorkspaceMessage[];
  /** Follows every event, those for a single user included. */
  watch: (listener: (event: WorkspaceEvent) => void) => () => void;
  /**
   * Resolves with the result of `find`, tried after every event, call and ack; on a timeout, rejects with the last
   * events.
   */
  until: <T>(find: () => T | undefined | false, timeoutMs?: number) => Promise<T>;
  /** The last 20,000 Web API calls. */
  calls: WebApiCall[];
  /** Every notification that messages of the app would have caused. */
  pings: Ping[];
  /** Opens a group direct message of the person and others; returns its ID. */
  openGroup: (input: { users: string[] } & By) => string;
  /** Shares a channel with another workspace; resolves with its ID, which is new if the channel is private. */
  share: (channel: string) => Promise<string>;
  fail: (fault: SlackFault) => void;
  /** Removes all faults. */
  heal: () => void;
  redeliver: DeliverySwitches;
  /** Sends the demo's state to the pages. */
  showDemo: () => void;
  /** The state from which another workspace can continue this one. */
  save: () => SavedWorkspace;
  stop: () => Promise<void>;
}

/** The state of a workspace that has stopped. */
export interface SavedWorkspace {
  ids: SavedIds;
  world: SavedWorld;
}

/** The controls of a workspace that is a demo. */
interface DemoControls {
  /** Resolves when the page may show the demo. */
  ready: Promise<unknown>;
  /** The state of the demo; undefined before it is ready. */
  state: () => DemoState | undefined;
  run: (action: DemoAction) => void;
}

/** Switches for the faults of Slack's delivery. */
interface DeliverySwitches {
  /** Delivers every event twice, under the same event_id. */
  twice: (on: boolean) => void;
  /** Loses the next acks on their way, so that Slack repeats the events. */
  dropAcks: (count: number) => void;
  /** Asks the `count` oldest connections to close; all of them if missing. */
  disconnect: (reason?: DisconnectReason, count?: number) => void;
}

/** The options of a workspace. */
export interface WorkspaceOptions {
  /** The text of manifest.yml. */
  manifest: string;
  port?: number;
  limits?: LimitModel;
  /** The words that may come first after a command, or after a mention (`@`), each with a summary, for the composer. */
  words?: Record<string, Record<string, string>>;
  /** The names of additional channels, with everybody and the app in them. */
  channels?: string[];
  /** Returns random numbers from 0 to 1 that decide which calls get a fault. */
  draw?: () => number;
  /** The least time that a Web API call takes, in milliseconds. */
  latencyMs?: number;
  now?: () => number;
  /** The page of a sample article by its path, so that headlines open on the workspace's own address. */
  article?: (path: string) => { status: number; html: string };
  /** The clock of triggers, which last three seconds even if `now` is moved meanwhile; `now` if missing. */
  triggerNow?: () => number;
  /** Timers that a test moves by hand, with `now`. */
  after?: SetTimer;
  /** The time zone of the page's own user. */
  timeZone?: string;
  /** The locale of their Slack; `en-US` if it is missing. */
  locale?: string;
  saved?: SavedWorkspace;
  demo?: DemoControls;
}

/** Starts a workspace on loopback; rejects if the manifest is invalid or the port is taken. */
export async function startWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { limits = "window", channels = [], latencyMs = 0 } = options;
  let port = options.port ?? 0;
  const host = () => `127.0.0.1:${port}`;

  const manifest = parseManifest(options.manifest);
  const clock = createClock(options.now, options.after);
  const ids = createIds(clock.now, options.saved?.ids);
  const feed = createFeed();
  const inspector = createInspector();
  const delivery = createDelivery({ clock, ids, socket: () => socket, inspector });
  const socket = createSocketMode({
    clock,
    ids,
    host,
    app: APP.id,
    onAck(envelope, payload) {
      delivery.acked(envelope, payload);
      feed.nudge();
    },
    onGone: delivery.gone,
    onCount: (count) => feed.publish({ type: "connected", connected: count > 0 }),
  });
  const { timeZone, locale, saved, demo, article, words = {} } = options;
  const world = createWorld({ ids, name: manifest.name, channels, timeZone, locale, saved: saved?.world });
  const views = createViews({ ids, feed });
  const triggers = createTriggers(ids, options.triggerNow ?? clock.now);
  const statuses = createStatuses({ clock, feed, world });
  const typed = createTypedCommands(clock.now);
  const pings: Ping[] = [];
  const url = () => `http://${host()}`;

  const token = ids.secret();
  const tokens = { bot: `xoxb-local-${ids.secret()}`, app: `xapp-1-${APP.id}-${ids.secret()}` };
  const sender = createEventSender({ clock, ids, manifest, world, feed, pings, delivery, token });
  const responses = createResponseUrls({ clock, ids, world, typed, url });
  const actions = createUserActions({
    ids,
    manifest,
    world,
    feed,
    views,
    triggers,
    statuses,
    typed,
    delivery,
    responses,
    token,
    ...sender,
  });
  const faults = createFaults(options.draw);
  const rates = createRates(limits, clock.now);
  const context = { clock, ids, manifest, world, views, triggers, statuses, typed, socket, url };
  const api = createWebApi({ context, feed, rates, faults, tokens, inspector, latencyMs });
  const state = (user = ME) => {
    const now = { isConnected: socket.count() > 0, demo: demo?.state() };
    return stateFor({ manifest, world, views, statuses, words, commands: builtInCommands, ...now }, user);
  };
  const handle = createListener({
    clock,
    world,
    feed,
    state,
    demo,
    api,
    responses,
    actions,
    inspector,
    rates,
    ...(article && { article }),
  });
  const server = createServer(handle);
  server.on("upgrade", socket.upgrade);
  port = await listen(server, port);

  return {
    ...actions,
    url: url(),
    apiUrl: `${url()}/api/`,
    handle,
    botToken: tokens.bot,
    appToken: tokens.app,
    me: ME,
    ids: { team: TEAM.id, app: APP.id, bot: APP.bot, botUser: APP.botUser },
    state,
    messages: (channel) => [...world.messages(channel)],
    watch: (listener) => feed.watch((event) => listener(event)),
    until: feed.until,
    calls: api.calls,
    pings,
    openGroup: ({ users, user = ME }) => world.group([user, ...users]).id,
    async share(channel) {
      const id = world.share(channel);
      await sender.settled();
      return id;
    },
    fail: faults.add,
    heal: faults.clear,
    redeliver: {
      twice: delivery.twice,
      dropAcks: delivery.dropAcks,
      disconnect: (reason = "refresh_requested", count = Infinity) => socket.disconnect(reason, count),
    },
    showDemo() {
      const shown = demo?.state();
      if (shown) feed.publish({ type: "demo", demo: shown });
    },
    save: () => ({ ids: ids.save(), world: world.save() }),
    async stop() {
      clock.stop();
      await socket.stop();
      await closeServer(server);
    },
  };
}
