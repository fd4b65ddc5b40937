import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { HARD_PROJECTS, withHardBoards } from "../../scripts/screenshot-boards.js";
import {
  type AdminPages,
  createAdminPages,
  go,
  heading,
  isSound,
  PHONE,
  replied,
  say,
  WIDE,
} from "../support/admin-page.js";
import { startBrowser } from "../support/browser.js";
import { type DemoProcess, startDemoProcess } from "../support/demo.js";

/** Every screen, in both themes, on a phone and on wide screens: what a checker finds, and nothing beyond the right edge. */

let demo: DemoProcess;
let browser: Browser;
let pages: AdminPages;
let jira: JiraEmulator;

beforeAll(async () => {
  const site = withHardBoards(demoJiraSite({ key: "SHOP", name: "Shop" }));
  [browser, demo, jira] = await Promise.all([
    startBrowser(),
    startDemoProcess(),
    startJiraEmulator({ site }),
  ]);
  pages = createAdminPages(browser, demo.line.admin);
  await api("", { id: "hard", name: "A team with a rather long name, as companies have them (EMEA)" });
  await api("", { id: "new", name: "New" });
  for (const project of HARD_PROJECTS) {
    const id = project.toLowerCase();
    const settings = { baseUrl: jira.url, project };
    await api("/hard/connections", { id, provider: "jira", settings, credentials: jira.credentials });
    await api(`/hard/connections/${id}/sync?wait=true`);
  }
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await jira?.close();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  expect(pages.complaints()).toEqual([]);
});

async function api(path: string, body: object = {}): Promise<void> {
  const response = await fetch(`${demo.line.url}/api/v1/tenants${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.line.admin.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.ok, await response.text()).toBe(true);
}

/** Opens a screen of a team by its address. */
async function at(page: Page, team: string, place: string, title: string): Promise<void> {
  await page.goto(`${demo.line.admin.url}#/${team}/${place}`);
  await heading(page, title);
  await page.getByText(/^Reading /).waitFor({ state: "detached" });
}

async function asksBeforeForgetting(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: /^Disconnect/ })
    .first()
    .click();
  await page.getByRole("dialog").waitFor();
  await isSound(page, "a question before something is forgotten");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

async function previewsShop(page: Page): Promise<void> {
  await page.getByLabel("Site").fill(jira.url);
  await page.getByLabel("Email of the account").fill(jira.credentials.email);
  await page.getByLabel("API token").fill(jira.credentials.apiToken);
  await page.keyboard.press("Tab");
  await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "Forty (BIG)" });
  await page.getByRole("button", { name: "Connect and import" }).waitFor();
  await page.getByText("Draft pull requests").click();
}

describe.each([
  ["light", "wide", { colorScheme: "light", viewport: WIDE }],
  ["dark", "very wide", { colorScheme: "dark", viewport: { width: 1920, height: 1080 } }],
  ["light", "on a phone", { colorScheme: "light", viewport: PHONE }],
  ["dark", "on a phone", { colorScheme: "dark", viewport: PHONE }],
] as const)("the page, %s and %s", (_scheme, _size, options) => {
  it("has no serious fault that a checker finds, and never scrolls sideways", async () => {
    const page = await pages.open(options);
    await page.getByLabel("Admin token").waitFor();
    await isSound(page, "sign in");
    await page.getByLabel("Admin token").fill(demo.line.admin.token);
    await page.keyboard.press("Enter");
    await heading(page, "Boards");
    await page.getByRole("heading", { name: "eng Jira" }).waitFor();
    await isSound(page, "Boards");
    await asksBeforeForgetting(page);
    await at(page, "acme", "team", "New team");
    await isSound(page, "New team");
    await at(page, "acme", "connect", "Connect a board");
    await isSound(page, "Connect a board");
    await previewsShop(page);
    await isSound(page, "a preview");
    for (const screen of [
      "Workflows",
      "Tools",
      "Work owed",
      "Audit",
      "Tickets",
      "Crash test",
      "People",
      "Talk",
    ]) {
      await go(page, screen);
      if (screen === "Workflows") await page.getByRole("group", { name: /statuses/ }).waitFor();
      if (screen === "Tickets") await page.getByRole("row").nth(5).waitFor();
      if (screen === "People") {
        await page.getByLabel("Whose").fill("Ann, of the team that works on the mobile application");
        await page.getByRole("button", { name: "Make a token" }).click();
        await page.getByRole("status").locator("pre").waitFor();
      }
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
  }, 120_000);

  it("is as sound where there is nothing yet, and where workflows are long and names are unusual", async () => {
    const page = await pages.signIn(options);
    for (const [place, title] of [
      ["boards", "Boards"],
      ["workflows", "Workflows"],
      ["tickets", "Tickets"],
      ["talk", "Talk"],
      ["people", "People"],
      ["audit", "Audit"],
      ["owed", "Work owed"],
    ] as const) {
      await at(page, "new", place, title);
      await isSound(page, `${title} of a new team`);
    }
    for (const name of ["Fifteen", "Forty", "Odd names"]) {
      await at(page, "hard", "workflows", "Workflows");
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("group", { name: new RegExp(`^${name}: `) }).waitFor();
      await isSound(page, `the workflow ${name}`);
    }
    await at(page, "hard", "tickets", "Tickets");
    await page.getByLabel("Words, key or id").fill("ODD-1");
    await page.getByText("1 found").waitFor();
    await isSound(page, "tickets of unusual names");
    await page.locator("tbody th a").click();
    await page.getByRole("heading", { name: "Timeline" }).waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).direction")).toBe("rtl");
    await isSound(page, "a ticket from right to left");
    await at(page, "hard", "boards", "Boards");
    await isSound(page, "Boards of a team with a long name");
  }, 120_000);
});
