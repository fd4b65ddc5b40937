import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../../connectors/jira/emulator.js";
import { startTrelloEmulator, type TrelloEmulator } from "../../connectors/trello/emulator.js";
import {
  type AdminPages,
  createAdminPages,
  go,
  heading,
  isSound,
  PHONE,
  replied,
  say,
  shiftsWhile,
} from "../support/admin-page.js";
import { startBrowser } from "../support/browser.js";
import { type DemoProcess, type DemoTenant, pullRequests, startDemoProcess } from "../support/demo.js";
import { until } from "../support/until.js";

/** What people do at the page with boards of their own: connect, follow, mend; in the browser, over the real service. */

let demo: DemoProcess;
let globex: DemoTenant;
let browser: Browser;
let pages: AdminPages;
let trello: TrelloEmulator;
let jira: JiraEmulator;

beforeAll(async () => {
  [browser, demo, trello, jira] = await Promise.all([
    startBrowser(),
    startDemoProcess(),
    startTrelloEmulator(),
    startJiraEmulator({ site: demoJiraSite({ key: "SHOP", name: "Shop" }) }),
  ]);
  globex = demo.tenant("globex");
  pages = createAdminPages(browser, demo.line.admin);
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await trello?.close();
  await jira?.close();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  expect(pages.complaints()).toEqual([]);
});

async function api(method: string, path: string, body: object = {}): Promise<unknown> {
  const response = await fetch(`${demo.line.url}/api/v1/tenants${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.line.admin.token}`, "content-type": "application/json" },
    ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return text === "" ? undefined : JSON.parse(text);
}

async function toConnect(page: Page, kind: string): Promise<void> {
  await go(page, "Boards");
  await page.getByRole("link", { name: "Connect a board" }).click();
  await heading(page, "Connect a board");
  await page.getByRole("radio", { name: kind }).check();
}

async function team(page: Page, id: string): Promise<void> {
  await page.getByLabel("Team").selectOption(id);
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
}

function step(page: Page, name: RegExp): Locator {
  return page.getByRole("group", { name });
}

describe("connecting a board", () => {
  it("says what is wrong with the credentials before anything is kept", async () => {
    const page = await pages.signIn();
    await toConnect(page, "Jira");
    await page.getByLabel("Site").fill(jira.url);
    await page.getByLabel("Email of the account").fill(jira.credentials.email);
    await page.getByLabel("API token").fill("guessed");
    await page.keyboard.press("Tab");
    const problem = step(page, /^1/).getByRole("listitem");
    await problem.getByText("The board does not accept these credentials.").waitFor();
    await problem.getByText("neither run out nor been revoked").waitFor();
    expect(await step(page, /^2/).count()).toBe(0);
    await isSound(page, "a refused login");
  });

  it("says which permission is missing, with what mends it", async () => {
    jira.withhold(["ADD_COMMENTS"]);
    const page = await pages.signIn({ colorScheme: "dark", viewport: { width: 320, height: 640 } });
    await toConnect(page, "Jira");
    await page.getByLabel("Site").fill(jira.url);
    await page.getByLabel("Email of the account").fill(jira.credentials.email);
    await page.getByLabel("API token").fill(jira.credentials.apiToken);
    await page.keyboard.press("Tab");
    // There is but one project, so it is the chosen one.
    await step(page, /^3/).getByText('lacks the permission "Add comments"').waitFor();
    await step(page, /^3/).getByText("Ask a Jira administrator").waitFor();
    await isSound(page, "a preview");
    jira.withhold([]);
  });

  it("shows the import, makes it, and follows it to its end", async () => {
    const page = await pages.signIn();
    await toConnect(page, "Trello");
    await page.getByLabel("API address").fill(trello.url);
    await page.getByLabel("API key").fill(trello.credentials.apiKey);
    await page.getByLabel("Token").fill(trello.credentials.token);
    await page.getByLabel("Secret of the app").fill(trello.credentials.secret);
    await page.keyboard.press("Tab");
    const preview = step(page, /^3/);
    await preview.getByText("Nothing is missing").waitFor();
    await preview.getByText(/^1 workflow, \d+ tickets$/).waitFor();
    expect(await preview.locator("text.name").count()).toBeGreaterThan(3);
    await preview.getByText(/_move_to_in_review$/).waitFor();
    expect(await api("GET", "/acme/connections")).not.toMatchObject({
      connections: expect.arrayContaining([expect.objectContaining({ provider: "trello" })]),
    });
    await page.getByLabel("Id", { exact: true }).fill("cards");
    await page.getByRole("button", { name: "Connect and import" }).click();
    await page.getByText(/^Imported: 1 workflow, \d+ tickets\.$/).waitFor();
    await page.getByRole("link", { name: "To the boards" }).click();
    const card = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "cards trello" }) });
    await card.getByText("Healthy").waitFor();
  });
});

