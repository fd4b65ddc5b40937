import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** An address in front of several replicas, as a load balancer is: every connection goes to the one chosen now. */
export interface Balancer {
  readonly url: string;
  /** Sends new connections to the replica at this address. */
  sendTo(url: string): void;
  close(): Promise<void>;
}

export async function startBalancer(port = 0): Promise<Balancer> {
  let target = 0;
  const front = await startFront(() => target, port);
  return {
    ...front,
    sendTo(url) {
      target = portOf(url);
    },
  };
}

/** A balancer that goes by `/readyz`: new connections are shared by turns among those who said last that they are ready. */
export async function startReadyBalancer(
  urls: readonly string[],
  everyMs = 100,
): Promise<Pick<Balancer, "url" | "close"> & { isReady(url: string): boolean }> {
  const ready = new Set<string>();
  let turn = 0;
  const look = async (url: string) => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    await answer?.arrayBuffer();
    if (answer?.ok) ready.add(url);
    else ready.delete(url);
  };
  const looking = setInterval(() => void Promise.allSettled(urls.map(look)), everyMs);
  const front = await startFront(() => portOf([...ready][turn++ % ready.size] ?? "http://127.0.0.1:1"));
  return {
    url: front.url,
    isReady: (url) => ready.has(url),
    async close() {
      clearInterval(looking);
      await front.close();
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Passes each connection on to the port chosen when it was made. */
async function startFront(choose: () => number, port = 0): Promise<Pick<Balancer, "url" | "close">> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const replica = connect(choose(), "127.0.0.1");
    for (const socket of [client, replica]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        replica.destroy();
      });
    }
    client.pipe(replica).pipe(client);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
