import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { CONFIG_VARIABLES, parseConfig } from "../../src/config.js";
import { parseReply } from "../../src/hooks/run-job.js";
import { fsmFromStatusGraph, type StatusGraph } from "../../src/machine/index.js";
import {
  decodeActor,
  decodeAudit,
  decodeDocument,
  decodeHistory,
  decodeTenant,
  encodeActor,
} from "../../src/store/codec.js";
import { mergeGraph } from "../../src/sync/diff.js";
import { createSealer } from "../../src/sync/seal.js";
import { newActor } from "../../src/tickets/arrive.js";
import { keysIn, spokenKey } from "../../src/tickets/keys.js";
import { withDigits } from "../../src/tickets/numbers.js";
import { localeAccepted, localeFor } from "../../src/tickets/sentences/sentences.js";
import { TitleIndex } from "../../src/tickets/title-index.js";
import { attachLetters, inKatakana, joinLetters, plainWords, tokensOf } from "../../src/tickets/words.js";
import { fuzz, fuzzed, jsonOf, like, text } from "../support/fuzz.js";

/** Parsers of what people say, what operators set, and what lies in Redis. */

const ticket = {
  id: "jira.x.1",
  title: "Fix the login",
  workflow: "jira.x.w",
  status: "1",
  updatedAt: "2026-11-30T00:00:00Z",
};
const actor = encodeActor(newActor(ticket, "eng"));
/** A record at rest with some of its bytes changed. */
const atRest = fc.oneof(
  text,
  jsonOf(["ticket", "version", "at", "kind", "id", "name"]).map((value) => `1 ${JSON.stringify(value)}`),
  fc
    .tuple(fc.nat(actor.length), fc.nat(20), text)
    .map(([at, cut, put]) => `1 ${actor.slice(0, at)}${put}${actor.slice(at + cut)}`),
);
fuzz("records in Redis", {
  actor: fuzzed(atRest, (stored) => decodeActor(stored, "x")),
  document: fuzzed(atRest, (stored) => decodeDocument("setting", "x", stored)),
  history: fuzzed(atRest, (stored) => decodeHistory(stored, "x")),
  audit: fuzzed(atRest, (stored) => decodeAudit(stored, "x")),
  tenant: fuzzed(atRest, (stored) => decodeTenant(stored, "x")),
  "a job's reply": fuzzed(
    like({ ok: false, code: "busy", message: "m", data: {}, retryAfterMs: 1 }),
    parseReply,
  ),
});

const variable = fc.constantFrom(...CONFIG_VARIABLES);
fuzz("settings", {
  environment: fuzzed(fc.dictionary(variable, text, { maxKeys: 8 }), (env) =>
    parseConfig(env, {}, undefined, () => "x"),
  ),
  "boardwalk.yaml": fuzzed(
    fc.oneof(
      text,
      jsonOf(["port", "host", "redisUrl", "encryptionKeys"]).map((value) => JSON.stringify(value)),
      fc.tuple(text, text).map(([key, value]) => `${key}: ${value}\n&a [*a, *a]`),
    ),
    (yaml) => parseConfig({}, {}, yaml),
  ),
});

const id = fc.constantFrom("1", "2", "3", "none", "__proto__", "constructor", "*");
const graph = fc.record({
  id: fc.constantFrom("w", "__proto__"),
  name: text,
  statuses: fc.array(
    fc.record({
      id,
      name: text,
      category: fc.constantFrom("todo", "doing", "done", "unknown"),
      order: fc.integer(),
      aliases: fc.array(text, { maxLength: 2 }),
    }),
    { maxLength: 6 },
  ),
  moves: fc.array(fc.record({ id, from: id, to: id }), { maxLength: 8 }),
  edges: fc.constantFrom("authoritative", "observed", "implied"),
}) as fc.Arbitrary<StatusGraph>;
fuzz("status graphs", {
  machine: fuzzed(graph, (given) => Object.keys(fsmFromStatusGraph(given).states)),
  merged: fuzzed(fc.tuple(graph, graph), ([kept, pulled]) => mergeGraph(kept, pulled, new Date()).changes),
});

fuzz("what is said", {
  "a key": fuzzed(text, (said) => spokenKey(said)),
  keys: fuzzed(text, (said) => keysIn(said)),
  words: fuzzed(text, (said) => [plainWords(said), inKatakana(said)]),
  tokens: fuzzed(text, (said) => attachLetters(joinLetters(withDigits(tokensOf(said))))),
  titles: fuzzed(fc.array(text, { maxLength: 5 }), (titles) => {
    const index = new TitleIndex();
    for (const [n, title] of titles.entries()) index.put(String(n), title);
    return titles.length;
  }),
  "a language": fuzzed(text, (tag) => [localeFor(tag), localeAccepted(tag)]),
});

const sealer = createSealer([{ id: "k", key: randomBytes(32) }]);
const sealed = sealer.seal("{}", "c");
fuzz("sealed secrets", {
  opened: fuzzed(
    fc.oneof(
      text,
      fc.tuple(fc.nat(sealed.length), text).map(([at, put]) => sealed.slice(0, at) + put + sealed.slice(at)),
    ),
    (given) => sealer.open(given, "c"),
  ),
  stale: fuzzed(text, (given) => sealer.stale(given)),
});
