import { UsageError } from "../../../apis/errors.ts";
import type { Message } from "../../feature.ts";
import { type Refusal, refusedView } from "./view.ts";

/** What one would be; where it cannot be so, why, beside the way back to what was filled in. */
export async function previewOf(about: Omit<Refusal, "words">, make: () => Promise<Message>): Promise<Message> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return refusedView({ ...about, words: error.message });
  }
}
