import fc from "fast-check";
import { afterAll } from "vitest";
import { transitionInput } from "../../connectors/jira/values.js";
import type { FieldSpec } from "../../src/machine/index.js";
import { createTickets } from "../../src/tickets/desk.js";
import { fillFields } from "../../src/tickets/fields.js";
import { keysIn, spokenKey } from "../../src/tickets/keys.js";
import { withDigits } from "../../src/tickets/numbers.js";
import { pointerIn } from "../../src/tickets/points.js";
import { answerSentence } from "../../src/tickets/say.js";
import { localeAccepted, localeFor } from "../../src/tickets/sentences/sentences.js";
import { TitleIndex } from "../../src/tickets/title-index.js";
import { createViews } from "../../src/tickets/view.js";
import { attachLetters, inKatakana, joinLetters, plainWords, tokensOf } from "../../src/tickets/words.js";
import { createWorkflows } from "../../src/tickets/workflows.js";
import { openDesk } from "../support/desk.js";
import { createFakeBoard } from "../support/fake-board.js";
import { fuzz, fuzzed } from "../support/fuzz.js";
import { like, text } from "../support/hostile.js";

/** What people say, word by word and as a whole, and the values they give. */

const desk = await openDesk(
  createFakeBoard([
    ["WEB-1", "Fix the login page", "1"],
    ["WEB-2", "Fix the logout page", "2"],
    ["WEB-3", "写真のアップロード", "3"],
  ]),
);
const tickets = createTickets({
  views: createViews(createWorkflows()),
  jobs: desk.hooks,
  now: () => new Date(),
});
afterAll(() => desk.close());

/** Said back so that it can be heard to its end, whatever was said: nobody's own rules are held against these words. */
async function heard<T extends { readonly spoken: string }>(answer: Promise<T>): Promise<T> {
  const { spoken } = await answer;
  if (spoken.length > MOST_SPOKEN) throw new Error(`${spoken.length} characters to be said`);
  if (/[\p{Cc}\p{Cs}]/u.test(spoken)) throw new Error(`not to be said: ${JSON.stringify(spoken)}`);
  return answer;
}

/** 75 words of the longest that are taken for words. */
const MOST_SPOKEN = 75 * 31;

const words = fc.oneof(
  { weight: 3, arbitrary: text },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.oneof(
          fc.constantFrom("login", "page", "WEB", "one", "42", "it", "the second", "done", "二番目"),
          text,
        ),
        { maxLength: 4 },
      )
      .map((parts) => parts.join(" ")),
  },
);
const talk = () => desk.talk({ conversation: "c" });
const sentence = fc.tuple(
  fc.constantFrom("move ", "where is ", "what is in ", "find ", ""),
  words,
  fc.constantFrom("", " to "),
  words,
);

const FIELDS: readonly FieldSpec[] = [
  {
    id: "resolution",
    name: "Resolution",
    type: "option",
    required: true,
    allowed: [{ id: "1", label: "Done" }],
  },
  { id: "labels", name: "Labels", type: "text", required: false, multiple: true },
  { id: "description", name: "Description", type: "rich_text", required: false },
  { id: "points", name: "Points", type: "number", required: false },
  { id: "due", name: "Due", type: "date", required: false },
  { id: "assignee", name: "Assignee", type: "user", required: false },
];
const fieldsGiven = like({
  ...{
    resolution: "Done",
    labels: ["a", "b"],
    description: "**x**",
    points: 3,
    due: "2026-11-30",
    assignee: "x",
  },
  ...{ Resolution: { id: "1" }, comment: "Fixed." },
}) as fc.Arbitrary<Record<string, unknown>>;
const isFields = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const jiraMove = { id: "31", to: "3", fields: FIELDS, takesComment: true };

fuzz("what is said", {
  "values of fields": fuzzed(fieldsGiven.filter(isFields), (given) => fillFields(FIELDS, given)),
  "values of Jira's fields": fuzzed(fieldsGiven.filter(isFields), (fields) =>
    transitionInput(jiraMove, { fields, comment: "Fixed." }),
  ),
  "a key": fuzzed(words, (said) => spokenKey(said)),
  keys: fuzzed(words, (said) => keysIn(said)),
  words: fuzzed(words, (said) => [plainWords(said), inKatakana(said)]),
  tokens: fuzzed(words, (said) => attachLetters(joinLetters(withDigits(tokensOf(said))))),
  "a pointer": fuzzed(words, (said) => pointerIn(said)),
  titles: fuzzed(fc.array(words, { maxLength: 5 }), (titles) => {
    const index = new TitleIndex();
    for (const [n, title] of titles.entries()) index.put(String(n), title);
    return titles.length;
  }),
  "a language": fuzzed(text, (tag) => [localeFor(tag), localeAccepted(tag)]),
  "a ticket to be read": fuzzed(words, (ticket) => heard(tickets.read(talk(), { ticket }))),
  "tickets to be found": fuzzed(fc.tuple(words, words, words, text), ([query, status, board, cursor]) =>
    heard(tickets.find(talk(), { query, status, board, cursor })),
  ),
  "a move": fuzzed(
    fc.tuple(
      words,
      words,
      words,
      fc.oneof(fc.dictionary(words, words, { maxKeys: 2 }), fieldsGiven.filter(isFields)),
    ),
    ([ticket, to, from, fields]) => heard(tickets.move(talk(), { ticket, to, from, fields })),
  ),
  "a question answered": fuzzed(fc.tuple(words, words, text), ([ticket, to, token]) =>
    heard(tickets.move(talk(), { ticket, to, token })),
  ),
  "progress asked for": fuzzed(fc.tuple(words, text), ([ticket, moveId]) =>
    heard(tickets.checkProgress(talk(), { ticket, moveId })),
  ),
  "a sentence": fuzzed(sentence, (parts) =>
    answerSentence(tickets, talk(), parts.join("")).then(({ answer }) => heard(Promise.resolve(answer))),
  ),
});
