/** The service's parts, for who builds on them: `import { createApp } from "boardwalk/service"`. */

export { type App, type AppOptions, createApp } from "./app.js";
export type {
  Connector,
  ConnectorKind,
  ConnectorKit,
  Hint,
  Move,
  MoveInput,
  Ticket,
} from "./board/connector.js";
export { errorFromAnswer, errorFromTransport, siteOf, through, withTimeout } from "./board/http.js";
export type { Vcs, VcsKind } from "./board/vcs.js";
export { type Config, loadConfig, parseConfig } from "./config.js";
export { createBullmqHooks } from "./hooks/bullmq.js";
export type { Hooks, Job, JobReply } from "./hooks/hooks.js";
export { createInlineHooks } from "./hooks/inline.js";
export { createMemoryStore } from "./store/memory.js";
export { createRedisStateStore } from "./store/redis/state-store.js";
export { createRedisStore } from "./store/redis.js";
export type { ActorRecord, Store, TenantStore } from "./store/store.js";
