import type { IncomingMessage } from "node:http";

/** There is more of it than was asked for. */
export class TooLarge extends Error {}

/**
 * The body of a request that came in, or of an answer, whole.
 * @throws TooLarge beyond `most` bytes; what is too much is read on, unkept, since a peer that is cut off in the midst of
 *   sending never sees a reply. Whoever wants no more of it destroys the connection.
 * @throws Error when it broke off
 */
export function readBytes(message: IncomingMessage, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let read = 0;
    message.on("data", (chunk: Buffer) => {
      read += chunk.byteLength;
      if (read <= most) chunks.push(chunk);
      else reject(new TooLarge(`more than ${most} bytes`));
    });
    let ended = false;
    message.on("end", () => {
      ended = true;
      resolve(joined(chunks));
    });
    message.on("error", reject);
    // Each message closes in the end; an error that nobody hears is not worth its stack.
    message.on("close", () => ended || reject(new Error("the body broke off")));
  });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const only = chunks.length === 1 ? chunks[0] : undefined;
  return only ?? Buffer.concat(chunks);
}
