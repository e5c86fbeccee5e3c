import type { App } from "@slack/bolt";

import { unescapeText } from "../text/typed-text.ts";
import { createPrivateReply } from "../answer/private-reply.ts";
import type { Listening } from "./listen.ts";
import type { Routes } from "./request.ts";
import { createWindow } from "./views.ts";

/** Answers slash commands, each once: somebody who got hold of a signed request could send it again. */
export function listenForCommands(
  app: App,
  { callOf, isDuplicate, answer, slashes }: Listening & Pick<Routes, "slashes">,
): void {
  for (const slash of slashes) {
    app.command(slash, async ({ ack, command, context, respond }) => {
      const { team_id: team, channel_id: channel, user_id: user, trigger_id: trigger } = command;
      const isRepeated = await isDuplicate(`${team} command ${trigger}`);
      await ack();
      if (isRepeated) return;
      const call = callOf(team, context.botToken);
      void answer({
        line: unescapeText(`${slash} ${command.text}`),
        team,
        user,
        channel,
        surface: "slash",
        call,
        replyPrivately: createPrivateReply(respond),
        window: createWindow({ call, trigger, origin: { channel } }),
      });
    });
  }
}
