import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import MiniSearch from "minisearch";
import { createMemoryStore } from "../src/store/memory.js";
import { newActor } from "../src/tickets/actor.js";
import { resolveTicket } from "../src/tickets/resolve.js";
import { createViews, type TenantView } from "../src/tickets/view.js";
import { createWorkflows } from "../src/tickets/workflows.js";
import { allViews, boards, judge, type Reference, references } from "../test/voice/ears.js";
import { median, type Row, round3 } from "./harness.js";

/** How well what people say is understood, what that costs, and what a plain search of the titles would have done. */

const MANY = 10_000;
const ROUNDS = 5;

export async function run(): Promise<Row[]> {
  return [...(await understanding()), ...(await cost())];
}

async function understanding(): Promise<Row[]> {
  const views = await allViews();
  const said = [...references.plain, ...references.talk, ...references.hard];
  const verdicts = said.map((reference) => judge(views.get(reference[0]) as TenantView, reference));
  const share = (count: number) => round3(count / said.length);
  const right = share(verdicts.filter((verdict) => verdict.right).length);
  const wrong = share(verdicts.filter((verdict) => verdict.wrong).length);
  const plain = said.map(byPlainSearch);
  const plainRight = share(plain.filter((verdict) => verdict.right).length);
  const plainWrong = share(plain.filter((verdict) => verdict.wrong).length);
  const count = `of ${said.length} references`;
  return [
    {
      name: "spoken reference: right ticket, question or 'not found'; theirs: the first hit of a title search",
      ours: right,
      theirs: plainRight,
      ratio: right,
      target: 0.95,
      unit: `share ${count}`,
    },
    {
      name: "spoken reference: a wrong ticket taken",
      ours: wrong,
      theirs: plainWrong,
      ratio: 1 - wrong,
      target: 1,
      unit: `share ${count}`,
    },
  ];
}

/** What a server does that searches titles and takes the first hit. */
function byPlainSearch([board, said, meant]: Reference): { right: boolean; wrong: boolean } {
  const names = board === "all" ? Object.keys(boards) : [board];
  const titles = names.flatMap((name) =>
    Object.entries(boards[name]?.tickets ?? {}).map(([id, title]) => ({ id, title })),
  );
  const [first] = plainIndex(titles).search(said, { prefix: true, fuzzy: 0.2 });
  if (first === undefined) return { right: meant === null, wrong: false };
  return { right: first.id === meant, wrong: first.id !== meant };
}

interface Titled {
  readonly id: string;
  readonly title: string;
}

function plainIndex(titles: readonly Titled[]): MiniSearch<Titled> {
  const index = new MiniSearch<Titled>({ fields: ["title"] });
  index.addAll(titles);
  return index;
}

async function cost(): Promise<Row[]> {
  const titles = manyTitles();
  const store = createMemoryStore().tenant("acme");
  await store.saveActors(
    titles.map(({ id, title }, i) =>
      newActor(
        { id, key: `ENG-${i}`, title, workflow: "w", status: "1", updatedAt: "2026-01-01T00:00:00Z" },
        "c",
      ),
    ),
  );
  const views = createViews(createWorkflows());
  const empty = heapMb();
  const view = await views.fresh(store);
  const ours = heapMb() - empty;
  const before = heapMb();
  const index = plainIndex(titles);
  const theirs = heapMb() - before;
  const said = [...references.plain, ...references.hard].map(([, words]) => words);
  const times = timesOf(view, index, said);
  return [
    ratioRow(
      "resolving a reference among 10,000 tickets against one title search: median",
      times.ours,
      times.theirs,
      0.5,
    ),
    ratioRow(
      "resolving a reference among 10,000 tickets against one title search: p99",
      times.ours,
      times.theirs,
      0.99,
    ),
    {
      name: "memory of 10,000 tickets: view with its index; theirs: the title index alone",
      ours: round3(ours),
      theirs: round3(theirs),
      ratio: round3(theirs / ours),
      target: 0,
      unit: "MB",
    },
  ];
}

/** Each reference by both; all of them in turn, so that nothing is still remembered from the round before. */
function timesOf(view: TenantView, index: MiniSearch<Titled>, said: readonly string[]) {
  const time = (work: () => unknown) => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  };
  const ours = said.map((): number[] => []);
  const theirs = said.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, words] of said.entries()) {
      ours[i]?.push(time(() => resolveTicket(view, words)));
      theirs[i]?.push(time(() => index.search(words, { prefix: true, fuzzy: 0.2 })));
    }
  }
  return { ours: ours.map(median), theirs: theirs.map(median) };
}

function ratioRow(name: string, ours: readonly number[], theirs: readonly number[], at: number): Row {
  const [a, b] = [quantile(ours, at), quantile(theirs, at)];
  return { name, ours: round3(a), theirs: round3(b), ratio: round3(b / a), target: 0.25, unit: "ms" };
}

function quantile(values: readonly number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}

/** Titles as long and as alike as real ones: the fixtures' words in other orders. */
function manyTitles(): Titled[] {
  const words = Object.values(boards).flatMap((board) =>
    Object.values(board.tickets).flatMap((title) => title.split(" ")),
  );
  let seed = 7;
  const pick = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return words[seed % words.length] ?? "";
  };
  return Array.from({ length: MANY }, (_, i) => ({
    id: `fake.site.${i}`,
    title: Array.from({ length: 4 + (i % 5) }, pick).join(" "),
  }));
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
