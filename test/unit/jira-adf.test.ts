import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AdfDocument, adfFromText } from "../../connectors/jira/adf.js";

function textOf(document: AdfDocument): string {
  return document.content
    .map((paragraph) => paragraph.content.map((node) => (node.type === "text" ? node.text : "\n")).join(""))
    .join("\n\n");
}

describe("a text as an Atlassian document", () => {
  it("keeps paragraphs and line ends", () => {
    expect(adfFromText("one\r\ntwo\n\n\nthree")).toEqual({
      type: "doc",
      version: 1,
      content: [
        {
          type: "paragraph",
          content: [{ type: "text", text: "one" }, { type: "hardBreak" }, { type: "text", text: "two" }],
        },
        { type: "paragraph", content: [{ type: "text", text: "three" }] },
      ],
    });
  });

  it("loses no word of any text, and holds no empty text node, which Jira would refuse", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.array(fc.constantFrom("a", "\n", "\n\n", "🚀", " ")),
        (a, b) => {
          const text = `${a}${b.join("")}`;
          const document = adfFromText(text);
          const words = (from: string) => from.split(/\s+/).filter((word) => word !== "");
          expect(words(textOf(document))).toEqual(words(text));
          for (const node of document.content.flatMap((paragraph) => paragraph.content)) {
            if (node.type === "text") expect(node.text).not.toBe("");
          }
        },
      ),
    );
  });

  it("takes markup for the text it is", () => {
    expect(textOf(adfFromText("<script>x</script> *bold* [link|http://x]"))).toBe(
      "<script>x</script> *bold* [link|http://x]",
    );
  });
});
