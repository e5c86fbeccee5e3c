/** What a value must be. Plain data: `check.ts` reads it. */
export type Rule =
  | { is: "string"; least: number; most: number }
  | { is: "number"; least: number; most: number }
  | { is: "flag" }
  | { is: "word"; words: readonly string[] }
  /** A composition object: plain_text, or mrkdwn too. */
  | { is: "text"; most: number; plain: boolean; mrkdwn: boolean }
  | { is: "list"; least: number; most: number; of: Rule }
  /** A block, element or piece of rich text of one of the types, checked by its own shape. */
  | { is: "typed"; types: readonly string[] }
  | { is: "object"; shape: Shape }
  | { is: "anything" };

/** The fields of an object: those it needs, those it may have, and those of which it needs at least one. */
export interface Shape {
  need: Record<string, Rule>;
  may: Record<string, Rule>;
  oneOf?: readonly string[];
}

const ANY_NUMBER = Number.MAX_SAFE_INTEGER;

/** Text of a field itself, not an object. */
export const string = (most: number, least = 1): Rule => ({ is: "string", least, most });
/** A number within bounds. */
export const number = (least = -ANY_NUMBER, most = ANY_NUMBER): Rule => ({ is: "number", least, most });
/** True or false. */
export const flag: Rule = { is: "flag" };
/** One of a few words. */
export const word = (...words: string[]): Rule => ({ is: "word", words });
/** A plain_text object. */
export const plain = (most: number): Rule => ({ is: "text", most, plain: true, mrkdwn: false });
/** A plain_text or mrkdwn object. */
export const text = (most: number): Rule => ({ is: "text", most, plain: true, mrkdwn: true });
/** A mrkdwn object. */
export const mrkdwn = (most: number): Rule => ({ is: "text", most, plain: false, mrkdwn: true });
/** A list of at least `least` and at most `most` items. */
export const list = (of: Rule, most: number, least = 1): Rule => ({ is: "list", least, most, of });
/** Something that names its own type. */
export const typed = (...types: string[]): Rule => ({ is: "typed", types });
/** An object without a type. */
export const object = (need: Shape["need"], may: Shape["may"] = {}): Rule => ({ is: "object", shape: { need, may } });
/** What Slack checks and this workspace does not. */
export const anything: Rule = { is: "anything" };
