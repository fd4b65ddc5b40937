import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startBrowser } from "../support/browser.js";
import {
  boardStatus,
  type DemoProcess,
  type DemoTenant,
  pullRequests,
  startDemoProcess,
} from "../support/demo.js";
import { until } from "../support/until.js";

/** The page at /admin, looked at with a real browser, against the demo as a process of its own. */

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

let demo: DemoProcess;
let acme: DemoTenant;
let browser: Browser;
/** What the page complained of, and whom else it asked. */
let complaints: string[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  demo = await startDemoProcess();
  acme = demo.tenant("acme");
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  const found = complaints;
  complaints = [];
  expect(found).toEqual([]);
});

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  await context.addInitScript({ path: AXE });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(demo.line.url)) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(demo.line.admin.url);
  return page;
}

async function signIn(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await open(options);
  await page.getByLabel("Admin token").fill(demo.line.admin.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await heading(page, "Boards");
  return page;
}

async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

async function go(page: Page, screen: string): Promise<void> {
  await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: screen }).click();
  await heading(page, screen);
}

async function say(page: Page, sentence: string): Promise<void> {
  await page.getByLabel("Say", { exact: true }).fill(sentence);
  await page.keyboard.press("Enter");
}

async function replied(page: Page, words: string): Promise<void> {
  await page.locator(".replied").getByText(words).waitFor();
}

describe("the page", () => {
  it("lets nobody in without the admin token, and says why", async () => {
    const page = await open();
    await page.getByLabel("Admin token").fill("guessed");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("BOARDWALK_ADMIN_TOKEN").waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    // The browser itself notes the refusal.
    complaints = complaints.filter((text) => !text.includes("401"));
  });

  it("is a small thing that allows nothing inline and nobody's frame", async () => {
    const response = await fetch(demo.line.admin.url);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    const html = await response.text();
    const script = /src="(\/admin\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? "";
    const code = await (await fetch(new URL(script, demo.line.url))).text();
    expect(code.length).toBeGreaterThan(10_000);
    expect(code.length).toBeLessThan(200_000);
  });

  it("shows each board's health and what was imported", async () => {
    const page = await signIn();
    const jira = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "eng jira" }) });
    await jira.getByText("Well").waitFor();
    await jira.getByText("10 tickets").waitFor();
    await jira.getByRole("button", { name: "Read it anew" }).click();
    await page.getByRole("heading", { name: "mobile linear" }).waitFor();
    await page.getByLabel("Team").selectOption("globex");
    await page.getByRole("heading", { name: "events trello" }).waitFor();
  });

  it("says what is missing when a board is connected with a wrong token", async () => {
    const page = await signIn();
    await page.getByText("Connect a board").click();
    await page.getByLabel("Id", { exact: true }).fill("wrong");
    await page.getByLabel("Site").fill(acme.connections[0]?.boardUrl ?? "");
    await page.getByLabel("Project key").fill("ENG");
    await page.getByLabel("Email").fill("nobody@acme.example");
    await page.getByLabel("API token").fill("guessed");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    const problem = page.getByRole("status").getByRole("listitem").first();
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/Jira/);
    await page.getByRole("heading", { name: "wrong jira" }).waitFor();
  });

  it("draws a workflow with its counts, and tells the same in a table", async () => {
    const page = await signIn();
    await go(page, "Workflows");
    await page.getByRole("link", { name: "Acme engineering" }).click();
    const drawing = page.getByRole("img", { name: /Acme engineering: 5 statuses/ });
    await drawing.waitFor();
    const states = await drawing.locator("text.name").allTextContents();
    expect(states.sort()).toEqual(["Blocked", "Done", "In Progress", "In Review", "To Do"]);
    expect(await drawing.locator("path.move").count()).toBeGreaterThan(4);
    await drawing.getByText("4 tickets").waitFor();
    await page.getByText("The board's own view of its workflow").waitFor();
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "In Review" }) });
    expect(await row.getByRole("cell").last().textContent()).toBe("In Progress, Blocked, Done");
  });

  it("moves a ticket by a sentence, and its timeline shows the move and the pull request as they happen", async () => {
    const watching = await signIn();
    await go(watching, "Tickets");
    await watching.getByLabel("Words, key or id").fill("login bug");
    await watching.getByRole("link", { name: "Login bug: the second tap is ignored" }).click();
    await watching.getByText("Nothing has happened to it here yet.").waitFor();

    const page = await signIn();
    await go(page, "Talk");
    await say(page, "move the login bug to in review");
    await replied(page, "Moved Login bug, the second tap is ignored to In Review.");
    const turn = page.getByRole("list", { name: "Conversation" }).getByRole("listitem").first();
    await turn.getByText("move_ticket").waitFor();
    for (const [part, value] of [
      ["ticket", "the login bug"],
      ["to", "in review"],
      ["outcome", "confirmed"],
    ] as const) {
      await turn
        .locator("dl > div")
        .filter({ has: page.getByText(part, { exact: true }) })
        .getByText(value, { exact: true })
        .waitFor();
    }

    const timeline = watching.getByRole("list", { name: "Timeline" });
    await timeline.getByText("Moved from In Progress to In Review").waitFor();
    await timeline.getByText("Draft pull request: done").waitFor();
    await watching.getByRole("link", { name: "pull request 1" }).waitFor();
    expect(await boardStatus(acme, "ENG-1")).toBe("In Review");
    expect(await pullRequests(acme)).toHaveLength(1);
    await go(page, "Audit");
    await page.getByRole("row").filter({ hasText: "In Progress" }).getByText("confirmed").waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save all as a file" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe("audit-acme.jsonl");
    const lines = (await readFile(await saved.path(), "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ action: "move", outcome: "confirmed" }),
    );
  });

  it("asks what a move needs, and makes it with the answer", async () => {
    const page = await signIn();
    await go(page, "Talk");
    await say(page, "move the photo upload to done");
    await replied(page, "What should it be?");
    await page.getByRole("button", { name: "Won't Do" }).click();
    await replied(page, "Moved Upload fails for large photos to Done.");
    expect(await boardStatus(acme, "ENG-8")).toBe("Done");
  });

  it("makes a token that works, and revokes it", async () => {
    const page = await signIn();
    await go(page, "People");
    await page.getByLabel("Whose").fill("ann");
    await page.getByRole("button", { name: "Make a token" }).click();
    const token = (await page.getByRole("status").locator("code").textContent()) ?? "";
    expect(await mcpStatus(token)).toBe(200);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Revoke the token of ann" }).click();
    await page.getByRole("rowheader", { name: "ann", exact: true }).waitFor({ state: "detached" });
    expect(await mcpStatus(token)).toBe(401);
    expect(await page.getByText(token).count()).toBe(0);
  });

  it("is used by keyboard alone", async () => {
    const page = await open();
    await page.keyboard.press("Tab");
    await page.keyboard.type(demo.line.admin.token);
    await page.keyboard.press("Enter");
    await heading(page, "Boards");
    await until(async () => (await focused(page)) === "Boards");
    for (let steps = 0; (await focused(page)) !== "Talk" && steps < 20; steps++)
      await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await heading(page, "Talk");
    await until(async () => (await focused(page)) === "Talk");
    await page.keyboard.press("Tab");
    await page.keyboard.type("where is the welcome mail");
    await page.keyboard.press("Enter");
    await replied(page, "Welcome mail arrives twice is in Blocked.");
  });
});

