/** Makes a ticket's words, which anybody may have written, into the title and body of a pull request. */

export interface PullRequestText {
  readonly title: string;
  readonly body: string;
}

export interface TextInput {
  /** The key it is filed under, where it has one. */
  readonly key?: string;
  readonly ticketTitle: string;
  readonly statusName: string;
}

const MAX_TITLE = 200;
const MAX_KEY = 60;
const MAX_BODY_WORDS = 1_000;
/** Shown as nothing; it keeps a sign from being read together with what follows. */
const ZERO_WIDTH_SPACE = "\u200b";
/** Looks like a hyphen, but a key written with it is no key to the trackers that watch pull requests. */
const PLAIN_HYPHEN = "\u2011";

export function pullRequestText({ key, ticketTitle, statusName }: TextInput): PullRequestText {
  const words = neutralize(oneLine(ticketTitle), key);
  const shownKey = key === undefined ? undefined : shorten(neutralize(oneLine(key), key), MAX_KEY);
  const title = [shownKey, words].filter((part) => part).join(": ");
  const quoted = escapeMarkdown(shorten(words, MAX_BODY_WORDS));
  const status = escapeMarkdown(shorten(neutralize(oneLine(statusName), undefined), MAX_TITLE));
  const about = shownKey === undefined ? "a ticket" : escapeMarkdown(shownKey);
  return {
    title: shorten(title || "Untitled ticket", MAX_TITLE),
    body: `Opened by Boardwalk when ${about} entered “${status}”.${quoted ? `\n\n> ${quoted}` : ""}\n`,
  };
}

/** Control, format and line-ending characters go: they hide words, turn their direction or end the line. */
function oneLine(text: string): string {
  return (
    text
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
      // But for the joiner that families of emoji are made with.
      .replace(/(?!\u200d)[\p{Cf}\p{Cs}\p{Co}]/gu, "")
      .trim()
  );
}

/**
 * The same words to a reader, but no mention, no reference and no link to GitHub or to a tracker:
 * `@team`, `#1`, `GH-1`, `closes acme/web#1`, an issue's address, another ticket's key.
 */
function neutralize(text: string, ownKey: string | undefined): string {
  return text
    .replace(/[@#]/gu, (sign) => sign + ZERO_WIDTH_SPACE)
    .replace(/:\/\//gu, `:${ZERO_WIDTH_SPACE}//`)
    .replace(/www\./giu, `www${ZERO_WIDTH_SPACE}.`)
    .replace(/(?<![\p{L}\p{N}])([\p{L}][\p{L}\p{N}_]*)-(\d+)/gu, (found, prefix: string, number: string) =>
      found === ownKey ? found : `${prefix}${PLAIN_HYPHEN}${number}`,
    );
}

/** Every sign that Markdown or HTML could read as more than itself. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()<>#+!|~&$=^]/gu, "\\$&");
}

/** At most so many characters, never half of one. */
function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length
    ? text
    : `${characters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`;
}
