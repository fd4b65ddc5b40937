import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Demo, startDemo } from "../../src/demo.js";
import { createAdminApi } from "../../src/http/admin.js";
import type { AdminDeps } from "../../src/http/admin-deps.js";
import { CLI } from "../support/cli.js";

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

let demo: Demo;
let document: Document;
const ajv = new Ajv2020({ strict: false });

beforeAll(async () => {
  demo = await startDemo({ port: 0, host: "127.0.0.1", inMemory: true });
  document = (await (await fetch(`${demo.line.url}/openapi.json`)).json()) as Document;
});
afterAll(async () => {
  await demo?.close();
});

/** As the router itself has them: `get /api/v1/tenants/{tenant}`. */
function routes(): readonly string[] {
  const router = createAdminApi({ adminToken: "unused" } as unknown as AdminDeps);
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    return route.stack.map(({ method }) => `${method} /api/v1${path}`);
  });
}

/** Asks, and holds what comes to what is described. */
async function ask(method: string, template: string, names: Readonly<Record<string, string>>, body?: object) {
  const operation = document.paths[`/api/v1${template}`]?.[method];
  const path = template.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(names[name] ?? ""),
  );
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  if (body !== undefined) expect(ajv.validate(schema ?? false, body), ajv.errorsText()).toBe(true);
  const response = await fetch(`${demo.line.url}/api/v1${path}`, {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${demo.line.admin.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const described = operation?.responses[response.status];
  expect(described, `${method} ${template} answered ${response.status}`).toBeDefined();
  const text = await response.text();
  const answer: unknown = text === "" ? undefined : JSON.parse(text);
  const expected = described?.content?.["application/json"]?.schema;
  if (expected === undefined) expect(answer).toBeUndefined();
  else expect(ajv.validate(expected, answer), `${template}: ${ajv.errorsText()} in ${text}`).toBe(true);
  return answer as Readonly<Record<string, never>>;
}

describe("/openapi.json", () => {
  it("describes every route of the admin API, and no other", () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect(document.openapi).toBe("3.1.0");
    expect(routes().length).toBeGreaterThan(20);
    expect(described.sort()).toEqual([...routes()].sort());
  });

  it("names every part of each path", () => {
    for (const [path, operations] of Object.entries(document.paths))
      for (const { parameters = [] } of Object.values(operations)) {
        const named = parameters.filter((one) => one.in === "path").map(({ name }) => name);
        expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      }
  });

  it("says of each answer what it is", async () => {
    const acme = { tenant: "acme" };
    const { workflows } = (await ask("get", "/tenants/{tenant}/workflows", acme)) as unknown as {
      workflows: { id: string }[];
    };
    const workflow = { ...acme, id: workflows[0]?.id ?? "" };
    const { tickets } = (await ask("get", "/tenants/{tenant}/tickets", acme)) as unknown as {
      tickets: { id: string; title: string }[];
    };
    const login = tickets.find(({ title }) => title.startsWith("Login bug"))?.id ?? "";
    const ticket = { ...acme, id: login };
    const eng = { ...acme, connection: "eng" };
    await ask("get", "/session", {});
    await ask("post", "/tenants", {}, { id: "new", name: "New" });
    await ask("get", "/tenants", {});
    const { id } = (await ask("post", "/tenants/{tenant}/tokens", acme, { name: "ann" })) as unknown as {
      id: string;
    };
    await ask("get", "/tenants/{tenant}/tokens", acme);
    await ask("delete", "/tenants/{tenant}/tokens/{id}", { ...acme, id });
    const { code } = (await ask("post", "/tenants/{tenant}/members", acme, {
      name: "Ann",
    })) as unknown as { code: string };
    await ask("post", "/session", {}, { code });
    await ask("get", "/tenants/{tenant}/members", acme);
    await ask("delete", "/tenants/{tenant}/members/{name}", { ...acme, name: "Ann" });
    await ask("get", "/tenants/{tenant}/workflows/{id}", workflow);
    await ask("get", "/tenants/{tenant}/workflows/{id}/changes", workflow);
    await ask("post", "/tenants/{tenant}/tickets/{id}/moves", ticket, { to: "In Review" });
    await ask("post", "/tenants/{tenant}/say", acme, { sentence: "move the photo upload to done" });
    await ask("get", "/tenants/{tenant}/tickets/{id}", ticket);
    await ask("get", "/tenants/{tenant}/tickets/{id}/history", ticket);
    await ask("get", "/tenants/{tenant}/boards", acme);
    await ask("get", "/tenants/{tenant}/tools", acme);
    await ask("get", "/tenants/{tenant}/owed", acme);
    await ask("get", "/tenants/{tenant}/audit", acme);
    await ask("post", "/tenants/{tenant}/replay", acme, {});
    await ask("post", "/tenants/{tenant}/connections/{connection}/sync", eng);
    await ask("get", "/tenants/{tenant}/connections", acme);
    await ask("get", "/tenants/{tenant}/connections/{connection}", eng);
    await ask("delete", "/tenants/{tenant}/connections/{connection}", eng);
  });

  it("says of what is no JSON what it is instead", async () => {
    for (const ending of ["ndjson", "csv"]) {
      const response = await fetch(`${demo.line.url}/api/v1/tenants/acme/audit.${ending}`, {
        headers: { authorization: `Bearer ${demo.line.admin.token}` },
      });
      const { content = {} } =
        document.paths[`/api/v1/tenants/{tenant}/audit.${ending}`]?.get?.responses[200] ?? {};
      const [type = "none"] = Object.keys(content);
      expect(response.headers.get("content-type")).toContain(type);
      expect(await response.text()).toContain("move");
    }
  });

  it("is what the command line prints", async () => {
    const cli = [...CLI, "openapi"];
    const { stdout } = await promisify(execFile)(process.execPath, cli, { maxBuffer: 10_000_000 });
    expect(JSON.parse(stdout)).toEqual(document);
  });
});
