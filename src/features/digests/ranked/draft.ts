import { UsageError } from "../../../apis/errors.ts";
import { describe } from "../../../log.ts";
import type { Services } from "../../feature.ts";
import { typeNamed, typesOf } from "../../subscriptions/category.ts";
import type { Digest, Followed } from "../compose.ts";
import type { Wanted } from "../setup/line.ts";
import { type Compared, compared } from "./rule.ts";

/**
 * The ranking that a digest would bring now, beside its last one: one request for all who look at what is trending.
 * Whoever asks pays where that costs something.
 */
export async function rankingFor(
  { source, ranked }: Pick<Digest, "source" | "ranked">,
  { samples, health, configured }: Services,
  gateway: Services["gateway"],
): Promise<Compared> {
  const api = configured.intelligence ? "intelligence" : "gateway";
  try {
    const { entities } = await samples.take(gateway);
    await health.saw(api);
    return compared(entities, source.kind === "trending" ? source : {}, ranked);
  } catch (error) {
    // That somebody has no credits left today says nothing about the source.
    if (!(error instanceof UsageError)) await health.saw(api, error);
    throw error;
  }
}

/** The ranking that somebody means: of everything, or of a type as the service spells it. */
export async function rankingNamed({ what, names }: Wanted, { samples, gateway, log }: Services): Promise<Followed> {
  // What was kept will do where the service does not answer just now.
  await samples.take(gateway).catch((error: unknown) => log.warn("digest.types", { error: describe(error) }));
  const type = typeNamed(what, typesOf(await samples.since(0)));
  return { kind: "trending", ...(type !== undefined && { type }), ...names };
}
