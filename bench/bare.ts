/** Baseline of the ack measurement: a Bolt app that only acknowledges. */
import { app } from "./bare-app.ts";
app.command(/.*/, async ({ ack }) => ack());
await app.start();
