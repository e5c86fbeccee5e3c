/**
 * How many times as much work the larger size is: in time of the processor, which, unlike the clock's, does not pass
 * faster where the machine is busy. 1 where it is too little to be told from noise.
 */
export function growthOf(work: (size: number) => unknown, from: number, to: number): number {
  work(from);
  // Twice, because a compiler or a collection of garbage may come in between.
  const large = Math.min(
    processorMs(() => work(to)),
    processorMs(() => work(to)),
  );
  if (large < noticeableMs) return 1;
  let times = 0;
  const small = processorMs(() => {
    for (const since = processorTime(); processorTime() - since < noticeableMs; times++) work(from);
  });
  return large / (small / times);
}

/** The processor's time is counted in steps of a few milliseconds. */
const noticeableMs = 50;

function processorMs(work: () => unknown): number {
  const since = processorTime();
  work();
  return processorTime() - since;
}

function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
