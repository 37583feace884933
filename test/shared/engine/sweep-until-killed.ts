import { openStore } from '../../../src/shared/store/opening/open.ts';
import type { ExecutionStore } from '../../../src/shared/store/store.ts';
import { openTestEngine } from '../../support/engine.ts';
import { sqlitePath } from '../../support/stores.ts';

/*
 * Sweeps paused workflows and dies meanwhile: `node sweep-until-killed.ts <database> <step>
 * <time>`. `committing`: the database has the request and has not answered; `committed`: it has
 * answered.
 */

const [url = '', step = '', time = '1'] = process.argv.slice(2);
let left = Number(time);

const store = await openStore({
  database: url.startsWith('sqlite:')
    ? { dialect: 'sqlite', path: sqlitePath(url) }
    : { dialect: 'postgres', url, poolSize: 2, maxOverflow: 0 },
  applicationName: 'svc-test',
});
const { executions } = store;

function reach(name: string): void {
  if (name === step && left <= 0) process.kill(process.pid, 'SIGKILL');
}

const commit: ExecutionStore['commit'] = async (plans) => {
  left -= 1;
  const verdicts = executions.commit(plans);
  reach('committing');
  const given = await verdicts;
  reach('committed');
  return given;
};

const svc = openTestEngine({ store: { ...store, executions: { ...executions, commit } } });
const { signal } = new AbortController();
while ((await svc.scheduling.sweepWorkflowPauses({ signal })).more);
await store.close();
