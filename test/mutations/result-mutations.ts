import type { Mutation } from './mutations.ts';

/** Bugs of callers that wait for results. */
export const RESULT_MUTATIONS: readonly Mutation[] = [
  {
    bug: 'the hint of an end wakes no caller that waits for it',
    file: 'shared/engine/executions/results/await-result.ts',
    from: 'waitForTopics(deps, [endedTopic(executionId)])',
    to: 'waitForTopics(deps, [])',
  },
  {
    bug: 'nobody looks for an end whose hint is lost',
    file: 'shared/engine/wake/end-looks.ts',
    from: 'if (mayHaveEnded) onEnd();',
    to: 'if (mayHaveEnded && awaited < 0) onEnd();',
  },
  {
    bug: 'a caller whose time is over gets 202 after the end',
    file: 'shared/engine/executions/results/await-result.ts',
    from: '  if (!isTerminal(status)) return { pending: { executionId, status } };\n  const ended',
    to: '  if (!isTerminal(status) || withState) return { pending: { executionId, status } };\n  const ended',
  },
];
