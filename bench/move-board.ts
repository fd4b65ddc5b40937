/**
 * The boards of (c), as a process of its own: one for each side, so that neither hears of the other's moves. Prints how
 * to reach them.
 */
import { demoJiraSite, startJiraEmulator } from "../connectors/jira/emulator.js";

const issues = Array.from({ length: 64 }, (_, i) => ({ title: `Ticket number ${i + 1}` }));
const start = () => startJiraEmulator({ site: demoJiraSite({ issues }) });
const [ours, theirs] = await Promise.all([start(), start()]);
const { email, apiToken } = ours.credentials;
process.stdout.write(`${JSON.stringify([ours.url, email, apiToken, theirs.url, theirs.authorization])}\n`);
