import { z } from "zod";

import { storedOptions } from "../options.ts";
import { articleSourceSchema } from "../sources/index.ts";
import { subscriptionShape } from "../subscriptions/store.ts";
import { type Alert, muteSchema } from "./alert.ts";
import { incidentSchema } from "./detect/incident.ts";
import { alertOptions } from "./options.ts";
import { alertPostSchema } from "./posts.ts";

const options = storedOptions(alertOptions);

/** A stored alert. */
export const alertSchema: z.ZodType<Alert> = z.object({
  ...subscriptionShape,
  source: articleSourceSchema.optional(),
  options,
  isTooBroad: z.literal(true).optional(),
  watchingSince: z.number().optional(),
  last: z.object({ at: z.number(), open: z.number(), postedAt: z.number().optional() }).optional(),
  incidents: z.array(incidentSchema),
  mutes: z.array(muteSchema),
  posts: z.array(alertPostSchema),
  former: z.object({ at: z.number(), options, schedule: subscriptionShape.schedule, channel: z.string() }).optional(),
  isUndelivered: z.literal(true).optional(),
});
