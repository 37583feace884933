import type { Mutation } from './mutations.ts';

const WRITE = 'shared/clients/archive/write-archive.ts';
const RUN = 'shared/engine/retention/run-retention.ts';
const ARCHIVED = 'await run.archive?.({ batch: whole, tenantId, name })';

/** Bugs of the archives of executions that retention removes. */
export const ARCHIVE_MUTATIONS: readonly Mutation[] = [
  {
    bug: 'executions are removed before their archive is on the disk',
    file: WRITE,
    from: '      await target.sync();\n',
    to: '',
  },
  {
    bug: 'executions are removed before the name of their archive is on the disk',
    file: WRITE,
    from: '  await files.syncFolder(of.folder);\n',
    to: '',
  },
  {
    bug: 'executions are removed before the folder of their archive is on the disk',
    file: WRITE,
    from: '    await files.syncFolder(above);\n',
    to: '',
  },
  {
    bug: 'an archive leaves out the last event',
    file: 'shared/engine/retention/archive-batch.ts',
    from: 'yield document;',
    to: 'yield { ...document, events: document.events.slice(0, -1) };',
  },
  {
    bug: 'an archive leaves out the last execution of its batch',
    file: 'shared/engine/retention/archive-batch.ts',
    from: 'yield document;',
    to: 'if (executionId !== batch.at(-1)?.executionId) yield document;',
  },
  {
    bug: 'executions are removed although their archive cannot be written',
    file: RUN,
    from: ARCHIVED,
    to: `${ARCHIVED}.catch(() => null)`,
  },
  {
    bug: 'an archive that cannot be written keeps the executions, and nobody learns why',
    file: RUN,
    from: ARCHIVED,
    to: `${ARCHIVED}.catch(() => ({
      file: '',
      executionIds: new Set<ExecutionId>(),
    }))`,
  },
  {
    bug: 'the audit log does not name the archive of a removal',
    file: RUN,
    from: '      archive,\n    },',
    to: "      archive: archive === null ? null : 'archived',\n    },",
  },
];
