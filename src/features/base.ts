import type { Gateway } from "../apis/gateway/client.ts";
import type { Intelligence } from "../apis/intelligence/client.ts";
import type { Jurisdictions } from "../apis/jurisdictions/client.ts";
import type { Log } from "../log.ts";
import type { Outbox, OutboxOptions } from "../slack/delivery/outbox.ts";
import type { Permalink } from "../slack/delivery/permalink.ts";
import type { Threads } from "../slack/incoming/thread-history.ts";
import type { ChannelDirectory } from "../slack/workspaces/channels.ts";
import type { People } from "../slack/workspaces/people.ts";
import type { Store } from "../store/store.ts";
import type { DoctorOptions } from "./account/doctor.ts";
import type { SharedWork } from "./account/view.ts";
import type { Interest } from "./articles/interest.ts";
import type { Lists } from "./articles/store.ts";
import type { Configured } from "./feature.ts";
import type { createSources } from "./sources/create.ts";
import type { Directory } from "./sources/directory.ts";

/** Settings, services, Slack and the store. Each feature picks what it uses. */
export interface BaseContext {
  intelligence: Intelligence;
  gateway: Gateway;
  jurisdictions: Jurisdictions;
  /** A client that keeps no entities, so that each call reaches its service. */
  uncachedIntelligence: DoctorOptions["intelligence"];
  /** Companies, people, regions and topics by name. */
  directory: Directory;
  configured: Configured;
  /** The key of the gateway is of the test kind, which pays nothing. */
  isTest: boolean;
  /** The language model of the gateway if none is named. */
  chatModel?: string | undefined;
  people: People;
  slackChannels: ChannelDirectory;
  threads: Threads;
  permalink: Permalink;
  post: OutboxOptions["post"];
  outbox: Outbox;
  /** The bot is installed in a workspace, and this process takes new work for it. */
  isServed: (team: string) => boolean;
  /** The workspaces that this process works for, and the processes that share the work. */
  replicas: {
    holds: (team: string) => boolean;
    facts: () => SharedWork | undefined;
  };
  store: Pick<Store, "collection" | "watch">;
  /** The zone of people whose zone Slack does not know. */
  timeZone: string;
  log: Log;
  now: () => number;
  after: (ms: number, call: () => void) => () => void;
}

/** The base with the ground: sources, lists of articles, and what channels use of them. */
export interface GroundContext extends BaseContext, ReturnType<typeof createSources> {
  lists: Lists;
  interest: Interest;
}
