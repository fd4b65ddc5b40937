/**
 * A value without web addresses: the hosts of the frozen surface forbid links to anybody's board, in data as in
 * speech. A member called `url` goes away, an address within a text is cut out of it.
 */
export function withoutLinks<T>(value: T): T {
  return strip(value) as T;
}

const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>"')\]]+/gi;

function strip(value: unknown): unknown {
  if (typeof value === "string") return withoutAddress(value);
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !/^(url|href|link)$/i.test(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, strip(member)]));
}

function withoutAddress(text: string): string {
  const without = text.replace(ADDRESS, "");
  return without === text ? text : without.replace(/ {2,}/g, " ").trim();
}
