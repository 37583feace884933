import { archiveTo } from '../../../../src/runtime/archive-to.ts';
import { ARCHIVE_FILES } from '../../../../src/shared/clients/archive/archive-files.ts';
import { ids } from '../../../../src/runtime/ids.ts';
import { runRetention } from '../../../../src/shared/engine/retention/run-retention.ts';
import { sqlitePath } from '../../../support/stores.ts';
import { openStore } from '../../../../src/shared/store/opening/open.ts';

/*
 * Runs retention and dies at one of its steps: `node retain-until-killed.ts <database> <folder>
 * <step> <time>`. In a step that ends in `ing` the database has the request and has not answered.
 */

const [url = '', folder = '', step = '', time = '1'] = process.argv.slice(2);
const counts = new Map<string, number>();

function reach(name: string): void {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  if (name === step && count === Number(time)) process.kill(process.pid, 'SIGKILL');
}

const store = await openStore({
  database: url.startsWith('sqlite:')
    ? { dialect: 'sqlite', path: sqlitePath(url) }
    : { dialect: 'postgres', url, poolSize: 1, maxOverflow: 0 },
  applicationName: 'svc-test',
});
const { retention } = store;
const write = archiveTo(folder, store, {
  ...ARCHIVE_FILES,
  rename(from, to) {
    reach('archiving');
    return ARCHIVE_FILES.rename(from, to);
  },
});

await runRetention(
  {
    store: {
      ...retention,
      async retire(retiring) {
        reach('before-retire');
        const answer = retention.retire(retiring);
        reach('retiring');
        const isGone = await answer;
        reach('after-retire');
        return isGone;
      },
      async forgetReplays(params) {
        reach('before-forget');
        const answer = retention.forgetReplays(params);
        reach('forgetting');
        const page = await answer;
        reach('after-forget');
        return page;
      },
    },
    ids,
    now: () => 0,
    rest: async () => undefined,
  },
  {
    tenantId: null,
    workflowId: null,
    status: null,
    olderThanMs: 86_400_000,
    defaults: { completed: 0, failed: 0, cancelled: 0 },
    actorId: 'system:cli',
    batchMax: 4,
    replayMs: 86_400_000,
    archive: async (params) => {
      reach('before-archive');
      const archived = await write(params);
      reach('after-archive');
      return archived;
    },
    isOver: () => false,
  },
);
await store.close();
