import type { Browser, Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { type AdminPages, createAdminPages, go, heading, PHONE, shiftsWhile } from "../support/admin-page.js";
import { startBrowser } from "../support/browser.js";
import { type DemoProcess, startDemoProcess } from "../support/demo.js";
import { until } from "../support/until.js";

/** What arrives by itself moves nothing that is being read: the browser's own layout shifts, of which there are none. */

const TICKETS = 1_500;

let demo: DemoProcess;
let browser: Browser;
let pages: AdminPages;
let jira: JiraEmulator;

beforeAll(async () => {
  const issues = Array.from({ length: TICKETS }, (_, at) => ({ title: `Parcel ${at} is late` }));
  [browser, demo, jira] = await Promise.all([
    startBrowser(),
    startDemoProcess(),
    startJiraEmulator({ site: demoJiraSite({ key: "SHOP", name: "Shop", issues }) }),
  ]);
  pages = createAdminPages(browser, demo.line.admin);
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await jira?.close();
});
afterEach(async () => {
  jira.setFaults({});
  for (const context of browser.contexts()) await context.close();
  expect(pages.complaints()).toEqual([]);
});

async function api(path: string, body: object = {}, method = "POST"): Promise<void> {
  const response = await fetch(`${demo.line.url}/api/v1/tenants/acme${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.line.admin.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.ok, await response.text()).toBe(true);
}

async function toKeep(page: Page, id: string): Promise<void> {
  await go(page, "Boards");
  await page.getByRole("link", { name: "Connect a board" }).click();
  await heading(page, "Connect a board");
  await page.getByLabel("Site").fill(jira.url);
  await page.getByLabel("Email of the account").fill(jira.credentials.email);
  await page.getByLabel("API token").fill(jira.credentials.apiToken);
  await page.keyboard.press("Tab");
  await page.getByLabel("Id", { exact: true }).fill(id);
}

/** What the page has said of the import, one after the other. */
async function said(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`
    globalThis.said = [];
    new MutationObserver(() => {
      const now = document.querySelector("section[aria-label=Import] [role=status]")?.textContent;
      if (now && now !== said.at(-1)) said.push(now);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  `);
  return async () => (await page.evaluate("said")) as readonly string[];
}

/** What the page has asked and is not answered yet; but for its stream of news, which never ends. */
function pending(page: Page): ReadonlySet<Request> {
  const asked = new Set<Request>();
  page.on("request", (request) => {
    if (!request.url().endsWith("/live")) asked.add(request);
  });
  page.on("requestfinished", (request) => asked.delete(request));
  page.on("requestfailed", (request) => asked.delete(request));
  return asked;
}

describe.each([
  ["wide", {}],
  ["on a phone", { viewport: PHONE }],
] as const)("a first import, %s", (size, options) => {
  const id = size === "wide" ? "shop" : "small";

  it("moves nothing while it goes on and when it ends, neither where it was begun nor among the boards", async () => {
    const [page, watching] = [await pages.signIn(options), await pages.signIn(options)];
    await watching.getByRole("heading", { name: "eng Jira" }).waitFor();
    await toKeep(page, id);
    const words = await said(page);
    // So that its end is not seen at once.
    jira.setFaults({ latencyMs: 400 });
    const among = shiftsWhile(watching, async () => {
      const card = watching
        .getByRole("listitem")
        .filter({ has: watching.getByRole("heading", { name: `${id} Jira` }) });
      await card.getByText(/^Importing, \d+ tickets so far/).waitFor();
      await card.getByText(`${TICKETS} tickets`, { exact: true }).waitFor();
    });
    const shifts = await shiftsWhile(page, async () => {
      await page.getByRole("button", { name: "Connect and import" }).click();
      await page.getByText(`Imported: 1 workflow, ${TICKETS} tickets.`).waitFor();
    });
    expect(shifts).toEqual([]);
    expect(await among).toEqual([]);
    expect(
      (await words()).filter((text) => /^Importing, [1-9]\d* tickets/.test(text)).length,
    ).toBeGreaterThan(0);
  });

  it("was of a workflow whose renamed status is drawn in its place", async () => {
    const page = await pages.signIn(options);
    await go(page, "Workflows");
    await page.getByRole("link", { name: "Shop", exact: true }).first().click();
    const drawing = page.getByRole("group", { name: /Shop: 5 statuses/ });
    const [before, after] =
      size === "wide" ? ["In Review", "Peer check"] : ["Peer check", "Looked at by another"];
    await drawing.getByRole("link", { name: new RegExp(`^${before}`) }).waitFor();
    const shifts = await shiftsWhile(page, async () => {
      jira.renameStatus(before, after);
      await api(`/connections/${id}/sync?wait=true`);
      await drawing.getByRole("link", { name: new RegExp(`^${after}.*was`) }).waitFor();
    });
    expect(shifts).toEqual([]);
  });

  it("is forgotten again, and nothing of it is left", async () => {
    const page = await pages.signIn(options);
    await page.getByRole("button", { name: `Disconnect ${id}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("heading", { name: `${id} Jira` }).waitFor({ state: "detached" });
    await go(page, "Workflows");
    await until(async () => (await page.getByRole("link", { name: "Shop", exact: true }).count()) === 0);
  });
});

const SCREENS = [
  ...["workflows", "tickets", "talk", "tools", "owed", "people", "audit", "crash", "connect"],
  ...["team", "boards"],
];

describe("every screen", () => {
  it("is complete without anything being pushed aside", async () => {
    const page = await pages.signIn();
    const asked = pending(page);
    for (const screen of SCREENS) {
      const shifts = await shiftsWhile(page, async () => {
        // Not by a click: for half a second after it the browser would not count.
        await page.evaluate(`location.hash = "#/acme/${screen}"`);
        await until(() => asked.size === 0);
      });
      expect([screen, shifts]).toEqual([screen, []]);
    }
  });
});
