/** What each kind of board wants to be told before it can be asked. */

export interface Wanted {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly optional?: boolean;
  readonly secret?: boolean;
}

export interface Provider {
  readonly name: string;
  /** Where its credentials come from. */
  readonly help: string;
  /** Settings without which it cannot be asked what there is. */
  readonly settings: readonly Wanted[];
  readonly credentials: readonly Wanted[];
  /** The setting that is chosen from what the board lists. */
  readonly choose: Wanted;
}

const apiUrl: Wanted = {
  name: "apiUrl",
  label: "API address",
  hint: "Only where it is not the usual one.",
  optional: true,
};

export const PROVIDERS: Readonly<Record<string, Provider>> = {
  jira: {
    name: "Jira",
    help: "An API token of the account that Boardwalk acts as: id.atlassian.com, Security, API tokens.",
    settings: [{ name: "baseUrl", label: "Site", hint: "Such as https://acme.atlassian.net" }],
    credentials: [
      { name: "email", label: "Email of the account" },
      { name: "apiToken", label: "API token", secret: true },
    ],
    choose: { name: "project", label: "Project" },
  },
  linear: {
    name: "Linear",
    help: "A personal API key: Linear, Settings, Security & access, Personal API keys.",
    settings: [apiUrl],
    credentials: [{ name: "apiKey", label: "API key", secret: true }],
    choose: { name: "team", label: "Team" },
  },
  github: {
    name: "GitHub Projects",
    help: "A token that may read and write projects: GitHub, Settings, Developer settings.",
    settings: [{ name: "owner", label: "Owner", hint: "The organisation or person" }, apiUrl],
    credentials: [{ name: "token", label: "Token", secret: true }],
    choose: { name: "project", label: "Project" },
  },
  trello: {
    name: "Trello",
    help: "A key and a token of a Power-Up of yours: trello.com/power-ups/admin.",
    settings: [apiUrl],
    credentials: [
      { name: "apiKey", label: "API key", secret: true },
      { name: "token", label: "Token", secret: true },
      {
        name: "secret",
        label: "Secret of the app",
        secret: true,
        optional: true,
        hint: "Without it the board is polled.",
      },
    ],
    choose: { name: "board", label: "Board" },
  },
};

/** The words of one part of a form, by the names within it. */
export function under(
  words: Readonly<Record<string, string>>,
  part: "settings" | "credentials",
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(words)
      .filter(([name]) => name.startsWith(`${part}.`))
      .map(([name, value]) => [name.slice(part.length + 1), value]),
  );
}

/** Is all there that the board must be told before it is asked? */
export function isAskable(provider: Provider, words: Readonly<Record<string, string>>): boolean {
  const has = (part: string) => (wanted: Wanted) =>
    wanted.optional || words[`${part}.${wanted.name}`] !== undefined;
  return provider.settings.every(has("settings")) && provider.credentials.every(has("credentials"));
}

/** A short id made of what people call it. */
export function idFrom(label: string): string {
  return label
    .replace(/\([^)]*\)\s*$/, "")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
}
