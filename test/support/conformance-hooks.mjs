// The official runner imports globSync from node:fs, which Node 20 does not have and the runner needs only for its own
// development: give it one that finds nothing.
import { register } from "node:module";

const shim = `
export * from "node:fs";
export { default } from "node:fs";
export const globSync = () => [];
`;
const hooks = `
export async function resolve(specifier, context, next) {
  const wanted = specifier === "fs" && context.parentURL?.includes("/conformance/dist/");
  return wanted ? { url: "shim:fs", shortCircuit: true } : next(specifier, context);
}
export async function load(url, context, next) {
  if (url !== "shim:fs") return next(url, context);
  return { format: "module", shortCircuit: true, source: ${JSON.stringify(shim)} };
}
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