describe("while the page is looked at", () => {
  it("a column renamed on the board is drawn as renamed, without a reload and without a jump", async () => {
    const page = await pages.signIn();
    await go(page, "Workflows");
    const board = trello.world.boards[0]?.name ?? "";
    await page.getByRole("link", { name: board }).click();
    const drawing = page.getByRole("group", { name: /statuses and the moves/ });
    await drawing.getByText("In Review", { exact: true }).waitFor();
    const shifts = await shiftsWhile(page, async () => {
      trello.renameList("In Review", "Reviewing");
      await drawing.getByText("Reviewing", { exact: true }).waitFor();
      await drawing.getByText("was In Review", { exact: true }).waitFor();
    });
    expect(shifts).toEqual([]);
    await page.getByRole("rowheader", { name: /Reviewing.*was In Review/ }).waitFor();
    await page.getByLabel("Mark what has changed since").selectOption("");
    await drawing.getByText("was In Review", { exact: true }).waitFor({ state: "detached" });
    await isSound(page, "a changed workflow");
  });

  it("new and lost moves are drawn, and a status that is gone is kept as retired", async () => {
    const settings = { baseUrl: jira.url, project: "SHOP" };
    const { credentials } = jira;
    await api("POST", "/acme/connections", { id: "shop", provider: "jira", settings, credentials });
    await api("POST", "/acme/connections/shop/sync?wait=true");
    const page = await pages.signIn();
    await go(page, "Workflows");
    await page.getByRole("link", { name: "Shop" }).click();
    const drawing = page.getByRole("group", { name: /Shop: 5 statuses/ });
    await drawing.waitFor();
    jira.addStatus({ id: "10005", name: "Shipped", category: "done" });
    jira.addTransition({ id: "91", name: "Ship", from: "10002", to: "10005" });
    jira.removeTransition("41");
    jira.removeStatus("Blocked");
    await api("POST", "/acme/connections/shop/sync?wait=true");
    const changed = page.getByRole("group", { name: /Shop: 6 statuses/ });
    await changed.waitFor();
    await changed.getByRole("link", { name: /Shipped, done.*new/ }).waitFor();
    await changed.getByRole("link", { name: /Blocked.*retired, gone from the board/ }).waitFor();
    expect(await changed.locator("path.move.added").count()).toBe(1);
    expect(await changed.locator("path.move.removed").count()).toBeGreaterThan(0);
    const done = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: /^Done/ }) });
    expect(await done.locator("del").allTextContents()).toContain("To Do");
    await isSound(page, "a changed workflow");
  });

  it.each([
    ["wide", {}],
    ["on a phone", { viewport: PHONE }],
  ] as const)("a ticket that moves, and what it starts, push nothing aside, %s", async (size, options) => {
    const [title, words] =
      size === "wide"
        ? ["Rotate the signing keys every month", "the signing keys"]
        : ["Audit log misses deleted accounts", "the deleted accounts"];
    const page = await pages.signIn(options);
    await team(page, "globex");
    await go(page, "Tickets");
    await page.getByLabel("Words, key or id").fill(title);
    await page.getByRole("link", { name: title }).click();
    await heading(page, title);
    await page.getByText("Nothing has happened to it here yet.").waitFor();
    await api("POST", "/globex/say", { sentence: `where is ${words}` });
    const timeline = page.getByRole("list", { name: "Timeline" });
    // The first entry takes the place of the words that there is none.
    await api("POST", "/globex/say", { sentence: `move ${words} to to do` });
    await timeline.getByText(/^Moved from/).waitFor();
    const before = await timeline.getByRole("listitem").count();
    const shifts = await shiftsWhile(page, async () => {
      await api("POST", "/globex/say", { sentence: `move ${words} to in progress` });
      await until(async () => (await timeline.getByRole("listitem").count()) >= before + 2);
    });
    expect(shifts).toEqual([]);
  });

  it("a list stays as it is read: rows change in place, and new ones wait", async () => {
    const page = await pages.signIn();
    await team(page, "globex");
    await go(page, "Tickets");
    const row = page.getByRole("row").filter({ hasText: "Print posters for the open day" });
    await row.getByText("In Progress").waitFor();
    const first = page.getByRole("row").nth(1);
    const top = await first.textContent();
    const shifts = await shiftsWhile(page, async () => {
      await api("POST", "/globex/say", { sentence: "move the posters to in review" });
      await row.getByText("In Review").waitFor();
    });
    expect(shifts).toEqual([]);
    expect(await first.textContent()).toBe(top);
    await go(page, "Audit");
    await page.getByRole("row").nth(1).waitFor();
    const more = await shiftsWhile(page, async () => {
      await api("POST", "/globex/say", { sentence: "move the posters to in progress" });
      await page.getByRole("button", { name: /^Show \d new$/ }).waitFor();
    });
    expect(more).toEqual([]);
    await page.getByRole("button", { name: /^Show \d new$/ }).click();
    expect(await page.getByRole("row").nth(1).textContent()).toMatch(/confirmed/);
  });

  it("an import that goes on moves nothing", async () => {
    const page = await pages.signIn();
    await team(page, "globex");
    const card = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("heading", { name: "events trello" }) });
    const time = card.locator("time");
    const before = await time.getAttribute("datetime");
    const shifts = await shiftsWhile(page, async () => {
      await api("POST", "/globex/connections/events/sync?wait=true");
      await until(async () => (await time.getAttribute("datetime")) !== before);
    });
    expect(shifts).toEqual([]);
  });
});

