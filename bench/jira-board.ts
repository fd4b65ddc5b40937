/** A Jira of so many tickets, as a process of its own: prints how to reach it. */
import { demoJiraSite, startJiraEmulator } from "../connectors/jira/emulator.js";

const issues = Array.from({ length: Number(process.argv[2]) }, (_, i) => ({
  title: `Ticket number ${i + 1}`,
}));
const { url, credentials } = await startJiraEmulator({ site: demoJiraSite({ issues }) });
process.stdout.write(`${JSON.stringify([url, credentials.email, credentials.apiToken])}\n`);
