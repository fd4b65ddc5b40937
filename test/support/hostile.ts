import fc from "fast-check";

/**
 * Values as strangers, broken servers and old releases send them. Each kind of `HOSTILE` is put in the place of every
 * text and value before chance has its turn (`withHostile`), so that no parser is fuzzed without having met it.
 */

export const HOSTILE = [
  "prototype names",
  "lone surrogates",
  "NUL",
  "huge numbers",
  "deep",
  "ten million characters",
] as const;
export type Hostile = (typeof HOSTILE)[number];

/** Meant in all that is generated, while it is set. */
let meant: Hostile | undefined;
/** Of what is huge, one is in each value: several would take their time from everything else. */
let hugeOnes = 1;

export async function withHostile<T>(kind: Hostile, work: () => Promise<T>): Promise<T> {
  meant = kind;
  try {
    return await work();
  } finally {
    meant = undefined;
  }
}

/** To be called after each value that was made. */
export function nextValue(): void {
  hugeOnes = 1;
}

/** The one while a kind of hostile value is meant, the other otherwise. Told when a value is made, not before. */
function either<T>(hostile: (kind: Hostile) => fc.Arbitrary<T>, usual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.constant(undefined).chain(() => (meant === undefined ? usual : hostile(meant)));
}

const PROTOTYPE = ["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"];
const NASTY = ["", "\u202e", "../..", "%zz", "%", "{{", "\r\n", "undefined", "null", "[object Object]", "*"];
const SIGNS = ["a", " ", "-", ".", "1", "é", "あ", "#", "0", "[", '{"a":', "/", "%41", "\ud83d\ude00", "\n"];
export const TEN_MILLION = 10_000_000;
const MOST_DEEP = 200_000;

/** As many as said, or as many as are left of the sizes of ten: small ones most often. */
const times = (most: number) =>
  fc.double({ min: 0, max: Math.log(most), noNaN: true }).map((power) => Math.floor(Math.exp(power)));

const repeated = (most: number) =>
  fc.tuple(fc.constantFrom(...SIGNS), times(most)).map(([sign, n]) => sign.repeat(n / sign.length));

/** Somewhere between two others. */
const within = (texts: readonly string[]) =>
  fc
    .tuple(fc.string({ maxLength: 8 }), fc.constantFrom(...texts), fc.string({ maxLength: 8 }))
    .map(([before, text, after]) => before + text + after);

const DEEP_TEXT: readonly (readonly [open: string, close: string])[] = [
  ["[", "]"],
  ['{"a":', "}"],
  ["(", ")"],
  ["<", ">"],
  ["a.", ""],
];
const deepText = fc
  .tuple(fc.constantFrom(...DEEP_TEXT), times(MOST_DEEP))
  .map(([[open, close], depth]) => open.repeat(depth) + close.repeat(depth));

const HOSTILE_TEXT: Readonly<Record<Hostile, fc.Arbitrary<string>>> = {
  "prototype names": fc.constantFrom(...PROTOTYPE),
  "lone surrogates": within(["\ud800", "\udc00", "\udfff\ud800"]),
  NUL: within(["\u0000", "\u0000\u0000"]),
  "huge numbers": fc.constantFrom("9".repeat(400), "1e400", "-1e999", "18446744073709551616", "0x1p9999"),
  deep: deepText,
  "ten million characters": fc
    .constantFrom(...SIGNS)
    .map((sign) => sign.repeat(Math.ceil(TEN_MILLION / sign.length))),
};

const usualText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 4, arbitrary: fc.string({ maxLength: 60 }) },
  { weight: 2, arbitrary: fc.constantFrom(...NASTY, ...PROTOTYPE) },
  { weight: 1, arbitrary: fc.oneof(...HOSTILE.slice(0, 4).map((kind) => HOSTILE_TEXT[kind])) },
  { weight: 1, arbitrary: repeated(20_000) },
);

export const text: fc.Arbitrary<string> = either((kind) => {
  if (kind !== "ten million characters") return HOSTILE_TEXT[kind];
  hugeOnes -= 1;
  return hugeOnes < 0 ? usualText : HOSTILE_TEXT[kind];
}, usualText);

const number = either(
  (kind) =>
    kind === "huge numbers"
      ? fc.constantFrom(1e308, -1e308, 2 ** 53, 2 ** 63, 1e21, Number.MIN_VALUE, -0)
      : fc.integer(),
  fc.oneof(fc.integer(), fc.double(), fc.constantFrom(1e308, -0, 2 ** 53, 2 ** 63, -1, 0, 1, 0.5)),
);

/** What is called without looking whether it can be: `length` and `toString` by libraries, `then` by the language. */
const calledUpon = fc
  .constantFrom(
    ...[
      '{"length":{"toString":null,"valueOf":null}}',
      '{"toString":null}',
      '{"then":1}',
      '{"size":{"toString":1}}',
    ],
    ...['{"length":-1}', '{"toJSON":"x","constructor":1,"valueOf":null}', '{"__proto__":{"a":1}}'],
  )
  .map((json): unknown => JSON.parse(json));

