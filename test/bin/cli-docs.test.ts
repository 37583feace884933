import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import type { Command } from 'commander';
import { format, resolveConfig } from 'prettier';

import { createProgram } from '../../bin/cli/create-program.ts';
import { createRoleProgram } from '../../bin/boot/create-role-program.ts';
import { EXIT } from '../../bin/cli/exit-code.ts';
import { renderCliDocs } from '../../bin/cli/render-cli-docs.ts';
import { runSvc } from './run-svc.ts';

/* `UPDATE_DOCS=1 npm test -- test/bin/cli-docs.test.ts` writes the page. */

const PAGE = new URL('../../docs/reference/cli.md', import.meta.url);
const roles = (['api', 'scheduler'] as const).map((role) => createRoleProgram(role));

test('docs/reference/cli.md is up to date', async (t) => {
  const text = renderCliDocs({ svc: createProgram(), roles });
  const config = await resolveConfig(PAGE);
  const current = await format(text, { ...config, filepath: PAGE.pathname });
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(PAGE, current);
  t.is(
    readFileSync(PAGE, 'utf8'),
    current,
    'run: UPDATE_DOCS=1 npm test -- test/bin/cli-docs.test.ts',
  );
});

test('a command’s section holds the output of its --help', (t) => {
  const sections = readFileSync(PAGE, 'utf8').split(/^##+ /m);
  for (const command of [createProgram(), ...roles].flatMap(leavesOf)) {
    const name = namesOf(command).join(' ');
    const section = sections.find((text) => text.startsWith(`${name}\n`)) ?? '';
    const help = command.createHelp();
    t.true(section.includes(help.commandUsage(command)), name);
    for (const option of help.visibleOptions(command)) {
      if (['--help', '--version'].includes(option.long ?? '') && !option.required) continue;
      t.true(section.includes(`\`${option.flags}\``), `${name} ${option.flags}`);
    }
  }
});

test('every exit code is explained', (t) => {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('## Exit codes');
  for (const code of Object.values(EXIT))
    t.regex(section, new RegExp(String.raw`^\| ${code} +\| \w`, 'm'));
});

test('svc --help names the commands of the page', async (t) => {
  const { stdout } = await runSvc(['--help'], { cwd: process.cwd() });
  const named = [...stdout.matchAll(/^ {2}([a-z-]+)(?= )/gm)].map(([, name]) => name);
  t.deepEqual(
    named.filter((name) => name !== 'help'),
    createProgram().commands.map((command) => command.name()),
  );
});

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function namesOf(command: Command): readonly string[] {
  return command.parent === null ? [command.name()] : [...namesOf(command.parent), command.name()];
}
