import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

/** The Redis that all suites share has one queue and one list of tenants, and a worker takes whatever it finds there. */

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => ({ name, text: readFileSync(join("test", name), "utf8") }));
const sharing = files.filter(({ text }) => /\bredisUrl\b.*from "\.\.\/support\/redis\.js"/.test(text));

describe("a test that runs a whole service", () => {
  it("gives it a Redis of its own", () => {
    expect(sharing.length).toBeGreaterThan(3);
    const whole = sharing.filter(({ text }) =>
      /\b(?:createApp|startService|startDemo)\b|neighbours\(/.test(text),
    );
    expect(whole.map(({ name }) => name)).toEqual([]);
  });
});
