import { expect, test } from "vitest";
import { pingsIn } from "../../../local/workspace/pings.ts";
import { plain, section } from "./support.ts";

const markdown = (text: string) => ({ text: "x", blocks: [{ type: "markdown", text }] });

test.each([
  [
    "mrkdwn text",
    { text: "<!channel> and <@U0ELLISHA1> and <!subteam^S0DESK0001|@desk>" },
    ["<!channel>", "<@U0ELLISHA1>", "<!subteam^S0DESK0001|@desk>"],
  ],
  ["escaped text", { text: "&lt;!channel&gt; @here <#C0NEWSROOM> <https://x.test|<a>" }, []],
  ["text that asked to be plain", { text: "<!here>", mrkdwn: false }, []],
  ["an mrkdwn object", { text: "x", blocks: [section("<!everyone>")] }, ["<!everyone>"]],
  ["a plain_text object", { text: "x", blocks: [{ type: "header", text: plain("<!everyone>") }] }, []],
  ["Markdown", markdown("**<!here>** and\n\n| a |\n|---|\n| <@U0ELLISHA1> |"), ["<!here>", "<@U0ELLISHA1>"]],
  ["code in Markdown", markdown("`<!here>` and\n\n```\n<!channel>\n```"), []],
  ["a ping in code and outside it", markdown("`<!here>` <!here>"), ["<!here>"]],
])("pings are found in %s", (_name, message, found) => {
  expect(pingsIn(message)).toEqual(found);
});
