import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";

/**
 * A card for hosts with a screen, as an MCP App: one file that shows a ticket and its open moves from the same facts
 * that are spoken. Everything works without it.
 */

const MIME = "text/html;profile=mcp-app";
const PLACE = /^ui:\/\/boardwalk\/ticket-card-[0-9a-f]{12}\.html$/;

const html = guarded(readFileSync(new URL("./card.html", import.meta.url), "utf8"));
const hash = createHash("sha256").update(html).digest("hex").slice(0, 12);

/** The card asks for nothing from elsewhere. */
const META = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

export const CARD: Resource = {
  uri: `ui://boardwalk/ticket-card-${hash}.html`,
  name: "ticket-card",
  title: "A ticket and its open moves",
  description: "Shows one ticket, where it is, and where it can go.",
  mimeType: MIME,
  _meta: META,
};

/** What a tool carries whose answer the card can show. `invoking` is shown while it runs. */
export function cardMeta(invoking: string): Readonly<Record<string, unknown>> {
  return { ui: { resourceUri: CARD.uri, invoking } };
}

/** The card under its own URI, or under one of before, which a host may have kept; nothing for any other. */
export function readCard(uri: string): ReadResourceResult | undefined {
  if (!PLACE.test(uri)) return undefined;
  return { contents: [{ uri, mimeType: MIME, text: html, _meta: META }] };
}

/** Forbids everything but the style and the script that are in the file. */
function guarded(page: string): string {
  const allow = (tag: "style" | "script") => {
    const inside = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(page)?.[1] ?? "";
    return `${tag}-src 'sha256-${createHash("sha256").update(inside).digest("base64")}'`;
  };
  const policy = `default-src 'none'; ${allow("style")}; ${allow("script")}`;
  return page.replace(
    '<meta charset="utf-8">',
    `<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
}
