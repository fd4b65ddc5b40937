import { describe, expect, it } from "vitest";
import { withProgress } from "../../../src/cli/progress.js";
import { until } from "../../support/until.js";

describe("progress where no terminal is", () => {
  const out = () => {
    const said: string[] = [];
    return { said, write: (text: string) => said.push(text) };
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
