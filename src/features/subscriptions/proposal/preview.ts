import { UsageError } from "../../../apis/errors.ts";
import type { Message } from "../../feature.ts";
import { refusedView } from "./view.ts";

/** What a new one would be; where it cannot be so, why, beside the way back to what was filled in. */
export async function previewOf(noun: string, line: string, make: () => Promise<Message>): Promise<Message> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return refusedView({ noun, line, words: error.message });
  }
}
