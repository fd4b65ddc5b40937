import { z } from "zod";
import { BoardwalkError } from "../errors.js";
import { safeParse } from "../parse.js";
import { ARGUMENT_NAMES, type ArgumentFault } from "./sentences/sentences.js";
import { speechIn } from "./speech.js";

/** A tool that was given what it cannot use. The fault goes with the error, so that it can be said in any language. */

const name = z.enum(ARGUMENT_NAMES);
const carried = z.object({
  fault: z.union([
    z.object({ kind: z.enum(["missing", "wrong", "long"]), name }),
    z.object({ kind: z.literal("unknown"), names: z.array(z.string()) }),
    z.object({ kind: z.enum(["unnamed", "gone"]) }),
  ]),
});

export function wrongArguments(fault: ArgumentFault): BoardwalkError {
  return new BoardwalkError("invalid", speechIn("en").wrongArguments(fault), { data: { fault } });
}

/** What the error says is wrong with arguments, if it is about those. */
export function faultOf({ data }: BoardwalkError): ArgumentFault | undefined {
  return safeParse(carried, data).data?.fault;
}
