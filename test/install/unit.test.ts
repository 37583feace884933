import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

import { readUnit } from './unit.ts';

/* How the replacement for systemctl reads units. */

const UNITS = fileURLToPath(new URL('../../deploy/systemd/', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'svc-test-units-'));
const system = join(root, 'etc/systemd/system');
test.before(() => {
  cpSync(UNITS, system, { recursive: true });
  mkdirSync(join(root, 'etc/svc'), { recursive: true });
  writeFileSync(join(root, 'etc/svc/svc.env'), '# secrets\nSVC_DATABASE_URL="postgres://a=b"\n');
});
test.after.always(() => rmSync(root, { recursive: true }));

test('a unit is its program, its user, and the environment of its files', (t) => {
  t.deepEqual(readUnit('svc-scheduler', root), {
    command: [
      '/opt/svc/node_modules/.bin/node',
      '/opt/svc/bin/svc-scheduler.js',
      '--config',
      '/etc/svc/svc.toml',
    ],
    env: {
      SVC_DATABASE_AUTO_MIGRATE: 'false',
      NODE_ENV: 'production',
      SVC_DATABASE_URL: 'postgres://a=b',
    },
    user: 'svc',
    folder: '/var/lib/svc',
    stateFolder: 'svc',
    isOneShot: false,
  });
});

test('a drop-in adds to it, and a file that may be missing is no mistake', (t) => {
  mkdirSync(join(system, 'svc-api.service.d'));
  writeFileSync(
    join(system, 'svc-api.service.d/ports.conf'),
    '[Service]\nEnvironment=SVC_PORT=1\n',
  );
  t.is(readUnit('svc-api', root).env['SVC_PORT'], '1');
  t.true(readUnit('svc-migrate', root).isOneShot);
});

test('a variable is as many words as it has; an unknown unit is reported', (t) => {
  const unit = '[Unit]\nUser=nobody\n[Service]\nEnvironment=ARGS=\nExecStart=/bin/x $ARGS --end\n';
  writeFileSync(join(system, 'x.service'), unit);
  t.like(readUnit('x', root), { command: ['/bin/x', '--end'], user: 'root' });
  t.throws(() => readUnit('y', root), { message: 'Unit y.service not found.' });
});
