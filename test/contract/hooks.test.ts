import { randomUUID } from "node:crypto";
import { createBullmqHooks } from "../../src/hooks/bullmq.js";
import { createInlineHooks } from "../../src/hooks/inline.js";
import { redisUrl } from "../support/redis.js";
import { describeHooks } from "./hooks.contract.js";

describeHooks("inline hooks", async (options) => createInlineHooks(options));

describeHooks("BullMQ hooks", async (options) =>
  createBullmqHooks({ connection: await redisUrl(), prefix: `test-${randomUUID()}`, ...options }),
);
