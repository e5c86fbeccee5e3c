export type Api = "intelligence" | "gateway" | "jurisdictions";

/** What the reader should do next; its message is shown as it stands. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** Where a call to an upstream service failed. None of it may hold a key, a token or a body. */
export interface Failure {
  api: Api;
  operation: string;
  status?: number | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/** The base of the four ways in which a call to an upstream service can fail. */
export abstract class ApiError extends Error {
  readonly api: Api;
  readonly operation: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;

  constructor(what: string, failure: Failure) {
    const { api, operation, status, requestId, cause } = failure;
    const facts = [status && `status ${status}`, requestId && `request ${requestId}`].filter(Boolean).join(", ");
    const by = facts && ` (${facts})`;
    super(`${api} ${operation}: ${what}${by}`, cause === undefined ? undefined : { cause });
    this.api = api;
    this.operation = operation;
    this.status = status;
    this.requestId = requestId;
  }
}

/** The service refused the key, the login or the right to see something. */
export class NotAllowed extends ApiError {
  override readonly name: string = "NotAllowed";

  constructor(failure: Failure) {
    super("not allowed", failure);
  }
}

/** The key's balance does not cover the call; `remaining` is in credits, where upstream says it. */
export class OutOfCredits extends ApiError {
  override readonly name: string = "OutOfCredits";
  readonly remaining: number | undefined;

  constructor(failure: Failure & { remaining?: number | undefined }) {
    super("out of credits", failure);
    this.remaining = failure.remaining;
  }
}

const WHY = {
  timeout: "no answer in time",
  connection: "no connection",
  cut: "the answer broke off",
  status: "not able to answer now",
  limit: "the rate limit is used up",
};

/** The service cannot answer now; `retryAt` is in epoch milliseconds, where upstream says it. */
export class Unavailable extends ApiError {
  override readonly name: string = "Unavailable";
  readonly retryAt: number | undefined;
  readonly reason: keyof typeof WHY;

  constructor(failure: Failure & { retryAt?: number | undefined; reason?: keyof typeof WHY }) {
    const reason = failure.reason ?? "status";
    super(WHY[reason], failure);
    this.retryAt = failure.retryAt;
    this.reason = reason;
  }
}

/** What an answer that cannot be used has cost all the same, in credits; `used` is missing where it is not said. */
interface Bill {
  used: number | undefined;
}

/**
 * The service answered with something that cannot be used; `detail` says what, and `said` is its own message where it
 * told of an error, both with secrets removed. There is a `bill` where the service did its work all the same.
 */
export class UnexpectedAnswer extends ApiError {
  override readonly name: string = "UnexpectedAnswer";
  readonly detail: string;
  readonly said: string | undefined;
  readonly bill: Bill | undefined;

  constructor(failure: Failure & { detail: string; said?: string; bill?: Bill | undefined }) {
    super(failure.detail, failure);
    this.detail = failure.detail;
    this.said = failure.said;
    this.bill = failure.bill;
  }
}
