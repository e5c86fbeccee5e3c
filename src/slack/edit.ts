import type { Message, Posted } from "./text/message.ts";
import type { Pacer } from "./pacer.ts";
import { type Poster, blockFallbacks } from "./delivery/post.ts";
import { type SlackRefused, refusalOf } from "./delivery/refusal.ts";

interface Means {
  pacer: Pick<Pacer, "edit">;
  poster: Pick<Poster, "update">;
}

const attempts = 3;

/**
 * Replaces a message that belongs to no answer, when the answers that grow can spare an edit; tried again where Slack
 * asked to wait or did not say, and plainer where Slack finds it malformed. Rejects with SlackRefused.
 */
export async function editInTurn({ pacer, poster }: Means, posted: Posted, message: Message): Promise<void> {
  const forms = blockFallbacks(message);
  let plainer = 0;
  for (let attempt = 1; ; attempt++) {
    const blocks = forms[plainer];
    let refused: SlackRefused | undefined;
    await pacer.edit(async () => {
      try {
        await poster.update(posted, { text: message.text, ...(blocks && { blocks }) });
      } catch (error) {
        refused = refusalOf("chat.update", error);
      }
      return { retryAfterMs: refused?.retryAfterMs };
    });
    if (!refused) return;
    const { reaction } = refused;
    if (reaction === "plainer" && plainer < forms.length - 1) plainer++;
    else if ((reaction !== "wait" && reaction !== "look") || attempt >= attempts) throw refused;
  }
}
