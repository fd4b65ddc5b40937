// Pictures of every screen of the page, in both themes, wide and on a phone, from the demo and from boards that are hard to
// show: npm run screenshots [folder]
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { demoJiraSite, type JiraEmulator, startJiraEmulator } from "../connectors/jira/emulator.js";
import { type Demo, startDemo } from "../src/demo.js";
import { HARD_PROJECTS, withHardBoards } from "./screenshot-boards.js";

const [, , folder = "screenshots"] = process.argv;
const SIZES = { wide: { width: 1280, height: 860 }, phone: { width: 360, height: 780 } } as const;
/** The one that README shows. */
const PICTURE = "docs/images/admin.png";
const MOST_BYTES = 200_000;

type Theme = "light" | "dark";
type Size = keyof typeof SIZES;

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  for (const theme of ["light", "dark"] as const)
    for (const size of ["wide", "phone"] as const) await takeAll(theme, size);
} finally {
  await browser.close();
}

/** A demo of its own each time, so that each shows the same. */
async function takeAll(theme: Theme, size: Size): Promise<void> {
  const demo = await startDemo({ port: 0, host: "127.0.0.1" });
  const shop = await startJiraEmulator({
    site: withHardBoards(demoJiraSite({ key: "SHOP", name: "Shop" })),
  });
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    deviceScaleFactor: 1,
  });
  try {
    const page = await context.newPage();
    const take = (name: string) => picture(page, join(folder, `${name}-${theme}-${size}.png`), true);
    await page.goto(demo.line.admin.url);
    await page.getByLabel("Admin token").waitFor();
    await take("sign-in");
    await page.getByLabel("Admin token").fill(demo.line.admin.token);
    await page.keyboard.press("Enter");
    await heading(page, "Boards");
    await talk(page);
    await take("talk");
    await connectShop(demo, shop);
    await refusePullRequests(demo);
    await say(page, "move the battery drain to in review", /Moved/);
    for (const screen of ["Boards", "Workflows", "Tickets", "Tools", "Work owed", "People", "Audit"]) {
      await go(page, screen);
      if (screen === "Workflows") await page.getByRole("link", { name: "Shop" }).click();
      if (screen === "Workflows") await page.getByText("was In Review", { exact: true }).first().waitFor();
      await take(screen.toLowerCase().replace(" ", "-"));
      if (screen === "Workflows" && theme === "light" && size === "wide") await forReadme(page);
    }
    await go(page, "Tickets");
    await page.getByRole("link", { name: /^Login bug/ }).click();
    await page
      .getByText(/Draft pull request/i)
      .first()
      .waitFor();
    await take("ticket");
    await connect(page, shop);
    await take("connect");
    await fetch(`${demo.line.tenants[0]?.vcs.url}/__emulator/faults`, { method: "DELETE" });
    await go(page, "Crash test");
    await page.getByRole("button", { name: /^Crash a worker/ }).click();
    await page.getByText("Nothing was lost").waitFor({ timeout: 90_000 });
    await take("crash-test");
    await takeHard(page, demo, shop, take);
  } finally {
    await context.close();
    await shop.close();
    await demo.close();
  }
}

type Take = (name: string) => Promise<void>;

/** Long workflows, unusual names, long titles, writing from right to left, and a team that has nothing yet. */
async function takeHard(page: Page, { line }: Demo, shop: JiraEmulator, take: Take): Promise<void> {
  const at = async (team: string, screen: string) => {
    await page.goto(`${line.admin.url}#/${team}/${screen.toLowerCase().replace(" ", "-")}`);
    await heading(page, screen);
    await page.getByText(/^Reading /).waitFor({ state: "detached" });
  };
  await ask(line, "", { id: "hard", name: "A team with a rather long name, as companies have them (EMEA)" });
  await ask(line, "", { id: "new", name: "New" });
  await page.reload();
  for (const screen of ["Boards", "Workflows", "Tickets", "Talk", "Tools", "People", "Audit"]) {
    await at("new", screen);
    await take(`empty-${screen.toLowerCase()}`);
  }
  for (const project of HARD_PROJECTS) {
    const settings = { baseUrl: shop.url, project };
    const id = project.toLowerCase();
    await ask(line, "/hard/connections", { id, provider: "jira", settings, credentials: shop.credentials });
    await ask(line, `/hard/connections/${id}/sync?wait=true`);
  }
  for (const name of ["Fifteen", "Forty", "Odd names"]) {
    await at("hard", "Workflows");
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 2, name }).waitFor();
    await take(`hard-${name.split(" ")[0]?.toLowerCase()}`);
  }
  await at("hard", "Tickets");
  await page.getByLabel("Words, key or id").fill("ODD-1");
  await page.getByText("1 found").waitFor();
  await take("hard-tickets");
  await page.locator("tbody th a").click();
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  await take("hard-ticket");
  await at("hard", "Talk");
  await say(page, "where is ODD-3", /customers/);
  await say(page, "move ODD-1 to done", /cannot|no status|has no/);
  await take("hard-talk");
}

