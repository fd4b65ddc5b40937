/**
 * The part of Linear's GraphQL schema that our documents use, written down by us: the whole of it is more than a
 * megabyte and not ours to ship. A test holds every type, field and argument here to the published one.
 */
export const SCHEMA = `
scalar DateTime
scalar DateTimeOrDuration

type Query {
  viewer: User!
  team(id: String!): Team!
  teams(after: String, filter: TeamFilter, first: Int, includeArchived: Boolean, orderBy: PaginationOrderBy): TeamConnection!
  issue(id: String!): Issue!
  issues(after: String, filter: IssueFilter, first: Int, includeArchived: Boolean, orderBy: PaginationOrderBy): IssueConnection!
  webhooks(after: String, first: Int, includeArchived: Boolean, orderBy: PaginationOrderBy): WebhookConnection!
}

type Mutation {
  issueUpdate(id: String!, input: IssueUpdateInput!): IssuePayload!
  commentCreate(input: CommentCreateInput!): CommentPayload!
  webhookCreate(input: WebhookCreateInput!): WebhookPayload!
  webhookUpdate(id: String!, input: WebhookUpdateInput!): WebhookPayload!
}

enum PaginationOrderBy { createdAt updatedAt }
enum TeamVisibility { private public restricted }
enum GitAutomationStates { draft merge mergeable review start }

type PageInfo { endCursor: String hasNextPage: Boolean! }

type User { id: ID! name: String! }

type Team {
  id: ID!
  key: String!
  name: String!
  archivedAt: DateTime
  retiredAt: DateTime
  visibility: TeamVisibility!
  triageEnabled: Boolean!
  requirePriorityToLeaveTriage: Boolean!
  triageIssueState: WorkflowState
  defaultIssueState: WorkflowState
  states(after: String, first: Int, includeArchived: Boolean, orderBy: PaginationOrderBy): WorkflowStateConnection!
  gitAutomationStates(after: String, first: Int, includeArchived: Boolean, orderBy: PaginationOrderBy): GitAutomationStateConnection!
}
type TeamConnection { nodes: [Team!]! pageInfo: PageInfo! }

type WorkflowState {
  id: ID!
  name: String!
  type: String!
  position: Float!
  archivedAt: DateTime
  inheritedFrom: WorkflowState
}
type WorkflowStateConnection { nodes: [WorkflowState!]! pageInfo: PageInfo! }

type GitAutomationState {
  event: GitAutomationStates!
  state: WorkflowState
  targetBranch: GitAutomationTargetBranch
}
type GitAutomationTargetBranch { branchPattern: String! }
type GitAutomationStateConnection { nodes: [GitAutomationState!]! pageInfo: PageInfo! }

type Issue {
  id: ID!
  identifier: String!
  previousIdentifiers: [String!]!
  title: String!
  branchName: String!
  priority: Float!
  updatedAt: DateTime!
  archivedAt: DateTime
  trashed: Boolean
  state: WorkflowState!
  team: Team!
}
type IssueConnection { nodes: [Issue!]! pageInfo: PageInfo! }

type Webhook {
  id: ID!
  url: String
  enabled: Boolean!
  resourceTypes: [String!]!
  allPublicTeams: Boolean!
  team: Team
}
type WebhookConnection { nodes: [Webhook!]! pageInfo: PageInfo! }

type IssuePayload { success: Boolean! lastSyncId: Float! issue: Issue }
type CommentPayload { success: Boolean! lastSyncId: Float! }
type WebhookPayload { success: Boolean! lastSyncId: Float! webhook: Webhook! }

input IssueUpdateInput { stateId: String priority: Int title: String }
input CommentCreateInput { issueId: String body: String }
input WebhookCreateInput {
  allPublicTeams: Boolean
  enabled: Boolean
  label: String
  resourceTypes: [String!]!
  secret: String
  teamId: String
  url: String!
}
input WebhookUpdateInput { enabled: Boolean label: String resourceTypes: [String!] secret: String url: String }

input IDComparator { eq: ID }
input StringComparator { eq: String eqIgnoreCase: String }
input DateComparator { gte: DateTimeOrDuration }
input TeamFilter { id: IDComparator key: StringComparator name: StringComparator or: [TeamFilter!] }
input IssueFilter { team: TeamFilter updatedAt: DateComparator }
`;
