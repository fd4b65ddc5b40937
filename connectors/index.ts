import type { ConnectorKind } from "../src/board/connector.js";
import type { VcsKind } from "../src/board/vcs.js";
import { github, githubVcs } from "./github/index.js";
import { jira } from "./jira/index.js";
import { linear } from "./linear/index.js";
import { trello } from "./trello/index.js";

/** Every board we speak to. A new connector is one folder here and one line below. */
export const BOARDS: readonly ConnectorKind[] = [
  jira as ConnectorKind,
  linear as ConnectorKind,
  github as ConnectorKind,
  trello as ConnectorKind,
];

/** Every kind of repository in which we open pull requests. */
export const REPOSITORIES: readonly VcsKind[] = [githubVcs as VcsKind];
