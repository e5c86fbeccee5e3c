import type { Credits } from "../../apis/gateway/schema.ts";
import { button, divider, header, row, section, textField } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { postAction } from "../../slack/incoming/request.ts";
import type { Configured } from "../feature.ts";

interface HomeView {
  configured: Configured;
  /** The balance; undefined if the gateway was not asked or did not answer in time. */
  credits: Credits | undefined;
  /** The sections with this person’s alerts and digests. */
  subscriptions: Block[];
}

/** The bot's own page: what one can do here, what one gets, what is set up. */
export function homeBlocks({ configured, credits, subscriptions }: HomeView): Block[] {
  const { intelligence, gateway, jurisdictions } = configured;
  const actions = [
    intelligence && press({ label: "Ask a question", line: "prompt ask", isMain: true }),
    gateway && press({ label: "Search the news", line: "prompt news" }),
    (intelligence || gateway) && press({ label: "What’s trending", line: "trending" }),
    intelligence && press({ label: "News channels", line: "channels" }),
    gateway && press({ label: "Collections", line: "collections" }),
    gateway && press({ label: "Insights", line: "insights" }),
    jurisdictions && press({ label: "Jurisdictions", line: "jurisdictions" }),
  ].filter((action) => action !== false);
  return [
    header("News for your desk"),
    section(
      "Search it, look up who it is about, and ask: the answer names its sources. Mention me in a channel, write to me under *Messages*, or press a button.",
    ),
    ...(actions.length > 0 ? [row(...actions)] : []),
    divider,
    ...(subscriptions.length > 0 ? [...subscriptions, divider] : []),
    header("Services"),
    section(servicesLines(configured, credits)),
    row(
      press({ label: "Status", line: "status" }),
      ...(gateway ? [press({ label: "Usage", line: "usage" })] : []),
      help,
    ),
  ];
}

const help = press({ label: "All commands", line: "help" });

function press({ label, line, isMain }: { label: string; line: string; isMain?: boolean }) {
  const action = `${postAction}:${line.replace(/\W+/g, "-")}`;
  return button({ action, label, value: line, ...(isMain && { style: "primary" as const }) });
}

function servicesLines({ intelligence, gateway, jurisdictions }: Configured, credits?: Credits): string {
  const lines = [
    [intelligence, "News service", "questions, news channels, companies and people, what’s trending"],
    [gateway, "Search service", ["search, summaries, models, collections", ...balanceWords(credits)].join(" · ")],
    [jurisdictions, "Jurisdictions", "who regulates where"],
  ] as const;
  return lines
    .map(([isThere, name, what]) =>
      isThere ? `:white_check_mark: *${name}* · ${what}` : `:heavy_minus_sign: *${name}* isn’t set up`,
    )
    .join("\n");
}

function balanceWords(credits: Credits | undefined): string[] {
  if (!credits) return [];
  if (credits.test) return ["nothing costs credits"];
  return credits.remaining === undefined ? [] : [`${credits.remaining.toLocaleString("en")} credits left`];
}

/** Windows that ask for a text, by the verb of the command that comes of it. */
export const prompts = {
  ask: {
    title: "Ask a question",
    submit: "Ask",
    label: "Your question",
    placeholder: "Why are chip makers in the news?",
    most: 2_000,
  },
  news: { title: "Search the news", submit: "Search", label: "Search for", placeholder: "chip export", most: 300 },
} as const;

/** Asks for the words of a command. */
export function promptWindow(verb: keyof typeof prompts): Message {
  const { title, submit, label, placeholder, most } = prompts[verb];
  return {
    text: title,
    blocks: [textField({ name: "text", label, placeholder, isLong: verb === "ask", most })],
    window: { title, form: { name: "prompt", submit, state: verb } },
  };
}
