import test from 'ava';
import type { Command, Option } from 'commander';

import { createProgram } from '../../bin/cli/create-program.ts';

/** Commands without a result, each with its output. */
const WITHOUT_RESULT: Readonly<Record<string, string>> = {
  'svc dev': 'the log of the service',
  'svc serve': 'the log of the service',
  'svc completion': 'a script for a shell',
};

/** Lists that a request gives whole: people make their rows, or they are as many as processes. */
const WHOLE_LISTS = [
  'svc context list',
  'svc queue list',
  'svc retention list',
  'svc token list',
  'svc webhook list',
  'svc worker list',
];

const commands = leavesOf(createProgram());

test('every command that prints a result prints it as JSON on request', (t) => {
  const without = commands.filter((command) => findFormats(command) === null).map(nameOf);
  t.deepEqual(without, Object.keys(WITHOUT_RESULT));
  for (const command of commands) {
    const formats = findFormats(command);
    if (formats !== null) t.true(formats.includes('json'), nameOf(command));
  }
});

test('help of no command lists --json, which is an alias for older scripts', (t) => {
  for (const command of commands) {
    const isAlias = ({ long }: Option) => long === '--json';
    t.is(command.options.some(isAlias), !(nameOf(command) in WITHOUT_RESULT), nameOf(command));
    t.false(command.createHelp().visibleOptions(command).some(isAlias), nameOf(command));
  }
});

test('every list prints ids on request, and goes by pages unless it is short', (t) => {
  const lists = commands.filter((command) => command.name() === 'list');
  t.true(lists.length > 10);
  for (const command of lists) t.true(findFormats(command)?.includes('ids'), nameOf(command));
  const isPaged = ({ long }: Option) => long === '--limit';
  const whole = lists.filter((command) => !command.options.some(isPaged)).map(nameOf);
  t.deepEqual(whole.toSorted(), WHOLE_LISTS);
});

/** Null: the command has no `-o, --output`. */
function findFormats(command: Command): readonly string[] | null {
  const option = command.options.find(({ short, long }) => short === '-o' && long === '--output');
  return option === undefined ? null : (option.argChoices ?? []);
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
