import fc from "fast-check";
import { CONFIG_VARIABLES, describeConfig, parseConfig } from "../../src/config.js";
import { parseRedisUrl, secretsInRedisUrl, withoutRedisSecrets } from "../../src/redis/address.js";
import { fuzz, fuzzed } from "../support/fuzz.js";
import { jsonOf, jsonText, text, writeJson } from "../support/hostile.js";

/** What operators set. */

const variable = fc.constantFrom(...CONFIG_VARIABLES);
const value = fc.oneof(
  text,
  fc.constantFrom(
    "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    "0",
    "1",
    "8420",
    "https://a.example",
    "1e9",
    "-1",
  ),
);
const host = fc.oneof(text, fc.constantFrom("127.0.0.1:6379", "[::1]:6379", "a,b:1,c", "user:p%40ss@host"));
const url = fc.oneof(
  text,
  fc
    .tuple(
      fc.constantFrom("redis", "rediss", "redis-cluster", "redis-sentinel", "rediss-sentinel"),
      host,
      fc.oneof(text, fc.constantFrom("0", "mymaster/1", "")),
      fc.oneof(text, fc.constantFrom("tls=1", "family=4&tls=0", "sentinelPassword=%zz", "__proto__=1")),
    )
    .map(([scheme, at, path, query]) => `${scheme}://${at}/${path}?${query}`),
);
const KEYS = ["port", "host", "redisUrl", "encryptionKeys", "allowedOrigins", "publicUrl"];
const ALIASES = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nport: *c\n";

fuzz("settings of the service", {
  environment: fuzzed(fc.dictionary(variable, value, { maxKeys: 8 }), (env) =>
    describeConfig(parseConfig(env, {}, undefined, () => "x")),
  ),
  "a secret's file": fuzzed(text, (secret) =>
    describeConfig(parseConfig({ BOARDWALK_ADMIN_TOKEN_FILE: "x" }, {}, undefined, () => secret)),
  ),
  flags: fuzzed(
    fc.dictionary(fc.constantFrom("port", "host", "logLevel", "role", "__proto__"), value),
    (flags) => describeConfig(parseConfig({}, flags)),
  ),
  "boardwalk.yaml": fuzzed(
    fc.oneof(
      text,
      jsonText(jsonOf(KEYS)),
      fc.tuple(fc.oneof(fc.constantFrom(...KEYS), text), text).map(([key, set]) => `${key}: ${set}\n`),
      fc.tuple(fc.constantFrom(...KEYS), jsonOf([])).map(([key, set]) => `${key}: ${writeJson(set)}\n`),
      text.map((more) => ALIASES + more),
    ),
    (yaml) => describeConfig(parseConfig({}, {}, yaml)),
  ),
  "the address of Redis": fuzzed(url, (given) => [withoutRedisSecrets(given), parseRedisUrl(given)]),
  "secrets in the address of Redis": fuzzed(url, (given) => secretsInRedisUrl(given)),
});
