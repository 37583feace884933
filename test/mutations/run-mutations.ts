import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { migrateDatabase } from '../../src/shared/store/opening/migrate.ts';
import { MUTATIONS, type Change, type Mutation } from './mutations.ts';
import { renderFinders, type Found } from './render-finders.ts';

/*
 * npm run test:mutations -- [--markdown | --json] [words]
 *
 * Puts bugs into a copy of the sources, one at a time, and reports which check finds each, after
 * how many histories and how long: the simulation, or else the contract suite on SQLite. The run
 * fails if no check finds a bug, or if the place of a bug no longer exists. With words, it tries
 * only bugs whose description contains one of them.
 */

/** A search ends at the first of these two limits. */
const HISTORIES = 2_400;
const SECONDS = 200;
const CHECK_MS_MAX = 300_000;
const FAILED_TEST = /✘ \[fail\]: (.*)/;
const COPIED = ['src', 'test', 'migrations', 'package.json', 'ava.config.js', 'tsconfig.json'];

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    markdown: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const repository = fileURLToPath(new URL('../..', import.meta.url));
const chosen = MUTATIONS.filter(
  ({ bug }) => words.length === 0 || words.some((word) => bug.includes(word)),
);
const folder = await mkdtemp(join(tmpdir(), 'svc-mutations-'));
try {
  for (const name of COPIED)
    await cp(join(repository, name), join(folder, name), { recursive: true });
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const template = join(folder, 'template.db');
  await migrateDatabase({ url: `sqlite:${template}` });
  const found: Found[] = [];
  for (const mutation of chosen) {
    found.push(await findBug(mutation, template));
    tellProgress(found);
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
  const most = ['--histories', `${HISTORIES}`, '--seconds', `${SECONDS}`];
  const { passed, output } = await run(
    ['test/simulation/simulate.ts', ...most, '--quick', '--json'],
    {},
  );
  if (passed) return null;
  const report = output.split('\n').find((line) => line.startsWith('{"firstSeed"'));
  if (report === undefined) return { bug, by: 'simulation', check: 'it broke', seconds: 0 };
  const { histories, cpuSeconds, finding, absent } = JSON.parse(report) as Report;
  const check = finding?.violations[0]?.rule ?? `never came about: ${absent.join(', ')}`;
  return { bug, by: 'simulation', check, histories, seconds: cpuSeconds };
}

interface Report {
  readonly histories: number;
  readonly cpuSeconds: number;
  readonly absent: readonly string[];
  readonly finding: { readonly violations: readonly { readonly rule: string }[] } | null;
}

async function byContract(bug: string, template: string): Promise<Found> {
  const began = performance.now();
  const { passed, output } = await run(
    ['node_modules/ava/entrypoints/cli.js', 'test/shared/store/contract/sqlite.test.ts'],
    { TEST_SQLITE_TEMPLATE: template },
  );
  const seconds = (performance.now() - began) / 1_000;
  if (passed) return { bug, by: null, check: '', seconds };
  return { bug, by: 'contract', check: FAILED_TEST.exec(output)?.[1] ?? 'it broke', seconds };
}

async function run(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const child = spawn(process.execPath, argv, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: CHECK_MS_MAX,
  });
  let output = '';
  const take = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === null) throw new Error(`a check took longer than ${CHECK_MS_MAX / 1_000} s`);
  return { passed: code === 0, output };
}

/** To stderr, so that stdout contains only the result. */
function tellProgress(found: readonly Found[]): void {
  const last = found.at(-1);
  if (last === undefined) return;
  const told = renderFinders([last], {}).split('\n')[0] ?? '';
  process.stderr.write(`${found.length}/${chosen.length} ${told}\n`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
