export { createGithubConnector, type GithubSettings, github } from "./connector.js";
export type { GithubCredentials } from "./settings.js";
export { createGithubVcs, type GithubVcsSettings, githubVcs } from "./vcs.js";
