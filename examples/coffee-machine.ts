/** A machine written by hand becomes tools. Run it: `npx tsx examples/coffee-machine.ts` */
import { pathToFileURL } from "node:url";
import { z } from "zod";
// In your project: from "boardwalk".
import { createFsmMcpBridge, type FsmConfig, toMermaid } from "../src/index.js";

interface CoffeeContext {
  drink?: string;
  paid?: boolean;
}

export const coffeeMachine: FsmConfig<CoffeeContext> = {
  id: "coffee",
  initial: "idle",
  context: {},
  states: {
    idle: {
      meta: { prompt: "Ready to take your order." },
      on: { ORDER: { target: "ordering", assign: (_context, event) => ({ drink: String(event.drink) }) } },
    },
    ordering: {
      meta: { prompt: "Got it. Ready to confirm or cancel." },
      on: {
        PAY: { assign: () => ({ paid: true }) },
        CONFIRM: { target: "brewing", guard: ({ paid }) => paid === true, reason: "Please pay first." },
        CANCEL: "idle",
      },
    },
    brewing: { meta: { prompt: "Brewing your drink now." }, on: { READY: "done" } },
    done: { final: true, meta: { prompt: "Your drink is ready. Enjoy!" } },
  },
};

/** The bridge over one coffee machine, for any MCP server. */
export function createCoffeeBridge() {
  return createFsmMcpBridge<CoffeeContext>(coffeeMachine, {
    eventSchemas: { ORDER: z.object({ drink: z.string().describe("What to brew, such as a latte.") }) },
  });
}

export async function main(print: (line: string) => void = console.log): Promise<void> {
  const bridge = createCoffeeBridge();
  const say = async (name: string, args = {}) => {
    const tool = bridge.tools.find((candidate) => candidate.name === `coffee_${name}`);
    const result = await tool?.handler(args);
    print(`${name}: ${result?.content[0]?.text}`);
  };

  await say("confirm");
  await say("order", { drink: "latte" });
  await say("confirm");
  await say("pay");
  await say("confirm");
  await say("ready");
  print(JSON.stringify(bridge.getSnapshot().context));
  print(toMermaid(coffeeMachine, { current: "done" }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
