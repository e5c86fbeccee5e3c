import type { Ids, WorkspaceClock } from "./clock.ts";
import type { EventFeed } from "./feed.ts";
import type { AppManifest } from "./manifest.ts";
import type { Ping } from "./pings.ts";
import type { DemoControls } from "./server.ts";
import type { SocketMode } from "./socket-mode.ts";
import type { Statuses } from "./statuses.ts";
import type { Triggers } from "./triggers.ts";
import type { TypedCommands } from "./typed-commands.ts";
import type { Views } from "./views.ts";
import type { WorkspaceWorld } from "./world.ts";

/** The parts of a workspace, as Web API methods and what people do reach them. */
export interface WorkspaceContext {
  clock: WorkspaceClock;
  ids: Ids;
  manifest: AppManifest;
  world: WorkspaceWorld;
  feed: EventFeed;
  views: Views;
  triggers: Triggers;
  pings: Ping[];
  statuses: Statuses;
  typed: TypedCommands;
  /** What may come first after a command, or after a mention (`@`), each with what it does. */
  words: Record<string, Record<string, string>>;
  socket: SocketMode;
  /** Set where the workspace is a demo. */
  demo?: DemoControls | undefined;
  /** The page's address. */
  url: () => string;
}
