import { describe, expect, it } from "vitest";

import { createMetrics } from "../src/metrics.ts";

describe("metrics", () => {
  it("are counted as things happen, and what stands now is read when somebody asks", async () => {
    const metrics = createMetrics();
    metrics.acked("command", 40);
    metrics.answered("news", "ok", 1_500);
    metrics.calledUpstream({ service: "gateway", operation: "search", outcome: "Unavailable", ms: 700 });
    metrics.calledSlack("chat.update", "ratelimited");
    metrics.stored("write", 2);
    metrics.spent("search", 1);
    metrics.refused("unsigned");
    metrics.ranJob("alerts", "ok");
    const { type, text } = await metrics.render(async () => ({ waiting: 3, lagMs: 90_000, answering: 2 }));
    expect(type).toMatch(/^text\/plain/);
    for (const line of [
      'bellwether_ack_seconds_bucket{le="0.05",type="command"} 1',
      'bellwether_answer_seconds_sum{command="news",outcome="ok"} 1.5',
      'bellwether_upstream_seconds_count{service="gateway",operation="search",outcome="Unavailable"} 1',
      'bellwether_slack_calls_total{method="chat.update",outcome="ratelimited"} 1',
      'bellwether_store_seconds_count{operation="write"} 1',
      'bellwether_credits_total{operation="search"} 1',
      'bellwether_refused_requests_total{reason="unsigned"} 1',
      'bellwether_job_runs_total{job="alerts",outcome="ok"} 1',
      "bellwether_due_subscriptions 3",
      "bellwether_oldest_due_seconds 90",
      "bellwether_answers_underway 2",
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });

  it("of two bots in one process are apart", async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.spent("search", 1);
    const { text } = await other.render(async () => ({ waiting: 0, lagMs: 0, answering: 0 }));
    expect(text).not.toContain("bellwether_credits_total{");
  });
});
