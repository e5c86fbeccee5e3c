import type { BaseContext } from "../base.ts";
import {
  announcedArticleSchema,
  announcedLifeMs,
  announcedStoriesSchema,
  createAnnouncedStories,
  hiddenLifeMs,
} from "./announced.ts";
import { arrivalsLifeMs, arrivalsSchema, createArrivals } from "./arrivals.ts";
import { ownerNoticeLifeMs, ownerNoticeSchema } from "./channels.ts";

/** The records that digests and alerts share: of channels, sources and owners. */
export function openSubscriptionRecords({ store }: Pick<BaseContext, "store">) {
  return {
    announced: createAnnouncedStories({
      articles: store.collection("seen", announcedArticleSchema, { ttlMs: announcedLifeMs }),
      stories: store.collection("announced-stories", announcedStoriesSchema, { ttlMs: hiddenLifeMs }),
    }),
    arrivals: createArrivals(store.collection("arrivals", arrivalsSchema, { ttlMs: arrivalsLifeMs })),
    ownerNotices: store.collection("owner-notices", ownerNoticeSchema, { ttlMs: ownerNoticeLifeMs }),
  };
}
