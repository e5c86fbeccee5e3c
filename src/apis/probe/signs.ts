import type { RateLimit } from "../answer.ts";
import type { Terms } from "../call.ts";
import { ApiError } from "../errors.ts";
import { isRecord } from "../values.ts";
import type { Pace } from "../pace.ts";

/** What came beside the payload of an answer. */
export interface Signs {
  hasRateInHeaders: boolean;
  /** Missing, as the next two, where there was no body that could have held it. */
  hasRequestId?: boolean | undefined;
  hasRateInEnvelope?: boolean | undefined;
  hasCredits?: boolean | undefined;
  /** How often the call had to be sent. */
  attempts: number;
  /** Milliseconds by which the clock here is ahead of the service's, where the answer was dated. */
  clockAhead?: number | undefined;
}

interface Received {
  answer: Terms | undefined;
  raw: unknown;
  error: unknown;
  at: number;
}

/** Listens to one call on its way. */
export interface Ear {
  /** Resolves when the call is sent first; where its turn does not come, never. */
  sent: Promise<void>;
  /** When that was. */
  sentAt(): number | undefined;
  /** Goes with the call; passes everything on to the key's own pace. */
  pace: Pace;
  /** Undefined where no answer came. */
  signs(received: Received): Signs | undefined;
}

/** Builds an ear for one call. */
export function createEar(pace: Pace | undefined, now: () => number): Ear {
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  let sentAt: number | undefined;
  let attempts = 0;
  let isNew = true;
  let hasRateInHeaders = false;
  return {
    sent,
    sentAt: () => sentAt,
    pace: {
      run(call, work) {
        const send = () => {
          attempts += 1;
          isNew = true;
          sentAt ??= now();
          resolve();
          return work();
        };
        return pace === undefined ? send() : pace.run(call, send);
      },
      learn(rate) {
        // Of each answer the headers are told first, and alone; what is told after that has its body mixed in.
        if (isNew) hasRateInHeaders ||= isTold(rate);
        isNew = false;
        pace?.learn(rate);
      },
    },
    signs({ answer, raw, error, at }) {
      const refusal = error instanceof ApiError && error.status !== undefined ? error : undefined;
      if (answer === undefined && refusal === undefined) return undefined;
      const hasRequestId = (answer ?? refusal)?.requestId !== undefined;
      const ahead = answer?.servedAt === undefined ? {} : { clockAhead: at - answer.servedAt };
      return {
        hasRateInHeaders,
        ...(raw !== undefined || hasRequestId ? { hasRequestId } : {}),
        ...(raw === undefined ? {} : envelopeSigns(raw)),
        attempts,
        ...ahead,
      };
    },
  };
}

function envelopeSigns(raw: unknown): Pick<Signs, "hasRateInEnvelope" | "hasCredits"> {
  const meta = isRecord(raw) && isRecord(raw["meta"]) ? raw["meta"] : {};
  const hasCredits = meta["credits_used"] != null || meta["credits_remaining"] != null;
  return { hasRateInEnvelope: isRecord(meta["rate_limit"]), hasCredits };
}

function isTold({ limit, remaining, resetAt }: RateLimit): boolean {
  return [limit, remaining, resetAt].some((part) => part !== undefined);
}
