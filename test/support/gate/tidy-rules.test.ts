import test from 'ava';
import {
  giveReasonsForExceptions,
  importWithoutCycles,
  keepFoldersSmall,
  keepLayers,
  keepLockComplete,
  keepMigrationsInStep,
  leaveNothingForLater,
  nameDriversInAdaptersOnly,
  nameFilesForWhatTheyDo,
  nameNoMachinePaths,
  commandsCallUseCases,
  reachStoresThroughUseCases,
  runEveryTest,
  takeTimeAndChanceAsArguments,
  type Rule,
} from './tidy-rules.ts';

/** Files as `path: text`. */
type Sample = Readonly<Record<string, string>>;

function check(rule: Rule, sample: Sample): readonly string[] {
  return rule(Object.entries(sample).map(([path, text]) => ({ path, text })));
}

const REFUSED_IMPORTS: readonly [string, string][] = [
  ['src/api/routes.ts', "import { advance } from '../scheduler/advance.ts';"],
  ['src/scheduler/scheduler.ts', "import type { Route } from '../api/routes.ts';"],
  ['src/api/deps.ts', "import { open } from '../shared/store/postgres/open.ts';"],
  ['src/scheduler/deps.ts', "const { open } = await import('../shared/store/sqlite/open.ts');"],
  ['src/scheduler/pool/pool.ts', "const file = new URL('../../api/api.ts', import.meta.url);"],
  ['src/api/deps.ts', "import { freePort } from '../../test/support/ports.ts';"],
  ['bin/svc.ts', "import { freePort } from '../test/support/ports.ts';"],
  ['src/shared/engine/start.ts', "import { boot } from '../../../src/runtime/boot.ts';"],
  ['src/shared/domain/ids.ts', "import type { Ids } from '../ports/ids.ts';"],
  ['src/shared/domain/ids.ts', "import { z } from 'zod';"],
  ['src/shared/domain/ids.ts', "import { readFileSync } from 'node:fs';"],
  ['src/shared/domain/ids.ts', "import { createHash, randomUUID } from 'node:crypto';"],
  ['src/shared/nodes/http.ts', "import { fetchPage } from '../ports/http.ts';"],
  ['src/shared/nodes/http.ts', "import { startExecution } from '../engine/start-execution.ts';"],
  ['src/shared/nodes/http.ts', "import { fetch } from 'undici';"],
  ['src/shared/ports/clock.ts', "import { parseDuration } from '../domain/duration.ts';"],
  ['src/shared/ports/clock.ts', "import type { Store } from '../store/store.ts';"],
  ['src/shared/engine/start.ts', "import { open } from '../store/opening/open.ts';"],
  ['src/shared/engine/start.ts', "import { migrate } from '../store/opening/migrate.ts';"],
  ['src/shared/engine/start.ts', "import { commit } from '../store/sqlite/commit.ts';"],
  ['src/shared/engine/start.ts', "import { log } from '../telemetry/log.ts';"],
  ['src/shared/store/postgres/commit.ts', "import { bind } from '../sqlite/bind.ts';"],
  ['src/shared/store/sqlite/commit.ts', "export * from '../postgres/commit.ts';"],
  ['src/shared/security/equal-hashes.ts', "import { deps } from '../../api/deps.ts';"],
  ['src/api/deps.ts', "import {\n  one,\n  two,\n} from\n  '../scheduler/loop.ts';"],
  ['src/api/deps.ts', "import '../scheduler/loop.ts';"],
  ['src/api/deps.ts', "import * as loop from '../scheduler/loop.ts';"],
  ['src/api/deps.ts', "import type { Loop } from '../scheduler/loop.ts';"],
  ['src/api/deps.ts', "type Loop = import('../scheduler/loop.ts').Loop;"],
  ['src/api/deps.ts', "/* why */ export { a } from '../scheduler/a.ts'; // '"],
];

for (const [path, text] of REFUSED_IMPORTS) {
  test(`layers: ${path} is refused ${JSON.stringify(text)}`, (t) => {
    t.is(check(keepLayers, { [path]: text }).length, 1);
  });
}

