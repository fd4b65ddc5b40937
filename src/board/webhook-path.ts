/** Shorter last parts of a path are guessed or chosen by hand, and may be anybody's. */
const UNGUESSABLE = 24;

/**
 * Whether a registered webhook is this connection's own, although we were reached at another host when it was made:
 * the path ends in the connection's secret token, so nobody else's is the same.
 */
export function isOurWebhook(registered: string | undefined, url: string): boolean {
  if (registered === undefined || registered === url) return registered === url;
  const [theirs, ours] = [pathOf(registered), pathOf(url)];
  return theirs !== undefined && theirs === ours && (ours.split("/").at(-1)?.length ?? 0) >= UNGUESSABLE;
}

function pathOf(url: string): string | undefined {
  try {
    return new URL(url).pathname;
  } catch {
    return undefined;
  }
}
