import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  CONFIG_VARIABLES,
  describeConfig,
  parseConfig,
  requireEncryptionKeys,
  secretsOf,
} from "../../src/config.js";
import { BoardwalkError } from "../../src/errors.js";

const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => (i * 37 + 11) % 256)).toString("base64");
const OTHER = Buffer.from(Array.from({ length: 32 }, (_, i) => (i * 53 + 7) % 256)).toString("base64");
const TOKEN = "a-long-enough-admin-token";

function faultsOf(...args: Parameters<typeof parseConfig>): readonly string[] {
  try {
    parseConfig(...args);
  } catch (error) {
    if (!(error instanceof BoardwalkError)) throw error;
    expect(error.code).toBe("invalid");
    return error.data?.faults as readonly string[];
  }
  return [];
}

describe("settings", () => {
  it("need nothing at all", () => {
    const config = parseConfig({});
    expect(config).toMatchObject({ host: "127.0.0.1", port: 8420, replyBudgetMs: 2500, role: "all" });
    expect(config.redisUrl).toBeUndefined();
  });

  it("come from flag, environment, file and default, in this order", () => {
    const file = "port: 1003\nhost: file.example\nlogLevel: debug\nreplyBudgetMs: 900\n";
    const config = parseConfig({ PORT: "1002", HOST: "env.example" }, { port: 1001 }, file);
    expect(config).toMatchObject({ port: 1001, host: "env.example", logLevel: "debug", laneCap: 32 });
    expect(config.replyBudgetMs).toBe(900);
  });

  it("take an empty variable for one left out", () => {
    expect(parseConfig({ PORT: "", REDIS_URL: " " })).toMatchObject({ port: 8420 });
  });

  it("are frozen, their lists too", () => {
    const config = parseConfig({ BOARDWALK_ALLOWED_ORIGINS: "https://a.example, https://b.example," });
    expect(config.allowedOrigins).toEqual(["https://a.example", "https://b.example"]);
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
    expect(() => (config.allowedOrigins as string[]).push("x")).toThrow(TypeError);
  });

  it("read lists and switches from YAML as YAML writes them", () => {
    const config = parseConfig({}, {}, "allowedHosts: [a.example, b.example]\nallowPrivateHosts: true\n");
    expect(config).toMatchObject({ allowedHosts: ["a.example", "b.example"], allowPrivateHosts: true });
  });

  it("lose the slash at the end of an address", () => {
    expect(parseConfig({ PUBLIC_URL: "https://bw.example/base/" }).publicUrl).toBe("https://bw.example/base");
  });
});

describe("faults in settings", () => {
  it("are all told at once, by name and without the value", () => {
    const env = {
      PORT: "99999hunter2",
      LOG_LEVEL: "loudhunter2",
      PUBLIC_URL: "https://me:hunter2@bw.example",
      REDIS_URL: "http://hunter2",
      BOARDWALK_ADMIN_TOKEN: "hunter2",
      BOARDWALK_ENCRYPTION_KEYS: "k1:hunter2",
      BOARDWALK_ALLOW_PRIVATE_HOSTS: "hunter2",
    };
    const faults = faultsOf(env);
    expect(faults.map((fault) => fault.split(" ")[0]).sort()).toEqual(Object.keys(env).sort());
    expect(faults.join()).not.toContain("hunter2");
    expect(() => parseConfig(env)).toThrow(/^7 settings are wrong:/);
    expect(() => parseConfig(env)).not.toThrow(/hunter2/);
  });

  it("include a Redis password that cannot be read back from its address", () => {
    expect(faultsOf({ REDIS_URL: "redis://:50%off@redis.example" })).toHaveLength(1);
  });

  it("say where the faulty setting came from", () => {
    expect(faultsOf({}, { port: "x" })).toEqual([expect.stringMatching(/^--port must be/)]);
    expect(faultsOf({}, {}, "replyBudgetMs: 5")).toEqual([
      expect.stringMatching(/^replyBudgetMs in boardwalk\.yaml must be/),
    ]);
  });

  it("include settings of the file that do not exist, and a file that is not YAML", () => {
    expect(faultsOf({}, {}, "prot: 1")).toEqual(["prot in boardwalk.yaml is not a setting"]);
    const faults = faultsOf({}, {}, "adminToken: [hunter2");
    expect(faults).toHaveLength(1);
    expect(faults[0]).not.toContain("hunter2");
  });

  it.each([
    "changeme",
    "change-me",
    "CHANGE_ME",
    "your-secret-token-here",
    "<put a token here>",
    "xxxxxxxxxxxxxxxxxxxx",
  ])("include the placeholder %s", (placeholder) => {
    const faults = faultsOf({
      BOARDWALK_ADMIN_TOKEN: placeholder,
      BOARDWALK_ENCRYPTION_KEYS: `k1:${placeholder}`,
    });
    expect(faults.filter((fault) => fault.includes("placeholder"))).toHaveLength(2);
  });

  it.each([
    ["no id", KEY],
    ["a short key", `k1:${KEY.slice(0, 20)}`],
    ["a key that is not base64", `k1:${"!".repeat(44)}`],
    ["a key of one byte repeated", `k1:${Buffer.alloc(32, 7).toString("base64")}`],
    ["an id twice", `k1:${KEY},k1:${OTHER}`],
  ])("include %s among the encryption keys", (_name, keys) => {
    expect(faultsOf({ BOARDWALK_ENCRYPTION_KEYS: keys })).toHaveLength(1);
  });
});

