import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a local port on which everything may fall silent, as when the other machine is gone: nothing is closed. */
export interface QuietLink {
  readonly port: number;
  /** How many connections go through it. */
  readonly open: number;
  /** What goes over the present connections is lost from now on, both ways. New ones work. */
  silence(): void;
  /** Ends the present connections, and each new one at once, until it is mended. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startQuietLink(to: number): Promise<QuietLink> {
  const links = new Set<{ readonly near: Socket; readonly far: Socket }>();
  let isCut = false;
  const server = createServer((near) => {
    near.on("error", () => near.destroy());
    if (isCut) return void near.destroy();
    const far = connect(to, "127.0.0.1");
    const link = { near, far };
    links.add(link);
    near.pipe(far).pipe(near);
    const end = () => {
      links.delete(link);
      near.destroy();
      far.destroy();
    };
    for (const side of [near, far]) side.on("error", end).on("close", end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return links.size;
    },
    silence() {
      for (const { near, far } of links) {
        near.unpipe(far);
        far.unpipe(near);
        near.resume();
        far.resume();
      }
    },
    cut() {
      isCut = true;
      for (const { near } of links) near.destroy();
    },
    mend() {
      isCut = false;
    },
    async close() {
      for (const { near } of links) near.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
