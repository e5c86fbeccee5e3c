import type { Spending } from "../account/spending.ts";
import type { GroundContext } from "../base.ts";
import { bind } from "../feature.ts";
import { createBackgroundAnswers } from "./background.ts";
import { type AskFeatureDependencies, askFeature } from "./commands.ts";
import { conversationSchema } from "./conversation.ts";
import { conversationLifeMs, createMemory } from "./memory.ts";
import { type QueueLimits, createQuestionQueue } from "./queue.ts";
import { createFollowing, markLifeMs, markSchema, settingSchema } from "./threads.ts";

interface AskOptions extends Pick<Spending, "gatewayFor">, Pick<AskFeatureDependencies, "offerFor"> {
  limits: QueueLimits;
}

/** Questions and the threads that they begin; answers in the background for whoever posts them later. */
export function createAsk(ground: GroundContext, { limits, gatewayFor, offerFor }: AskOptions) {
  const { store, log, now } = ground;
  const conversations = store.collection("conversations", conversationSchema, { ttlMs: conversationLifeMs });
  const memory = createMemory(conversations, log);
  const queue = createQuestionQueue(limits, ground);
  const following = createFollowing({
    settings: store.collection("thread-settings", settingSchema),
    marks: store.collection("thread-marks", markSchema, { ttlMs: markLifeMs }),
    hasConversation: memory.has,
    now,
    log,
  });
  const spending = { gatewayFor };
  const deps: AskFeatureDependencies = { ...ground, memory, queue, following, spending, offerFor };
  return {
    feature: bind(askFeature, deps, gatewayFor),
    background: createBackgroundAnswers(ground),
    memory,
    queue,
    following,
  };
}
