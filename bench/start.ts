import { spawn } from "node:child_process";

/** The milliseconds until the local workspace prints its address, and those that npm and Node need to run nothing. */
export async function startUps(times: number): Promise<{ ours: number[]; bare: number[] }> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let run = 0; run < times; run++) {
    ours.push(await untilPrinted(["start"], /http:\/\/127\.0\.0\.1:\d+/));
    bare.push(await untilPrinted(["exec", "--", "node", "-e", "console.log('ready')"], /ready/));
  }
  return { ours, bare };
}

async function untilPrinted(words: string[], expected: RegExp): Promise<number> {
  const since = performance.now();
  const child = spawn("npm", words, { env: { PATH: process.env["PATH"], HOME: process.env["HOME"] }, detached: true });
  let printed = "";
  const ms = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (expected.test(printed)) resolve(performance.now() - since);
    });
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`ended before it was ready: ${printed}`)));
  });
  if (child.pid) process.kill(-child.pid, "SIGTERM");
  return ms;
}
