import type { Spending } from "../account/spending.ts";
import type { BaseContext } from "../base.ts";
import { type Feature, bind } from "../feature.ts";
import { type PickerDependencies, createOfferedChoices, sourcePickers } from "../sources/form.ts";
import { createJobState } from "../subscriptions/jobs.ts";
import { createSubscriptions, numberSchema } from "../subscriptions/store.ts";
import { type DigestDependencies, digests, follow, saveFilled } from "./commands.ts";
import { type Digest, digestSchema, isDigestDue, isSameDigest } from "./digest.ts";
import { type DigestJobDependencies, postDigests } from "./job.ts";
import { digestForm } from "./form.ts";

type DigestNeeds = DigestDependencies & DigestJobDependencies & PickerDependencies;

/** Digests: new stories, rankings and answers on a schedule. */
export const digestsFeature: Feature<DigestNeeds> = {
  name: "digests",
  commands: [digests, follow],
  jobs: [postDigests],
  forms: [{ ...digestForm, save: saveFilled }],
  pickers: sourcePickers,
};

/** The digests of all workspaces that this process works for. */
export function openDigests({ store, replicas }: BaseContext) {
  return createSubscriptions<Digest>({
    records: store.collection("digests", digestSchema),
    numbers: store.collection("digest-numbers", numberSchema),
    isSame: isSameDigest,
    isDue: isDigestDue,
    isServed: replicas.holds,
  });
}

/** Digests, with what one minute of them leaves to the next. */
export function createDigests(
  deps: Omit<DigestNeeds, "digestJob" | "offered" | "spending">,
  gatewayFor: Spending["gatewayFor"],
) {
  const state = { digestJob: createJobState(), offered: createOfferedChoices(deps.now) };
  return bind(digestsFeature, { ...deps, ...state, spending: { gatewayFor } }, gatewayFor);
}
