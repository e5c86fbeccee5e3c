import { expect, it } from "vitest";

import { hintIn } from "../../../src/features/talk/hint.ts";

const nameOf = (typed: string) => (typed === "Novalith" ? "Novalith Semiconductor" : undefined);

it.each([
  [
    "Tell me when Novalith reports.",
    {
      label: "Get alerts on Novalith Semiconductor",
      line: 'alerts propose entity "Novalith Semiconductor" every 15 minutes',
    },
  ],
  [
    "What’s new at Novalith? Keep me posted.",
    { label: "Get this every weekday", line: 'digests propose ask "What’s new at Novalith?" weekdays at 9:00' },
  ],
  [
    "what is OPEC planning, and let me know if anything changes",
    { label: "Get this every weekday", line: 'digests propose ask "what is OPEC planning" weekdays at 9:00' },
  ],
])("“%s” hints at more than an answer", (question, hint) => {
  expect(hintIn(question, nameOf)).toEqual(hint);
});

it.each(["What is new at Novalith?", "Tell me when Zorblatt reports.", "What does Novalith publish every quarter?"])(
  "“%s” hints at nothing that could be followed",
  (question) => {
    expect(hintIn(question, nameOf)).toBeUndefined();
  },
);
