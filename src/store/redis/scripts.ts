import { readFileSync } from "node:fs";
import type { Result } from "ioredis";
import type { RedisClient } from "../../redis/open.js";

/** Our Lua files as commands: name, file, number of keys where it is always the same. What each takes and returns stands at the top of its file. */
const SCRIPTS = [
  ["boardwalkSaveActor", "save-actor", 6],
  ["boardwalkSaveActors", "save-actors", 4],
  ["boardwalkDeleteActors", "delete-actors", undefined],
  ["boardwalkChangesSince", "changes-since", 3],
  ["boardwalkReadHistory", "read-history", 1],
  ["boardwalkSaveDocument", "save-document", 2],
  ["boardwalkDeleteDocument", "delete-document", 2],
  ["boardwalkAddNote", "add-note", 1],
  ["boardwalkLinkHandle", "link-handle", 1],
  ["boardwalkUnlinkHandle", "unlink-handle", 1],
] as const;

type Argument = string | number;

declare module "ioredis" {
  interface RedisCommander<Context> {
    boardwalkSaveActor(...keysAndArguments: Argument[]): Result<[version: number, revision: number], Context>;
    boardwalkSaveActors(...keysAndArguments: Argument[]): Result<number[], Context>;
    boardwalkDeleteActors(...keysAndArguments: Argument[]): Result<number, Context>;
    boardwalkChangesSince(
      ...keysAndArguments: Argument[]
    ): Result<[revision: string, ids: string[], records: (string | null)[], revisions: string[]], Context>;
    boardwalkReadHistory(...keysAndArguments: Argument[]): Result<string[], Context>;
    boardwalkSaveDocument(...keysAndArguments: Argument[]): Result<number, Context>;
    boardwalkDeleteDocument(...keysAndArguments: Argument[]): Result<number, Context>;
    boardwalkAddNote(...keysAndArguments: Argument[]): Result<number, Context>;
    boardwalkLinkHandle(...keysAndArguments: Argument[]): Result<number, Context>;
    boardwalkUnlinkHandle(...keysAndArguments: Argument[]): Result<number, Context>;
  }
}

/** Gives the client our commands: each one round trip, the script's text sent once a connection. */
export function defineScripts(client: RedisClient): void {
  for (const [name, file, numberOfKeys] of SCRIPTS) {
    const lua = readFileSync(new URL(`./${file}.lua`, import.meta.url), "utf8");
    client.defineCommand(name, numberOfKeys === undefined ? { lua } : { lua, numberOfKeys });
  }
}
