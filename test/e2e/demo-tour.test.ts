import { execFile } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Demo, startDemo } from "../../src/demo.js";
import { playTour, type StepReport } from "../../src/demo-tour.js";
import { CLI } from "../support/cli.js";
import { boardStatus, type DemoProcess, startDemoProcess } from "../support/demo.js";
import { until } from "../support/until.js";

/** The demo's script, played by itself as anyone may: `boardwalk demo --tour`. */

const MOST_SECONDS = 120;
const PATIENCE_MS = 240_000;

const step = z.object({
  step: z.string(),
  turns: z.array(z.object({ you: z.string(), answer: z.string() })),
  shown: z.array(z.object({ what: z.string(), holds: z.boolean() })),
  leftOut: z.string().optional(),
});
const end = z.object({ held: z.boolean(), timeToFirstMoveMs: z.number() });

interface Played {
  readonly code: number;
  readonly lines: readonly string[];
}

function tour(...flags: readonly string[]): Promise<Played> {
  const all = [...CLI, "demo", "--tour", ...flags];
  return new Promise((resolve) => {
    execFile(process.execPath, all, (error, stdout) => {
      resolve({ code: error === null ? 0 : Number(error.code), lines: stdout.trim().split("\n") });
    });
  });
}

let demo: Demo | undefined;
let demoProcess: DemoProcess | undefined;
afterEach(async () => {
  await demo?.close();
  await demoProcess?.stop();
  demo = undefined;
  demoProcess = undefined;
});

describe("the demo's tour", () => {
  it(
    "plays every step, and each holds on the boards themselves",
    async () => {
      const { code, lines } = await tour("--json");
      const steps = lines.slice(0, -1).map((line) => step.parse(JSON.parse(line)));
      const { held, timeToFirstMoveMs } = end.parse(JSON.parse(lines.at(-1) ?? ""));
      const broken = steps.flatMap(({ shown }) =>
        shown.filter(({ holds }) => !holds).map(({ what }) => what),
      );
      expect(broken).toEqual([]);
      expect(steps.map((one) => one.step)).toEqual([
        "Two tickets by one name",
        "The draft pull request",
        "A field that is missing",
        "A column renamed while you speak",
        "The crash button",
        "Another team's ticket",
      ]);
      expect(steps.filter(({ leftOut }) => leftOut !== undefined)).toEqual([]);
      expect({ code, held }).toEqual({ code: 0, held: true });
      const seconds = timeToFirstMoveMs / 1_000;
      process.stdout.write(`time to first move: ${seconds.toFixed(1)} s (from the start of the process)\n`);
      expect(seconds).toBeLessThan(MOST_SECONDS);
    },
    PATIENCE_MS,
  );

  it(
    "says in words what was said, and what cannot be shown without Redis",
    async () => {
      const { code, lines } = await tour("--memory");
      expect(code).toBe(0);
      const told = lines.join("\n");
      expect(told).toContain("boardwalk  Which one do you mean: Login page forgets the chosen language or");
      expect(told).toMatch(/left out {3}State is kept in this one process/);
      expect(told).toMatch(/time to first move: [\d.]+ s\nEvery step held\.$/);
    },
    PATIENCE_MS,
  );

  it(
    "says which step does not hold",
    async () => {
      demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true });
      const { boardUrl, authorization } = demo.line.tenants[0]?.connections[0] ?? {};
      // Somebody at the board was quicker than the script.
      await fetch(`${boardUrl}/rest/api/3/issue/ENG-1/transitions`, {
        method: "POST",
        headers: { authorization: authorization ?? "", "content-type": "application/json" },
        body: JSON.stringify({ transition: { id: "21" } }),
      });
      const steps: StepReport[] = [];
      expect(await playTour(demo, (one) => steps.push(one))).toMatchObject({ held: false });
      const [first] = steps;
      expect(first?.shown.filter(({ holds }) => !holds).map(({ what }) => what)).toContain(
        "Jira: nothing was moved yet",
      );
    },
    PATIENCE_MS,
  );
});

describe("the crash button", () => {
  it(
    "kills a worker in the middle of a move, which is made once all the same",
    async () => {
      demoProcess = await startDemoProcess();
      const { url, admin } = demoProcess.line;
      const headers = { authorization: `Bearer ${admin.token}`, "content-type": "application/json" };
      expect((await fetch(`${url}/demo`)).status).toBe(401);
      expect((await fetch(`${url}/demo/crash`, { method: "POST" })).status).toBe(401);
      expect(await (await fetch(`${url}/demo`, { headers })).json()).toEqual({
        crash: true,
        underWay: false,
      });
      const press = (body: object) =>
        fetch(`${url}/demo/crash`, { method: "POST", headers, body: JSON.stringify(body) });
      expect((await press({ tickets: "ENG-1" })).status).toBe(400);
      const first = press({ ticket: "ENG-3", to: "in review" });
      await until(async () => {
        const state = (await (await fetch(`${url}/demo`, { headers })).json()) as { underWay: boolean };
        return state.underWay;
      });
      expect((await press({})).status).toBe(409);
      const pressed = await first;
      expect(pressed.status).toBe(200);
      expect(await pressed.json()).toMatchObject({
        ticket: { key: "ENG-3" },
        outcome: "confirmed",
        moves: 1,
        spoken: [expect.stringContaining("has not confirmed it yet"), expect.stringContaining("Moved ")],
      });
      expect(await boardStatus(demoProcess.tenant("acme"), "ENG-3")).toBe("In Review");
      // Once more, with a ticket of its own choice: the worker of before is back at work.
      expect(await (await press({})).json()).toMatchObject({ outcome: "confirmed", moves: 1 });
    },
    PATIENCE_MS,
  );
});
