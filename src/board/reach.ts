import type { lookup as systemLookup } from "node:dns";
import { Agent } from "undici";
import type { Reach } from "./connector.js";
import { createSafeLookup } from "./safe-url.js";

/**
 * What requests to hosts of tenants' choosing go through: the addresses that are connected to are the ones that were
 * looked at, so that a name which changes its address between the check and the call leads nowhere.
 */
export function createReach(lookup?: typeof systemLookup): Reach & { close(): Promise<void> } {
  const safeLookup = createSafeLookup(lookup);
  const agent = new Agent({ connect: { lookup: safeLookup } });
  return {
    lookup: safeLookup,
    // Node's own fetch takes the agent of any undici, but its types know only its own.
    dispatcher: agent as unknown as Reach["dispatcher"],
    close: () => agent.destroy(),
  };
}
