import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTrelloEmulator, type TrelloEmulator } from "../../connectors/trello/emulator.js";
import {
  type AdminPages,
  createAdminPages,
  focused,
  go,
  heading,
  isSound,
  PHONE,
  replied,
  say,
  tabTo,
} from "../support/admin-page.js";
import { startBrowser } from "../support/browser.js";
import { boardStatus, type DemoProcess, type DemoTenant, startDemoProcess } from "../support/demo.js";
import { until } from "../support/until.js";

/** The conversation: questions answered by a click, moves taken back, and all of it, from a board on, with no mouse. */

let demo: DemoProcess;
let acme: DemoTenant;
let browser: Browser;
let pages: AdminPages;
let trello: TrelloEmulator;

beforeAll(async () => {
  [browser, demo, trello] = await Promise.all([startBrowser(), startDemoProcess(), startTrelloEmulator()]);
  acme = demo.tenant("acme");
  pages = createAdminPages(browser, demo.line.admin);
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await trello?.close();
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  expect(pages.complaints()).toEqual([]);
});

async function talking(options: BrowserContextOptions): Promise<Page> {
  const page = await pages.signIn(options);
  await go(page, "Talk");
  return page;
}

async function answer(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("group", { name: "Answers" }).getByRole("button", { name }).click();
}

/** Says it, and waits for whatever is replied. */
async function sayAndHear(page: Page, sentence: string): Promise<void> {
  const turns = await page.locator(".replied").count();
  await say(page, sentence);
  await until(async () => (await page.locator(".replied").count()) > turns);
}

async function confirmsClosing(confirm: "closing" | undefined): Promise<void> {
  const response = await fetch(`${demo.line.url}/api/v1/tenants/acme/settings/speech`, {
    method: "PUT",
    headers: { authorization: `Bearer ${demo.line.admin.token}`, "content-type": "application/json" },
    body: JSON.stringify(confirm === undefined ? {} : { confirm }),
  });
  expect(response.status).toBe(200);
}

describe.each([
  ["light and wide", { colorScheme: "light" }, "ENG-1"],
  ["dark and on a phone", { colorScheme: "dark", viewport: PHONE }, "ENG-2"],
] as const)("a question, %s", (_name, options, key) => {
  it("of which ticket is answered by a click, and the move is taken back by another", async () => {
    const page = await talking(options);
    const before = await boardStatus(acme, key);
    await say(page, "move the login ticket to blocked");
    await replied(page, "Which one do you mean");
    await isSound(page, "a question of which ticket");
    await answer(page, key === "ENG-1" ? /second tap/ : /chosen language/);
    await replied(page, "to Blocked.");
    expect(await boardStatus(acme, key)).toBe("Blocked");
    expect(await page.getByRole("group", { name: "Answers" }).count()).toBe(0);

    if (before === "To Do") {
      // Jira lets nothing go from Blocked to To Do: what cannot be taken back is said, and nothing is written.
      await page.getByRole("button", { name: "Undo this move" }).click();
      await replied(page, "cannot go");
      expect(await boardStatus(acme, key)).toBe("Blocked");
      return;
    }
    await page.getByRole("button", { name: "Undo this move" }).click();
    await replied(page, `to ${before}.`);
    expect(await boardStatus(acme, key)).toBe(before);
    expect(await page.getByRole("button", { name: "Undo this move" }).count()).toBe(0);
  });

  it("of whether to close is left with no, and leads to what the board wants to know with yes", async () => {
    await confirmsClosing("closing");
    const page = await talking(options);
    await say(page, "move the photo upload to done");
    await replied(page, "Shall I");
    await isSound(page, "a question of yes or no");
    await answer(page, "No");
    await page.getByText("Left as it is.").waitFor();
    expect(await boardStatus(acme, "ENG-8")).toBe("In Review");
    await say(page, "move the photo upload to done");
    await answer(page, "Yes");
    await replied(page, "What should it be?");
    await answer(page, "Won't Do");
    await replied(page, "Moved Upload fails for large photos to Done.");
    expect(await boardStatus(acme, "ENG-8")).toBe("Done");
    await confirmsClosing(undefined);
    // Back for the next one, by the ways that the board has.
    for (const status of ["to do", "in progress", "in review"]) {
      await sayAndHear(page, `move the photo upload to ${status}`);
      expect((await boardStatus(acme, "ENG-8")).toLowerCase()).toBe(status);
    }
  });

  it("and its answer leave the field to go on in, in view and at hand", async () => {
    const page = await talking(options);
    for (const sentence of [
      "describe the boards",
      "where is ENG-6",
      "where can ENG-6 go",
      "what is in progress",
    ]) {
      await sayAndHear(page, sentence);
    }
    const inView = `(() => {
      const inside = (element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      };
      return inside(document.querySelector(".mouth > input")) && inside([...document.querySelectorAll(".asked")].at(-1));
    })()`;
    expect(await page.evaluate(inView)).toBe(true);
    expect(await focused(page)).toBe("Say");
  });
});

describe("with the keyboard alone", () => {
  it("a board is connected, imported, and talked to", async () => {
    const page = await pages.open();
    await tabTo(page, "Admin token");
    await page.keyboard.type(demo.line.admin.token);
    await page.keyboard.press("Enter");
    await heading(page, "Boards");
    await tabTo(page, "Connect a board");
    await page.keyboard.press("Enter");
    await heading(page, "Connect a board");
    await tabTo(page, "Jira");
    for (const kind of ["Linear", "GitHub Projects", "Trello"]) {
      await page.keyboard.press("ArrowDown");
      expect(await focused(page)).toBe(kind);
    }
    const { apiKey, token, secret } = trello.credentials;
    for (const [label, value] of [
      ["API address", trello.url],
      ["API key", apiKey],
      ["Token", token],
      ["Secret of the app", secret],
    ] as const) {
      await tabTo(page, label);
      await page.keyboard.type(value);
    }
    // The board is asked once she goes on.
    await page.keyboard.press("Tab");
    await page.getByText("Nothing is missing").waitFor();
    await tabTo(page, "Id");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type("cards");
    await tabTo(page, "Connect and import");
    await page.keyboard.press("Enter");
    await page.getByText(/^Imported: 1 workflow, \d+ tickets\.$/).waitFor();
    expect(await focused(page)).toBe("cards");
    await tabTo(page, "Talk to it");
    await page.keyboard.press("Enter");
    await heading(page, "Talk");
    await tabTo(page, "Say");
    const [card] = trello.world.cards.values();
    await page.keyboard.type(`where is ${card?.name}`);
    await page.keyboard.press("Enter");
    await replied(page, card?.name.split(/[:,]/)[0] ?? "");
    // Back among the boards it is disconnected, by the dialog's own keys.
    await tabTo(page, "Boards", "Shift+Tab");
    await page.keyboard.press("Enter");
    await heading(page, "Boards");
    await tabTo(page, "Disconnect cards");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Disconnect cards");
  });
});
