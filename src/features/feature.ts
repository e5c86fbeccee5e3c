import type { Api } from "../apis/errors.ts";
import type { Gateway } from "../apis/gateway/client.ts";
import type { MenuChoice } from "../slack/text/blocks.ts";
import type { Block, Message, Reply } from "../slack/text/message.ts";
import type { ChannelChange } from "../slack/workspaces/channels.ts";
import type { Filled, FilledIn, FormAsker, Person, Quoted, EmojiReaction, Request } from "../slack/incoming/request.ts";

import type { OptionTable } from "./options.ts";

export type { Message } from "../slack/text/message.ts";

/** A request with what the person typed after the verb. */
export interface Ask extends Request {
  text: string;
}

/** The APIs that an operator has set up. */
export type Configured = Record<Api, boolean>;

/** A section of help. */
export type CommandGroup = "find" | "ask" | "follow" | "manage";

/**
 * One verb, on every surface: a slash command of its own, after `/bellwether`, after a mention, in a direct message. What
 * it needs is an interface of its own with the two or three things that it uses.
 */
export interface Command<Needs = never> {
  verb: string;
  /** The part behind the verb: `QUERY`, `NAME | SYMBOL | ID`; may be empty. */
  usage: string;
  /** One line of help. */
  summary: string;
  /** A sentence that does the same. */
  said?: string;
  examples?: string[] | undefined;
  /** Its place in help; a hidden command has none. */
  group?: CommandGroup;
  /** The price of one of its examples. */
  credits?: number;
  /**
   * Lines that help offers as buttons, by default its examples; a NAME at the end stands for one that is known here.
   * They must change nothing.
   */
  pressable?: string[];
  /** Further lines of its help, as mrkdwn. */
  notes?: string[];
  /** Its options: help lists them, and any other is refused. Missing if the command reads them in its own way. */
  options?: OptionTable;
  /** The first words after the verb, each with its line of help; offered as one types. */
  subcommands?: Record<string, string>;
  /** The options that help lists, if the command reads them in its own way. */
  helpOptions?: OptionTable;
  /** Has a slash command of its own; the others follow `/bellwether`. */
  isSlash?: boolean | undefined;
  /** Services of which one at least has to be set up. */
  needs?: Api[];
  /** Its answer begins a conversation, which has a thread of its own in a direct message. */
  isQuestion?: true;
  /** Run by the bot's own buttons, and not listed in help. */
  isHidden?: true;
  /** Shown while the answer takes more than a moment. */
  working?: string;
  /** The reply to the text after the verb may be for the asker alone, so `working` is for them alone as well. */
  isPrivate?(text: string): boolean;
  /** Tells whether the text after the verb can be meant for it; a mention that fits no command is a question. */
  fits?(text: string): boolean;
  run(ask: Ask, deps: Needs): Reply | Promise<Reply>;
}

/** The fields of a window, whose values are saved, or become a line that is run as if it were typed. */
export interface Form<Needs = never> {
  /** Its window says which form it holds. */
  name: string;
  /** Pure: Slack waits for what it says. */
  read(filled: Filled): FilledIn;
  /** Saves the values; missing if they are read as a line. */
  save?(filled: Filled, ask: Request, deps: Needs): Promise<Message>;
  /** The reply may be for whoever fills it in alone, and so is the sign that it's being saved. */
  isPrivate?: boolean;
  /** Further problems, by the name of the field, that only Slack or the store can tell; Slack waits for them too. */
  check?(filled: Filled, asker: FormAsker, deps: Needs): Promise<Record<string, string>>;
  /** Its window after a choice on which its other fields depend; missing if no field does. */
  rebuild?(filled: Filled, asker: Person, deps: Needs): Promise<Message>;
}

/** A list in a form that is filled as somebody types. */
export interface Picker<Needs = never> {
  /** Its field says which list it shows. */
  name: string;
  /** All that there is; asked for with each letter, so it is kept for a moment. */
  choices(typed: string, person: Person, deps: Needs): Promise<MenuChoice[]>;
  /** There is too much for that: its choices are what fits the words typed so far. */
  isSearched?: true;
}

/** An entry in the menu of every message. */
export interface Shortcut {
  name: string;
  /** At most 24 characters. */
  title: string;
  summary: string;
  /** The window that it opens; pure, because Slack opens it within three seconds or not at all. */
  open(quoted: Quoted): Message;
}

/** Work that is done by the clock. */
export interface Job<Needs = never> {
  name: string;
  /** Cron expression, in UTC. */
  every: string;
  /** Runs also when the bot starts, and when the clock has jumped: what became due meanwhile does not wait. */
  atOnce?: true;
  run: (deps: Needs) => Promise<void>;
}

/** Something the bot does: the folder's whole contribution, and what all of it needs together. */
export interface Feature<Needs = never> {
  name: string;
  commands: Command<Needs>[];
  jobs?: Job<Needs>[];
  forms?: Form<Needs>[];
  pickers?: Picker<Needs>[];
  shortcuts?: Shortcut[];
  /** The feature's part of the bot's own page. */
  home?(person: Person, deps: Needs): Promise<Block[]>;
  /** Told which emoji somebody put on a message of the bot's own. */
  reacted?(reaction: EmojiReaction, deps: Needs): Promise<void>;
  /** Told what happens to a channel that the bot may post in; Slack may tell it twice, or not at all. */
  channelChanged?(place: { team: string; channel: string }, change: ChannelChange, deps: Needs): Promise<void>;
}

/** The gateway that is paid by whoever asks. */
export type GatewayFor = (person: Person) => Gateway;

/** A feature that has what it needs; what it leaves out does nothing. */
export interface BoundFeature extends Required<Feature<void>> {
  forms: Required<Form<void>>[];
}

/** Gives a feature what it needs. Whatever somebody asks of it is paid by them; its jobs say who pays. */
export function bind<Needs extends object>(
  feature: Feature<Needs>,
  deps: Needs,
  gatewayFor?: GatewayFor,
): BoundFeature {
  const { name, commands, jobs = [], forms = [], pickers = [], shortcuts = [] } = feature;
  const needsOf = (person: Person): Needs => (gatewayFor ? { ...deps, gateway: gatewayFor(person) } : deps);
  return {
    name,
    commands: commands.map((command) => ({ ...command, run: (ask) => command.run(ask, needsOf(ask)) })),
    jobs: jobs.map((job) => ({ ...job, run: () => job.run(deps) })),
    forms: forms.map((form) => ({
      ...form,
      isPrivate: form.isPrivate ?? false,
      async save(filled, ask) {
        if (!form.save) throw new Error(`${form.name} is read as a line`);
        return form.save(filled, ask, needsOf(ask));
      },
      check: async (filled, asker) => (await form.check?.(filled, asker, needsOf(asker))) ?? {},
      async rebuild(filled, asker) {
        if (!form.rebuild) throw new Error(`no field of ${form.name} depends on another`);
        return form.rebuild(filled, asker, needsOf(asker));
      },
    })),
    pickers: pickers.map((picker) => ({
      ...picker,
      choices: (typed, person) => picker.choices(typed, person, needsOf(person)),
    })),
    shortcuts,
    home: async (person) => (await feature.home?.(person, needsOf(person))) ?? [],
    reacted: async (reaction) => feature.reacted?.(reaction, needsOf(reaction)),
    channelChanged: async (place, change) => feature.channelChanged?.(place, change, deps),
  };
}
