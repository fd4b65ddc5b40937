import { Redis } from "ioredis";
import type { RedisClient } from "../../redis/open.js";

/**
 * Tells when another server answers than before, or the same one was started anew: what was read of it may be no more,
 * since a replica that takes over, or a file that is read again, may lack the last writes.
 * @returns what stops it
 */
export function watchServer(client: RedisClient, changed: () => void): () => void {
  return client instanceof Redis ? watchOne(client, changed) : watchNodes(client, changed);
}

function watchOne(client: Redis, changed: () => void): () => void {
  let known: string | undefined;
  const look = async () => {
    const seen = /^run_id:(\w+)/m.exec(await client.info("server").catch(() => ""))?.[1];
    // Who does not tell, or broke off, may be another as well; it is asked again when it is there again.
    if (known !== undefined && seen !== known) changed();
    known = seen ?? known;
  };
  const onReady = () => void look();
  client.on("ready", onReady);
  if (client.status === "ready") onReady();
  return () => client.off("ready", onReady);
}

/** A cluster's client says which nodes come and go, and that is when one may have taken over from another. */
function watchNodes(client: Exclude<RedisClient, Redis>, changed: () => void): () => void {
  let wasReady = client.status === "ready";
  const onReady = () => {
    if (wasReady) changed();
    wasReady = true;
  };
  const onNode = () => {
    if (client.status === "ready") changed();
  };
  client.on("+node", onNode).on("ready", onReady);
  return () => client.off("+node", onNode).off("ready", onReady);
}
