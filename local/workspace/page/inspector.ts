import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Exchange, Inspection, LimitLeft } from "../protocol.ts";
import { Icon } from "./icons.ts";
import { useLookup } from "./lookup.ts";

const lookMs = 1_000;
const keptMost = 500;

/** The latest exchanges, newest first; loaded every second while the inspector is open. */
function useInspection(): Inspection {
  const [shown, setShown] = useState<Inspection>({ exchanges: [], limits: [] });
  const latest = useRef(0);
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    const look = async () => {
      const found = await readInspection(latest.current);
      if (isOver) return;
      if (found) {
        latest.current = found.exchanges.at(-1)?.id ?? latest.current;
        setShown(({ exchanges }) => ({
          exchanges: [...found.exchanges.toReversed(), ...exchanges].slice(0, keptMost),
          limits: found.limits,
        }));
      }
      timer = setTimeout(look, lookMs);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, []);
  return shown;
}

async function readInspection(after: number): Promise<Inspection | undefined> {
  const response = await fetch(`/workspace/inspector?after=${after}`).catch(() => undefined);
  return response?.ok ? response.json() : undefined;
}

/** The list of Web API calls and envelopes, and the calls left of the rate limits. */
export function Inspector({ close }: { close: () => void }): VNode {
  const { exchanges, limits } = useInspection();
  const [isErrorsOnly, setErrorsOnly] = useState(false);
  const [open, setOpen] = useState<number>();
  const shown = isErrorsOnly ? exchanges.filter(({ outcome }) => outcome !== "ok") : exchanges;
  const onKeyDown = (event: KeyboardEvent) => event.key === "Escape" && close();
  return html`<section class="inspector" aria-label="Inspector" onKeyDown=${onKeyDown}>
    <header>
      <h2>Inspector</h2>
      <label
        ><input type="checkbox" checked=${isErrorsOnly} onChange=${() => setErrorsOnly(!isErrorsOnly)} /> Errors
        only</label
      >
      <ul class="limits" aria-label="Left of the rate limits">
        ${busiest(limits).map((limit) => html`<${Limit} limit=${limit} />`)}
      </ul>
      <button type="button" class="icon-button" aria-label="Close inspector" onClick=${close}>
        <${Icon} name="close" />
      </button>
    </header>
    <div class="exchanges" tabindex="0" role="region" aria-label="Calls and events">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Way</th>
            <th scope="col">What</th>
            <th scope="col">Where</th>
            <th scope="col">Outcome</th>
            <th scope="col">ms</th>
            <th scope="col">Bytes</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            (exchange) =>
              html`<${Row}
                key=${exchange.id}
                exchange=${exchange}
                isOpen=${open === exchange.id}
                toggle=${() => setOpen(open === exchange.id ? undefined : exchange.id)}
              />`,
          )}
        </tbody>
      </table>
      ${shown.length === 0 ? html`<p class="note">${isErrorsOnly ? "No errors." : "Nothing yet."}</p>` : null}
    </div>
  </section>`;
}

const shownLimits = 6;

/** The limits with the largest share used. */
function busiest(limits: LimitLeft[]): LimitLeft[] {
  return limits.toSorted((one, other) => one.left / one.most - other.left / other.most).slice(0, shownLimits);
}

function useChannelName(): (channel: string | undefined) => string {
  const { conversations } = useLookup();
  return (channel) => {
    const found = conversations.find(({ id }) => id === channel);
    if (!found) return channel ?? "";
    return found.kind === "im" ? "direct message" : `#${found.name}`;
  };
}

function Limit({ limit: { method, channel, left, most } }: { limit: LimitLeft }): VNode {
  const where = useChannelName()(channel);
  return html`<li class=${left === 0 ? "limit-spent" : ""}>
    ${method}${where && ` ${where}`} <b>${left}/${most}</b>
  </li>`;
}

function Row({ exchange, isOpen, toggle }: { exchange: Exchange; isOpen: boolean; toggle: () => void }): VNode {
  const { times } = useLookup();
  const { at, kind, name, channel, outcome, ms, bytes } = exchange;
  const where = useChannelName()(channel);
  const [time] = times.full(new Date(at)).split(" at ").toReversed();
  return html`<tr class=${outcome === "ok" ? "" : "exchange-failed"}>
      <td>${time}</td>
      <td>${kind === "call" ? "bot → Slack" : "Slack → bot"}</td>
      <td>
        <button type="button" aria-expanded=${isOpen} onClick=${toggle}>${name}</button>
      </td>
      <td>${where}</td>
      <td>${outcome}</td>
      <td>${Math.round(ms)}</td>
      <td>${bytes.toLocaleString("en-GB")}</td>
    </tr>
    ${
      isOpen
        ? html`<tr>
            <td colspan="7"><${Detail} id=${exchange.id} /></td>
          </tr>`
        : null
    }`;
}

function Detail({ id }: { id: number }): VNode {
  const [detail, setDetail] = useState<{ sent: string; answered: string }>();
  useEffect(() => {
    const read = async () => {
      const response = await fetch(`/workspace/inspector/${id}`).catch(() => undefined);
      setDetail(response?.ok ? await response.json() : { sent: "This is not kept any more.", answered: "" });
    };
    void read();
  }, [id]);
  return html`<div class="exchange-detail">
    <figure>
      <figcaption>Sent</figcaption>
      <pre tabindex="0" role="region" aria-label="What was sent">${detail?.sent}</pre>
    </figure>
    <figure>
      <figcaption>Answered</figcaption>
      <pre tabindex="0" role="region" aria-label="What was answered">${detail?.answered}</pre>
    </figure>
  </div>`;
}
