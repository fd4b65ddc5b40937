/** Names made from other people's words: short, valid, unique and stable. */

/** A stable 32-bit FNV-1a hash as up to `length` base-36 digits. For names, never for security. */
export function shortHash(text: string, length = 4): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(7, "0").slice(-length);
}

/** Lower-case ASCII words joined by `_`; accents are dropped. Empty when the text has no Latin letter or digit. */
export function slug(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

/** `camelCase`, `SHOUT_CASE` and spaced words as `snake_case`, the way the seed API names tools. */
export function snakeCase(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^a-zA-Z0-9]+/g, "_")
    .toLowerCase();
}

/** `name` when it fits `max` characters, else cut and ended with a hash of the whole, so that two long names stay apart. */
export function fitName(name: string, max: number): string {
  if (name.length <= max) return name;
  return `${name.slice(0, max - 5).replace(/_+$/, "")}_${shortHash(name)}`;
}

/**
 * Gives each key a name of its own. The first key (in order) with a name keeps it; a later one gets the name with a
 * hash of its key, so that adding a key never renames another.
 */
export function distinctNames<K extends string>(
  keys: Iterable<K>,
  nameOf: (key: K) => string,
): Map<K, string> {
  const names = new Map<K, string>();
  const used = new Set<string>();
  for (const key of keys) {
    const wanted = nameOf(key);
    let name = wanted;
    for (let length = 4; used.has(name); length++)
      name = `${wanted}_${shortHash(`${key}#${length}`, Math.min(length, 7))}`;
    used.add(name);
    names.set(key, name);
  }
  return names;
}
