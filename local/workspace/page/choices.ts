/** The choices of selects, check boxes and radio buttons; pure. */

import type { Conversation } from "../protocol.ts";
import { titleOf } from "./lookup.ts";
import type { Lookup } from "./lookup.ts";
import { fields, list, string, strings, textOf } from "./read.ts";
import type { Fields } from "./read.ts";
import type { Choice } from "./values.ts";

function optionChoice(option: Fields, group = ""): Choice {
  const described = textOf(option["description"]);
  return {
    key: string(option["value"]),
    label: textOf(option["text"]),
    sent: option,
    ...(described && { description: described }),
    ...(group && { group }),
  };
}

/** The name of a conversation with its sign. */
function conversationLabel(lookup: Lookup, conversation: Conversation): string {
  return conversation.kind === "im" ? conversation.name : titleOf(lookup, conversation);
}

const FILTER_KINDS: Record<string, Conversation["kind"]> = {
  im: "im",
  mpim: "mpim",
  private: "private",
  public: "channel",
};

function conversationsFor(element: Fields, conversations: Conversation[]): Conversation[] {
  const open = conversations.filter((conversation) => !conversation.isArchived);
  if (string(element["type"]).endsWith("channels_select")) return open.filter(({ kind }) => kind === "channel");
  const include = strings(fields(element["filter"])["include"]).map((kind) => FILTER_KINDS[kind]);
  return include.length > 0 ? open.filter(({ kind }) => include.includes(kind)) : open;
}

/** Everything that may be chosen in an element. */
export function choicesOf(element: Fields, lookup: Lookup): Choice[] {
  const type = string(element["type"]);
  if (type.endsWith("users_select")) {
    return lookup.users.map((user) => ({ key: user.id, label: user.realName || user.name, sent: user.id }));
  }
  if (type.endsWith("conversations_select") || type.endsWith("channels_select")) {
    return conversationsFor(element, lookup.conversations).map((conversation) => ({
      key: conversation.id,
      label: conversationLabel(lookup, conversation),
      sent: conversation.id,
    }));
  }
  const grouped = list(element["option_groups"]).flatMap((group) =>
    list(group["options"]).map((option) => optionChoice(option, textOf(group["label"]))),
  );
  return grouped.length > 0 ? grouped : list(element["options"]).map((option) => optionChoice(option));
}

/** The element with the current conversation chosen, where it asks for that and has no choice of its own. */
function withCurrent(element: Fields, current: string): Fields {
  if (element["default_to_current_conversation"] !== true) return element;
  const name = element["type"] === "multi_conversations_select" ? "initial_conversations" : "initial_conversation";
  return { [name]: name.endsWith("s") ? [current] : current, ...element };
}

/** The blocks of a view, with `default_to_current_conversation` carried out. */
export function withCurrentConversation<B extends Fields>(blocks: B[], current: string | undefined): B[] {
  if (!current) return blocks;
  return blocks.map((block) => ({
    ...block,
    ...(block["element"] ? { element: withCurrent(fields(block["element"]), current) } : {}),
    ...(block["accessory"] ? { accessory: withCurrent(fields(block["accessory"]), current) } : {}),
    ...(block["type"] === "actions"
      ? { elements: list(block["elements"]).map((item) => withCurrent(item, current)) }
      : {}),
  }));
}