test('layers: imports that the drawing allows are accepted', (t) => {
  const accepted: Sample = {
    'src/shared/domain/work/retry.ts': "import { createHash } from 'node:crypto';",
    'src/shared/domain/expression/parse.ts': "import { parse } from '@marcbachmann/cel-js';",
    'src/shared/nodes/http.ts': `
      import type { Http } from '../ports/http.ts';
      import { parseUrl } from '../domain/url.ts';`,
    'src/shared/ports/http.ts': "import type { Url } from '../domain/url.ts';",
    'src/shared/engine/start.ts': `
      import type { Store } from '../store/store.ts';
      import { enter } from '../nodes/index.ts';
      import { setTimeout } from 'node:timers/promises';`,
    'src/shar../store/opening/open.ts': "import { open } from './postgres/open.ts';",
    'src/shared/store/postgres/commit.ts': "import { prepare } from './prepare.ts';",
    'src/api/deps.ts': "import { start } from '../shared/engine/start.ts';",
    'bin/svc.ts': "import { open } from '../src/shared/store/sqlite/open.ts';",
    'test/api/deps.test.ts': "import { serve } from '../../src/scheduler/serve.ts';",
  };
  t.deepEqual(check(keepLayers, accepted), []);
});

test('layers: text that only looks like an import is none', (t) => {
  const text = [
    "// import { a } from '../scheduler/a.ts';",
    '/*',
    "import { a } from '../scheduler/a.ts';",
    '*/',
    'const sample = `',
    "import { a } from '../scheduler/a.ts';",
    '`;',
    'const quoted = "import(\'../scheduler/a.ts\')";',
    'const pattern = /[\'"`]/;',
    "export const from = 'somewhere';",
    "export type Kind = 'start' | 'end';",
  ].join('\n');
  t.deepEqual(check(keepLayers, { 'src/api/a.ts': text }), []);
});

test('layers: the line of an import is named', (t) => {
  const text = "const a = 1;\n\nimport { b } from '../scheduler/b.ts';\n";
  t.deepEqual(check(keepLayers, { 'src/api/a.ts': text }), [
    'src/api/a.ts:3: ../scheduler/b.ts: src/api/ must not import src/scheduler/b.ts',
  ]);
});

test('drivers: a database driver is named in its adapter alone', (t) => {
  const text = "import pg from 'pg';";
  t.is(check(nameDriversInAdaptersOnly, { 'src/shar../store/opening/open.ts': text }).length, 1);
  t.is(check(nameDriversInAdaptersOnly, { 'src/shared/store/sqlite/open.ts': text }).length, 1);
  t.is(check(nameDriversInAdaptersOnly, { 'src/shared/store/postgres/open.ts': text }).length, 0);
});

test('cycles: a circle of imports is found, a circle of types is none', (t) => {
  const circle = {
    'src/shared/a.ts': "import { b } from './b.ts';",
    'src/shared/b.ts': "import { c } from './c/c.ts';",
    'src/shared/c/c.ts': "import { a } from '../a.ts';",
  };
  t.deepEqual(check(importWithoutCycles, circle), [
    'src/shared/a.ts → src/shared/b.ts → src/shared/c/c.ts → src/shared/a.ts',
  ]);
  const types = { ...circle, 'src/shared/c/c.ts': "import type { A } from '../a.ts';" };
  t.deepEqual(check(importWithoutCycles, types), []);
});

const REFUSED_IN_DOMAIN = [
  'const now = Date.now();',
  'const now = new Date();',
  'const now = new Date;',
  'const now = new Date( );',
  'const chance = Math.random();',
  'setTimeout(run, 10);',
  'setInterval(run, 10);',
  'const home = process.env.HOME;',
  'const started = performance.now();',
  'const id = crypto.randomUUID();',
  "const page = await fetch('a');",
  'const text = `${Date.now()}`;',
];

for (const text of REFUSED_IN_DOMAIN) {
  test(`purity: refused in domain, nodes and engine: ${text}`, (t) => {
    for (const path of ['domain', 'nodes', 'engine'].map((name) => `src/shared/${name}/a.ts`)) {
      t.is(check(takeTimeAndChanceAsArguments, { [path]: text }).length, 1);
    }
    t.deepEqual(check(takeTimeAndChanceAsArguments, { 'src/shared/clients/a.ts': text }), []);
  });
}

