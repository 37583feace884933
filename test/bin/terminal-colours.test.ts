import { fileURLToPath } from 'node:url';

import test from 'ava';

import { createTestDatabase } from '../support/database.ts';
import { startRuntime } from '../support/runtime.ts';
import { createFolder, runProgram } from './run-svc.ts';

/* Colours on a pseudo terminal, which `script` of util-linux opens for a command. */

const folder = createFolder();
test.after.always(() => folder.remove());

const SVC = [
  fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url)),
  fileURLToPath(new URL('../../bin/svc.js', import.meta.url)),
].join(' ');
const GREEN = '\u001B[32mcompleted\u001B[39m';

test('a terminal shows statuses in colours, unless it has none or somebody wants none', async (t) => {
  const database = await createTestDatabase('sqlite');
  t.teardown(() => database.drop());
  const runtime = await startRuntime({ databaseUrl: database.url });
  t.teardown(() => runtime.end('SIGTERM'));
  const tenant = await runtime.newTenant();
  const id = await tenant.run({ workflow_id: 'greet', nodes: { a: { kind: 'pass' } } });
  await tenant.until(id, 'completed');
  const login = `SVC_URL=${runtime.url} SVC_TOKEN=${await tenant.makeToken('viewer')}`;
  const list = (setting: string, after = '') =>
    `env -u NO_COLOR ${setting} ${login} ${SVC} execution list${after}`;
  const onTerminal = async (setting: string, after = '') => {
    const args = ['-qec', list(setting, after), '/dev/null'];
    const { code, stdout, stderr } = await runProgram('script', args, { cwd: folder.path });
    t.is(code, 0, stdout + stderr);
    return stdout;
  };
  const shown = await onTerminal('TERM=xterm-256color');
  t.true(shown.includes(GREEN), JSON.stringify(shown));
  for (const plain of [
    await onTerminal('TERM=xterm-256color NO_COLOR=1'),
    await onTerminal('TERM=dumb'),
    await onTerminal('TERM=xterm-256color', ' | cat'),
    await onTerminal('TERM=xterm-256color', ' -o ids'),
  ]) {
    t.true(plain.includes(id), JSON.stringify(plain));
    t.false(plain.includes('\u001B['), JSON.stringify(plain));
  }
});
