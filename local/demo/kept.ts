import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { NewsCalendar } from "../sandbox/news.ts";
import type { DemoState, WorkspaceConversation, WorkspaceMessage } from "../workspace/protocol.ts";
import type { SavedWorkspace } from "../workspace/server.ts";

/** The workspace, clock and news of a demo as they are written to its folder; the bot’s store is a file beside this one. */
export interface KeptDemo {
  run: string;
  aheadMs: number;
  calendar: NewsCalendar;
  /** The mentions of each company on top of those in the sample news. */
  surges: Record<string, number>;
  /** The number of spikes and of breaking stories so far; it decides which one is next. */
  spikes: number;
  stories: number;
  opening?: DemoState["opening"];
  workspace: SavedWorkspace;
}

const conversation = z.custom<WorkspaceConversation>(
  (value) => z.looseObject({ id: z.string(), name: z.string(), members: z.array(z.string()) }).safeParse(value).success,
);
const message = z.custom<WorkspaceMessage>(
  (value) =>
    z.looseObject({ channel: z.string(), ts: z.string(), user: z.string(), text: z.string() }).safeParse(value).success,
);

const keptSchema: z.ZodType<KeptDemo> = z.object({
  run: z.string(),
  aheadMs: z.number(),
  calendar: z.object({
    start: z.number(),
    begun: z.array(z.object({ story: z.string(), at: z.number(), hourMs: z.number() })),
  }),
  surges: z.record(z.string(), z.number()),
  spikes: z.int(),
  stories: z.int(),
  opening: z.object({ channel: z.string(), thread: z.string() }).exactOptional(),
  workspace: z.object({
    ids: z.object({ last: z.number(), count: z.int() }),
    world: z.object({
      conversations: z.array(conversation),
      messages: z.record(z.string(), z.array(message)),
      moves: z.record(z.string(), z.string()),
    }),
  }),
});

/** A folder in which a demo is kept. */
export interface DemoFolder {
  path: string;
  /** The address of the bot's store. */
  storeUrl: string;
  /** The demo that was kept; undefined if there is none. Rejects if it cannot be read. */
  read(): Promise<KeptDemo | undefined>;
  /** Replaces what is kept, as a whole or not at all. */
  write(demo: KeptDemo): Promise<void>;
  /** Deletes all that is kept. */
  clear(): Promise<void>;
  /** Notes the address at which this demo runs. */
  noteUrl(url: string): Promise<void>;
  /** Moves all that is kept to another folder, and resolves with that folder's path. */
  putAside(): Promise<string>;
}

const urlFile = "url";
const answerMs = 2_000;

/** The address of the demo that runs from this folder; undefined if none does. */
export async function runningAt(path: string): Promise<string | undefined> {
  try {
    const url = await readFile(join(path, urlFile), "utf8");
    const response = await fetch(`${url}/workspace/state`, { signal: AbortSignal.timeout(answerMs) });
    const { demo } = z.object({ demo: z.object({ run: z.string() }) }).parse(await response.json());
    return demo.run === (await openFolder(path).read())?.run ? url : undefined;
  } catch {
    // Nothing is kept there, or nobody answers at the address that was noted last.
    return undefined;
  }
}

export function openFolder(path: string): DemoFolder {
  const file = join(path, "workspace.json");

  async function write(demo: KeptDemo): Promise<void> {
    await mkdir(path, { recursive: true });
    await writeFile(`${file}.new`, JSON.stringify(demo));
    await rename(`${file}.new`, file);
  }

  return {
    path,
    storeUrl: `sqlite:${join(path, "bellwether.sqlite")}`,
    async read() {
      const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      return text === undefined ? undefined : keptSchema.parse(JSON.parse(text));
    },
    write,
    async noteUrl(url) {
      await mkdir(path, { recursive: true });
      await writeFile(join(path, urlFile), url);
    },
    clear: () => rm(path, { recursive: true, force: true }),
    async putAside() {
      const aside = `${path}-damaged-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
      await rename(path, aside);
      return aside;
    },
  };
}

/** Whether an error says that the kept demo is damaged, or of a version that is no longer read. */
export function isDamage(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof z.ZodError) return true;
  return (
    error instanceof Error &&
    /malformed|not a database|has no story|written by an earlier Bellwether/i.test(error.message)
  );
}
