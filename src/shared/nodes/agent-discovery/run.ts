import type { JsonObject } from '../../domain/json.ts';
import type { SearchSpec } from './spec.ts';
import {
  chooseAgent,
  describeCandidate,
  rankAgents,
  type ChoosingDeps,
} from '../agent/choose-agent.ts';
import type { NodeOutcome, NodeRunner } from '../run.ts';

/** An output is not to grow with the number of agents. */
const AGENTS_MAX = 100;

/** Gives the ranked list; that nobody can do it is an answer. */
export function createAgentDiscoveryRunner(
  deps: Pick<ChoosingDeps, 'directory'>,
): NodeRunner<SearchSpec> {
  return {
    async run(call) {
      const { criteria, outputBinding } = call.spec;
      const { ranked } = await rankAgents(deps, { call, criteria });
      const agents = ranked
        .slice(0, AGENTS_MAX)
        .map((agent) => ({ ...describeCandidate(agent), uri: agent.card.uri }));
      return done({ agents, count: ranked.length }, outputBinding);
    },
  };
}

/** Gives the agent that was picked, and how. */
export function createCoordinatorRunner(deps: ChoosingDeps): NodeRunner<SearchSpec> {
  return {
    async run(call) {
      const { criteria, outputBinding } = call.spec;
      const choice = await chooseAgent(deps, { call, criteria });
      if (!choice.ok) return choice.failure;
      const { agent, by, candidates, usage } = choice;
      const { agentId, card } = agent;
      const output = { agent_id: agentId, name: card.name, uri: card.uri, by, candidates };
      return { ...done(output, outputBinding), ...(usage !== undefined && { usage }) };
    },
  };
}

function done(output: JsonObject, binding: string | null): Extract<NodeOutcome, { ok: true }> {
  return { ok: true, output, statePatch: binding === null ? {} : { [binding]: output } };
}
