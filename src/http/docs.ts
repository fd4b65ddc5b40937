import type { Express } from "express";
import type { PageFile } from "./page.js";

/** What the package says of itself, for agents and whoever has only the address: `/llms.txt` and all that it links to. */

/** By path below the service's address; `llms.txt` is where to begin. */
export type Docs = () => Promise<ReadonlyMap<string, PageFile>>;

export function addDocs(app: Express, docs: Docs): void {
  app.get(["/llms.txt", "/{*path}.md", "/docs/{*path}"], async (request, response, next) => {
    const file = (await docs()).get(request.path.slice(1));
    if (file === undefined) return next();
    response.type(file.type).setHeader("cache-control", "no-cache").send(Buffer.from(file.body));
  });
}
