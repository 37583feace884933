import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { RunOn } from '../../src/shared/domain/workflow/plan/plan.ts';
import type { NodeRunner } from '../../src/shared/nodes/run.ts';
import type { RunnableKind } from '../../src/shared/nodes/runnable-kind.ts';

interface CleanupSpec {
  readonly runOn: RunOn;
}

/** A finalizer without a tool, for tests of when finalizers run; the test supplies its runner. */
export const cleanupKind: RunnableKind<CleanupSpec, NodeRunner> = {
  type: 'cleanup',
  aliases: [],
  fields: { run_on: {} },
  leaf: false,
  toolLike: false,
  parse: (fields) => ({ runOn: (fields['run_on'] ?? 'always') as RunOn }),
  runOn: ({ runOn }) => runOn,
  tool: () => 'cleanup',
  runner: (given) => given,
  enter: (_spec, { scope }) => ({
    do: 'work',
    queue: 'engine',
    input: { execution: scope.execution } satisfies JsonObject,
    payload: {},
  }),
};
