import test from 'ava';
import type { Command } from 'commander';

import { createProgram } from '../../bin/cli/create-program.ts';
import { EXAMPLES } from '../../bin/cli/examples.ts';
import { runSvc } from './run-svc.ts';

test('every command has two examples, and each of them is a call of it', async (t) => {
  const leaves = leavesOf(createProgram()).map(nameOf);
  t.deepEqual(Object.keys(EXAMPLES).toSorted(), leaves.toSorted());
  for (const [name, examples] of Object.entries(EXAMPLES)) {
    t.is(new Set(examples).size, 2, name);
    for (const example of examples) t.is((await calledBy(example)).at(-1), name, example);
  }
});

test('help ends with the examples', async (t) => {
  const { stdout } = await runSvc(['execution', 'retry', '--help'], { cwd: process.cwd() });
  const examples = EXAMPLES['svc execution retry'] ?? [];
  t.true(stdout.endsWith(`Examples:\n${examples.map((one) => `  ${one}\n`).join('')}`), stdout);
});

/** The commands that a line of a shell calls, one after another. */
async function calledBy(line: string): Promise<readonly string[]> {
  const called: string[] = [];
  for (const part of splitWords(line)) {
    const program = createProgram();
    for (const leaf of leavesOf(program)) {
      leaf.action(() => void called.push(nameOf(leaf))).configureOutput({ writeErr: () => {} });
    }
    await program.parseAsync(part.slice(1), { from: 'user' });
  }
  return called;
}

/** Words in single quotes keep their spaces; a bar separates commands; files of redirections are left out. */
function splitWords(line: string): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  for (const [word] of line.matchAll(/[<>] \S+|'[^']*'|\S+/g)) {
    if (word === '|') parts.push([]);
    else if (!/^[<>] /.test(word)) parts.at(-1)?.push(word.replaceAll("'", ''));
  }
  return parts;
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