describe.each([
  ["light", "wide", { colorScheme: "light", viewport: WIDE }],
  ["dark", "wide", { colorScheme: "dark", viewport: WIDE }],
  ["light", "on a phone", { colorScheme: "light", viewport: PHONE }],
] as const)("the page, %s and %s", (_scheme, _size, options) => {
  it("has no serious fault that a checker finds, and never scrolls sideways", async () => {
    const page = await open(options);
    await page.getByLabel("Admin token").waitFor();
    await isSound(page, "sign in");
    await page.getByLabel("Admin token").fill(demo.line.admin.token);
    await page.keyboard.press("Enter");
    await heading(page, "Boards");
    await page.getByText("Connect a board").click();
    await isSound(page, "Boards");
    for (const screen of ["Workflows", "People", "Audit", "Tickets", "Talk"]) {
      await go(page, screen);
      await page.getByText(/^Reading /).waitFor({ state: "detached" });
      if (screen === "Workflows") await page.getByRole("img", { name: /statuses/ }).waitFor();
      if (screen === "Tickets") await page.getByRole("row").nth(5).waitFor();
      if (screen === "Talk") {
        await say(page, "move push notifications to in review");
        await replied(page, "Which one do you mean");
      }
      await isSound(page, screen);
    }
    await say(page, "where is the welcome mail");
    await page.getByRole("link", { name: "Timeline of ENG-6" }).click();
    await heading(page, "Welcome mail arrives twice");
    await isSound(page, "one ticket");
  });
});

const findings = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullish(),
      nodes: z.array(z.object({ html: z.string() })),
    }),
  ),
  passes: z.array(z.unknown()),
});

async function isSound(page: Page, screen: string): Promise<void> {
  const { violations, passes } = findings.parse(await page.evaluate("axe.run()"));
  expect(passes.length, screen).toBeGreaterThan(5);
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(serious, screen).toEqual([]);
  const beyond = z
    .number()
    .parse(
      await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    );
  expect(beyond, `${screen} reaches beyond the right edge`).toBe(0);
}

async function focused(page: Page): Promise<string> {
  return z.string().parse(await page.evaluate("document.activeElement?.textContent ?? ''"));
}

async function mcpStatus(token: string): Promise<number> {
  const response = await fetch(acme.mcpUrl, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  await response.text();
  return response.status;
}
