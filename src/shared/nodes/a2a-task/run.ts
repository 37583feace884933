import type { A2aTaskSpec } from './spec.ts';
import { delegateTask, type DelegationDeps } from '../delegation/delegate-task.ts';
import type { NodeRunner } from '../run.ts';

/** Has a task done by an agent that the workflow names. */
export function createA2aTaskRunner(deps: DelegationDeps): NodeRunner<A2aTaskSpec> {
  return {
    run(call) {
      const { agent, skill, stream, onInputRequired } = call.spec;
      const { name, url, agentCardPath: cardPath, auth } = agent;
      const target = { tenantId: call.tenantId, name, url, cardPath, card: null, auth };
      return delegateTask(deps, { call, target, skill, stream, onInputRequired });
    },
  };
}
