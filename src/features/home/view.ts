import type { Credits } from "../../apis/gateway/schema.ts";
import { button, context, header, moreMenu, row, section, sectionWith, textField } from "../../slack/text/blocks.ts";
import type { Block, Message } from "../../slack/text/message.ts";
import { ago, bold, link, shorten } from "../../slack/text/mrkdwn.ts";
import { postAction } from "../../slack/incoming/request.ts";
import type { CoveredStory } from "../articles/coverage.ts";
import type { Configured } from "../feature.ts";
import { plural } from "../text.ts";

interface HomeView {
  configured: Configured;
  /** The open spikes of the reader's channels. */
  spikes: Block[];
  /** The stories that most outlets reported, of what their channels were shown. */
  stories: CoveredStory[];
  /** Their alerts and digests and those of their channels, a block each, and how many have no room. */
  followed: Block[];
  more: number;
  watchlists: { id: string; name: string }[];
  /** Only for operators: the balance is missing if the gateway did not answer in time. */
  services?: { credits: Credits | undefined } | undefined;
  now: number;
}

/** Watchlists that the page has room for. */
const watchlistsShown = 5;

/** The bot's own page: the news of the reader's channels first, then what they follow. */
export function homeBlocks(view: HomeView): Block[] {
  const { configured, spikes, stories, followed, more, watchlists, services, now } = view;
  const { intelligence } = configured;
  const hasNews = intelligence || configured.gateway;
  const nothing = hasNews
    ? "Nothing yet. An alert reports spikes in coverage, a digest posts new stories on your schedule."
    : "No news service is set up, so there’s nothing to follow yet.";
  return [
    header("Now"),
    ...(spikes.length > 0 ? spikes : [section("No open spikes in your channels.")]),
    header("Today"),
    stories.length > 0
      ? section(stories.map((story) => storyLine(story, now)).join("\n"))
      : section("Your channels were shown no stories in the last day."),
    row(
      ...(intelligence ? [press({ label: "Ask", line: "prompt ask", isMain: true })] : []),
      ...(hasNews ? [press({ label: "New alert", line: "alerts add" })] : []),
      ...(hasNews ? [press({ label: "New digest", line: "digests add" })] : []),
      ...(intelligence ? [press({ label: "New watchlist", line: "watchlists new" })] : []),
    ),
    header("Following"),
    ...(followed.length > 0 ? followed : [section(nothing)]),
    ...(more > 0
      ? [
          context(`and ${more} more`),
          row(
            press({ label: "All alerts", line: "alerts list" }),
            press({ label: "All digests", line: "digests list" }),
          ),
        ]
      : []),
    ...watchlistBlocks(watchlists),
    ...(services ? serviceBlocks(configured, services.credits) : []),
  ];
}

function storyLine({ lead, outlets }: CoveredStory, now: number): string {
  const headline = link(lead.url, shorten(lead.title, 100) || "Untitled");
  const age = lead.published === undefined ? [] : [ago(lead.published, now)];
  return [`• ${headline}`, plural(outlets, "outlet").replace(" ", "\u00a0"), ...age].join(" · ");
}

function watchlistBlocks(watchlists: HomeView["watchlists"]): Block[] {
  if (watchlists.length === 0) return [];
  const entries = watchlists.slice(0, watchlistsShown).map(({ id, name }) => {
    const choices = [
      { label: "Open", value: `watchlists show ${id}` },
      { label: "Read the news", value: `news watchlist ${id}` },
      { label: "Summarise", value: `summary watchlist ${id}` },
    ];
    return sectionWith(bold(shorten(name, 60)), moreMenu({ action: `${postAction}:watchlist-${id}`, choices }));
  });
  const all = press({ label: `All ${watchlists.length} watchlists`, line: "watchlists list" });
  return [header("Watchlists"), ...entries, ...(watchlists.length > watchlistsShown ? [row(all)] : [])];
}

function serviceBlocks(configured: Configured, credits: Credits | undefined): Block[] {
  return [
    header("Services"),
    context(servicesLines(configured, credits)),
    row(
      press({ label: "Status", line: "status" }),
      ...(configured.gateway ? [press({ label: "Usage", line: "usage" })] : []),
    ),
  ];
}

function press({ label, line, isMain }: { label: string; line: string; isMain?: boolean }) {
  const action = `${postAction}:${line.replace(/\W+/g, "-")}`;
  return button({ action, label, value: line, ...(isMain && { style: "primary" as const }) });
}

function servicesLines({ intelligence, gateway, jurisdictions }: Configured, credits?: Credits): string {
  const lines = [
    [intelligence, "News service", []],
    [gateway, "Search service", balanceWords(credits)],
    [jurisdictions, "Jurisdictions", []],
  ] as const;
  return lines
    .map(([isThere, name, details]) =>
      isThere ? [`:white_check_mark: ${name}`, ...details].join(" · ") : `:heavy_minus_sign: ${name} isn’t set up`,
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
