/** The workspace's refusals in words for the person; pure. */

import { entry } from "./read.ts";

const WORDS: Record<string, string> = {
  channel_not_found: "This conversation is not there any more.",
  element_not_found: "This was changed a moment ago. Please try again.",
  element_type_mismatch: "This was changed a moment ago. Please try again.",
  interactivity_disabled: "The app's manifest does not switch interactivity on, so buttons and forms do nothing.",
  is_archived: "This channel is archived, so nothing can be written here.",
  message_not_found: "This message is not there any more.",
  no_text: "Please write something first.",
  not_in_channel: "You are not a member of this channel, so you cannot do that here.",
  restricted_action: "The app's manifest makes this conversation read-only.",
  session_not_found: "This has ended already.",
  shortcut_not_found: "The app does not have this shortcut any more. Please reload the page.",
  thread_not_found: "The first message of this thread is not there any more.",
  view_not_found: "This form was closed a moment ago.",
};

/** A sentence for an error code; a sentence stays as it is. */
export function refusalText(error: string): string {
  if (!/^[a-z]+(?:_[a-z]+)*$/.test(error)) return error;
  return entry(WORDS, error) ?? `The workspace refused this: ${error.replaceAll("_", " ")}.`;
}
