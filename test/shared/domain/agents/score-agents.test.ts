import test from 'ava';

import type { AgentCard } from '../../../../src/shared/domain/agents/agent-card.ts';
import { readAgentCard } from '../../../../src/shared/domain/agents/read-agent-card.ts';
import {
  DEFAULT_WEIGHTS,
  findTies,
  scoreAgents,
  type AgentCriteria,
} from '../../../../src/shared/domain/agents/score-agents.ts';
import type { JsonObject } from '../../../../src/shared/domain/json.ts';

function cardOf(fields: JsonObject, skills: readonly string[] = []): AgentCard {
  const read = readAgentCard({ name: 'x', capabilities: { skills }, ...fields });
  if (!read.ok) throw new Error(read.problems.join());
  return read.card;
}

function rank(agents: Readonly<Record<string, AgentCard>>, criteria: Partial<AgentCriteria> = {}) {
  return scoreAgents(
    Object.entries(agents).map(([agentId, card]) => ({ agentId, card })),
    { required: [], preferred: [], weights: DEFAULT_WEIGHTS, costUsdMax: null, ...criteria },
  );
}

const idsOf = (ranked: readonly { readonly agentId: string }[]) =>
  ranked.map(({ agentId }) => agentId);

test('agents without a required skill are no candidates', (t) => {
  const agents = {
    a: cardOf({}, ['read']),
    b: cardOf({}, ['read', 'write']),
    c: cardOf({ capabilities: { skills: [{ id: 'write', name: 'Writing' }, { name: 'read' }] } }),
  };
  t.deepEqual(idsOf(rank(agents, { required: ['read', 'write'] })), ['b', 'c']);
  t.deepEqual(idsOf(rank(agents, { required: ['fly'] })), []);
});

test('preferred skills, trust, cost and latency count by their weights', (t) => {
  const only = (part: string) => ({ skills: 0, trust: 0, cost: 0, latency: 0, [part]: 1 });
  const agents = {
    a: cardOf({ trust: 0.9, cost_usd: 3, latency_class: 'slow' }),
    b: cardOf({ trust: 0.2, cost_class: 'free', metadata: { latency_class: 'Fast' } }, ['x']),
    c: cardOf({ capabilities: { skills: ['x', 'y'], latency_class: 'realtime' } }),
  };
  const by = (part: string) =>
    rank(agents, { preferred: ['x', 'y'], weights: only(part) }).map((one) => [
      one.agentId,
      one.score,
    ]);
  t.deepEqual(by('skills'), [
    ['c', 1],
    ['b', 0.5],
    ['a', 0],
  ]);
  t.deepEqual(by('trust'), [
    ['a', 0.9],
    ['c', 0.5],
    ['b', 0.2],
  ]);
  t.deepEqual(by('cost'), [
    ['b', 1],
    ['c', 0.5],
    ['a', 0.25],
  ]);
  t.deepEqual(by('latency'), [
    ['c', 1],
    ['b', 0.75],
    ['a', 0.25],
  ]);
  const [best] = rank(agents, { preferred: ['x', 'y'] });
  t.deepEqual(best?.parts, { skills: 1, trust: 0.5, cost: 0.5, latency: 1 });
  t.is(best?.score, 0.4 + 0.3 * 0.5 + 0.15 * 0.5 + 0.15);
});

test('equal agents stand in the order of their ids, however they were given', (t) => {
  const card = cardOf({ trust: 0.7 });
  t.deepEqual(idsOf(rank({ b: card, a: card, 'a-2': card, B: card })), ['B', 'a', 'a-2', 'b']);
});

test('nearly equal scores are ties, and others are none', (t) => {
  const ranked = rank({
    a: cardOf({ trust: 0.7 }),
    b: cardOf({ trust: 0.72 }),
    c: cardOf({ trust: 0.1 }),
  });
  t.deepEqual(idsOf(ranked), ['b', 'a', 'c']);
  t.deepEqual(idsOf(findTies(ranked)), ['b', 'a']);
  t.deepEqual(findTies([]), []);
});

test('an agent that tells a cost above the budget is no candidate', (t) => {
  const agents = { a: cardOf({ cost_usd: 0.5 }), b: cardOf({ cost_usd: 0.05 }), c: cardOf({}) };
  t.deepEqual(idsOf(rank(agents, { costUsdMax: 0.1 })), ['b', 'c']);
});

test('a wrong statement of a card counts as missing', (t) => {
  const [one] = rank({
    a: cardOf({ trust: 'very', cost_usd: -1, cost_class: 'constructor', latency_class: 3 }),
  });
  t.deepEqual(one?.parts, { skills: 1, trust: 0.5, cost: 0.5, latency: 0.5 });
});
