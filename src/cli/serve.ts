import { type Command, Option } from "commander";
import { loadConfig } from "../config.js";
import { withExamples } from "./examples.js";
import { untilStopped } from "./signals.js";

interface ServeFlags {
  readonly role?: string;
  readonly host?: string;
  readonly port?: string;
  readonly config?: string;
}

export function addServe(program: Command): void {
  withExamples(
    program
      .command("serve")
      .description("Run the service: the web half, the worker half, or both.")
      .addOption(new Option("--role <role>", "which half to run").choices(["all", "web", "worker"]))
      .option("--host <host>", "address to listen on (HOST)")
      .option("--port <port>", "port to listen on, 0 for any free one (PORT)")
      .option("--config <file>", "settings file (default: ./boardwalk.yaml where there is one)"),
    "boardwalk serve",
    "boardwalk serve --role worker",
    "boardwalk serve --role web --host 0.0.0.0 --port 8420",
  ).action(serve);
}

async function serve({ config: path, ...flags }: ServeFlags): Promise<void> {
  const config = loadConfig(flags, path);
  // Loaded by the commands that need it: the others answer sooner without.
  const { createApp } = await import("../app.js");
  const app = await createApp(config);
  // Listened for first: whoever waits for the word may end us the moment that it is said.
  const stopped = untilStopped();
  app.log.info({ url: app.url, role: config.role, keeps: app.keeps }, "ready");
  if (app.keeps === "memory") {
    app.log.warn({}, "no REDIS_URL and no redis-server on PATH: state is kept in memory and lost at the end");
  }
  await stopped;
  app.log.info({}, "stopping");
  await app.close();
}
