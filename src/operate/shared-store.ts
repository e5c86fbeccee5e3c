import { networkInterfaces } from "node:os";

import type { Config } from "../config.ts";
import type { BaseContext } from "../features/base.ts";
import type { Metrics } from "../metrics.ts";
import { type Replicas, joinReplicas, onlyReplica, replicaLifeMs, replicaSchema } from "../replicas/replicas.ts";
import { openStoreExclusively } from "../store/lock.ts";
import { type Store, openStore, sqlitePath } from "../store/store.ts";

interface SharedStoreOptions extends Pick<BaseContext, "log" | "now" | "after"> {
  onQuery: Metrics["stored"];
}

/** The store of a bot: a file is its own, a database it shares with other replicas, by a lease on a part of the work. */
export async function openSharedStore(
  { storeUrl, slack, replicaUrl, port }: Config,
  { log, now, after, onQuery }: SharedStoreOptions,
): Promise<{ store: Store; replicas: Replicas }> {
  if (sqlitePath(storeUrl) !== undefined) {
    return { store: await openStoreExclusively(storeUrl, { log, after, onQuery }), replicas: onlyReplica };
  }
  // A bot on SQLite loads none of it.
  const { createLease } = await import("../replicas/lease.ts");
  const lease = createLease(storeUrl, { log, after });
  const store = await openStore(storeUrl, log, { confirm: lease.confirm, onQuery });
  const replicas = joinReplicas({
    lease,
    records: store.collection("replicas", replicaSchema, { ttlMs: replicaLifeMs }),
    url: slack?.appToken ? undefined : (replicaUrl ?? ownAddress(port)),
    now,
    after,
    log,
  });
  return { store, replicas };
}

/** The default of REPLICA_URL: the machine's first IPv4 address that isn't a loopback one. */
function ownAddress(port = 3000): string {
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4");
  return `http://${own?.address ?? "127.0.0.1"}:${port}`;
}
