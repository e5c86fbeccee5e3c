import { startAcks } from "./acks.ts";
import { percentile } from "./contenders.ts";
for (const [n, s, a] of [["ours","src/main.ts",20],["ours0","src/main.ts",0],["bare","bench/bare.ts",0]] as const) { const t = await startAcks(s,a); console.log(n, [0.5,0.99,1].map(p=>percentile(t,p).toFixed(1))); }
process.exit(0);
