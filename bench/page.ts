/**
 * The page at /admin in Chromium, until it can be used: beside a bare page with one field and one script, and, with
 * somebody signed in, beside a bare script that asks for the same bytes and writes them down. Each in a profile of its
 * own, so that nothing is cached, and in turns.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { type Demo, startDemo } from "../src/demo.js";
import { startBrowser } from "../test/support/browser.js";
import { median, type Row, round3 } from "./harness.js";

const ROUNDS = 15;
/** What scripts and styles may have together, as a proxy would send them. */
const MOST_KB = 200;

interface Side {
  readonly url: string;
  /** It can be used once this is there and has been drawn. */
  readonly ready: string;
  /** Kept in the tab, as after a sign-in. */
  readonly token?: string;
}

export async function run(): Promise<Row[]> {
  const demo = await startDemo({ port: 0, host: "127.0.0.1", logLevel: "silent", inMemory: true });
  const bare = await startBare(demo);
  const browser = await startBrowser();
  try {
    const { url, token } = demo.line.admin;
    const other = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
    const field = "input[name=token]";
    const signIn = await duel(browser, { url, ready: field }, { url: `${other}/field`, ready: field });
    const boards = await duel(
      browser,
      { url: `${url}#/acme/boards`, ready: ".cards .card", token },
      { url: `${other}/boards`, ready: ".card", token },
    );
    return [
      row(
        "the page, until one can sign in; theirs: a bare page with a field (ours may take 3x)",
        signIn,
        0.333,
      ),
      row(
        "the page, until the boards are there; theirs: a bare page of the same bytes (ours may take 3x)",
        boards,
        0.333,
      ),
      await weight(demo),
    ];
  } finally {
    await browser.close();
    bare.close();
    await demo.close();
  }
}

interface Times {
  readonly ours: number;
  readonly theirs: number;
}

function row(name: string, { ours, theirs }: Times, target: number): Row {
  return {
    name,
    ours: round3(ours),
    theirs: round3(theirs),
    ratio: round3(theirs / ours),
    target,
    unit: "ms",
  };
}

async function duel(browser: Browser, ours: Side, theirs: Side): Promise<Times> {
  const our: number[] = [];
  const their: number[] = [];
  // The first of each warms up the server and the browser's own caches of code.
  for (let round = -1; round < ROUNDS; round++) {
    const [a, b] = [await usable(browser, ours), await usable(browser, theirs)];
    if (round < 0) continue;
    our.push(a);
    their.push(b);
  }
  return { ours: median(our), theirs: median(their) };
}

/** From the beginning of the navigation to the first frame in which it can be used, in ms. */
async function usable(browser: Browser, { url, ready, token }: Side): Promise<number> {
  const context = await browser.newContext();
  try {
    await context.addInitScript(`
      ${token === undefined ? "" : `sessionStorage.setItem("boardwalk-token", ${JSON.stringify(token)});`}
      globalThis.usable = new Promise((resolve) => {
        const look = () => {
          if (document.querySelector(${JSON.stringify(ready)}) === null) return requestAnimationFrame(look);
          requestAnimationFrame(() => resolve(performance.now()));
        };
        look();
      });
    `);
    const page = await context.newPage();
    await page.goto(url, { waitUntil: "commit" });
    return Number(await page.evaluate("usable"));
  } finally {
    await context.close();
  }
}

const SCRIPTS: Readonly<Record<string, string>> = {
  field: `document.body.innerHTML = '<form><input name="token"><button>Sign in</button></form>';
    document.querySelector("form").onsubmit = () => false;`,
  // The same round trips, one after the other where the second needs the first.
  boards: `const get = async (path) => (await fetch(path)).json();
    Promise.all([get("/tenants"), get("/session")]).then(async ([{ tenants }]) => {
      const { connections } = await get("/connections");
      for (const { id, provider } of connections) {
        const card = document.createElement("li");
        card.className = "card";
        card.textContent = [tenants[0].name, id, provider].join(" ");
        document.body.append(card);
      }
    });`,
};

/** Two bare pages, and beside them what the service answers, byte for byte. */
async function startBare({ line }: Demo): Promise<Server> {
  const answers = new Map<string, string>();
  for (const [path, of] of [
    ["/tenants", "/tenants"],
    ["/session", "/session"],
    ["/connections", "/tenants/acme/connections"],
  ] as const) {
    const headers = { authorization: `Bearer ${line.admin.token}` };
    answers.set(path, await (await fetch(`${line.url}/api/v1${of}`, { headers })).text());
  }
  for (const [name, code] of Object.entries(SCRIPTS)) {
    answers.set(`/${name}.js`, code);
    answers.set(
      `/${name}`,
      `<!doctype html><meta charset="utf-8"><body><script src="/${name}.js"></script></body>`,
    );
  }
  const server = createServer(({ url = "" }, response) => {
    const type = url.endsWith(".js")
      ? "text/javascript"
      : url.match(/field|boards/)
        ? "text/html"
        : "application/json";
    response.setHeader("content-type", type).end(answers.get(url) ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** All that stands between opening the page and using it, compressed. */
async function weight({ line }: Demo): Promise<Row> {
  const html = await (await fetch(line.admin.url)).text();
  const assets = [...html.matchAll(/(?:src|href)="(\/admin\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  const bodies = await Promise.all(
    assets.map(async (path) => new Uint8Array(await (await fetch(new URL(path, line.url))).arrayBuffer())),
  );
  const kb = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0) / 1_024;
  const name = "the page's script and style, compressed; theirs: what they may have";
  return { name, ours: round3(kb), theirs: MOST_KB, ratio: round3(MOST_KB / kb), target: 1, unit: "KB" };
}
