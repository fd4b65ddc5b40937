import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import type { Exchange } from "../../src/board/emulator.js";
import { forMode, type Json, type JsonObject, type Mode } from "./openapi.js";

/**
 * Holds traffic against a board's published OpenAPI description: what the connector sends and what its emulator
 * answers. The descriptions are not ours to ship, so they are looked for beside the repository.
 */

export interface Violation {
  /** `GET /rest/api/3/issue/{issueIdOrKey}`, or the bare path where the description has none. */
  readonly operation: string;
  readonly part: "path" | "query" | "request" | "status" | "response";
  readonly message: string;
}

export interface OpenApiContract {
  /** What in this exchange the description does not allow; empty when all of it is. */
  check(exchange: Exchange): readonly Violation[];
}

const FOLDER =
  process.env.BOARDWALK_CONTRACTS ?? fileURLToPath(new URL("../../../shared/contracts", import.meta.url));

/** The path of a published description, or `undefined` where it is not on this machine. */
export function contractFile(name: string): string | undefined {
  const path = `${FOLDER}/${name}`;
  return existsSync(path) ? path : undefined;
}

/** Says, where a person running the tests sees it, that nothing was checked and why. */
export function tellAbsent(board: string, name: string): void {
  console.warn(
    `\n${board}: skipped. The published description ${name} is not in ${FOLDER}. Set BOARDWALK_CONTRACTS to the folder that has it.\n`,
  );
}

/** One contract out of several files, as Jira's platform and software descriptions are. `undefined` if one is missing. */
export function loadOpenApi(...names: readonly string[]): OpenApiContract | undefined {
  const documents: Document[] = [];
  for (const name of names) {
    const path = contractFile(name);
    if (path === undefined) return undefined;
    documents.push(createDocument(JSON.parse(readFileSync(path, "utf8")) as JsonObject));
  }
  return {
    check(exchange) {
      for (const document of documents) {
        const found = document.find(exchange);
        if (found !== undefined) return document.check(found, exchange);
      }
      return [
        { operation: `${exchange.method} ${exchange.path}`, part: "path", message: "is not described" },
      ];
    },
  };
}

interface Operation {
  readonly name: string;
  /** As a JSON pointer into the document. */
  readonly pointer: string;
  readonly description: JsonObject;
}

type Document = ReturnType<typeof createDocument>;

