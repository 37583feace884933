import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { EXIT } from '../../bin/cli/exit-code.ts';
import { createFolder, runSvc } from './run-svc.ts';

/*
 * Shells load their completion scripts, and report the words that a user would get. Every machine
 * has bash; the cases of zsh and fish run only where the shell is installed.
 */

const folder = createFolder();
test.after.always(() => folder.remove());
writeFileSync(join(folder.path, 'notes.json'), '{}');

type Shell = 'bash' | 'zsh' | 'fish';

/** A typed line, and the words that completion offers. A file of the folder is `notes.json`. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  'svc db ': ['migrate', 'status', 'backup', 'restore'],
  'svc execution s': ['start', 'start-many', 'show', 'state', 'send-event'],
  'svc schedule p': ['pause', 'preview'],
  'svc schedule create --overlap s': ['skip'],
  'svc webhook ': ['list', 'create', 'show', 'delete', 'deliveries', 'redeliver'],
  'svc serve --role ': ['api', 'scheduler', 'all'],
  'svc serve --role s': ['scheduler'],
  'svc serve --role=s': ['scheduler'],
  'svc serve --config note': ['notes.json'],
  'svc validate note': ['notes.json'],
  'svc approval ': ['list', 'show', 'approve', 'reject', 'decide'],
  'svc context ': ['list', 'show', 'use', 'remove'],
  'svc approval list --status ': ['pending', 'decided'],
  'svc completion ': ['bash', 'zsh', 'fish'],
  'svc token create --role v': ['viewer'],
  'svc version --out': ['--output'],
  '/usr/local/bin/svc auth ': ['matrix'],
  'svc-api --pub': ['--public-url'],
  'svc nonsense --': ['--version', '--help'],
};

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  test(`${shell} completes commands, options, their values and files`, async (t) => {
    t.timeout(60_000);
    const { stdout: script, code } = await runSvc(['completion', shell], { cwd: folder.path });
    t.is(code, EXIT.ok);
    t.true(script.includes('scheduler'));
    const file = join(folder.path, `completion.${shell}`);
    writeFileSync(file, script);
    if (shell !== 'bash' && spawnSync(shell, ['--version']).error !== undefined) return;
    for (const [typed, offered] of Object.entries(CASES)) {
      const told = complete(shell, { file, typed });
      // Some offer commander's own `help` command.
      const found = told.filter((word) => word !== 'help');
      t.deepEqual(found.toSorted(), offered.toSorted(), typed);
    }
  });
}

test('bash completes ids with what the program lists', async (t) => {
  const { stdout: script } = await runSvc(['completion', 'bash'], { cwd: folder.path });
  const file = join(folder.path, 'live.bash');
  const listed = `svc() { case "$*" in
    'execution list --limit 50 -o ids') printf 'exec_1\\nexec_2\\n' ;;
    'approval list --limit 50 -o ids') printf 'exec_3\\n' ;;
    esac; }`;
  writeFileSync(file, `${listed}\n${script}`);
  const ids = complete('bash', { file, typed: 'svc execution show exec_' });
  t.deepEqual(ids, ['exec_1', 'exec_2']);
  for (const command of ['show', 'approve', 'reject', 'decide']) {
    t.deepEqual(complete('bash', { file, typed: `svc approval ${command} exec_` }), ['exec_3']);
  }
  t.deepEqual(complete('bash', { file, typed: 'svc workflow show x' }), []);
});

test('bash completes nothing when the runtime does not answer in time', async (t) => {
  const { stdout: script } = await runSvc(['completion', 'bash'], { cwd: folder.path });
  const file = join(folder.path, 'silent.bash');
  // The kernel accepts its connections, and this process answers none of them meanwhile.
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const program = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
  const svc = `svc() { SVC_URL=${url} '${process.execPath}' '${program}' "$@"; }`;
  writeFileSync(file, `${svc}\n${script}`);
  const began = performance.now();
  t.deepEqual(complete('bash', { file, typed: 'svc execution show exec_' }), []);
  t.true(performance.now() - began < 30_000);
});

test('a shell that is not known is a mistake, and those that are known are named', async (t) => {
  const { code, stderr } = await runSvc(['completion', 'tcsh'], { cwd: folder.path });
  t.is(code, EXIT.usage);
  t.regex(stderr, /bash, zsh, fish/);
});

function complete(
  shell: Shell,
  of: { readonly file: string; readonly typed: string },
): readonly string[] {
  const { status, stdout, stderr } = spawnSync(shell, ['-c', ASK[shell](of)], {
    cwd: folder.path,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder.path, LC_ALL: 'C.UTF-8' },
  });
  if (status !== 0 || stderr !== '') throw new Error(`${shell} ended with ${status}: ${stderr}`);
  return stdout
    .split('\n')
    .map((line) => line.replace(/\t.*/, '').replace(/^--role=/, ''))
    .filter((line) => line !== '');
}

/*
 * Fish prints the words that it would offer. For the other shells, the test replaces functions that
 * work only during a completion with functions that print the offers.
 */
const ASK: Readonly<
  Record<Shell, (of: { readonly file: string; readonly typed: string }) => string>
> = {
  fish: ({ file, typed }) => `source ${file}; complete -C '${typed}'`,
  bash: ({ file, typed }) => `
    compopt() { [[ $* == '-o default' ]] && files=1; }
    source ${file}
    COMP_WORDS=(${splitForBash(typed).join(' ')})
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _svc
    printf '%s\\n' "\${COMPREPLY[@]}"
    [[ -z $files ]] || compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"`,
  zsh: ({ file, typed }) => `
    compdef() { }
    compset() { PREFIX=\${PREFIX#*=} }
    compadd() { shift; print -rl -- \${(M)@:#$PREFIX*} }
    _files() { print -rl -- $PREFIX*(N) }
    _describe() {
      local each
      for each in "\${(@P)@[-1]}"; do
        [[ $each != $PREFIX* ]] || print -r -- \${each%%:*}
      done
    }
    source ${file}
    words=(${splitAtSpaces(typed).join(' ')})
    CURRENT=$#words
    PREFIX=$words[-1]
    _svc`,
};

/** Readline treats an equals sign as a word. */
function splitForBash(typed: string): readonly string[] {
  return splitAtSpaces(typed.replace('=', ' = '));
}

function splitAtSpaces(typed: string): readonly string[] {
  return typed.split(' ').map((word) => `'${word}'`);
}
