import { findKeyProblem } from '../../domain/keepable-json.ts';
import { text } from '../../domain/workflow/schema/fields.ts';
import { enterWork } from '../enter-work.ts';
import { readText } from '../read-fields.ts';
import { modelOfWish, readWish, WISH_FIELDS } from '../agent/read-wish.ts';
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
      ...WISH_FIELDS,
      output_binding: text('Another state key for the output.'),
    },
    leaf: true,
    toolLike: false,

    parse(fields, at) {
      const wish = readWish(fields, at);
      const outputBinding = readText(fields, 'output_binding', at);
      const problem = outputBinding === null ? null : findKeyProblem(outputBinding);
      if (problem !== null) at.problem('/output_binding', `${problem} is not allowed`);
      return wish === null ? null : { wish, outputBinding };
    },

    model: ({ wish }) => (type === 'coordinator' ? modelOfWish(wish) : []),

    writes: ({ outputBinding }) => (outputBinding === null ? [] : [outputBinding]),

    runner,

    enter: (_spec, context) => enterWork({ queue: 'engine', call: {}, context }),
  };
}
