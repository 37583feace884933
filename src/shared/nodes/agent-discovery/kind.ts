import { findKeyProblem } from '../../domain/keepable-json.ts';
import { text } from '../../domain/workflow/schema/fields.ts';
import { enterWork } from '../enter-work.ts';
import { readText } from '../read-fields.ts';
import { modelOfCriteria, readCriteria, CRITERIA_FIELDS } from '../agent/read-criteria.ts';
import type { NodePorts } from '../ports.ts';
import type { EngineKind, RunnableKind } from '../runnable-kind.ts';
import { createAgentDiscoveryRunner, createCoordinatorRunner } from './run.ts';
import type { SearchSpec } from './spec.ts';

/** Lists the agents that can do something, the best first. */
export const agentDiscoveryKind: RunnableKind<SearchSpec> = searchKind(
  'agent_discovery',
  createAgentDiscoveryRunner,
);

/** Picks the agent that can do something best; the work itself is for another node. */
export const coordinatorKind: RunnableKind<SearchSpec> = searchKind(
  'coordinator',
  createCoordinatorRunner,
);

function searchKind(
  type: string,
  runner: EngineKind<SearchSpec, NodePorts>['runner'],
): RunnableKind<SearchSpec> {
  return {
    type,
    aliases: [],
    fields: {
      ...CRITERIA_FIELDS,
      output_binding: text('Another state key for the output.'),
    },
    leaf: true,
    toolLike: false,

    parse(fields, at) {
      const criteria = readCriteria(fields, at);
      const outputBinding = readText(fields, 'output_binding', at);
      const problem = outputBinding === null ? null : findKeyProblem(outputBinding);
      if (problem !== null) at.problem('/output_binding', `${problem} is not allowed`);
      return criteria === null ? null : { criteria, outputBinding };
    },

    model: ({ criteria }) => (type === 'coordinator' ? modelOfCriteria(criteria) : []),

    writes: ({ outputBinding }) => (outputBinding === null ? [] : [outputBinding]),

    runner,

    enter: (_spec, context) => enterWork({ queue: 'engine', call: {}, context }),
  };
}
