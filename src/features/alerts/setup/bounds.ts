import { z } from "zod";

import { longestName, namesMost } from "./line.ts";
import { ruleBounds } from "./numbers.ts";

const names = z.array(z.string().trim().min(1).max(longestName)).max(namesMost);
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "a time of day such as `22:00`");
const person = z.string().regex(/^[UW]\w{1,20}$/, "the ID of a person such as `U024BE7LR`");
/** What is muted is spelt as the services spell it. */
const spelt = z.string().min(1).max(1_000);
const mutesMost = 500;

/** What somebody may choose for an alert, however it is written down: no more than what can be typed. */
export const alertBounds = z.object({
  filter: z.strictObject({
    type: z.string().trim().min(1).max(longestName).optional(),
    include: names,
    exclude: names,
  }),
  rule: ruleBounds,
  quietHours: z.strictObject({ from: time, to: time }).optional(),
  mutes: z
    .array(z.strictObject({ entity: spelt, name: spelt, by: person, at: z.number(), until: z.number().optional() }))
    .max(mutesMost),
});
