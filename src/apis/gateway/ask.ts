import type { Log } from "../../log.ts";
import type { Http, JsonCall } from "../call.ts";
import type { LooseList } from "../loose.ts";
import type { Pace } from "../pace.ts";
import { enveloped } from "./schema.ts";
import type { Credits } from "./schema.ts";

/** What every call of one key needs. */
export interface Line {
  http: Http;
  key: string;
  pace: Pace;
  log: Pick<Log, "warn"> | undefined;
}

type Question<T> = Omit<JsonCall<T>, "token" | "pace">;

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
export function createAsk({ http, key, pace, log }: Line): Ask {
  const test = isTest(key);

  async function one<T>({ schema, ...call }: Question<T>): Promise<Told<T>> {
    const { value } = await http.json({ ...call, token: key, pace, schema: enveloped(schema) });
    const { data, ...bill } = value;
    return { data, credits: { ...bill, test } };
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

/** Keys of the test kind cost nothing. */
export function isTest(key: string): boolean {
  return key.startsWith("svc_test_");
}
