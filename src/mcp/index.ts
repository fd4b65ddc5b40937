export { type Body, type Rejection, readJson } from "./body.js";

export { type FrozenContract, frozenContract } from "./contract.js";
export { createMcp, type HandleOptions, type Mcp, type McpLog, type McpOptions } from "./mcp.js";
export type { Principal, Surface } from "./principal.js";
export { ticketUri, workflowUri } from "./resources.js";