describe("secrets", () => {
  it("may each come from a file", () => {
    const files: Record<string, string> = { "/t": `${TOKEN}\n`, "/k": `k1:${KEY}\n`, "/r": "redis://h:1\n" };
    const config = parseConfig(
      { BOARDWALK_ADMIN_TOKEN_FILE: "/t", BOARDWALK_ENCRYPTION_KEYS_FILE: "/k", REDIS_URL_FILE: "/r" },
      {},
      undefined,
      (path) => files[path] ?? "",
    );
    expect(config).toMatchObject({ adminToken: TOKEN, redisUrl: "redis://h:1" });
    expect(config.encryptionKeys).toHaveLength(1);
  });

  it("may not come from both places, nor from a file that is missing or empty", () => {
    expect(
      faultsOf(
        { BOARDWALK_ADMIN_TOKEN: TOKEN, BOARDWALK_ADMIN_TOKEN_FILE: "/t" },
        {},
        undefined,
        () => TOKEN,
      ),
    ).toEqual([expect.stringContaining("both set")]);
    expect(faultsOf({ REDIS_URL_FILE: "/does/not/exist" })).toEqual([
      expect.stringMatching(/^REDIS_URL_FILE .*cannot be read/),
    ]);
    expect(faultsOf({ REDIS_URL_FILE: "/r" }, {}, undefined, () => "\n")).toEqual([
      expect.stringMatching(/^REDIS_URL_FILE .*empty/),
    ]);
  });

  it("are masked when the settings are shown, and known to whoever keeps them out of logs", () => {
    const config = parseConfig({
      BOARDWALK_ADMIN_TOKEN: TOKEN,
      BOARDWALK_ENCRYPTION_KEYS: `new:${KEY},old:${OTHER}`,
      REDIS_URL: "redis://user:p%40ss@redis.example:6379",
    });
    const shown = JSON.stringify(describeConfig(config));
    for (const secret of secretsOf(config)) expect(shown).not.toContain(secret);
    expect(secretsOf(config)).toEqual(expect.arrayContaining([TOKEN, KEY, OTHER, "p@ss", "p%40ss"]));
    expect(describeConfig(config)).toMatchObject({
      BOARDWALK_ADMIN_TOKEN: "(set)",
      BOARDWALK_ENCRYPTION_KEYS: "(set: new, old)",
      REDIS_URL: "redis://***@redis.example:6379",
    });
  });

  it("include a key to seal with wherever state is kept", () => {
    expect(() => requireEncryptionKeys(parseConfig({}))).toThrow(
      /BOARDWALK_ENCRYPTION_KEYS is not set.*init-secrets/,
    );
    const config = parseConfig({ BOARDWALK_ENCRYPTION_KEYS: `k1:${KEY},k2:${OTHER}` });
    expect(requireEncryptionKeys(config).map(({ id, key }) => [id, key.length])).toEqual([
      ["k1", 32],
      ["k2", 32],
    ]);
  });
});

it("prints no line of boardwalk.yaml, whatever is odd about it", async () => {
  const warned: unknown[] = [];
  const hear = (warning: unknown) => void warned.push(warning);
  process.on("warning", hear);
  expect(() => parseConfig({}, {}, "!secret-tag hunter2\n")).toThrow();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", hear);
  expect(warned).toEqual([]);
});

describe(".env.example", () => {
  const lines = readFileSync(new URL("../../.env.example", import.meta.url), "utf8").split("\n");
  const named = lines.flatMap((line) => /^#?([A-Z][A-Z0-9_]*)=/.exec(line)?.[1] ?? []);

  it("names exactly the variables that are read, each once, fewer than forty", () => {
    expect([...named].sort()).toEqual([...CONFIG_VARIABLES].sort());
    expect(named.length).toBeLessThan(40);
  });

  it("has a comment before every one of them", () => {
    for (const [at, line] of lines.entries()) {
      if (!/^#?[A-Z][A-Z0-9_]*=/.test(line) || line.includes("_FILE=")) continue;
      expect(lines[at - 1], line).toMatch(/^# \S/);
    }
  });

  it("shows the true defaults", () => {
    const shown = describeConfig(parseConfig({}));
    const examples = new Set([
      "PUBLIC_URL",
      "ALEXA_PUBLIC_URL",
      "ALEXA_REDIRECT_URIS",
      "REDIS_URL",
      "BOARDWALK_ALLOWED_ORIGINS",
      "BOARDWALK_ALLOWED_HOSTS",
      "OTEL_EXPORTER_OTLP_ENDPOINT",
    ]);
    for (const line of lines) {
      const [, name, value] = /^#?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
      const shownValue = name === undefined ? undefined : shown[name];
      if (name === undefined || shownValue === undefined || value === "" || examples.has(name)) continue;
      expect(value, name).toBe(shownValue === "false" ? "0" : shownValue);
    }
  });
});
