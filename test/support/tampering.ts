import fc from "fast-check";
import { jsonOf, jsonText, text, writeJson } from "./hostile.js";

/** What a server, a proxy or a release that we do not know may make of a reply. */

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Edit {
  /** Which of its values, in order of writing. */
  readonly at: number;
  readonly how: "put" | "drop" | "double" | "nest" | "empty";
  /** As JSON: what is put may be changed by the next edit, and is put anew into the next reply. */
  readonly put: string;
}

export interface Tampering {
  /** Which reply of those that are asked for. */
  readonly nth: number;
  /** That one, or it and all after it. */
  readonly onwards: boolean;
  readonly edits: readonly Edit[];
  readonly body?: string;
  readonly cut?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(400),
  how: fc.constantFrom("put", "put", "put", "drop", "double", "nest", "empty"),
  put: fc.oneof(text, jsonOf(["id", "name", "nodes", "values", "fields", "status"])).map(writeJson),
});

const headerText = fc.oneof(
  text.map((value) => value.slice(0, 5_000)),
  fc.constantFrom("0", "1", "-1", "3600", "1e400", "Wed, 21 Oct 2065 07:28:00 GMT", "9".repeat(30)),
);
const headers = fc.dictionary(
  fc.constantFrom(
    ...["retry-after", "link", "location", "content-type", "x-ratelimit-remaining", "x-ratelimit-reset"],
    ...["x-ratelimit-requests-remaining", "x-ratelimit-requests-reset", "ratelimit-reason", "set-cookie"],
  ),
  headerText,
  { minKeys: 1, maxKeys: 3 },
);
const STATUSES = [
  200, 200, 201, 202, 204, 206, 301, 307, 400, 401, 403, 404, 409, 410, 412, 418, 422, 429, 500, 503,
];

export const tampering: fc.Arbitrary<Tampering> = fc
  .tuple(
    fc.record({ nth: fc.nat(7), onwards: fc.boolean(), edits: fc.array(edit, { maxLength: 4 }) }),
    fc.oneof(
      { weight: 12, arbitrary: fc.constant({}) },
      {
        weight: 2,
        arbitrary: fc.record({ body: jsonText(jsonOf(["errors", "message", "data", "errorMessages"])) }),
      },
      { weight: 1, arbitrary: fc.record({ cut: fc.nat(2_000) }) },
    ),
    fc.oneof(
      { weight: 12, arbitrary: fc.constant({}) },
      { weight: 2, arbitrary: fc.record({ status: fc.constantFrom(...STATUSES) }) },
      { weight: 2, arbitrary: fc.record({ status: fc.constantFrom(...STATUSES), headers }) },
    ),
  )
  .map(([where, instead, answer]) => ({ ...where, ...instead, ...answer }));

export function tampered(reply: Reply, { edits, body, cut, status, headers: more }: Tampering): Reply {
  const whole = body ?? edited(reply.body, edits);
  return {
    status: status ?? reply.status,
    headers: { ...reply.headers, ...more },
    body: cut === undefined ? whole : whole.slice(0, cut),
  };
}

function edited(body: string, edits: readonly Edit[]): string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return body;
  }
  const top = { json };
  for (const each of edits) apply(top, each);
  return writeJson(top.json);
}

function apply(top: object, { at, how, put }: Edit): void {
  const places = placesIn(top);
  const [holder, key] = places[at % places.length] ?? [top, "json"];
  const value: unknown = Reflect.get(holder, key);
  const set = (next: unknown) =>
    Object.defineProperty(holder, key, { value: next, enumerable: true, configurable: true, writable: true });
  if (how === "put") set(JSON.parse(put));
  else if (how === "double") set(Array.isArray(value) ? [...value, ...value] : `${value}${value}`);
  else if (how === "nest") set([value]);
  else if (how === "empty") set(Array.isArray(value) ? [] : typeof value === "string" ? "" : {});
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}

const MOST_PLACES = 5_000;

/** Every value in it, by what holds it; without recursion, as it may be what an edit before has put there. */
function placesIn(top: object): readonly (readonly [holder: object, key: string])[] {
  const places: (readonly [object, string])[] = [];
  const left: object[] = [top];
  for (let holder = left.pop(); holder !== undefined && places.length < MOST_PLACES; holder = left.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      places.push([holder, key]);
      if (typeof value === "object" && value !== null) left.push(value);
    }
  }
  return places;
}
