/** Atlassian Document Format: what Jira's v3 API wants instead of a string for comments and paragraph fields. */

interface AdfText {
  readonly type: "text";
  readonly text: string;
}

interface AdfParagraph {
  readonly type: "paragraph";
  readonly content: readonly (AdfText | { readonly type: "hardBreak" })[];
}

export interface AdfDocument {
  readonly type: "doc";
  readonly version: 1;
  readonly content: readonly AdfParagraph[];
}

/** Plain text as a document: blank lines part paragraphs, single line ends become hard breaks. */
export function adfFromText(text: string): AdfDocument {
  const paragraphs = text
    .replace(/\r\n?/g, "\n")
    .split(/\n{2,}/)
    .map((part) => part.replace(/^\n+|\n+$/g, ""))
    .filter((part) => part !== "");
  return { type: "doc", version: 1, content: paragraphs.map(paragraph) };
}

function paragraph(text: string): AdfParagraph {
  const content: (AdfText | { type: "hardBreak" })[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) content.push({ type: "hardBreak" });
    // ADF refuses a text node without text.
    if (line !== "") content.push({ type: "text", text: line });
  }
  return { type: "paragraph", content };
}
