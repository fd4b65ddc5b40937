import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";

/** A real browser: Debian's Chromium, which speaks to nobody but us. */

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @throws Error with the one command to run where there is no Chromium. */
export async function startBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `There is no Chromium at ${CHROMIUM}. Install it: apt-get update && apt-get install -y --no-install-recommends chromium`,
    );
  }
  return await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}
