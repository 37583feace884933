import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { NodeKind, RunOn } from '../../src/shared/domain/workflow/plan/plan.ts';

/** A finalizer without a tool of its own, for tests of when finalizers run. */
export const cleanupKind: NodeKind<{ readonly runOn: RunOn }> = {
  type: 'cleanup',
  aliases: [],
  fields: { run_on: {} },
  leaf: false,
  toolLike: false,
  parse: (fields) => ({ runOn: (fields['run_on'] ?? 'always') as RunOn }),
  runOn: ({ runOn }) => runOn,
  tool: () => 'cleanup',
  enter: (_spec, { scope }) => ({
    do: 'work',
    queue: 'engine',
    input: { execution: scope.execution } satisfies JsonObject,
    payload: {},
  }),
};
