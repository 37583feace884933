import { rmSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { MUTATIONS, type Change, type Mutation } from './mutations.ts';
import { renderFinders, type Found } from './render-finders.ts';
import { openResumeFile, versionOf } from './resume-file.ts';
import { runLimited, type Ran } from './run-limited.ts';

/*
 * npm run test:mutations -- [--markdown | --json] [--resume FILE] [words]
 *
 * Puts bugs into a copy of the sources, one at a time, and reports which check finds each, after
 * how many histories and how long: the simulation, or else the contract suite on SQLite. The run
 * fails if no check finds a bug, or if the place of a bug no longer exists. With words, it tries
 * only bugs whose description contains one of them.
 *
 * All limits are of time on processors, so a busy machine changes no result. With --resume, a run
 * keeps what it has found in FILE; the next one continues there, if the code is the same.
 */

/** A search ends at the first of these two limits. */
const HISTORIES = 3_200;
const SEARCH_CPU_SECONDS = 270;
const CHECK_CPU_SECONDS_MAX = 300;
const STUCK_MS = 3_600_000;
const FAILED_TEST = /✘ \[fail\]: (.*)/;
const COPIED = ['src', 'test', 'migrations', 'package.json', 'ava.config.js', 'tsconfig.json'];

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    markdown: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    resume: { type: 'string' },
  },
});
const repository = fileURLToPath(new URL('../..', import.meta.url));
const chosen = MUTATIONS.filter(
  ({ bug }) => words.length === 0 || words.some((word) => bug.includes(word)),
);
const folder = await mkdtemp(join(tmpdir(), 'svc-mutations-'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });
}
try {
  for (const name of COPIED)
    await cp(join(repository, name), join(folder, name), { recursive: true });
  const kept =
    values.resume === undefined
      ? null
      : await openResumeFile(values.resume, await versionOf(folder));
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const template = join(folder, 'template.db');
  await migrateDatabase({ url: `sqlite:${template}` });
  const found: Found[] = chosen.flatMap(({ bug }) => kept?.found.get(bug) ?? []);
  const known = new Set(found.map(({ bug }) => bug));
  if (known.size > 0) tell(`${known.size} of ${chosen.length} are known from ${values.resume}`);
  const began = performance.now();
  for (const mutation of chosen.filter(({ bug }) => !known.has(bug))) {
    const one = await findBug(mutation, template);
    found.push(one);
    // A later run tries again what nothing is known of.
    if (one.isUndecided !== true) await kept?.add(one);
    const tried = found.length - known.size;
    const leftMs = ((performance.now() - began) / tried) * (chosen.length - found.length);
    const line = renderFinders([one], {}).split('\n')[0] ?? '';
    tell(`${found.length}/${chosen.length} ${line}; about ${Math.ceil(leftMs / 60_000)} min left`);
  }
  print(renderFinders(found, values));
  if (found.some(({ by }) => by === null)) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function findBug(mutation: Mutation, template: string): Promise<Found> {
  const { bug, also = [] } = mutation;
  const sources = new Map<string, string>();
  for (const change of [mutation, ...also]) {
    const file = join(folder, 'src', change.file);
    const source = await readFile(file, 'utf8');
    if (!sources.has(file)) sources.set(file, source);
    await writeFile(file, changed(bug, source, change));
  }
  try {
    return (await bySimulation(bug)) ?? (await byContract(bug, template));
  } finally {
    for (const [file, source] of sources) await writeFile(file, source);
  }
}

function changed(bug: string, source: string, { file, from, to }: Change): string {
  if (source.split(from).length === 2) return source.replace(from, () => to);
  throw new Error(`${bug}: its place in ${file} no longer exists; rewrite it:\n${from}`);
}

async function bySimulation(bug: string): Promise<Found | null> {
  const most = ['--histories', `${HISTORIES}`, '--cpu-seconds', `${SEARCH_CPU_SECONDS}`];
  const ran = await run(['test/simulation/simulate.ts', ...most, '--quick', '--json'], {});
  const { ended, output, cpuSeconds } = ran;
  if (ended === 'passed') return null;
  if (ended !== 'failed') return endedEarly(bug, 'simulation', ran);
  const report = output.split('\n').find((line) => line.startsWith('{"firstSeed"'));
  if (report === undefined)
    return { bug, by: 'simulation', check: 'it broke', seconds: cpuSeconds };
  const { histories, cpuSeconds: seconds, finding, absent } = JSON.parse(report) as Report;
  const check = finding?.violations[0]?.rule ?? `never came about: ${absent.join(', ')}`;
  return { bug, by: 'simulation', check, histories, seconds };
}

interface Report {
  readonly histories: number;
  readonly cpuSeconds: number;
  readonly absent: readonly string[];
  readonly finding: { readonly violations: readonly { readonly rule: string }[] } | null;
}

/**
 * A test that fails must fail again: on a busy machine, one that waits too long fails by chance. A
 * test may also be without news for as long as the machine is busy.
 */
async function byContract(bug: string, template: string): Promise<Found> {
  const suite = 'test/shared/store/contract/sqlite.test.ts';
  const argv = ['node_modules/ava/entrypoints/cli.js', '--timeout=30m', suite];
  const once = () => run(argv, { TEST_SQLITE_TEMPLATE: template });
  let ran = await once();
  let check = '';
  for (let again = 0; again < 2 && ran.ended === 'failed'; again += 1) {
    const before = check;
    check = FAILED_TEST.exec(ran.output)?.[1] ?? 'it broke';
    if (check === before) return { bug, by: 'contract', check, seconds: ran.cpuSeconds };
    ran = await once();
  }
  if (ran.ended === 'passed') return { bug, by: null, check: '', seconds: ran.cpuSeconds };
  if (ran.ended !== 'failed') return endedEarly(bug, 'contract', ran);
  return undecided(bug, ran, 'other tests failed each time');
}

/** Code that does not end is found; code that waits and does nothing may only lack its turn. */
function endedEarly(bug: string, by: 'simulation' | 'contract', ran: Ran): Found {
  if (ran.ended === 'stuck') return undecided(bug, ran, `the ${by} did not end in time`);
  return { bug, by, check: 'it does not end', seconds: ran.cpuSeconds };
}

function undecided(bug: string, { cpuSeconds }: Ran, check: string): Found {
  return { bug, by: null, isUndecided: true, check, seconds: cpuSeconds };
}

function run(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  return runLimited([process.execPath, ...argv], {
    cwd: folder,
    env,
    cpuSecondsMax: CHECK_CPU_SECONDS_MAX,
    stuckMs: STUCK_MS,
  });
}

/** To stderr, so that stdout contains only the result. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
