export { createFsmMcpBridge } from "./bridge.js";
export { type FsmEventFacts, type FsmLogic, logicOf } from "./logic.js";
export { type McpServerLike, type RegisterOptions, registerFsmMcpBridge } from "./register.js";
export type { AllowedCall, FsmReply } from "./replies.js";
export type * from "./types.js";
