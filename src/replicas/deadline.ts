/** Calls once after that many milliseconds; the result cancels. */
export type CallLater = (ms: number, call: () => void) => () => void;

/** Resolves with the work, or after so many milliseconds without it; rejects if the work does so before that. */
export async function waitAtMost(ms: number, work: Promise<void> | undefined, after: CallLater): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = after(ms, late.resolve);
  await Promise.race([work, late.promise]);
  cancel();
}
