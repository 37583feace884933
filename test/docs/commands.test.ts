import { readFileSync } from 'node:fs';
import test from 'ava';
import { CommanderError, type Command } from 'commander';

import { createProgram } from '../../bin/cli/create-program.ts';
import { createRoleProgram } from '../../bin/boot/create-role-program.ts';
import { commandsIn, type ShownCommand, simpleCommands } from './support/commands-in.ts';
import { readPage, readPages, ROOT } from './support/pages.ts';

/* svc and npm accept the commands that pages show. */

const pages = readPages();

test('every command of svc that a page shows is one that svc understands', async (t) => {
  const shown = pages.flatMap(commandsIn);
  t.true(shown.filter(({ isNamed }) => !isNamed).length > 20);
  const problems = await Promise.all(shown.map(misunderstood));
  t.deepEqual(problems.flat(), []);
});

test('every npm script that a page shows exists', (t) => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
    readonly scripts: object;
  };
  const named = pages.flatMap((page) =>
    [...page.blocks, ...page.prose].flatMap(({ text, at }) =>
      [...text.matchAll(/\bnpm run (?:-s )?(\w[\w:-]*)/g)].map(([, name = '']) => ({ name, at })),
    ),
  );
  t.true(named.length > 20);
  t.deepEqual(
    named.filter(({ name }) => !Object.hasOwn(scripts, name)),
    [],
  );
});

test('a page whose commands need an address says how to set it', (t) => {
  const silent = pages.filter(
    ({ path, blocks, prose }) =>
      path.startsWith('docs/guides/') &&
      blocks.some(({ text }) => text.includes('$SVC_URL')) &&
      ![...blocks, ...prose].some(({ text }) => /\bSVC_URL=/.test(text)),
  );
  t.deepEqual(
    silent.map(({ path }) => path),
    [],
  );
});

test('a command that svc does not understand is reported', async (t) => {
  const page = readPage(
    'docs/one.md',
    [
      'Use `svc nonsense`, `svc token rotate`, `svc execution list --colour red` or `svc-api`.',
      '```sh',
      'id=$(svc execution start) # svc nothing',
      'SVC_URL=x svc db migrate --database-url "a b" \\',
      '  --wait 3 | tail',
      'svc execution list --status asleep && svc version -o json > file',
      'node bin/svc.js completion bash',
      '```',
    ].join('\n'),
  );
  const problems = await Promise.all(commandsIn(page).map(misunderstood));
  t.deepEqual(
    problems.flat().map((problem) => problem.replace(/: error.*/s, '')),
    [
      'docs/one.md:2: svc execution start',
      'docs/one.md:2: svc db migrate --database-url a b --wait 3',
      'docs/one.md:2: svc execution list --status asleep',
      'docs/one.md:1: svc nonsense',
      'docs/one.md:1: svc execution list --colour red',
    ],
  );
});

test('a script is split where its commands end', (t) => {
  t.deepEqual(simpleCommands('a "b; c" # d; e\nf $(g h) | i \\\n  j && k &'), [
    'a "b; c"',
    'f $',
    'g h',
    'i  j',
    'k',
  ]);
});

/** Parses the command with the declarations of svc, without their actions. */
async function misunderstood(of: ShownCommand): Promise<readonly string[]> {
  const [name = '', ...words] = of.words;
  // In prose, `svc execution` may name a group, and `<id>` an argument.
  if (of.isNamed && words.length === 0) return [];
  const program = withoutActions(
    name === 'svc' ? createProgram() : createRoleProgram(name === 'svc-api' ? 'api' : 'scheduler'),
  );
  try {
    await program.parseAsync(words, { from: 'user' });
    return [];
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || (of.isNamed && MAY_BE_LEFT_OUT.has(error.code))) return [];
    return [`${of.at}: ${of.words.join(' ')}: ${error.message}`];
  }
}

const MAY_BE_LEFT_OUT = new Set([
  'commander.missingArgument',
  'commander.missingMandatoryOptionValue',
  'commander.optionMissingArgument',
  // The help of a group.
  'commander.help',
]);

function withoutActions(command: Command): Command {
  command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
  if (command.commands.length === 0) command.action(() => {});
  command.commands.forEach(withoutActions);
  return command;
}
