import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  issueIdOf,
  jiraSite,
  numericId,
  projectKeyOrId,
  ticketId,
  workflowId,
} from "../../connectors/jira/keys.js";
import { BoardwalkError } from "../../src/errors.js";

const SITE = "0123abcd";
const HOSTILE = [
  "AB-1/../../myself?x=",
  "1/../2",
  "..",
  "%2e%2e",
  "10001?x=1",
  "10001#x",
  "10001 ",
  " 10001",
  "10001\n",
  "１０００１",
  "1e3",
  "-1",
  "",
  "9".repeat(20),
];

describe("Jira ids", () => {
  it.each(HOSTILE)("refuses %j as an id, a project and a ticket", (text) => {
    expect(() => numericId(text, "issue id")).toThrow(BoardwalkError);
    expect(() => projectKeyOrId(text)).toThrow(BoardwalkError);
    expect(() => issueIdOf(SITE, text)).toThrow(BoardwalkError);
    expect(() => issueIdOf(SITE, `jira.${SITE}.${text}`)).toThrow(BoardwalkError);
    expect(() => ticketId(SITE, text)).toThrow(BoardwalkError);
  });

  it("lets nothing through that could leave its place in a path", () => {
    const unsafe = /[^A-Za-z0-9_]/;
    const texts = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }), fc.constantFrom(...HOSTILE));
    fc.assert(
      fc.property(texts, (text) => {
        for (const check of [() => numericId(text, "id"), () => projectKeyOrId(text)]) {
          try {
            if (unsafe.test(check()) || check() !== text) return false;
          } catch (error) {
            if (!(error instanceof BoardwalkError) || error.code !== "invalid") return false;
          }
        }
        return true;
      }),
    );
  });

  it("names a ticket so that it is found again, on its own site only", () => {
    expect(ticketId(SITE, "10042")).toBe("jira.0123abcd.10042");
    expect(issueIdOf(SITE, "jira.0123abcd.10042")).toBe("10042");
    expect(() => issueIdOf("ffffffff", "jira.0123abcd.10042")).toThrow(BoardwalkError);
  });

  it("keeps sites behind Atlassian's one gateway apart", () => {
    const gateway = (cloud: string) => jiraSite(`https://api.atlassian.com/ex/jira/${cloud}`);
    expect(gateway("11111111-aaaa")).not.toBe(gateway("22222222-bbbb"));
    expect(jiraSite("https://team.atlassian.net")).toBe(jiraSite("https://TEAM.atlassian.net/"));
  });

  it("makes a workflow's id safe whatever Jira calls it", () => {
    expect(workflowId(SITE, "10001", "5f6c1a52-8f0b")).toBe("jira.0123abcd.10001.5f6c1a52-8f0b");
    expect(workflowId(SITE, "10001", "with spaces / and 🚀")).toMatch(
      /^jira\.0123abcd\.10001\.[0-9a-f]{16}$/,
    );
  });
});
