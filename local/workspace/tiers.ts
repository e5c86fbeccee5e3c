/** Calls a minute of Slack's rate limit tiers. */
const TIER = { one: 1, two: 20, three: 50, four: 100, special: 600 };

/** Calls a minute that each method allows the whole workspace; what is not listed is tier three. */
export const CALLS_A_MINUTE: Record<string, number> = {
  "api.test": TIER.four,
  "auth.test": TIER.special,
  "apps.connections.open": TIER.three,
  "assistant.threads.setStatus": TIER.special,
  "assistant.threads.setSuggestedPrompts": TIER.four,
  "assistant.threads.setTitle": TIER.four,
  "agents.sessions.setStatus": TIER.special,
  "blocks.validate": TIER.four,
  "bots.info": TIER.three,
  "chat.appendStream": TIER.four,
  "chat.delete": TIER.three,
  "chat.getPermalink": TIER.special,
  "chat.postEphemeral": TIER.four,
  "chat.postMessage": 300,
  "chat.startStream": TIER.two,
  "chat.stopStream": TIER.two,
  "chat.update": TIER.three,
  "conversations.history": TIER.three,
  "conversations.info": TIER.three,
  "conversations.join": TIER.three,
  "conversations.list": TIER.two,
  "conversations.members": TIER.four,
  "conversations.open": TIER.three,
  "conversations.replies": TIER.three,
  "reactions.add": TIER.three,
  "reactions.remove": TIER.two,
  "team.info": TIER.three,
  "users.conversations": TIER.three,
  "users.info": TIER.four,
  "users.list": TIER.two,
  "views.open": TIER.four,
  "views.publish": TIER.four,
  "views.push": TIER.four,
  "views.update": TIER.four,
};

/** The limit of a method that is not listed. */
export const OTHER_CALLS_A_MINUTE = TIER.three;

/** chat.postMessage besides: one a second into a channel, after a short burst. */
export const POSTS_A_CHANNEL = { burst: 10, perSecond: 1 };
