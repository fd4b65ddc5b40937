import { z } from "zod";
import { createGithubApi } from "../../connectors/github/api.js";
import { createTurns } from "../../src/board/turns.js";
import { openRedis } from "../../src/redis/open.js";
import { createHold } from "../../src/store/redis/turns.js";
import { until } from "./until.js";

/** A process that writes to GitHub: `redis url, board url, token, milliseconds between writes, how many at once`. */

const [redisUrl = "", boardUrl = "", token = "", spacing = "0", count = "1"] = process.argv.slice(2);
const redis = openRedis(redisUrl, { enableOfflineQueue: false });
redis.on("error", () => {});
await until(() => redis.status === "ready");
const api = createGithubApi(
  boardUrl,
  { token },
  { checkUrl: async () => {}, turns: createTurns(createHold(redis)) },
  { mutationSpacingMs: Number(spacing) },
);
console.log("ready");
process.stdin.once("data", async () => {
  const { signal } = new AbortController();
  const write = () => api.write("POST /writes", {}, z.looseObject({}), signal);
  await Promise.all(Array.from({ length: Number(count) }, write));
  redis.disconnect();
  process.exit(0);
});
