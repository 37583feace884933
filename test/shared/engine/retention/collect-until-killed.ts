import { collectArtifacts } from '../../../../src/shared/engine/retention/collect-artifacts.ts';
import { openStore } from '../../../../src/shared/store/opening/open.ts';
import { sqlitePath } from '../../../support/stores.ts';

/*
 * Collects artifacts and dies at one of its steps: `node collect-until-killed.ts <database>
 * <step>`. In a step that ends in `ing` the database has the request and has not answered.
 */

const [url = '', step = ''] = process.argv.slice(2);

function reach(name: string): void {
  if (name === step) process.kill(process.pid, 'SIGKILL');
}

const store = await openStore({
  database: url.startsWith('sqlite:')
    ? { dialect: 'sqlite', path: sqlitePath(url) }
    : { dialect: 'postgres', url, poolSize: 1, maxOverflow: 0 },
  applicationName: 'svc-test',
});
const { unusedArtifacts } = store;

function asking<Params extends readonly unknown[], Answer>(
  name: string,
  ask: (...params: Params) => Promise<Answer>,
): (...params: Params) => Promise<Answer> {
  return (...params) => {
    const answer = ask(...params);
    reach(name);
    return answer;
  };
}

await collectArtifacts(
  {
    stores: {
      ...store,
      unusedArtifacts: {
        ...unusedArtifacts,
        readEvents: asking('reading', (params) => unusedArtifacts.readEvents(params)),
        noteRead: asking('noting', (artifacts) => unusedArtifacts.noteRead(artifacts)),
        remove: asking('removing', async (params) => {
          const removed = await unusedArtifacts.remove({ ...params, limit: 3 });
          reach('removed');
          // Reports a full batch, as if the caller had requested only these.
          return removed.looked === 3 ? { ...removed, looked: params.limit } : removed;
        }),
        deleteChunks: asking('deleting', () => unusedArtifacts.deleteChunks()),
      },
    },
    now: () => 0,
    rest: async () => undefined,
  },
  {
    tenantId: null,
    olderThanMs: 86_400_000,
    defaults: { completed: 0, failed: 0, cancelled: 0 },
    actorId: 'system:cli',
    unusedMs: 7 * 86_400_000,
    isOver: () => false,
  },
);
await store.prune();
await store.close();
