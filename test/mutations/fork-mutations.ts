import type { Mutation } from './mutations.ts';

const FORK = 'shared/engine/executions/fork/fork-execution.ts';
const POINT = 'shared/domain/execution/retry-point.ts';

/** Bugs of forks. */
export const FORK_MUTATIONS: readonly Mutation[] = [
  {
    bug: 'a fork keeps one event too many',
    file: POINT,
    from: 'if (event.sequence > until) notes.noteLater(event);',
    to: 'if (event.sequence > until + 1) notes.noteLater(event);',
  },
  {
    bug: 'a fork calls under the keys of its original',
    file: 'shared/domain/execution/fold/fold-start.ts',
    from: '    const { execution_id: executionId, sequence, node_id: nodeId } = forked;\n',
    to: `    const { execution_id: executionId, sequence, node_id: nodeId } = forked;
    draft.keysOf = executionId as ExecutionId;\n`,
  },
  {
    bug: 'a fork undoes the steps of its original',
    file: POINT,
    from: '        until === Infinity\n          ? draft.undo',
    to: '        until > 0\n          ? draft.undo',
  },
  {
    bug: 'a fork begins before its entry in the audit log',
    file: FORK,
    from: '  await deps.store.audit.append({',
    to: '  void deps.store.audit.append({',
    also: [
      {
        file: FORK,
        from: '  });\n  const request = requestOf(params);',
        to: '  }).catch(() => {});\n  const request = requestOf(params);',
      },
    ],
  },
  {
    bug: 'each request for a fork makes one, also under the same key',
    file: FORK,
    from: '    request,\n    isDerived: false,',
    to: '    request: null,\n    isDerived: false,',
  },
  {
    bug: 'a fork at the failed items of a map runs all items',
    file: 'shared/engine/executions/fork/find-fork-point.ts',
    from: 'sequence: end ?? lastSequence, nodeId',
    to: 'sequence: begun.sequence, nodeId',
  },
  {
    bug: 'a fork begins with the whole usage of its original',
    file: FORK,
    from: '  const { labels } = foldLoaded(loaded, null);',
    to: '  const { labels, usage } = foldLoaded(loaded, null);',
    also: [{ file: FORK, from: 'statePatch, usage: null });', to: 'statePatch, usage });' }],
  },
  {
    bug: 'a fork of a child has its parent',
    file: FORK,
    from: '    from: {\n      forked_from: {',
    to: `    from: {
      ...(row.parentExecutionId !== null && {
        parent_execution_id: row.parentExecutionId,
        parent_node_id: 'child',
      }),
      forked_from: {`,
  },
  {
    bug: 'a fork runs nothing that was in progress at its point',
    file: POINT,
    from: 'draft.arrivals = [...again, ...draft.arrivals];',
    to: 'draft.arrivals = until === Infinity || draft.arrivals.length === 0 ? [...again, ...draft.arrivals] : draft.arrivals;',
  },
];
