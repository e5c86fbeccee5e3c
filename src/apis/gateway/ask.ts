import type { Log } from "../../log.ts";
import type { RateLimit } from "../answer.ts";
import type { Call, Http, JsonCall, KeyHeader } from "../call.ts";
import type { LooseList } from "../loose.ts";
import type { Pace } from "../pace.ts";
import type { Credits, Enveloped } from "./schema.ts";

/** What every call of one key needs. */
export interface Line {
  http: Http;
  key: string;
  keyHeader: KeyHeader | undefined;
  pace: Pace;
  log: Pick<Log, "warn"> | undefined;
}

/** The schema is of the answer in its envelope; built once, because building it takes as long as many requests. */
type Question<T> = Omit<JsonCall<Enveloped<T>>, "token" | "keyHeader" | "pace">;

interface Told<T> {
  data: T;
  credits: Credits;
}

/** Asks the gateway with one key, in one pace, and reads the bill beside the answer. */
export interface Ask {
  one<T>(question: Question<T>): Promise<Told<T>>;
  /** Leaves out, and logs, what could not be read. */
  list<T>(question: Question<LooseList<T>>): Promise<Told<T[]>>;
}

/** Builds the one way in which the gateway is asked for JSON. */
export function createAsk(line: Line): Ask {
  const { http, key, log } = line;
  const test = isTest(key);

  async function one<T>(question: Question<T>): Promise<Told<T>> {
    const { value, rate } = await http.json({ ...question, ...credentials(line) });
    const { data, ...bill } = value;
    return { data, credits: billed({ ...bill, rate, test }) };
  }

  return {
    one,
    async list(question) {
      const { data, credits } = await one(question);
      const { items, dropped } = data;
      if (dropped > 0) log?.warn("gateway.dropped", { operation: question.operation, dropped });
      return { data: items, credits };
    },
  };
}

/** What goes with every call of a key. */
export function credentials({ key, keyHeader, pace }: Line): Pick<Call, "token" | "keyHeader" | "pace"> {
  return { token: key, keyHeader, pace };
}

/** The bill, with the state of the rate limit where anything is told of it. */
export function billed({ rate = {}, ...bill }: Credits): Credits {
  const told = known(rate);
  return Object.keys(told).length === 0 ? bill : { ...bill, rate: told };
}

/** What is told of a rate limit, without what is not. */
export function known({ limit, remaining, resetAt }: RateLimit): RateLimit {
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(remaining === undefined ? {} : { remaining }),
    ...(resetAt === undefined ? {} : { resetAt }),
  };
}

/** Keys of the test kind cost nothing. */
export function isTest(key: string): boolean {
  return key.startsWith("svc_test_");
}
