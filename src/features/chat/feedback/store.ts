import { z } from "zod";

/** What one person said of one answer. */
export interface Feedback {
  isGood: boolean;
  /** Epoch milliseconds. */
  at: number;
  channel: string;
  /** Root of the thread that the answer stands in, where it is not a root itself. */
  thread?: string | undefined;
}

/** Long enough to see whether answers get better. */
export const feedbackLifeMs = 180 * 24 * 60 * 60_000;

export const feedbackSchema: z.ZodType<Feedback> = z.object({
  isGood: z.boolean(),
  at: z.number(),
  channel: z.string(),
  thread: z.string().optional(),
});
