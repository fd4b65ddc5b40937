import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { CONFIG_VARIABLES, parseConfig } from "../../src/config.js";

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");

const service = z.object({
  image: z.string(),
  user: z.string(),
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()).optional(),
  env_file: z.string().optional(),
  volumes: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  healthcheck: z.object({ test: z.array(z.string()) }),
  cap_drop: z.array(z.string()),
});
const compose = z
  .object({
    services: z.object({ web: service, worker: service, redis: service }),
    volumes: z.record(z.string(), z.unknown()),
  })
  .parse(parse(read("docker-compose.yml"), { merge: true }));
const { web, worker, redis } = compose.services;

describe("docker-compose.yml", () => {
  it("runs web and worker from one image, each in its role", () => {
    expect(web.image).toBe(worker.image);
    expect(web.command).toEqual(["serve", "--role", "web"]);
    expect(worker.command).toEqual(["serve", "--role", "worker"]);
    expect(worker.ports).toBeUndefined();
  });

  it("gives Redis what production needs, and a volume for it", () => {
    const setting = (name: string) => redis.command[redis.command.indexOf(`--${name}`) + 1];
    expect(setting("appendonly")).toBe("yes");
    expect(setting("maxmemory-policy")).toBe("noeviction");
    const [volume = "", path] = redis.volumes?.[0]?.split(":") ?? [];
    expect(path).toBe("/data");
    expect(Object.keys(compose.volumes)).toContain(volume);
  });

  it("pins Redis to one version", () => {
    expect(redis.image).toMatch(/^redis:7\.\d+\.\d+/);
  });

  it("runs nothing as root, checks everything's health, and waits for Redis", () => {
    for (const each of [web, worker, redis]) {
      expect(each.user).not.toMatch(/^(root|0)?(:|$)/);
      expect(each.healthcheck.test[0]).toBe("CMD");
      expect(each.cap_drop).toEqual(["ALL"]);
    }
    for (const each of [web, worker]) expect(each.depends_on?.redis?.condition).toBe("service_healthy");
  });

  it("asks for the health of each at an address that its role has", () => {
    for (const each of [web, worker]) {
      const { metricsPort } = parseConfig(each.environment ?? {});
      expect(each.healthcheck.test.join(" ")).toContain(`http://127.0.0.1:${metricsPort}/healthz`);
    }
  });

  it("publishes nothing beyond the machine, and Redis not at all", () => {
    expect(redis.ports).toBeUndefined();
    for (const port of web.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it("sets only settings that are read, to values that are right, and holds no secret", () => {
    for (const each of [web, worker]) {
      expect(CONFIG_VARIABLES).toEqual(expect.arrayContaining(Object.keys(each.environment ?? {})));
      expect(() => parseConfig(each.environment ?? {})).not.toThrow();
      expect(each.env_file).toBe(".env");
    }
    expect(read("docker-compose.yml")).not.toMatch(/(TOKEN|KEYS|PASSWORD)\s*:/);
  });
});

describe("Dockerfile", () => {
  const lines = read("Dockerfile").split("\n");

  it("is built on a pinned Node that package.json allows", () => {
    const [first = ""] = lines.filter((line) => line.startsWith("FROM "));
    expect(first).toMatch(/^FROM node:20\.\d+-bookworm-slim /);
  });

  it("ends as a user who is not root, with a health check on the process", () => {
    const users = lines.filter((line) => line.startsWith("USER "));
    expect(users.at(-1)).toBe("USER node");
    expect(lines.lastIndexOf("USER node")).toBeGreaterThan(
      lines.findLastIndex((line) => line.startsWith("FROM ")),
    );
    expect(read("Dockerfile")).toMatch(/HEALTHCHECK[\s\S]*\/healthz/);
  });

  it("copies only what .dockerignore lets through", () => {
    const through = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = lines
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(" ").slice(1, -1));
    expect(through).toEqual(expect.arrayContaining(copied));
  });
});
