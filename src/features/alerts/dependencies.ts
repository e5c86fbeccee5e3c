import type { Directory } from "../sources/directory.ts";
import type { SampleSources, Samples } from "../sources/samples.ts";
import type { Spending } from "../account/spending.ts";
import type { Health } from "../account/health.ts";
import type { Lists } from "../articles/store.ts";
import type { FollowDependencies } from "../digests-and-alerts.ts";
import type { AnnouncedStories } from "../subscriptions/announced.ts";
import type { ReadDependencies } from "../subscriptions/reads.ts";
import type { Log } from "../../log.ts";
import type { Outbox } from "../../slack/delivery/outbox.ts";
import type { Permalink } from "../../slack/delivery/permalink.ts";
import type { ChannelDirectory } from "../../slack/workspaces/channels.ts";
import type { AlertState, SourceCounts } from "./state.ts";

/** Everything that alerts are set up, checked, explained and posted with. */
export interface AlertDependencies extends FollowDependencies, ReadDependencies, SampleSources {
  alertState: AlertState;
  announced: AnnouncedStories;
  chatModel?: string | undefined;
  counts: SourceCounts;
  directory: Directory;
  health: Pick<Health, "store" | "saw">;
  isServed: (team: string) => boolean;
  lists: Lists;
  log: Log;
  outbox: Pick<Outbox, "deliver" | "refresh">;
  permalink: Permalink;
  samples: Samples;
  slackChannels: ChannelDirectory;
  spending: Pick<Spending, "gatewayFor">;
}
