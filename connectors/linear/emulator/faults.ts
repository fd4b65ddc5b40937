/** How Linear says no. */

export interface FaultFacts {
  readonly type: string;
  readonly code: string;
  readonly statusCode?: number;
  readonly userPresentableMessage?: string;
}

export class LinearFault extends Error {
  readonly facts: FaultFacts;

  constructor(message: string, facts: FaultFacts) {
    super(message);
    this.facts = facts;
  }

  /** As `extensions` of an error in the reply. */
  get extensions(): Readonly<Record<string, unknown>> {
    const { statusCode = 400, ...facts } = this.facts;
    return { ...facts, statusCode, userError: statusCode < 500 };
  }
}

export const unauthenticated = () =>
  new LinearFault("Authentication required, not authenticated", {
    type: "authentication error",
    code: "AUTHENTICATION_ERROR",
    statusCode: 401,
    userPresentableMessage: "You need to authenticate to access this operation.",
  });

export const keyAsBearer = () =>
  new LinearFault("Authentication required, not authenticated", {
    type: "authentication error",
    code: "AUTHENTICATION_ERROR",
    statusCode: 400,
    userPresentableMessage:
      "It looks like you're trying to use an API key as a Bearer token. Remove the Bearer prefix from the Authorization header.",
  });

export const forbidden = (what: string) =>
  new LinearFault(`Forbidden: ${what}`, {
    type: "forbidden",
    code: "FORBIDDEN",
    statusCode: 403,
    userPresentableMessage: `You don't have permission to ${what}.`,
  });

export const notFound = (entity: string) =>
  new LinearFault(`Entity not found: ${entity}`, {
    type: "invalid input",
    code: "INPUT_ERROR",
    userPresentableMessage: `Could not find referenced ${entity}.`,
  });

export const invalidArgument = (userPresentableMessage: string) =>
  new LinearFault("Argument Validation Error", {
    type: "invalid input",
    code: "INVALID_INPUT",
    userPresentableMessage,
  });

export const discrepancy = () =>
  new LinearFault("Discrepancy between issue team and state, cycle or project.", {
    type: "invalid input",
    code: "INPUT_ERROR",
  });

export const needsPriority = () =>
  new LinearFault("Priority required", {
    type: "user error",
    code: "USER_ERROR",
    userPresentableMessage: "A priority is required to move issues out of triage.",
  });

export const rateLimited = () =>
  new LinearFault("Rate limit exceeded", {
    type: "ratelimited",
    code: "RATELIMITED",
    statusCode: 429,
    userPresentableMessage: "Rate limit exceeded. Please try again later.",
  });

export const tooComplex = (points: number, limit: number) =>
  new LinearFault("Query too complex", {
    type: "invalid input",
    code: "INPUT_ERROR",
    userPresentableMessage: `The query's complexity is ${points}, the maximum is ${limit}.`,
  });
