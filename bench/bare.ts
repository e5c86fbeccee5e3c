/** Baseline of the ack measurement: a Bolt app that does nothing but acknowledge. */
import { app } from "./bare-app.ts";
app.command(/.*/, async ({ ack }) => ack());
await app.start();
