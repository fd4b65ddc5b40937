/** A client for `mcp.ts`, as a process of its own: reads jobs as lines of JSON, answers each with one line. */
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

interface Job {
  readonly port: number;
  readonly connections: number;
  readonly ms: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** Has to be in the first reply on each connection, or the run is void. */
  readonly expect: string;
}

function requestOf({ headers, body }: Job): Buffer {
  const lines = [
    "POST /mcp HTTP/1.1",
    "host: 127.0.0.1",
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** One response as its chunks come in. Only what says where it ends is looked at, so that long ones cost little. */
class Reply {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  /** Known from the head, unless the response is in chunks. */
  #whole: number | undefined;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#chunks.length > 1) return;
    const head = chunk.toString("latin1", 0, chunk.indexOf("\r\n\r\n") + 4);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length !== undefined) this.#whole = head.length + Number(length);
  }

  get done(): boolean {
    if (this.#whole !== undefined) return this.#bytes >= this.#whole;
    return this.#chunks.at(-1)?.subarray(-5).toString("latin1") === "0\r\n\r\n";
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString("latin1");
  }
}

/** Sends the request over and over on one socket until `until`; pushes each reply's time. The first reply is read. */
function drive(job: Job, request: Buffer, until: number, times: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(job.port, "127.0.0.1");
    let reply = new Reply();
    let began = 0;
    let checked = false;
    const send = () => {
      reply = new Reply();
      began = performance.now();
      socket.write(request);
    };
    socket.setNoDelay(true);
    socket.on("error", reject);
    socket.on("connect", send);
    socket.on("data", (chunk: Buffer) => {
      reply.add(chunk);
      if (!reply.done) return;
      const now = performance.now();
      if (!checked && !(reply.text.startsWith("HTTP/1.1 200") && reply.text.includes(job.expect))) {
        reject(new Error(`Not the reply that was expected: ${reply.text.slice(0, 400)}`));
        socket.destroy();
        return;
      }
      checked = true;
      times.push(now - began);
      if (now < until) return send();
      socket.end();
      resolve();
    });
  });
}

async function run(job: Job): Promise<{ readonly perSecond: number; readonly p50Ms: number }> {
  const times: number[] = [];
  const request = requestOf(job);
  const began = performance.now();
  const until = began + job.ms;
  await Promise.all(Array.from({ length: job.connections }, () => drive(job, request, until, times)));
  const seconds = (performance.now() - began) / 1000;
  times.sort((a, b) => a - b);
  return { perSecond: times.length / seconds, p50Ms: times[Math.floor(times.length / 2)] ?? Number.NaN };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await run(JSON.parse(line) as Job))}\n`);
}
