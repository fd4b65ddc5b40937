import { createHash } from "node:crypto";

/** The pages of the sign-in: plain HTML, no scripts, nothing from elsewhere, framed by nobody. */

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1.0625rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
.who { overflow-wrap: anywhere; }
label { display: block; margin: 1.5rem 0 .25rem; font-weight: 600; }
input { font: inherit; letter-spacing: .08em; width: 100%; box-sizing: border-box; padding: .75rem; min-height: 48px; }
.buttons { display: flex; gap: .75rem; margin-top: 1.25rem; }
button { font: inherit; min-height: 48px; min-width: 7rem; padding: .5rem 1.25rem; cursor: pointer; }
.error { border-left: 4px solid #b3261e; padding-left: .75rem; }
.note { opacity: .8; font-size: .9375rem; }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/**
 * Headers of every page and redirect of the sign-in. No `form-action`: browsers hold it against the redirects that
 * follow a form as well, and those lead wherever a client is.
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`,
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

export interface SignInPage {
  /** What the client calls itself: its own word. */
  readonly client: string;
  /** Where the answer will be sent: the part of it that cannot be made up. */
  readonly returnsTo: string;
  readonly mayMove: boolean;
  readonly error?: string;
}

export function renderSignIn(page: SignInPage): string {
  const client = plain(page.client);
  const error = page.error === undefined ? "" : `<p class="error" role="alert">${plain(page.error)}</p>`;
  const can = page.mayMove
    ? "find and read your team's tickets, and move them on the real board in your name"
    : "read your team's boards and tickets";
  return layout(
    `Connect ${client} to Boardwalk`,
    `<h1 class="who">Connect ${client} to Boardwalk?</h1>
<p class="who">It says that it is called <strong>${client}</strong>, and it will get its answer at
<strong>${plain(page.returnsTo)}</strong>. Go on only if you began this there yourself.</p>
<p>It will be able to ${can}. Whoever runs Boardwalk for you can take that back at any time.</p>
${error}
<form method="post" autocomplete="off">
<label for="code">Your pairing code</label>
<input id="code" name="code" placeholder="XXXX-XXXX" maxlength="20" autofocus autocapitalize="characters" spellcheck="false">
<p class="note">You get it from whoever runs Boardwalk for your team. It works once, for a quarter of an hour.</p>
<div class="buttons"><button name="answer" value="allow">Allow</button><button name="answer" value="deny" formnovalidate>Do not allow</button></div>
</form>`,
  );
}

export function renderFailure(message: string): string {
  return layout(
    "Boardwalk",
    `<h1>That did not work</h1><p>${plain(message)}</p><p>Please begin again in the app that you came from.</p>`,
  );
}

function layout(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head><body><main>
${body}
</main></body></html>
`;
}

/** Other people's words, made safe to stand in a page, and not long. */
function plain(text: string): string {
  const clean = text.replace(/\p{C}+/gu, " ").trim();
  const short = clean.length > 200 ? `${clean.slice(0, 199)}…` : clean;
  return short.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
