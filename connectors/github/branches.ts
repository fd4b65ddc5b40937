/** Branch names: which ones Git allows, and which one carries a ticket's key. Pure. */

/** GitHub refuses longer ones. In bytes, not characters. */
const MAX_REF_BYTES = 244;

/** Would `git check-ref-format --branch` let this name pass? Anything else never reaches a URL. */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || Buffer.byteLength(name) > MAX_REF_BYTES) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what Git forbids.
  if (/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.$|^[-/]|\/$/.test(name)) return false;
  return name.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"));
}

/**
 * Is `key` a word of its own in `branch`? `AB-1` is in `feat/AB-1-login` and in `fix/ab_1`, not in `feat/AB-12`
 * nor in `CRAB-1`.
 */
export function carriesKey(branch: string, key: string): boolean {
  if (key === "") return false;
  const literal = key.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/[-_]/g, "[-_]");
  const end = /\d$/.test(key) ? "(?!\\d)" : "(?![\\p{L}\\p{N}])";
  return new RegExp(`(?:^|[/_-])${literal}${end}`, "iu").test(branch);
}
