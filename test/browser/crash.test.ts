import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../src/file-lock.js";
import {
  type AdminPages,
  createAdminPages,
  go,
  heading,
  isSound,
  PHONE,
  shiftsWhile,
} from "../support/admin-page.js";
import { startBrowser } from "../support/browser.js";
import {
  boardStatus,
  boardWrites,
  type DemoProcess,
  type DemoTenant,
  pullRequests,
  startDemoProcess,
} from "../support/demo.js";

/** The demo's crash button, pressed at the page: a real worker process dies, and the boards themselves say what became of it. */

let demo: DemoProcess;
let acme: DemoTenant;
let browser: Browser;
let pages: AdminPages;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  await demo?.stop();
  expect(pages.complaints()).toEqual([]);
});

async function start(...args: string[]): Promise<void> {
  demo = await startDemoProcess(args);
  acme = demo.tenant("acme");
  pages = createAdminPages(browser, demo.line.admin);
}

const PATIENCE_MS = 120_000;

describe("the crash button", () => {
  it(
    "kills a worker in the middle of a move, and shows live that the move is made once, with one pull request",
    async () => {
      await start();
      const page = await pages.signIn();
      await go(page, "Crash test");
      const happens = page.getByRole("list", { name: "What happens" });
      const step = (words: RegExp) => happens.getByRole("listitem").filter({ hasText: words });
      const writes = (await boardWrites(acme)).length;
      const shifts = await shiftsWhile(page, async () => {
        await page.getByRole("button", { name: "Crash a worker mid-move" }).click();
        await step(/takes all work now: process \d+/).waitFor();
        // Shown as it happens: nothing is killed before the board has moved it.
        await step(/Jira has moved ENG-\d+, and its answer is still on the way/).waitFor();
        await step(/Process \d+ is killed in the middle of it/).waitFor();
        expect(await step(/Who asks again hears/).count()).toBe(0);
        await step(/has not confirmed it yet/).waitFor();
        await step(/Another worker has taken the move over/).waitFor({ timeout: 60_000 });
        await step(/Who asks again hears: “Moved /).waitFor({ timeout: 60_000 });
        await step(/Jira was told to move ENG-\d+ once\. GitHub has one pull request for it\./).waitFor();
        await page.getByText("Nothing was lost, and nothing was done twice.").waitFor();
      });
      expect(shifts).toEqual([]);

      const killed = /process (\d+)/.exec((await step(/takes all work now/).textContent()) ?? "")?.[1];
      expect(isAlive(Number(killed))).toBe(false);
      const link = page.getByRole("link", { name: /^Timeline of ENG-/ });
      const key = ((await link.textContent()) ?? "").replace("Timeline of ", "");
      expect(await boardStatus(acme, key)).toBe("In Review");
      expect((await boardWrites(acme)).length).toBe(writes + 1);
      const pulls = (await pullRequests(acme)).filter(({ head }) => head.ref.includes(key));
      expect(pulls).toHaveLength(1);
      await isSound(page, "Crash test");
      await link.click();
      await page.getByText(/^Moved from In Progress to In Review/).waitFor();

      // Once more: the worker of before is back at work.
      await go(page, "Crash test");
      await page.getByRole("button", { name: "Crash a worker mid-move" }).click();
      await page.getByText("Nothing was lost, and nothing was done twice.").waitFor({ timeout: 90_000 });
    },
    PATIENCE_MS,
  );

  it(
    "says why there is none where everything is in one process",
    async () => {
      await start("--memory");
      const page = await pages.signIn({ colorScheme: "dark", viewport: PHONE });
      await go(page, "Crash test");
      await page.getByText("Start the demo where redis-server is installed, and without --memory.").waitFor();
      expect(await page.getByRole("button", { name: /Crash/ }).count()).toBe(0);
      await isSound(page, "Crash test");
    },
    PATIENCE_MS,
  );

  it(
    "is nothing for people of a team",
    async () => {
      await start("--memory");
      const response = await fetch(`${demo.line.url}/api/v1/tenants/acme/members`, {
        method: "POST",
        headers: { authorization: `Bearer ${demo.line.admin.token}`, "content-type": "application/json" },
        body: JSON.stringify({ name: "Ann" }),
      });
      const { code } = (await response.json()) as { code: string };
      const page = await pages.open();
      await page.getByLabel("Pairing code").fill(code);
      await page.keyboard.press("Enter");
      await heading(page, "Boards");
      await page.goto(`${demo.line.admin.url}#/acme/crash`);
      await heading(page, "Boards");
      expect(await page.getByRole("link", { name: "Crash test" }).count()).toBe(0);
    },
    PATIENCE_MS,
  );
});
