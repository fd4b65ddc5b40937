import type { Command } from "commander";
import type { Demo } from "../demo.js";
import type { StepReport } from "../demo-tour.js";
import { withExamples } from "./examples.js";
import { untilStopped } from "./signals.js";

interface DemoFlags {
  readonly port: string;
  readonly host: string;
  readonly json?: boolean;
  readonly say?: string[];
  readonly memory?: boolean;
  readonly tour?: boolean;
}

export function addDemo(program: Command): void {
  withExamples(
    program
      .command("demo")
      .description("Two teams with emulated boards, ready to talk to. No account, key or tunnel.")
      .option("--port <port>", "port to listen on, 0 for any free one", "8420")
      .option("--host <host>", "address to listen on", "127.0.0.1")
      .option("--json", "print one line of JSON when ready, and nothing else")
      .option("--memory", "keep state in memory even where a Redis could be started")
      .option("--say <sentence...>", "say this to Acme's board, print the replies, and end")
      .option(
        "--tour",
        "play the whole script unattended, checking each step, and end; 1 when a step did not hold",
      ),
    "boardwalk demo",
    'boardwalk demo --say "move the login bug to in review" "where is the login bug"',
    "boardwalk demo --tour",
    "boardwalk demo --json --port 0",
  ).action(demo);
}

async function demo(flags: DemoFlags): Promise<void> {
  const port = flags.say === undefined && flags.tour !== true ? Number(flags.port) : 0;
  const { describeDemo, startDemo } = await import("../demo.js");
  const running = await startDemo({ port, host: flags.host, inMemory: flags.memory === true });
  try {
    if (flags.say !== undefined) return await sayAll(running, flags.say, flags.json === true);
    if (flags.tour === true) return await tour(running, flags.json === true);
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

async function tour(running: Demo, json: boolean): Promise<void> {
  const { playTour } = await import("../demo-tour.js");
  const print = (value: unknown, words: string) =>
    process.stdout.write(`${json ? JSON.stringify(value) : words}\n`);
  if (!json) process.stdout.write(`Everything is said to ${running.line.url}/alexa/mcp.\n`);
  let number = 0;
  const report = await playTour(running, (step) => {
    number += 1;
    print(step, describeStep(number, step));
  });
  const seconds = ((report.timeToFirstMoveMs ?? Number.NaN) / 1_000).toFixed(1);
  print(
    report,
    `\ntime to first move: ${seconds} s\n${report.held ? "Every step held." : "A step did not hold."}`,
  );
  if (!report.held) process.exitCode = 1;
}

function describeStep(number: number, { step, turns, shown, leftOut }: StepReport): string {
  return [
    `\n${number}. ${step}`,
    ...turns.flatMap(({ you, answer }) => [`   you        ${you}`, `   boardwalk  ${answer}`]),
    ...shown.map(({ what, holds }) => `   ${holds ? "ok " : "NOT"}        ${what}`),
    ...(leftOut === undefined ? [] : [`   left out   ${leftOut}`]),
  ].join("\n");
}
