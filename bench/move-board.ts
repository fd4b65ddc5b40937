/** The board of (c), as a process of its own: prints how to reach it. */
import { demoJiraSite, startJiraEmulator } from "../connectors/jira/emulator.js";

const issues = Array.from({ length: 128 }, (_, i) => ({ title: `Ticket number ${i + 1}` }));
const { url, authorization, credentials } = await startJiraEmulator({ site: demoJiraSite({ issues }) });
process.stdout.write(`${JSON.stringify([url, authorization, credentials.email, credentials.apiToken])}\n`);
