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
  const open = new Set<Socket>();
  let target = 0;
  const server = createServer((client) => {
    const replica = connect(target, "127.0.0.1");
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
    sendTo(url) {
      target = Number(new URL(url).port);
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
