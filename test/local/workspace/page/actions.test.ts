import { expect, it } from "vitest";
import { refusalText } from "../../../../local/workspace/page/actions.ts";

it("says the code of a refusal in a sentence", () => {
  expect(refusalText("not_in_channel")).toBe("You are not a member of this channel, so you cannot do that here.");
});

it("leaves a sentence as it is, and nothing as nothing", () => {
  for (const text of ["this is no JSON", "Only for this machine.", "✖ Invalid input", ""]) {
    expect(refusalText(text)).toBe(text);
  }
});

it.each(["constructor", "to_string", "some_new_code"])("makes a sentence of the unknown code %s", (code) => {
  expect(refusalText(code)).toBe(`The workspace refused this: ${code.replaceAll("_", " ")}.`);
});