async function ask(line: Demo["line"], path: string, body: object = {}): Promise<void> {
  const response = await fetch(`${line.url}/api/v1/tenants${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${line.admin.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function talk(page: Page): Promise<void> {
  await go(page, "Talk");
  for (const [sentence, reply] of [
    ["move the login bug to in review", /Moved/],
    ["move the photo upload to done", /What should it be/],
    ["move the invite links to in review", /cannot/],
  ] as const) {
    await say(page, sentence, reply);
  }
}

async function say(page: Page, sentence: string, reply: RegExp): Promise<void> {
  await page.getByLabel("Say", { exact: true }).fill(sentence);
  await page.keyboard.press("Enter");
  await page.locator(".replied").filter({ hasText: reply }).last().waitFor();
}

/** A board whose workflow people have changed since it was imported. */
async function connectShop({ line }: Demo, shop: JiraEmulator): Promise<void> {
  const settings = { baseUrl: shop.url, project: "SHOP" };
  const connections = "/acme/connections";
  await ask(line, connections, { id: "shop", provider: "jira", settings, credentials: shop.credentials });
  await ask(line, `${connections}/shop/sync?wait=true`);
  shop.renameStatus("In Review", "Reviewing");
  shop.addStatus({ id: "10005", name: "Ready to ship", category: "indeterminate" });
  shop.addTransition({ id: "91", name: "Approve", from: "10002", to: "10005" });
  shop.addTransition({ id: "92", name: "Ship", from: "10005", to: "10003" });
  shop.removeTransition("41");
  await ask(line, `${connections}/shop/sync?wait=true`);
}

/** GitHub takes no pull request for a while, so that something is owed. */
async function refusePullRequests({ line }: Demo): Promise<void> {
  const faults = `${line.tenants[0]?.vcs.url}/__emulator/faults`;
  const body = JSON.stringify({ status: 403, writesOnly: true });
  await fetch(faults, { method: "POST", headers: { "content-type": "application/json" }, body });
}

async function connect(page: Page, shop: JiraEmulator): Promise<void> {
  shop.withhold(["ADD_COMMENTS"]);
  await go(page, "Boards");
  await page.getByRole("link", { name: "Connect a board" }).click();
  await page.getByLabel("Site").fill(shop.url);
  await page.getByLabel("Email of the account").fill(shop.credentials.email);
  await page.getByLabel("API token").fill(shop.credentials.apiToken);
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("combobox", { name: "Project" }).selectOption({ label: "Shop (SHOP)" });
  await page.getByRole("button", { name: "Connect and import" }).waitFor();
}

async function forReadme(page: Page): Promise<void> {
  await mkdir("docs/images", { recursive: true });
  await picture(page, PICTURE, false);
  const { size } = await stat(PICTURE);
  if (size > MOST_BYTES) throw new Error(`${PICTURE} has ${size} bytes, more than ${MOST_BYTES}`);
}

async function picture(page: Page, path: string, fullPage: boolean): Promise<void> {
  await page.screenshot({ path, fullPage, animations: "disabled" });
}

async function go(page: Page, screen: string): Promise<void> {
  await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name: screen }).click();
  await heading(page, screen);
  await page.getByText(/^Reading /).waitFor({ state: "detached" });
}

async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}
