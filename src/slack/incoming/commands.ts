import type { App } from "@slack/bolt";

import { unescapeText } from "../text/typed-text.ts";
import { createWhisper } from "../answer/private-reply.ts";
import type { Calls } from "../delivery/web-api.ts";
import type { IsDuplicate } from "./deduplicate.ts";
import type { IncomingRequest } from "./listen.ts";
import { createWindow } from "./views.ts";

interface CommandListening {
  callOf: Calls;
  isDuplicate: IsDuplicate;
  answer: (request: IncomingRequest) => Promise<void>;
  /** Slash commands, with their slash. */
  slashes: string[];
}

/** Answers slash commands, each once: somebody who got hold of a signed request could send it again. */
export function listenForCommands(app: App, { callOf, isDuplicate, answer, slashes }: CommandListening): void {
  for (const slash of slashes) {
    app.command(slash, async ({ ack, command, context, respond }) => {
      const { team_id: team, channel_id: channel, user_id: user, trigger_id: trigger } = command;
      const isRepeated = await isDuplicate(JSON.stringify(["command", team, trigger]));
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
        whisper: createWhisper(respond),
        window: createWindow({ call, trigger, origin: { channel } }),
      });
    });
  }
}
