import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { type Seen, withProgress } from "../../../src/cli/progress.js";
import { until } from "../../support/until.js";

describe("progress where no terminal is", () => {
  const out = () => {
    const said: string[] = [];
    return { said, write: (text: string) => said.push(text) > 0 };
  };

  it("is one plain line for what is soon over, and the work's own answer", async () => {
    const { said, write } = out();
    const look = async () => ({ done: 1, total: 2 });
    expect(await withProgress("importing", "tickets", look, async () => 7, { write })).toBe(7);
    expect(said).toEqual(["importing ...\n"]);
  });

  it("is told while the work goes on, by what is seen", async () => {
    const { said, write } = out();
    let end = () => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    const telling = withProgress(
      "importing",
      "tickets",
      async () => ({ done: 10, total: 20 }),
      () => work,
      { write },
      0,
    );
    await until(() => said.includes("importing: 10 of 20 tickets\n"));
    end();
    await telling;
  });

  it("hides neither the work's failure nor stops it because a look failed", async () => {
    const look = async () => {
      throw new Error("cannot look");
    };
    const fail = async () => {
      throw new Error("the work failed");
    };
    await expect(withProgress("importing", "tickets", look, fail, out())).rejects.toThrow("the work failed");
    expect(await withProgress("importing", "tickets", look, async () => "done", out())).toBe("done");
  });
});

describe("progress on a terminal", () => {
  it("is a bar where the end is known, a count where it is not, and gone when it is over", async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    let shown = "";
    terminal.on("data", (data) => {
      shown += String(data);
    });
    let end = () => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    let seen: Seen = { done: 7 };
    const telling = withProgress(
      "importing",
      "tickets",
      async () => seen,
      () => work,
      terminal,
    );
    await until(() => shown.includes("importing 7 tickets"));
    seen = { done: 10, total: 20 };
    await until(() => /importing █+░+ 10\/20 tickets/.test(shown));
    end();
    await telling;
    // The line is cleared, so that the answer stands alone.
    expect(shown.endsWith("\u001b[2K")).toBe(true);
  });
});