describe("work owed", () => {
  it("says what went wrong, and is done when it is tried again", async () => {
    const faults = `${globex.vcs.url}/__emulator/faults`;
    await fetch(faults, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ status: 403, writesOnly: true }),
    });
    const page = await pages.signIn();
    await team(page, "globex");
    await go(page, "Work owed");
    await api("POST", "/globex/say", { sentence: "move the signing keys to in review" });
    await page.getByRole("button", { name: /^Show \d new$/ }).click();
    const row = page.getByRole("row").filter({ hasText: "Rotate the signing keys" });
    await row.getByText("failed").waitFor();
    await row.getByText(/GitHub/).waitFor();
    await isSound(page, "work owed");
    await fetch(faults, { method: "DELETE" });
    await row.getByRole("button", { name: /^Try again/ }).click();
    await row.getByText("done", { exact: true }).waitFor();
    expect(await pullRequests(globex)).toHaveLength(1);
  });
});

describe("the tools", () => {
  it("are those of each kind of client, and a sentence leads to the conversation", async () => {
    const page = await pages.signIn();
    await go(page, "Tools");
    await page.getByText("acme_engineering_move_to_in_review").first().waitFor();
    await page.getByRole("link", { name: "Alexa+" }).click();
    await page.getByText("/alexa/mcp").waitFor();
    await page.getByText(/^[0-9a-f]{12} frozen$/).waitFor();
    expect(await page.getByText("acme_engineering_move_to_in_review").count()).toBe(0);
    await page.getByRole("heading", { name: "Move a ticket" }).waitFor();
    await isSound(page, "Tools");
    await page.getByRole("link", { name: "describe the boards" }).click();
    await heading(page, "Talk");
    await page.getByRole("button", { name: "Say it" }).click();
    await replied(page, "Acme engineering");
  });
});

describe("a person", () => {
  it("signs in with a pairing code, sees her own team, and administers nothing", async () => {
    const operator = await pages.signIn();
    await go(operator, "People");
    await operator.getByLabel("Name", { exact: true }).fill("Ann");
    await operator.getByRole("button", { name: "Get a pairing code" }).click();
    const code = (await operator.getByRole("status").locator("code").textContent()) ?? "";

    const page = await pages.open();
    await page.getByLabel("Pairing code").fill(code.toLowerCase());
    await page.getByRole("button", { name: "Sign in with the code" }).click();
    await heading(page, "Boards");
    await page.getByText("Ann · Acme").waitFor();
    const links = page.getByRole("navigation", { name: "Screens" }).getByRole("link");
    expect(await links.allTextContents()).toEqual([
      "Boards",
      "Workflows",
      "Tickets",
      "Talk",
      "Tools",
      "Work owed",
    ]);
    expect(await page.getByRole("link", { name: "Connect a board" }).count()).toBe(0);
    expect(await page.getByLabel("Team").count()).toBe(0);
    await isSound(page, "Boards of a person");
    await go(page, "Talk");
    await say(page, "move ENG-7 to in progress");
    await replied(page, "Moved Dark mode");
    await page.getByRole("link", { name: /^Timeline of/ }).click();
    await page.getByText("Asked by Ann (page, say)").waitFor();

    // Her address is no way round it.
    await page.goto(`${demo.line.admin.url}#/globex/people`);
    await heading(page, "Boards");
    await page.getByRole("heading", { name: "eng jira" }).waitFor();

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Pairing code").fill(code);
    await page.getByRole("button", { name: "Sign in with the code" }).click();
    await page.getByRole("alert").getByText("used already").waitFor();
    expect(pages.complaints().filter((text) => !text.includes("401"))).toEqual([]);
  });

  it("who is removed is shown the way out", async () => {
    const { code } = (await api("POST", "/acme/members", { name: "Bea" })) as { code: string };
    const page = await pages.open();
    await page.getByLabel("Pairing code").fill(code);
    await page.keyboard.press("Enter");
    await heading(page, "Boards");
    await api("DELETE", "/acme/members/Bea");
    // Whatever is asked next; it may have been asked already, by news that came.
    await page.evaluate("location.hash = '#/acme/tickets'");
    await page.getByRole("alert").getByText("You were signed out").waitFor();
    expect(pages.complaints().filter((text) => !text.includes("401"))).toEqual([]);
  });
});
