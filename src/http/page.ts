import { type Express, Router } from "express";
import helmet from "helmet";
import { notFound } from "./problems.js";

/** The page people look at, as static files under `/admin`. */

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** Its name is made from its content, so it may be kept for ever. */
  readonly lasting: boolean;
}

/** By path below `/admin/`; the page itself is `index.html`. */
export type Page = () => Promise<ReadonlyMap<string, PageFile>>;

/** Scripts and styles are files of ours, and nothing is asked of any other host: the page works without the Internet. */
const policy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", "data:"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

export function addPage(app: Express, page: Page): void {
  // Whoever opens the bare address looks for the page.
  app.get("/", (_request, response) => response.redirect("/admin"));
  const router = Router();
  router.use(policy);
  router.get("/{*path}", async (request, response, next) => {
    const files = await page();
    const path = request.path === "/" ? "index.html" : request.path.slice(1);
    const file = files.get(path);
    if (file === undefined) return next();
    response
      .type(file.type)
      .setHeader("cache-control", file.lasting ? "public, max-age=31536000, immutable" : "no-cache")
      .send(Buffer.from(file.body));
  });
  router.use(notFound);
  app.use("/admin", router);
}
