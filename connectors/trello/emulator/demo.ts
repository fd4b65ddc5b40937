import type { TrelloSeed } from "./seed.js";

/** A board good for a first look: ten cards whose titles are worth saying aloud. */

const LISTS = ["Backlog", "To Do", "In Progress", "In Review", "Done"] as const;

const CARDS: readonly (readonly [title: string, list: (typeof LISTS)[number]])[] = [
  ["Print the tickets for the summer concert", "In Progress"],
  ["Book a room for the spring workshop", "To Do"],
  ["Write the newsletter about the new menu", "In Review"],
  ["Repair the coffee machine on the second floor", "In Progress"],
  ["Order name tags for the open day", "To Do"],
  ["Translate the welcome letter into Spanish", "Backlog"],
  ["Choose photos for the anniversary poster", "Backlog"],
  ["Update the opening hours on the website", "To Do"],
  ["Thank the volunteers of last weekend", "Done"],
  ["Find a speaker for the winter evening", "Backlog"],
];

export interface DemoTrelloOptions {
  readonly name?: string;
  /** Instead of the ten of the house; all start in To Do unless a list is named. */
  readonly cards?: readonly { readonly title: string; readonly list?: string }[];
}

/** Backlog, To Do, In Progress, In Review and Done, under ids that stay the same from start to start. */
export function demoTrelloBoard(options: DemoTrelloOptions = {}): TrelloSeed {
  const cards = options.cards ?? CARDS.map(([title, list]) => ({ title, list }));
  return {
    id: "65b0f0000000000000000001",
    shortLink: "bwDemo01",
    name: options.name ?? "House and Events",
    lists: LISTS.map((name, index) => ({ id: `65b0f00000000000000000a${index}`, name })),
    cards: cards.map(({ title, list = "To Do" }) => ({ title, list })),
  };
}
