import { z } from "zod";

/** How values from outside are read by a schema: the one place that calls zod with them. */

/** What V8 says of an object whose own `toString` is no function: JSON can make one. */
const NOT_PRIMITIVE = "Cannot convert object to primitive value";

/**
 * As zod's own `safeParse`, but for what its checks of length trip over. They look at what is no text and no list too,
 * and `{"length": {"toString": null}}` in the place of one makes them throw.
 */
export function safeParse<T>(schema: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  try {
    return schema.safeParse(value);
  } catch (thrown) {
    if (!(thrown instanceof TypeError && thrown.message === NOT_PRIMITIVE)) throw thrown;
    const error = new z.ZodError([{ code: "custom", path: [], message: "Invalid input", input: value }]);
    return { success: false, error: error as z.ZodError<never> };
  }
}

/** What the text, or its bytes, says as JSON; `undefined` for what is none. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === "string" ? text : Buffer.from(text).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** A text, a number or a yes in words; of anything else none, since not every object can be made a text. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** The value, or what `failure` makes of its faults is thrown: where each of them is, and of which kind, never the value. */
export function parseOr<T>(
  schema: z.ZodType<T>,
  value: unknown,
  failure: (faults: readonly string[]) => Error,
): T {
  const parsed = safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw failure(parsed.error.issues.map(({ path, code }) => `${path.join(".")}: ${code}`));
}
