import { z } from "zod";
import type { GraphqlDocument } from "./graphql.js";

/** Every GraphQL document we send, with the shape of its data. A unit test holds them to GitHub's schema. */

/** GitHub tells whole seconds; everyone else here writes ISO times with milliseconds. */
const time = z.iso.datetime().transform((text) => new Date(text).toISOString());

const singleSelectField = z.object({
  id: z.string(),
  name: z.string(),
  options: z.array(z.object({ id: z.string(), name: z.string() })),
});
/** What GraphQL answers where our fragment is on another type. */
const notThat = z.strictObject({}).transform(() => null);
export type SingleSelectField = z.infer<typeof singleSelectField>;

const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });

const projectFacts = z.object({
  id: z.string(),
  title: z.string(),
  url: z.string(),
  closed: z.boolean(),
  template: z.boolean(),
  viewerCanUpdate: z.boolean(),
});
export type ProjectFacts = z.infer<typeof projectFacts>;

const PROJECT_FACTS = "id title url closed template viewerCanUpdate";
const FIELD = "... on ProjectV2SingleSelectField { id name options { id name } }";

const ownerReply = z.object({
  viewer: z.object({ login: z.string() }),
  repositoryOwner: z
    .object({
      __typename: z.string(),
      projectV2: projectFacts
        .extend({
          fields: z.object({
            nodes: z.array(z.union([singleSelectField, notThat]).nullable()),
            pageInfo,
          }),
        })
        .nullish(),
    })
    .nullable(),
});

/** The project by owner and number, whether the owner is a person or an organization. */
export const projectDocument: GraphqlDocument<z.infer<typeof ownerReply>> = {
  kind: "query",
  query: `query BoardwalkProject($owner: String!, $number: Int!, $after: String) {
  viewer { login }
  repositoryOwner(login: $owner) {
    __typename
    ... on ProjectV2Owner {
      projectV2(number: $number) {
        ${PROJECT_FACTS}
        fields(first: 100, after: $after) {
          nodes { ${FIELD} }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }
}`,
  data: ownerReply,
};

const projectsReply = z.object({
  repositoryOwner: z
    .object({
      projectsV2: z
        .object({
          nodes: z.array(z.object({ number: z.number(), title: z.string(), closed: z.boolean() }).nullable()),
          pageInfo,
        })
        .optional(),
    })
    .nullable(),
});

/** The projects of a person or an organization that this account sees. */
export const projectsDocument: GraphqlDocument<z.infer<typeof projectsReply>> = {
  kind: "query",
  query: `query BoardwalkProjects($owner: String!, $after: String) {
  repositoryOwner(login: $owner) {
    ... on ProjectV2Owner {
      projectsV2(first: 100, after: $after) {
        nodes { number title closed }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`,
  data: projectsReply,
};

const repository = z.object({ name: z.string(), nameWithOwner: z.string() });
const content = z.discriminatedUnion("__typename", [
  z.object({
    __typename: z.literal("Issue"),
    id: z.string(),
    number: z.number().int(),
    title: z.string(),
    updatedAt: time,
    repository,
    linkedBranches: z
      .object({ nodes: z.array(z.object({ ref: z.object({ name: z.string() }).nullable() }).nullable()) })
      .nullish(),
  }),
  z.object({
    __typename: z.literal("PullRequest"),
    id: z.string(),
    number: z.number().int(),
    title: z.string(),
    updatedAt: time,
    repository,
    headRefName: z.string(),
  }),
  z.object({ __typename: z.literal("DraftIssue"), id: z.string(), title: z.string(), updatedAt: time }),
]);

const item = z.object({
  id: z.string(),
  type: z.string(),
  isArchived: z.boolean(),
  updatedAt: time,
  project: projectFacts,
  // An empty object is a field of another type that bears the same name.
  fieldValueByName: z.object({ optionId: z.string().nullish() }).nullable(),
  content: content.nullable(),
});
export type ProjectItem = z.infer<typeof item>;
export type ItemContent = z.infer<typeof content>;

const ITEM = `fragment BoardwalkItem on ProjectV2Item {
  id type isArchived updatedAt
  project { ${PROJECT_FACTS} }
  fieldValueByName(name: $fieldName) { ... on ProjectV2ItemFieldSingleSelectValue { optionId } }
  content {
    __typename
    ... on Issue {
      id number title updatedAt
      repository { name nameWithOwner }
      linkedBranches(first: 5) { nodes { ref { name } } }
    }
    ... on PullRequest { id number title updatedAt headRefName repository { name nameWithOwner } }
    ... on DraftIssue { id title updatedAt }
  }
}`;

// A value can be asked for by the field's name only; the field travels along, so that a renamed one is noticed.
const FIELD_BY_ID = `field: node(id: $fieldId) { ${FIELD} }`;
const fieldById = z.union([singleSelectField, notThat]).nullable();

const itemReply = z.object({
  field: fieldById,
  node: z.union([item, notThat]).nullable(),
});

export const itemDocument: GraphqlDocument<z.infer<typeof itemReply>> = {
  kind: "query",
  query: `query BoardwalkItem($item: ID!, $fieldId: ID!, $fieldName: String!) {
  ${FIELD_BY_ID}
  node(id: $item) { ...BoardwalkItem }
}
${ITEM}`,
  data: itemReply,
};

const itemsReply = z.object({
  field: fieldById,
  node: z.object({ items: z.object({ nodes: z.array(item.nullable()), pageInfo }) }).nullable(),
});

export const itemsDocument: GraphqlDocument<z.infer<typeof itemsReply>> = {
  kind: "query",
  query: `query BoardwalkItems($project: ID!, $fieldId: ID!, $fieldName: String!, $first: Int!, $after: String) {
  ${FIELD_BY_ID}
  node(id: $project) {
    ... on ProjectV2 {
      items(first: $first, after: $after) {
        nodes { ...BoardwalkItem }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
${ITEM}`,
  data: itemsReply,
};

const written = z.object({ projectV2Item: z.object({ id: z.string() }) });
const setReply = z.object({ updateProjectV2ItemFieldValue: written });
const clearReply = z.object({ clearProjectV2ItemFieldValue: written });
const commentReply = z.object({ addComment: z.object({ clientMutationId: z.string().nullish() }) });

export const setStatusDocument: GraphqlDocument<z.infer<typeof setReply>> = {
  kind: "mutation",
  query: `mutation BoardwalkMoveItem($project: ID!, $item: ID!, $field: ID!, $option: String!) {
  updateProjectV2ItemFieldValue(
    input: {projectId: $project, itemId: $item, fieldId: $field, value: {singleSelectOptionId: $option}}
  ) { projectV2Item { id } }
}`,
  data: setReply,
};

export const clearStatusDocument: GraphqlDocument<z.infer<typeof clearReply>> = {
  kind: "mutation",
  query: `mutation BoardwalkClearItem($project: ID!, $item: ID!, $field: ID!) {
  clearProjectV2ItemFieldValue(input: {projectId: $project, itemId: $item, fieldId: $field}) {
    projectV2Item { id }
  }
}`,
  data: clearReply,
};

export const commentDocument: GraphqlDocument<z.infer<typeof commentReply>> = {
  kind: "mutation",
  query: `mutation BoardwalkCreateComment($subject: ID!, $body: String!) {
  addComment(input: {subjectId: $subject, body: $body}) { clientMutationId }
}`,
  data: commentReply,
};

export const ALL_DOCUMENTS = [
  projectDocument,
  projectsDocument,
  itemDocument,
  itemsDocument,
  setStatusDocument,
  clearStatusDocument,
  commentDocument,
] as const;
