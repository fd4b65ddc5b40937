import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { z } from "zod";

/** The page at /admin as a person uses it, in a real browser that notes what it complains of. */

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 360, height: 780 };

export interface AdminPages {
  open(options?: BrowserContextOptions): Promise<Page>;
  /** With the admin token. */
  signIn(options?: BrowserContextOptions): Promise<Page>;
  /** What the page has complained of, and whom else it has asked, since last time. */
  complaints(): readonly string[];
}

export function createAdminPages(
  browser: Browser,
  admin: { readonly url: string; readonly token: string },
): AdminPages {
  let noted: string[] = [];
  const pages: AdminPages = {
    async open(options = {}) {
      const context = await browser.newContext({ viewport: WIDE, ...options });
      // Less than a test has, so that what was waited for in vain is named.
      context.setDefaultTimeout(20_000);
      await context.addInitScript({ path: AXE });
      await context.addInitScript(watchShifts);
      const page = await context.newPage();
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) noted.push(message.text());
      });
      page.on("pageerror", (error) => noted.push(error.message));
      page.on("request", (request) => {
        if (!request.url().startsWith(new URL(admin.url).origin)) noted.push(`asked ${request.url()}`);
      });
      await page.goto(admin.url);
      return page;
    },
    async signIn(options) {
      const page = await pages.open(options);
      await page.getByLabel("Admin token").fill(admin.token);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await heading(page, "Boards");
      return page;
    },
    complaints() {
      const found = noted;
      noted = [];
      return found;
    },
  };
  return pages;
}

/** Runs in the page. */
const watchShifts = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput)
        shifts.push({ value, moved: sources.map(({ node }) => node?.outerHTML?.slice(0, 160) ?? String(node?.textContent)) });
  }).observe({ type: "layout-shift", buffered: true });
`;

const shiftList = z.array(z.object({ value: z.number(), moved: z.array(z.string()) }));

/** What has moved by itself while `arrive` went on, and until its news were on the page. */
export async function shiftsWhile(
  page: Page,
  arrive: () => Promise<void>,
): Promise<z.infer<typeof shiftList>> {
  // Not before everything that was asked for has been drawn.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await page.evaluate("shifts.length = 0");
  await arrive();
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  return shiftList.parse(await page.evaluate("shifts"));
}

export async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

export async function go(page: Page, screen: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Screens" })
    .getByRole("link", { name: screen, exact: true })
    .click();
  await heading(page, screen);
  await page.getByText(/^Reading /).waitFor({ state: "detached" });
}

export async function say(page: Page, sentence: string): Promise<void> {
  await page.getByLabel("Say", { exact: true }).fill(sentence);
  await page.keyboard.press("Enter");
}

export async function replied(page: Page, words: string): Promise<void> {
  await page.locator(".replied").filter({ hasText: words }).last().waitFor();
}

/** What has the focus, by what it is called: its label, else its words. */
export async function focused(page: Page): Promise<string> {
  const name = `(({ activeElement: e }) => e === null ? "" : e.labels?.[0]?.textContent ?? e.ariaLabel ?? e.textContent ?? "")(document)`;
  return z
    .string()
    .parse(await page.evaluate(name))
    .trim();
}

const MOST_TABS = 60;

/** Goes on with the keyboard until that has the focus. */
export async function tabTo(page: Page, name: string, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  for (let steps = 0; (await focused(page)) !== name; steps++) {
    expect(steps, `${name} cannot be reached by ${key}`).toBeLessThan(MOST_TABS);
    await page.keyboard.press(key);
  }
}

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

/** No serious fault that a checker finds, and nothing beyond the right edge. */
export async function isSound(page: Page, screen: string): Promise<void> {
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
