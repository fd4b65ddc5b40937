import { schema } from "@octokit/graphql-schema";
import { buildSchema, parse, TypeInfo, validate, visit, visitWithTypeInfo } from "graphql";
import { describe, expect, it } from "vitest";
import { ALL_DOCUMENTS } from "../../connectors/github/documents.js";

/**
 * Our documents against GitHub's published schema. Replies need no check of their own: the emulator executes the same
 * schema, and its REST bodies are typed as GitHub's published description.
 */
const published = buildSchema(schema.idl, { assumeValid: true, assumeValidSDL: true });

describe("our GraphQL documents and GitHub's schema", () => {
  it.each(ALL_DOCUMENTS.map((document) => [nameOf(document.query), document] as const))(
    "%s is valid",
    (_name, document) => {
      const parsed = parse(document.query);
      expect(validate(published, parsed).map(({ message }) => message)).toEqual([]);
      const [operation] = parsed.definitions;
      expect(operation).toMatchObject({ kind: "OperationDefinition", operation: document.kind });
    },
  );

  it("use nothing deprecated", () => {
    const deprecated: string[] = [];
    for (const { query } of ALL_DOCUMENTS) {
      const info = new TypeInfo(published);
      visit(
        parse(query),
        visitWithTypeInfo(info, {
          Field() {
            const field = info.getFieldDef();
            if (field?.deprecationReason) deprecated.push(field.name);
          },
        }),
      );
    }
    expect(deprecated).toEqual([]);
  });

  it("never use the mutation that replaces every option of a field", () => {
    for (const { query } of ALL_DOCUMENTS)
      expect(query).not.toMatch(/updateProjectV2Field\b|createProjectV2Field\b/);
  });
});

function nameOf(query: string): string {
  return /(?:query|mutation) (\w+)/.exec(query)?.[1] ?? query;
}
