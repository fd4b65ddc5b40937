import type { Command } from "commander";
import type { Demo } from "../demo.js";
import { untilStopped } from "./signals.js";

interface DemoFlags {
  readonly port: string;
  readonly host: string;
  readonly json?: boolean;
  readonly say?: string[];
  readonly memory?: boolean;
}

export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("Two teams with emulated boards, ready to talk to. No account, key or tunnel.")
    .option("--port <port>", "port to listen on, 0 for any free one", "8420")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option("--json", "print one line of JSON when ready, and nothing else")
    .option("--memory", "keep state in memory even where a Redis could be started")
    .option("--say <sentence...>", "say this to Acme's board, print the replies, and end")
    .action(demo);
}

async function demo(flags: DemoFlags): Promise<void> {
  const port = flags.say === undefined ? Number(flags.port) : 0;
  const { describeDemo, startDemo } = await import("../demo.js");
  const running = await startDemo({ port, host: flags.host, inMemory: flags.memory === true });
  try {
    if (flags.say !== undefined) return await sayAll(running, flags.say, flags.json === true);
    // Listened for first: whoever starts us may end us the moment that the line is there.
    const stopped = untilStopped();
    process.stdout.write(flags.json ? `${JSON.stringify(running.line)}\n` : `${describeDemo(running)}\n`);
    await stopped;
  } finally {
    await running.close();
  }
}

async function sayAll(running: Demo, sentences: readonly string[], json: boolean): Promise<void> {
  const { answerSentence } = await import("../tickets/say.js");
  for (const sentence of sentences) {
    const said = await answerSentence(running.app.tickets, running.talk, sentence);
    process.stdout.write(json ? `${JSON.stringify(said)}\n` : `> ${sentence}\n${said.answer.spoken}\n`);
  }
}