test('purity: code that only looks impure is accepted', (t) => {
  const text = [
    '// Date.now() is an argument here, and process. is a word',
    'const at = new Date(now);',
    "const message = 'the process. ended at Date.now()';",
    'const page = await http.fetch(url);',
    'const subprocess = processes.find(isOld);',
  ].join('\n');
  t.deepEqual(check(takeTimeAndChanceAsArguments, { 'src/shared/domain/a.ts': text }), []);
});

test('stores: refused in the API, and nowhere else', (t) => {
  for (const text of ['await engine.store.tokens.list(page);', 'const { store } = deps.engine;']) {
    t.is(check(reachStoresThroughUseCases, { 'src/api/endpoints/a.ts': text }).length, 1);
    t.deepEqual(check(reachStoresThroughUseCases, { 'src/shared/engine/a.ts': text }), []);
  }
  const text = "import type { TokenRow } from '../shared/store/store.ts';";
  t.deepEqual(check(reachStoresThroughUseCases, { 'src/api/a.ts': text }), []);
});

test('stores: a command opens and closes one, and calls use cases with it', (t) => {
  for (const text of [
    'await store.tokens.list(page);',
    'await store?.prune();',
    'const { tokens } = store;',
    'return withStore(options, ({ tokens }) => tokens.list(page));',
    'async function readAll(tokens: TokenStore) {}',
  ]) {
    t.is(check(commandsCallUseCases, { 'bin/commands/a.ts': text }).length, 1, text);
    t.deepEqual(check(commandsCallUseCases, { 'src/runtime/a.ts': text }), []);
  }
  const text = [
    "import type { Store } from '../../src/shared/store/store.ts';",
    'store = await openStore({ database });',
    'return await listTokens({ store }, { tenantId }, page);',
    'await runRetention({ store: store.retention }, asked);',
    'await store?.close();',
  ].join('\n');
  t.deepEqual(check(commandsCallUseCases, { 'bin/commands/a.ts': text }), []);
});

test('migrations: both dialects have the same numbers and titles, from 0001 on', (t) => {
  const sample = (postgres: readonly string[], sqlite: readonly string[]): Sample =>
    Object.fromEntries(
      [
        ...postgres.map((name) => `migrations/postgres/${name}`),
        ...sqlite.map((name) => `migrations/sqlite/${name}`),
      ].map((path) => [path, '']),
    );
  const first = '0001_initial.sql';
  const second = '0002_memory.sql';
  t.deepEqual(check(keepMigrationsInStep, sample([first, second], [second, first])), []);
  t.is(check(keepMigrationsInStep, sample([first, second], [first])).length, 1);
  t.is(check(keepMigrationsInStep, sample([first], [first, second])).length, 1);
  t.is(check(keepMigrationsInStep, sample([second], [second])).length, 1);
  t.is(check(keepMigrationsInStep, sample([first], ['0001_start.sql'])).length, 2);
  t.is(check(keepMigrationsInStep, sample(['0001-a.sql'], ['0001-a.sql'])).length, 1);
});

test('names: files are kebab-case and say what they do', (t) => {
  for (const path of [
    'src/api/utils.ts',
    'src/api/helpers/body.ts',
    'test/support/common.ts',
    'src/api/work-item.service.ts/service.ts',
    'src/api/workItem.ts',
    'src/api/work_item.ts',
    'src/workItems/claim.ts',
    'docs/HttpApi.md',
  ]) {
    t.is(check(nameFilesForWhatTheyDo, { [path]: '' }).length > 0, true, path);
  }
  for (const path of [
    'src/api/endpoints/work-items/claim-work-item.ts',
    'test/api/claim.test.ts',
    'bin/svc-api.js',
    'ava.config.js',
    'docs/decisions/0001-locks-only-spare-work.md',
    'docs/decisions/README.md',
    'migrations/postgres/0001_initial.sql',
    'examples/workers/java/Worker.java',
  ]) {
    t.deepEqual(check(nameFilesForWhatTheyDo, { [path]: '' }), [], path);
  }
});

