import { randomUUID } from "node:crypto";
import { createMemoryOauthRecords } from "../../src/store/oauth-memory.js";
import { createRedisOauthRecords } from "../../src/store/redis/oauth.js";
import { redisUrl } from "../support/redis.js";
import { describeOauthRecords } from "./oauth-records.contract.js";

describeOauthRecords("in memory", async () => createMemoryOauthRecords());

describeOauthRecords("in Redis", async () =>
  createRedisOauthRecords(await redisUrl(), `test-${randomUUID()}`),
);
