import { segment } from "./api.js";
import { placeOf, useLoaded, useNews, useSession } from "./hooks.js";
import { Fault, Screen, Waiting } from "./parts.js";
import type { Surface, Tool } from "./shapes.js";

/** The tools as each kind of client sees them, and what can be said for each. */

const NAMES: Readonly<Record<Surface["id"], readonly [name: string, about: string]>> = {
  "2025": [
    "Clients of 2025",
    "Claude, ChatGPT, Cursor and others with sessions. Their list follows the workflows, and they are told when it changes.",
  ],
  "2026": [
    "Clients of 2026",
    "Without sessions: the list follows the workflows, and is the same for everybody of the team.",
  ],
  alexa: [
    "Alexa+",
    "Frozen: read once when the skill is deployed, the same for every team, so that no column renamed can break it.",
  ],
};

export function ToolsScreen({ chosen = "2025" }: { chosen: string | undefined }) {
  const { tenant, path } = useSession();
  const { data, error, reload } = useLoaded<{ surfaces: readonly Surface[] }>(path("/tools"));
  useNews(["workflows"], reload);
  const shown = data?.surfaces.find(({ id }) => id === chosen) ?? data?.surfaces[0];
  return (
    <Screen title="Tools" lead="What an assistant is offered, and what people say for it.">
      <Fault error={error} />
      {data === undefined && error === undefined ? <Waiting what="the tools" /> : null}
      <nav aria-label="Clients" class="chips">
        {data?.surfaces.map(({ id }) => (
          <a
            key={id}
            href={placeOf(tenant, "tools", id)}
            aria-current={id === shown?.id ? "true" : undefined}
          >
            {NAMES[id][0]}
          </a>
        ))}
      </nav>
      {shown === undefined ? null : <SurfaceView surface={shown} />}
    </Screen>
  );
}

function SurfaceView({ surface }: { surface: Surface }) {
  const { id, path, protocolVersions, sha256, frozen, tools } = surface;
  return (
    <>
      <p class="lead">{NAMES[id][1]}</p>
      <dl class="facts card">
        <div class="wide">
          <dt>Address</dt>
          <dd>
            <code>{location.origin + path}</code>
          </dd>
        </div>
        <div>
          <dt>Protocol</dt>
          <dd>
            {protocolVersions.map((version) => (
              <span key={version} class="version">
                {version}
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt>Contract</dt>
          <dd>
            <code title={sha256}>{sha256.slice(0, 12)}</code> {frozen ? "frozen" : "of these workflows"}
          </dd>
        </div>
        <div>
          <dt>Tools</dt>
          <dd>{tools.length}</dd>
        </div>
      </dl>
      {groupsOf(tools).map(([workflow, own]) => (
        <section key={workflow ?? ""} aria-label={workflow ?? "For every board"}>
          <h2 dir="auto">{workflow ?? "For every board"}</h2>
          <ul class="tools card">
            {own.map((tool) => (
              <ToolRow key={tool.name} tool={tool} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** Those of each workflow together, after those that are for all. */
function groupsOf(tools: readonly Tool[]): readonly (readonly [workflow: string | undefined, Tool[]])[] {
  const groups = new Map<string | undefined, Tool[]>();
  for (const tool of tools) groups.set(tool.workflow, [...(groups.get(tool.workflow) ?? []), tool]);
  return [...groups];
}

function ToolRow({ tool }: { tool: Tool }) {
  const { tenant } = useSession();
  const hints = tool.readOnly ? "only reads" : tool.destructive ? "changes, and may close" : "changes";
  return (
    <li>
      <div>
        <h3>{tool.title}</h3>
        <code>{tool.name}</code> <small>{hints}</small>
      </div>
      <p class="phrases">
        <span class="unseen">To say: </span>
        {tool.phrases.slice(0, 3).map((phrase) => (
          <a key={phrase} class="chip" href={`${placeOf(tenant, "talk")}?say=${segment(phrase)}`}>
            {phrase}
          </a>
        ))}
      </p>
      <details>
        <summary>
          Details<span class="unseen"> of {tool.name}</span>
        </summary>
        <p>{tool.description}</p>
        <p>
          {tool.arguments.map(({ name, required }) => (
            <code key={name} class="argument">
              {name}
              {required ? "" : "?"}
            </code>
          ))}
        </p>
      </details>
    </li>
  );
}
