import { whenAborted } from "../../src/board/abort.js";
import type { WorkflowId } from "../../src/board/connector.js";
import { errorFromTransport } from "../../src/board/http.js";
import { BoardwalkError } from "../../src/errors.js";
import type { JiraApi } from "./api.js";
import { workflowId } from "./keys.js";
import { readRoutes } from "./ladder.js";
import type { JiraProject } from "./shapes.js";

/** Which workflow a ticket belongs to, by its project and issue type; read once a project and kept. */
export interface Routes {
  workflowOf(projectId: string, issueTypeId: string, signal: AbortSignal): Promise<WorkflowId>;
  /** Takes what a full pull has just learnt. */
  learn(projectId: string, workflows: readonly Route[]): void;
}

interface Route {
  readonly stable: string;
  readonly issueTypes: readonly string[];
}

type Known = ReadonlyMap<string, WorkflowId>;

/** An issue type nobody has heard of is looked up again, but not on every ticket of it. */
const REREAD_AFTER_MS = 60_000;

export function createRoutes(
  api: JiraApi,
  site: string,
  projectOf: (keyOrId: string, signal: AbortSignal) => Promise<JiraProject>,
  now: () => Date,
): Routes {
  const known = new Map<string, { readonly at: number; readonly routes: Promise<Known> }>();

  function toMap(projectId: string, workflows: readonly Route[]): Known {
    return new Map(
      workflows.flatMap(({ stable, issueTypes }) =>
        issueTypes.map((type) => [type, workflowId(site, projectId, stable)] as const),
      ),
    );
  }

  /** Shared by all who wait for it, so no one caller's signal may end it; each request has its own time-out. */
  function read(projectId: string): Promise<Known> {
    const { signal } = new AbortController();
    const routes = projectOf(projectId, signal)
      .then((project) => readRoutes(api, project, signal))
      .then(({ workflows }) => toMap(projectId, workflows))
      .catch(unknownWhereHidden);
    known.set(projectId, { at: now().getTime(), routes });
    routes.catch(() => {
      if (known.get(projectId)?.routes === routes) known.delete(projectId);
    });
    return routes;
  }

  return {
    async workflowOf(projectId, issueTypeId, signal) {
      const entry = known.get(projectId);
      let routes = await orAbort(entry?.routes ?? read(projectId), signal);
      const stale = entry !== undefined && now().getTime() - entry.at >= REREAD_AFTER_MS;
      if (!routes.has(issueTypeId) && stale) routes = await orAbort(read(projectId), signal);
      // A type no workflow is told for still gives an id, one that no pulled graph has: the ticket shows as unmapped.
      return routes.get(issueTypeId) ?? workflowId(site, projectId, `type-${issueTypeId}`);
    },
    learn(projectId, workflows) {
      known.set(projectId, {
        at: now().getTime(),
        routes: Promise.resolve(toMap(projectId, workflows)),
      });
    },
  };
}

/** A ticket may be seen where its project's settings may not: it is told, without a workflow of ours. */
function unknownWhereHidden(thrown: unknown): Known {
  const { code } = BoardwalkError.from(thrown);
  if (code === "not_found_or_hidden" || code === "forbidden") return new Map();
  throw thrown;
}

function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const calledOff = () => errorFromTransport("Jira", signal.reason, signal);
  if (signal.aborted) return Promise.reject(calledOff());
  return new Promise((resolve, reject) => {
    const unheed = whenAborted(signal, () => reject(calledOff()));
    work.then(resolve, reject).finally(unheed);
  });
}
