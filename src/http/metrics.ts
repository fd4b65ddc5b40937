import express, { type Express } from "express";
import helmet from "helmet";
import { notFound, problemHandler } from "./problems.js";

/** What this process has counted, as Prometheus reads it. */
export interface Metrics {
  readonly contentType: string;
  read(): Promise<string>;
}

/** Open to whoever reaches it, as scrapers expect: it tells counts, never whose. */
export function addMetricsRoute(app: Express, metrics: Metrics): void {
  app.get("/metrics", async (_request, response) => {
    response.setHeader("content-type", metrics.contentType);
    response.setHeader("cache-control", "no-store");
    response.end(await metrics.read());
  });
}

/** Answers as long as the process runs and its event loop turns. */
export function addHealthRoute(app: Express, version: string): void {
  app.get("/healthz", (_request, response) => {
    response.json({ ok: true, version });
  });
}

/** For an address of its own, which a worker has too: the counts, and that the process is well. */
export function createMetricsApp(metrics: Metrics, version: string): Express {
  const app = express().disable("x-powered-by").disable("etag").use(helmet());
  addMetricsRoute(app, metrics);
  addHealthRoute(app, version);
  return app.use(notFound).use(problemHandler(() => {}));
}
