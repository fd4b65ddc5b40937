import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type AdminPages,
  createAdminPages,
  focused,
  go,
  heading,
  isSound,
  replied,
  say,
  tabTo,
} from "../support/admin-page.js";
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

let demo: DemoProcess;
let acme: DemoTenant;
let browser: Browser;
let pages: AdminPages;

beforeAll(async () => {
  browser = await startBrowser();
  demo = await startDemoProcess();
  acme = demo.tenant("acme");
  pages = createAdminPages(browser, demo.line.admin);
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  expect(pages.complaints()).toEqual([]);
});

const open = (options?: BrowserContextOptions) => pages.open(options);
const signIn = (options?: BrowserContextOptions) => pages.signIn(options);

describe("the page", () => {
  it("lets nobody in without the admin token, and says why", async () => {
    const page = await open();
    await page.getByLabel("Admin token").fill("guessed");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").getByText("BOARDWALK_ADMIN_TOKEN").waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    // The browser itself notes the refusal.
    expect(pages.complaints().filter((text) => !text.includes("401"))).toEqual([]);
  });

  it("is a small thing that allows nothing inline and nobody's frame", async () => {
    const response = await fetch(demo.line.admin.url);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    const html = await response.text();
    const assets = [...html.matchAll(/(?:src|href)="(\/admin\/assets\/[^"]+\.(?:js|css))"/g)];
    const bodies = await Promise.all(
      assets.map(async ([, path = ""]) => await (await fetch(new URL(path, demo.line.url))).text()),
    );
    // All that stands between opening it and using it, as a proxy would send it.
    expect(bodies.length).toBeLessThanOrEqual(3);
    const sent = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
    expect(sent).toBeGreaterThan(10_000);
    expect(sent).toBeLessThan(100_000);
  });

  it("shows each board's health and what was imported", async () => {
    const page = await signIn();
    const jira = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "eng jira" }) });
    await jira.getByText("Healthy").waitFor();
    await jira.getByText("10 tickets").waitFor();
    await jira.getByRole("button", { name: "Import again" }).click();
    await page.getByRole("heading", { name: "mobile linear" }).waitFor();
    await page.getByLabel("Team").selectOption("globex");
    await page.getByRole("heading", { name: "events trello" }).waitFor();
  });

  it("draws a workflow with its counts, and tells the same in a table", async () => {
    const page = await signIn();
    await go(page, "Workflows");
    await page.getByRole("link", { name: "Acme engineering" }).click();
    const drawing = page.getByRole("group", { name: /Acme engineering: 5 statuses/ });
    await drawing.waitFor();
    await until(async () => (await drawing.locator("text.name").count()) === 5);
    const states = await drawing.locator("text.name").allTextContents();
    expect(states.sort()).toEqual(["Blocked", "Done", "In Progress", "In Review", "To Do"]);
    expect(await drawing.locator("path.move").count()).toBeGreaterThan(4);
    await drawing.getByText("4 tickets", { exact: true }).waitFor();
    await page.getByText("The board's own view of its workflow").waitFor();
    const row = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "In Review" }) });
    const targets = row.getByRole("cell").last().getByRole("listitem");
    expect(await targets.allTextContents()).toEqual(["In Progress", "Blocked", "Done"]);
    await drawing.getByRole("link", { name: /^To Do, to do, 4 tickets/ }).click();
    await heading(page, "Tickets");
    await page.getByText("4 found").waitFor();
    await page.getByRole("link", { name: "Dark mode for the settings page" }).waitFor();
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
    const parts = turn.getByRole("list", { name: "What the call did" }).getByRole("listitem");
    expect((await parts.allTextContents()).map((part) => part.trim().replace(/ +/g, " "))).toEqual([
      "Resolve “the login bug” is ENG-1; “in review” is In Review.",
      "Decide In Progress → In Review is allowed.",
      expect.stringMatching(/^Act Written to the board and read again\. Then: draft pull request /),
      "Reply confirmed",
    ]);
    await say(page, "move the login bug to in review");
    await replied(page, "is in In Review already");
    await go(page, "Audit");
    const rows = page.getByRole("row").filter({ hasText: "Login bug: the second tap is ignored" });
    await rows.filter({ hasText: "In Progress" }).getByText("confirmed").waitFor();
    await rows.getByText("It was there already: nothing was written.").waitFor();
    expect(await rows.count()).toBe(2);
    expect(await pullRequests(acme)).toHaveLength(1);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save all as JSON lines" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe("audit-acme.ndjson");
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
    const token = (await page.getByRole("status").locator("code").first().textContent()) ?? "";
    expect(await mcpStatus(token)).toBe(200);
    const settings: unknown = JSON.parse((await page.getByRole("status").locator("pre").textContent()) ?? "");
    expect(settings).toMatchObject({
      mcpServers: { boardwalk: { url: acme.mcpUrl, headers: { Authorization: `Bearer ${token}` } } },
    });
    await page.getByRole("button", { name: "Revoke the token of ann" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Revoke the token of ann?").waitFor();
    await isSound(page, "a question");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await mcpStatus(token)).toBe(200);
    await page.getByRole("button", { name: "Revoke the token of ann" }).click();
    await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
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
    await tabTo(page, "Talk", "Shift+Tab");
    await page.keyboard.press("Enter");
    await heading(page, "Talk");
    await until(async () => (await focused(page)) === "Talk");
    await tabTo(page, "Say");
    await page.keyboard.type("where is the welcome mail");
    await page.keyboard.press("Enter");
    await replied(page, "Welcome mail arrives twice is in Blocked.");
  });
});

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
