import type { Clock } from "./clock.ts";
import type { Feed } from "./feed.ts";
import type { Fields } from "./fields.ts";
import type { Ids } from "./ids.ts";
import type { Link } from "./link.ts";
import type { Manifest } from "./manifest.ts";
import type { PingLog } from "./pings.ts";
import type { Statuses } from "./statuses.ts";
import type { Triggers } from "./triggers.ts";
import type { Views } from "./views.ts";
import type { World } from "./world.ts";

/** All that a Web API method may reach. */
export interface Desk {
  clock: Clock;
  ids: Ids;
  manifest: Manifest;
  world: World;
  feed: Feed;
  views: Views;
  triggers: Triggers;
  pings: PingLog;
  statuses: Statuses;
  link: Link;
  /** The page's address. */
  url: () => string;
}

/** One Web API method: the fields of a good answer, or a thrown Refusal. */
export type Method = (desk: Desk, args: Fields) => Fields;
