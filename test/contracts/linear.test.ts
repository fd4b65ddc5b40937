import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  parse,
  specifiedScalarTypes,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { describe, expect, it } from "vitest";
import { ALL_DOCUMENTS, operationName } from "../../connectors/linear/documents.js";
import { SCHEMA } from "../../connectors/linear/emulator/schema.js";
import { contractFile, tellAbsent } from "./validate.js";

/**
 * Our documents, and the part of the schema that the emulator executes, against the schema Linear publishes. That one
 * is not ours to ship. Replies need no check of their own: the emulator cannot answer what its part does not allow.
 */
const FILE = "linear.schema.graphql";
const path = contractFile(FILE);
if (path === undefined) tellAbsent("Linear", FILE);

const ours = buildSchema(SCHEMA);
/** Read once a test needs it: it is large. */
let read: GraphQLSchema | undefined;
function published(): GraphQLSchema {
  read ??= buildSchema(readFileSync(path ?? "", "utf8"), { assumeValid: true, assumeValidSDL: true });
  return read;
}

describe("our documents and the emulator's part of the schema", () => {
  it.each(ALL_DOCUMENTS.map((document) => [operationName(document.query), document] as const))(
    "%s is valid",
    (_name, { query, kind }) => {
      const document = parse(query);
      expect(validate(ours, document).map(({ message }) => message)).toEqual([]);
      expect(document.definitions).toMatchObject([{ kind: "OperationDefinition", operation: kind }]);
    },
  );
});

describe.skipIf(path === undefined)("Linear's published schema", () => {
  it.each(ALL_DOCUMENTS.map((document) => [operationName(document.query), document.query] as const))(
    "allows our document %s",
    (_name, query) => {
      expect(validate(published(), parse(query)).map(({ message }) => message)).toEqual([]);
    },
  );

  it("calls nothing we use deprecated", () => {
    const deprecated: string[] = [];
    for (const { query } of ALL_DOCUMENTS) {
      const info = new TypeInfo(published());
      const enter = () => {
        const used = [info.getFieldDef(), info.getArgument(), info.getEnumValue()];
        for (const part of used) if (part?.deprecationReason) deprecated.push(part.name);
      };
      visit(parse(query), visitWithTypeInfo(info, { Field: enter, Argument: enter, EnumValue: enter }));
    }
    expect(deprecated).toEqual([]);
  });

  it("has every type, field and argument the emulator has, of the same type", () => {
    expect(differences(ours, published())).toEqual([]);
  });

  it("is seen to differ where it does", () => {
    const other = buildSchema(
      SCHEMA.replace("priority: Float!", "priority: Int")
        .replace("identifier: String!", "shoeSize: String!")
        .replace("stateId: String", "stateId: Int")
        .replace("enum PaginationOrderBy { createdAt", "enum PaginationOrderBy { shoeSize createdAt")
        .replace("includeArchived: Boolean", "includeGhosts: Boolean"),
    );
    expect(differences(other, published())).toEqual(
      expect.arrayContaining([
        "Issue.priority is Int, published as Float!",
        "Issue.shoeSize is not published",
        "IssueUpdateInput.stateId is Int, published as String",
        "PaginationOrderBy.shoeSize is not published",
        "Query.teams(includeGhosts) is not published",
      ]),
    );
  });
});

/** What in `part` the `whole` does not have, or has otherwise. */
function differences(part: GraphQLSchema, whole: GraphQLSchema): readonly string[] {
  const told: string[] = [];
  const compare = (where: string, type: unknown, publishedType: unknown) => {
    if (publishedType === undefined) told.push(`${where} is not published`);
    else if (String(type) !== String(publishedType))
      told.push(`${where} is ${String(type)}, published as ${String(publishedType)}`);
  };
  const builtIn = new Set(specifiedScalarTypes.map(({ name }) => name));
  for (const type of Object.values(part.getTypeMap())) {
    if (type.name.startsWith("__") || builtIn.has(type.name)) continue;
    const other = whole.getType(type.name);
    if (other?.constructor !== type.constructor) told.push(`${type.name} is not published`);
    else if (isObjectType(type) && isObjectType(other)) {
      for (const field of Object.values(type.getFields())) {
        const known = other.getFields()[field.name];
        compare(`${type.name}.${field.name}`, field.type, known?.type);
        for (const argument of field.args) {
          const same = known?.args.find(({ name }) => name === argument.name);
          compare(`${type.name}.${field.name}(${argument.name})`, argument.type, same?.type);
        }
      }
    } else if (isInputObjectType(type) && isInputObjectType(other)) {
      for (const field of Object.values(type.getFields()))
        compare(`${type.name}.${field.name}`, field.type, other.getFields()[field.name]?.type);
    } else if (isEnumType(type) && isEnumType(other)) {
      for (const { name } of type.getValues())
        compare(`${type.name}.${name}`, name, other.getValue(name)?.name);
    } else expect(isScalarType(type)).toBe(true);
  }
  return told;
}
