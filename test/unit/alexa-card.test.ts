import { createHash } from "node:crypto";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, it } from "vitest";
import { CARD, readCard } from "../../src/mcp/card.js";
import { CORE_TOOLS } from "../../src/mcp/core-tools.js";

const [file] = readCard(CARD.uri)?.contents ?? [];
const page = file !== undefined && "text" in file ? file.text : "";
const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? "";
const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";

describe("the card's file", () => {
  it("is one file that is called by its content and needs nothing from elsewhere", () => {
    const hash = createHash("sha256").update(page).digest("hex").slice(0, 12);
    expect(CARD.uri).toBe(`ui://boardwalk/ticket-card-${hash}.html`);
    expect(CARD.mimeType).toBe("text/html;profile=mcp-app");
    expect(page).not.toMatch(/https?:|src=|href=|@import|url\(|fetch\(|XMLHttpRequest|innerHTML|eval\(/);
    expect(page.length).toBeLessThan(10_000);
  });

  it("forbids whatever is not in it", () => {
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? "";
    const digest = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy).toBe(`default-src 'none'; style-src ${digest(style)}; script-src ${digest(script)}`);
    expect(page).not.toMatch(/\son\w+=|\sstyle=/);
  });

  it("has a light and a dark dress, and buttons that a finger finds", () => {
    expect(style).toMatch(/prefers-color-scheme: dark/);
    expect(style).toMatch(/data-theme="dark"/);
    const sizes = [...style.matchAll(/min-(?:width|height): (\d+)px/g)].map(([, px]) => Number(px));
    expect(sizes).toEqual([48, 48]);
  });

  it("is also what an earlier release's address leads to, and no other address", () => {
    expect(readCard("ui://boardwalk/ticket-card-0123456789ab.html")?.contents).toHaveLength(1);
    for (const uri of [
      "ui://boardwalk/other.html",
      "ui://evil/ticket-card-0123456789ab.html",
      `${CARD.uri}x`,
    ])
      expect(readCard(uri)).toBeUndefined();
  });

  it("is named by every tool about one ticket", () => {
    const named = CORE_TOOLS.filter(({ tool }) => JSON.stringify(tool._meta ?? {}).includes(CARD.uri));
    expect(named.map(({ tool }) => tool.name)).toEqual([
      "read_ticket",
      "list_moves",
      "move_ticket",
      "undo_move",
      "check_progress",
    ]);
  });
});

/** As much of a page as the card's script touches. */
class Element {
  textContent = "";
  hidden = false;
  disabled = false;
  type = "";
  dataset: Record<string, string> = {};
  scrollWidth = 400;
  scrollHeight = 300;
  children: Element[] = [];
  #click: (() => unknown) | undefined;
  replaceChildren(...children: Element[]) {
    this.children = children;
  }
  addEventListener(_kind: string, action: () => unknown) {
    this.#click = action;
  }
  click() {
    return this.#click?.();
  }
}

interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

let parts: Record<string, Element>;
let root: Element;
let sent: Sent[];
let tell: (data: object, source?: unknown) => void;

beforeEach(() => {
  parts = Object.fromEntries(["title", "status", "said", "moves"].map((id) => [id, new Element()]));
  root = new Element();
  sent = [];
  const parent = { postMessage: (message: Sent) => sent.push(structuredClone(message)) };
  let listener: (event: { source: unknown; data: unknown }) => void = () => {};
  runInNewContext(script, {
    document: {
      documentElement: root,
      getElementById: (id: string) => parts[id],
      createElement: () => new Element(),
    },
    window: {
      parent,
      addEventListener: (_kind: string, action: typeof listener) => {
        listener = action;
      },
    },
  });
  tell = (data, source = parent) => listener({ source, data: { jsonrpc: "2.0", ...data } });
});

const TICKET = { id: "t-1", title: "<img src=x onerror=alert(1)> Login", status: { id: "1", name: "To Do" } };
const RESULT = {
  content: [{ type: "text", text: "Login is in To Do." }],
  structuredContent: {
    ticket: TICKET,
    openMoves: [
      { status: { id: "2", name: "In Progress" } },
      { status: { id: "3", name: "Review" }, tool: "web_move_to_review" },
    ],
    spoken: "Login is in To Do.",
  },
};
const shown = (params: object) => tell({ method: "ui/notifications/tool-result", params });
const labels = () => parts.moves?.children.map(({ textContent }) => textContent);
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("the card on a screen", () => {
  it("shakes hands with its host, and takes its theme", async () => {
    expect(sent[0]).toMatchObject({
      id: 1,
      method: "ui/initialize",
      params: { protocolVersion: "2026-01-26" },
    });
    tell({ id: 1, result: { hostContext: { theme: "dark" } } });
    await settle();
    expect(root.dataset.theme).toBe("dark");
    expect(sent.map(({ method }) => method)).toContain("ui/notifications/initialized");
    tell({ method: "ui/notifications/host-context-changed", params: { theme: "light" } });
    expect(root.dataset.theme).toBe("light");
  });

  it("shows the ticket, where it is, what is said, and what can be done, as text", () => {
    shown(RESULT);
    expect(parts.title?.textContent).toBe(TICKET.title);
    expect(parts.status?.textContent).toBe("To Do");
    expect(parts.said?.textContent).toBe("Login is in To Do.");
    expect(labels()).toEqual(["In Progress", "Review"]);
  });

  it("asks for a move by the tool that there is, and shows what came of it", async () => {
    shown(RESULT);
    void parts.moves?.children[1]?.click();
    expect(sent.at(-1)).toMatchObject({
      method: "tools/call",
      params: { name: "web_move_to_review", arguments: { ticket: "t-1" } },
    });
    shown(RESULT);
    const [first] = parts.moves?.children ?? [];
    void first?.click();
    expect(first?.disabled).toBe(true);
    const asked = sent.at(-1);
    expect(asked).toMatchObject({ params: { name: "move_ticket", arguments: { ticket: "t-1", to: "2" } } });
    const question = {
      ticket: TICKET,
      question: { about: "confirm", options: [], token: "q-1" },
      spoken: "Shall I move Login from To Do to In Progress?",
    };
    tell({ id: asked?.id, result: { structuredContent: question } });
    await settle();
    expect(labels()).toEqual(["Yes, In Progress"]);
    void parts.moves?.children[0]?.click();
    expect(sent.at(-1)).toMatchObject({
      params: { name: "move_ticket", arguments: { ticket: "t-1", to: "2", token: "q-1" } },
    });
  });

  it("says so when a move could not be asked for, and lets it be tried again", async () => {
    shown(RESULT);
    const [first] = parts.moves?.children ?? [];
    void first?.click();
    tell({ id: sent.at(-1)?.id, error: { code: -32000, message: "no" } });
    await settle();
    expect(parts.said?.textContent).toMatch(/try again/);
    expect(first?.disabled).toBe(false);
  });

  it("listens to nobody but its host", () => {
    tell({ method: "ui/notifications/tool-result", params: RESULT }, {});
    expect(parts.said?.textContent).toBe("");
    tell({ id: 99, result: {} });
    tell({ id: 5, method: "ping" });
    expect(sent.at(-1)).toMatchObject({ id: 5 });
  });
});
