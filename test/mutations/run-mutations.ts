import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { migrateDatabase } from '../../src/shared/store/migrate.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

/*
 * npm run test:mutations -- [words]
 *
 * Puts bugs into a copy of the sources, one at a time, and says which check finds it: the simulation,
 * else the contract suite on SQLite. A bug that nothing finds fails the run, and so does one whose
 * place in the code is gone. With words, only the bugs that hold one of them.
 */

const HISTORIES = 1_200;
const CHECK_MS_MAX = 300_000;
const FINDING = /seed (\d+) violates:\n(.*)/;
const FAILED_TEST = /✘ \[fail\]: (.*)/;
const COPIED = ['src', 'test', 'migrations', 'package.json', 'ava.config.js', 'tsconfig.json'];

const repository = fileURLToPath(new URL('../..', import.meta.url));
const words = process.argv.slice(2);
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
  let missed = 0;
  for (const mutation of chosen) {
    const finder = await findBug(mutation, template);
    if (finder === null) missed += 1;
    print(`${mutation.bug.padEnd(68)} ${finder ?? 'FOUND BY NOTHING'}`);
  }
  print(`${chosen.length - missed} of ${chosen.length} bugs found`);
  if (missed > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** What found it, and how; null: nothing did. */
async function findBug(mutation: Mutation, template: string): Promise<string | null> {
  const file = join(folder, 'src/shared', mutation.file);
  const source = await readFile(file, 'utf8');
  if (source.split(mutation.from).length !== 2) {
    throw new Error(
      `${mutation.bug}: the place for it in ${mutation.file} is gone; put it in anew:\n${mutation.from}`,
    );
  }
  await writeFile(
    file,
    source.replace(mutation.from, () => mutation.to),
  );
  try {
    const simulation = await run(
      ['test/simulation/simulate.ts', '--histories', `${HISTORIES}`, '--quick'],
      {},
    );
    if (!simulation.passed) {
      const [, seed, rule] = FINDING.exec(simulation.output) ?? [];
      return `simulation: ${seed === undefined ? 'it broke' : `seed ${seed}, ${rule}`}`;
    }
    const contract = await run(
      ['node_modules/ava/entrypoints/cli.js', 'test/shared/store/contract/sqlite.test.ts'],
      { TEST_SQLITE_TEMPLATE: template },
    );
    if (!contract.passed)
      return `contract: ${FAILED_TEST.exec(contract.output)?.[1] ?? 'it broke'}`;
    return null;
  } finally {
    await writeFile(file, source);
  }
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

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
