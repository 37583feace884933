import { readFileSync } from 'node:fs';
import test from 'ava';

import { CONFIG_KEYS } from '../../src/shared/config/keys.ts';

/* The page docs/get-started/install.md says who migrates the schema. */

const INSTALLED = [
  'deploy/systemd/svc-api.service',
  'deploy/systemd/svc-scheduler.service',
  'deploy/compose.yaml',
  'deploy/kubernetes/base/api-deployment.yaml',
  'deploy/kubernetes/base/scheduler-deployment.yaml',
  'deploy/helm/svc/templates/_pods.tpl',
];

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('a process migrates at its start by default, and none that is installed for production does', (t) => {
  t.is(CONFIG_KEYS['database.auto_migrate'].default, true);
  for (const path of INSTALLED) {
    t.regex(read(path), /SVC_DATABASE_AUTO_MIGRATE\W+(?:value\W+)?false/, path);
  }
  t.regex(read('docs/get-started/install.md'), /`database\.auto_migrate` .* is on by default/);
});