function createDocument(source: JsonObject) {
  const validators = { request: validator(source, "request"), response: validator(source, "response") };
  const compiled = new Map<string, ValidateFunction>();
  const paths = Object.entries((source.paths ?? {}) as JsonObject).map(([template, item]) => ({
    template,
    item: item as JsonObject,
    pattern: new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+")}$`),
  }));
  // `/issue/bulkfetch` before `/issue/{issueIdOrKey}`.
  paths.sort((a, b) => Number(a.template.includes("{")) - Number(b.template.includes("{")));

  function faultsOf(mode: Mode, pointer: string, value: unknown): readonly string[] {
    const key = `${mode} ${pointer}`;
    const validate = compiled.get(key) ?? validators[mode].compile({ $ref: `contract#${pointer}` });
    compiled.set(key, validate);
    return validate(value) ? [] : (validate.errors ?? []).map(fault);
  }

  function checkQuery(operation: Operation, query: Exchange["query"]): readonly string[] {
    const parameters = ((operation.description.parameters ?? []) as JsonObject[]).map((parameter, index) => ({
      parameter: resolve(source, parameter),
      pointer: `${operation.pointer}/parameters/${index}/schema`,
    }));
    const described = parameters.filter(({ parameter }) => parameter.in === "query");
    const unknown = Object.keys(query).filter(
      (name) => !described.some(({ parameter }) => parameter.name === name),
    );
    return [
      ...unknown.map((name) => `${name} is not described`),
      ...described.flatMap(({ parameter, pointer }) => {
        const name = String(parameter.name);
        const value = query[name];
        if (value === undefined) return parameter.required === true ? [`${name} is required`] : [];
        const schema = resolve(source, (parameter.schema ?? {}) as JsonObject);
        return faultsOf("request", pointer, coerced(value, schema)).map((message) => `${name} ${message}`);
      }),
    ];
  }

  function checkRequestBody(operation: Operation, body: unknown): readonly string[] {
    const described = operation.description.requestBody as JsonObject | undefined;
    if (described === undefined) return isEmpty(body) ? [] : ["has a body, but none is described"];
    const media = ((described.content ?? {}) as JsonObject)["application/json"] as JsonObject | undefined;
    if (media?.schema === undefined) return [];
    return faultsOf(
      "request",
      `${operation.pointer}/requestBody/content/application~1json/schema`,
      body ?? {},
    );
  }

  function checkResponse(operation: Operation, exchange: Exchange): Violation[] {
    const responses = (operation.description.responses ?? {}) as JsonObject;
    const status = [String(exchange.status), "default"].find((each) => each in responses);
    const told = (part: "status" | "response") => (message: string) => ({
      operation: operation.name,
      part,
      message,
    });
    if (status === undefined) return [told("status")(`${exchange.status} is not described`)];
    if (exchange.status === 204) {
      return exchange.responseBody === "" ? [] : [told("response")("204 carries a body")];
    }
    const response = responses[status] as JsonObject;
    const content = (resolve(source, response).content ?? {}) as JsonObject;
    const media = content["application/json"] as JsonObject | undefined;
    if (media?.schema === undefined) return [];
    if (!/json/.test(exchange.contentType)) return [told("response")(`is ${exchange.contentType}, not JSON`)];
    const shared = typeof response.$ref === "string" ? response.$ref.replace(/^#/, "") : undefined;
    const pointer = `${shared ?? `${operation.pointer}/responses/${status}`}/content/application~1json/schema`;
    return faultsOf("response", pointer, JSON.parse(exchange.responseBody)).map(told("response"));
  }

  return {
    find({ method, path }: Exchange): Operation | undefined {
      const verb = method.toLowerCase();
      const match = paths.find(({ pattern, item }) => pattern.test(path) && verb in item);
      if (match === undefined) return undefined;
      return {
        name: `${method} ${match.template}`,
        pointer: `/paths/${match.template.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}/${verb}`,
        description: match.item[verb] as JsonObject,
      };
    },
    check(operation: Operation, exchange: Exchange): readonly Violation[] {
      const told = (part: Violation["part"]) => (message: string) => ({
        operation: operation.name,
        part,
        message,
      });
      return [
        ...checkQuery(operation, exchange.query).map(told("query")),
        ...checkRequestBody(operation, exchange.requestBody).map(told("request")),
        ...checkResponse(operation, exchange),
      ];
    },
  };
}

function validator(source: JsonObject, mode: Mode): Ajv {
  // Not strict: the descriptions carry keywords of their own, such as `xml` and `example`.
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true });
  formats.default(ajv);
  ajv.addSchema(forMode(source, mode), "contract");
  return ajv;
}

function fault(error: ErrorObject): string {
  const extra = "additionalProperty" in error.params ? `: ${String(error.params.additionalProperty)}` : "";
  return `${error.instancePath} ${error.message ?? "is wrong"}${extra}`.trim();
}

function resolve(source: JsonObject, value: JsonObject): JsonObject {
  if (typeof value.$ref !== "string") return value;
  const parts = value.$ref.replace(/^#\//, "").split("/");
  return parts.reduce<Json>((at, part) => (at as JsonObject)[part] as Json, source) as JsonObject;
}

/** A query parameter arrives as text; the description says what it stands for. */
function coerced(value: unknown, schema: JsonObject): unknown {
  if (schema.type === "array") {
    const items = [value].flat().flatMap((part) => String(part).split(","));
    return items.map((item) => coerced(item, (schema.items ?? {}) as JsonObject));
  }
  if ((schema.type === "integer" || schema.type === "number") && /^-?\d+(\.\d+)?$/.test(String(value))) {
    return Number(value);
  }
  if (schema.type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}

function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || (typeof body === "object" && Object.keys(body).length === 0);
}
