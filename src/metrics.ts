import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** Figures that are read when somebody asks for the metrics, rather than counted as things happen. */
export interface CurrentFigures {
  /** Subscriptions whose time has come, or whose message is still on its way. */
  waiting: number;
  /** The time for which the oldest of them has been due, in milliseconds. */
  lagMs: number;
  /** Answers that are being written or wait for their turn. */
  answering: number;
  /** If several replicas share the work: the shards that this one serves, and the number of live replicas. */
  shards?: number | undefined;
  replicas?: number | undefined;
}

/** The bot's figures for Prometheus. Each place that records something is handed one of these functions. */
export type Metrics = ReturnType<typeof createMetrics>;

const shardsOfOne = 64;

const seconds = {
  /** Slack waits three seconds. */
  ack: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
  answer: [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300],
  upstream: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120],
  store: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
};

/** Metrics in a registry of their own. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  function histogram<Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) {
    return new Histogram({ name: `bellwether_${name}`, help, labelNames, buckets, registers });
  }
  function counter<Label extends string>(name: string, help: string, labelNames: Label[]) {
    return new Counter({ name: `bellwether_${name}`, help, labelNames, registers });
  }
  const gauge = (name: string, help: string) => new Gauge({ name: `bellwether_${name}`, help, registers });

  const acks = histogram("ack_seconds", "Time until Slack had its acknowledgement", ["type"], seconds.ack);
  const answers = histogram(
    "answer_seconds",
    "Time until an answer was complete",
    ["command", "outcome"],
    seconds.answer,
  );
  const upstream = histogram(
    "upstream_seconds",
    "Calls of the three services",
    ["service", "operation", "outcome"],
    seconds.upstream,
  );
  const slack = counter("slack_calls_total", "Calls of Slack's Web API, by outcome", ["method", "outcome"]);
  const store = histogram("store_seconds", "Reads and writes of the store", ["operation"], seconds.store);
  const credits = counter("credits_total", "Credits spent on the search service", ["operation"]);
  const refused = counter("refused_requests_total", "HTTP requests that were refused", ["reason"]);
  const jobs = counter("job_runs_total", "Runs of the scheduled jobs", ["job", "outcome"]);
  const current = {
    waiting: gauge("due_subscriptions", "Subscriptions that are due or whose message is on its way"),
    lag: gauge("oldest_due_seconds", "How long the oldest of them has been due"),
    answering: gauge("answers_underway", "Answers that are being written or wait for their turn"),
    shards: gauge("shards", "Shards of workspaces that this replica serves, of 64"),
    replicas: gauge("replicas", "Replicas that live, as this one sees it"),
  };

  return {
    acked: (type: string, ms: number) => acks.observe({ type }, ms / 1_000),
    answered: (command: string, outcome: string, ms: number) => answers.observe({ command, outcome }, ms / 1_000),
    calledUpstream: (call: { service: string; operation: string; outcome: string; ms: number }) => {
      const { ms, service, operation, outcome } = call;
      upstream.observe({ service, operation, outcome }, ms / 1_000);
    },
    calledSlack: (method: string, outcome: string) => slack.inc({ method, outcome }),
    stored: (operation: string, ms: number) => store.observe({ operation }, ms / 1_000),
    spent: (operation: string, count: number) => credits.inc({ operation }, count),
    refused: (reason: string) => refused.inc({ reason }),
    ranJob: (job: string, outcome: "ok" | "failed") => jobs.inc({ job, outcome }),
    /** All of them as Prometheus reads them. */
    async render(read: () => Promise<CurrentFigures>): Promise<{ type: string; text: string }> {
      const figures = await read();
      current.waiting.set(figures.waiting);
      current.lag.set(figures.lagMs / 1_000);
      current.answering.set(figures.answering);
      // One replica alone serves everything.
      current.shards.set(figures.shards ?? shardsOfOne);
      current.replicas.set(figures.replicas ?? 1);
      return { type: registry.contentType, text: await registry.metrics() };
    },
  };
}
