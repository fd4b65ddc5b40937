export { actorFactory, createFsmActor, type FsmActorOptions } from "./actor.js";
export { entryHooks } from "./compile.js";
export type { FsmToolName, MoveEventName } from "./name-types.js";
export { distinctNames, fitName, shortHash, slug, snakeCase } from "./names.js";
export * from "./status-graph.js";
export { collectEventTypes, transition } from "./transition.js";
export type * from "./types.js";
