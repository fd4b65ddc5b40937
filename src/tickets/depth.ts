/** How deep a value from outside may be nested: far beyond any field of a board, far below what a stack holds. */
export const MOST_DEEP = 64;

/** Whether the value, parsed from JSON, is nested deeper than that. Looks level by level: recursion would be the fault. */
export function isTooDeep(value: unknown, most = MOST_DEEP): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= most) return true;
    level = level.flatMap((each) => Object.values(each).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
