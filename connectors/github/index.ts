export { createGithubVcs, type GithubVcsSettings, githubVcs } from "./vcs.js";
