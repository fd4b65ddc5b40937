import type { DocumentNode, FieldNode, GraphQLNamedType, GraphQLSchema, SelectionSetNode } from "graphql";

/** What a query costs by Linear's rule: an object 1, a property 0.1, a list its children times the page's size. */

const DEFAULT_PAGE = 50;

type Graphql = typeof import("graphql");
type Variables = Readonly<Record<string, unknown>>;

export interface Measure {
  readonly graphql: Graphql;
  readonly schema: GraphQLSchema;
}

/** In tenths while counting, so that nothing is lost to fractions. */
const OBJECT = 10;
const PROPERTY = 1;

export function complexityOf({ graphql, schema }: Measure, document: DocumentNode, given: Variables): number {
  const fragments = new Map(
    document.definitions.flatMap((part) =>
      part.kind === "FragmentDefinition" ? [[part.name.value, part.selectionSet] as const] : [],
    ),
  );

  function pointsOf(set: SelectionSetNode, parent: GraphQLNamedType): number {
    let points = 0;
    for (const selection of set.selections) {
      if (selection.kind === "Field") points += fieldPoints(selection, parent);
      else if (selection.kind === "InlineFragment") points += pointsOf(selection.selectionSet, parent);
      else {
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) points += pointsOf(fragment, parent);
      }
    }
    return points;
  }

  function fieldPoints(field: FieldNode, parent: GraphQLNamedType): number {
    if (field.selectionSet === undefined) return PROPERTY;
    if (!graphql.isObjectType(parent)) return 0;
    const definition = parent.getFields()[field.name.value];
    if (definition === undefined) return 0;
    const type = graphql.getNamedType(definition.type);
    const inner = pointsOf(field.selectionSet, type);
    return type.name.endsWith("Connection") ? inner * pageSize(field, given) : OBJECT + inner;
  }

  return Math.ceil(
    document.definitions.reduce((points, part) => {
      if (part.kind !== "OperationDefinition") return points;
      const root = schema.getRootType(part.operation);
      return root ? points + pointsOf(part.selectionSet, root) : points;
    }, 0) / 10,
  );
}

function pageSize(field: FieldNode, given: Variables): number {
  const first = field.arguments?.find(({ name }) => name.value === "first")?.value;
  if (first?.kind === "IntValue") return Number(first.value);
  const size = first?.kind === "Variable" ? given[first.name.value] : undefined;
  return typeof size === "number" ? size : DEFAULT_PAGE;
}