const anyLeaf: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: number },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
);

const leaf: fc.Arbitrary<unknown> = either(
  (kind) => (kind === "prototype names" ? fc.oneof(text, calledUpon) : anyLeaf),
  fc.oneof({ weight: 30, arbitrary: anyLeaf }, { weight: 1, arbitrary: calledUpon }),
);

/** Nested without end: what walks it by recursion has no stack left. */
function deepOf(keys: readonly string[]): fc.Arbitrary<unknown> {
  return fc
    .tuple(fc.option(fc.constantFrom("a", ...keys)), times(MOST_DEEP), leaf)
    .map(([name, depth, inner]) => {
      let value = inner;
      for (let i = 0; i < depth; i++) value = name === null ? [value] : { [name]: value };
      return value;
    });
}

/** JSON with some of these names in it, so that it comes further than the first check. */
export function jsonOf(keys: readonly string[]): fc.Arbitrary<unknown> {
  const key = keys.length === 0 ? text : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...keys) }, text);
  const usual = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(key, tie("any"), { maxKeys: 8, noNullPrototype: true }),
    ),
  })).any;
  const deep = deepOf(keys);
  const flat = fc.oneof(
    leaf,
    fc.dictionary(key, leaf, { maxKeys: 8, noNullPrototype: true }),
    fc.array(fc.dictionary(key, leaf, { maxKeys: 2, noNullPrototype: true }), { maxLength: 2 }),
  );
  const nested = fc.oneof(deep, fc.dictionary(key, deep, { minKeys: 1, maxKeys: 3, noNullPrototype: true }));
  return either((kind) => (kind === "deep" ? nested : flat), usual);
}

/** An example with parts of it put out of shape: taken away, doubled, or replaced by anything. */
export function like(example: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(example)) {
    const items = fc.tuple(...example.map((item) => like(item)));
    return fc.oneof(
      { weight: 6, arbitrary: items },
      { weight: 1, arbitrary: items.map((all) => [...all, ...all]) },
      { weight: 1, arbitrary: leaf },
    );
  }
  if (typeof example !== "object" || example === null) {
    return fc.oneof(
      { weight: 6, arbitrary: fc.constant(example) },
      { weight: 1, arbitrary: leaf },
      { weight: 1, arbitrary: jsonOf([]) },
    );
  }
  const parts = Object.fromEntries(Object.entries(example).map(([key, value]) => [key, like(value)]));
  return fc.oneof(
    { weight: 8, arbitrary: fc.record(parts, { requiredKeys: [], noNullPrototype: true }) },
    { weight: 8, arbitrary: fc.record(parts, { noNullPrototype: true }) },
    { weight: 1, arbitrary: leaf },
  );
}

/** Texts that JSON has its own way to write, or none, and that are no JSON at all. */
const ODD_JSON = [
  ...[
    "",
    " ",
    "null",
    "[]",
    "{}",
    '""',
    "0",
    "-0",
    "1e400",
    "-1e400",
    `${"9".repeat(400)}`,
    "NaN",
    "undefined",
  ],
  ...[
    '{"__proto__":{"a":1}}',
    '{"a":1,"a":2}',
    '"\\ud800"',
    '"\\u0000"',
    "\ufeff{}",
    "{]",
    '{"a":',
    "[1,]",
    "'a'",
  ],
];

/** What comes where JSON is awaited: that value written down, what is nearly JSON, and what is none. */
export function jsonText(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const written = value.map(writeJson);
  const broken = fc
    .tuple(written, fc.nat(200), fc.nat(20), text)
    .map(([json, at, cut, put]) => json.slice(0, at) + put + json.slice(at + cut));
  return fc.oneof(
    { weight: 8, arbitrary: written },
    { weight: 2, arbitrary: broken },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_JSON) },
    { weight: 1, arbitrary: text },
  );
}

/** `JSON.stringify` for what is nested deeper than it can go, too: deep values are chains, one key or item in each. */
export function writeJson(value: unknown): string {
  let opened = "";
  let closed = "";
  let rest = value;
  for (let depth = 0; depth < MOST_DEEP + 2; depth++) {
    const [only, ...more] = isNested(rest) ? Object.entries(rest) : [];
    if (only === undefined || more.length > 0) break;
    const list = Array.isArray(rest);
    opened += list ? "[" : `{${JSON.stringify(only[0])}:`;
    closed += list ? "]" : "}";
    rest = only[1];
  }
  let core: string;
  try {
    core = JSON.stringify(rest) ?? "null";
  } catch {
    core = deepest(rest);
  }
  return opened + core + [...closed].reverse().join("");
}

/** Several members, and chains in some of them. */
function deepest(value: unknown): string {
  if (!isNested(value)) return JSON.stringify(value) ?? "null";
  const parts = Object.entries(value).map(([key, inner]) => [JSON.stringify(key), writeJson(inner)] as const);
  return Array.isArray(value)
    ? `[${parts.map(([, json]) => json).join()}]`
    : `{${parts.map((part) => part.join(":")).join()}}`;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
