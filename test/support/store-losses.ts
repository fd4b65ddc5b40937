import { randomUUID } from "node:crypto";
import type { Loss, Store } from "../../src/store/store.js";
import { until } from "./until.js";

/** What a store tells of losses, while somebody listens to it in both ways. */
export interface Losses {
  readonly told: readonly Loss[];
  /** Waits until a message comes through, and a change that is told of. */
  hears(): Promise<void>;
}

export async function watchLosses(store: Store): Promise<Losses> {
  const told: Loss[] = [];
  const heard: string[] = [];
  const changed: (string | undefined)[] = [];
  store.returned((loss) => told.push(loss));
  await store.subscribe("news", (message) => heard.push(message));
  await store.watch((tenant) => changed.push(tenant));
  const losses: Losses = {
    told,
    async hears() {
      const word = randomUUID();
      await until(
        async () => {
          await store.publish("news", word);
          await store.tenant(word).deleteDocument("setting", "s");
          await store.tenant(word).saveDocument("setting", "s", { version: 0, value: 1 });
          return heard.includes(word) && changed.includes(word);
        },
        { timeoutMs: 20_000 },
      );
    },
  };
  await losses.hears();
  return losses;
}
