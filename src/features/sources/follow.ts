import { button } from "../../slack/text/blocks.ts";
import { shorten } from "../../slack/text/mrkdwn.ts";
import { postAction } from "../../slack/incoming/request.ts";
import { quote } from "../options.ts";
import { sourceKindOf } from "./index.ts";
import type { Source } from "./source.ts";

/** A source as it is typed in a command. */
export function typedSource(source: Source): string {
  return `${source.kind} ${quote(sourceKindOf(source).typed(source))}`;
}

interface Followed {
  /** The source as it is typed, such as `entity 12`. */
  source: string;
  name: string;
  /** The line that opens the window of a digest, if that is not about all of the source. */
  digest?: string;
}

/** Open the windows of a new digest and a new alert: the same two buttons under every list and on every card. */
export function followButtons({ source, name, digest = `follow ${source}` }: Followed) {
  const called = shorten(name, 50);
  return [
    button({
      action: `${postAction}:follow`,
      label: "Get a digest",
      value: digest,
      accessibleText: `Get a digest of ${called}`,
    }),
    button({
      action: `${postAction}:alerts`,
      label: "Get alerts",
      value: `alerts add ${source}`,
      accessibleText: `Get alerts about ${called}`,
    }),
  ];
}
