export { createFsmMcpBridge } from "./bridge.js";
export { createStateGate } from "./gate.js";
export {
  type BoundTool,
  bindState,
  type GateCallContext,
  type GateTool,
  type ListedTool,
} from "./gate-tools.js";
export type { GateNotice, StateGate, StateGateOptions } from "./gate-types.js";
export { type FsmEventFacts, type FsmLogic, logicOf } from "./logic.js";
export type { LowLevelServerLike } from "./low-level.js";
export { type MermaidOptions, toMermaid } from "./mermaid.js";
export { type McpServerLike, type RegisterOptions, registerFsmMcpBridge } from "./register.js";
export {
  type GateServerLike,
  type RegisterGateOptions,
  registerStateGate,
} from "./register-gate.js";
export type { AllowedCall, FsmReply } from "./replies.js";
export {
  type FsmScreen,
  type FsmScreenAction,
  type FsmScreens,
  type ScreenOptions,
  screensJsonSchema,
  toScreens,
} from "./screens.js";
export {
  createMemoryStateStore,
  type FsmStateSnapshot,
  type FsmStateStore,
  type MemoryStateStoreOptions,
} from "./state-store.js";
export { toXstate, type XstateConfig } from "./to-xstate.js";
export type * from "./types.js";
export {
  type EventUtterances,
  resolveUtterance,
  toUtterances,
  type UtteranceLocale,
  type UtteranceOptions,
} from "./utterances.js";
export { type FromXstateOptions, fromXstate } from "./xstate.js";
export type { FsmClock } from "./xstate-actor.js";
export type { XstateMachine } from "./xstate-peer.js";