test('folders: at most 25 files of code are side by side', (t) => {
  const sources = (count: number, folder: string): Sample =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}/f${n}.ts`, '']));
  t.deepEqual(check(keepFoldersSmall, sources(25, 'src/api')), []);
  t.deepEqual(check(keepFoldersSmall, sources(26, 'src/api')), ['src/api: 26 files, 25 may be']);
  t.deepEqual(check(keepFoldersSmall, { ...sources(20, 'bin'), ...sources(20, 'bin/cli') }), []);
  t.deepEqual(check(keepFoldersSmall, sources(40, 'test/api')), []);
});

test('exceptions: a rule is switched off only with a reason', (t) => {
  for (const text of [
    '// @ts-ignore',
    '// @ts-nocheck: generated',
    '// @ts-expect-error',
    '// eslint-disable-next-line no-console',
    '/* oxlint-disable no-console */',
  ]) {
    t.is(check(giveReasonsForExceptions, { 'src/a.ts': text }).length, 1, text);
  }
  for (const text of [
    '// @ts-expect-error: the package declares the field as a string',
    '// oxlint-disable-next-line no-console -- the command prints',
  ]) {
    t.deepEqual(check(giveReasonsForExceptions, { 'src/a.ts': text }), [], text);
  }
});

test('unfinished: nothing is left for later', (t) => {
  for (const word of [
    ['TO', 'DO'],
    ['FIX', 'ME'],
  ].map((parts) => parts.join(''))) {
    t.is(check(leaveNothingForLater, { 'src/a.ts': `// ${word}: later` }).length, 1);
    t.is(check(leaveNothingForLater, { 'migrations/sqlite/0001_a.sql': `-- ${word}` }).length, 1);
  }
  t.deepEqual(check(leaveNothingForLater, { 'src/a.ts': "const view = 'TODOS';" }), []);
});

test('tests: none is left out', (t) => {
  for (const text of [
    "test.only('a', run);",
    "test.skip('a', run);",
    "test.serial.only('a', run);",
    "test.todo('a');",
    "test.failing('a', run);",
  ]) {
    t.is(check(runEveryTest, { 'test/a.test.ts': text }).length, 1, text);
  }
  t.deepEqual(
    check(runEveryTest, { 'test/a.test.ts': "test('a .only', (t) => list.skip(1));" }),
    [],
  );
});

test('lock file: every optional package has its entry, each its hash, and no registry is named', (t) => {
  const lock = (packages: object): Sample => ({
    'package-lock.json': JSON.stringify({ packages }),
  });
  const integrity = `sha512-${'a'.repeat(86)}==`;
  const linter = {
    integrity,
    optionalDependencies: { 'linter-linux': '1.0.0', 'linter-darwin': '1.0.0' },
  };
  const complete = {
    '': {},
    'node_modules/linter': linter,
    'node_modules/linter-linux': { integrity },
    'node_modules/linter/node_modules/linter-darwin': { integrity },
  };
  t.deepEqual(check(keepLockComplete, lock(complete)), []);
  t.deepEqual(
    check(keepLockComplete, lock({ ...complete, 'node_modules/linter-linux': undefined })),
    ['package-lock.json: linter-linux is missing'],
  );
  for (const weaker of [undefined, 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=', '']) {
    t.deepEqual(
      check(keepLockComplete, lock({ ...complete, 'node_modules/a': { integrity: weaker } })),
      ['package-lock.json: node_modules/a has no integrity'],
    );
  }
  const workspace = { 'node_modules/kit': { resolved: 'sdk/kit', link: true }, 'sdk/kit': {} };
  t.deepEqual(check(keepLockComplete, lock({ ...complete, ...workspace })), []);
  t.is(check(keepLockComplete, lock({ ...complete, 'sdk/other': {}, ...workspace })).length, 1);
  t.is(check(keepLockComplete, lock({ '': { resolved: 'somewhere' } })).length, 1);
  t.is(check(keepLockComplete, lock({ '': { from: 'https://registry.example/a' } })).length, 1);
  t.is(check(keepLockComplete, {}).length, 1);
});

test('machine paths: none is named, and a folder called work is none', (t) => {
  for (const folder of ['work', 'root']) {
    const path = ['', folder, 'main', 'a.ts'].join('/');
    t.is(check(nameNoMachinePaths, { 'README.md': `See ${path}.` }).length, 1);
    t.is(check(nameNoMachinePaths, { 'README.md': `"${path}"` }).length, 1);
  }
  const text = "import { retry } from '../work/retry.ts'; // src/shared/domain/work/retry.ts";
  t.deepEqual(check(nameNoMachinePaths, { 'src/shared/domain/a.ts': text }), []);
});
