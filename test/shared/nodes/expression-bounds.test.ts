import test from 'ava';

import type { JsonObject } from '../../../src/shared/domain/json.ts';
import { History, planOf } from '../../support/history.ts';
import { enter } from './enter.ts';

const state = { text: 'a'.repeat(1_000_000) };
/** About 8 000 steps each: one is allowed, and so are a few. */
const HEAVY = 'state.text.contains("ab")';
const many = <Item>(item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: 100 }, (_, index) => item(index));

const TOGETHER: readonly (readonly [string, JsonObject])[] = [
  ['members of a mapping', { type: 'pass', output: { list: many(() => ({ expr: HEAVY })) } }],
  [
    'branches of a condition',
    { type: 'condition', branches: many(() => ({ condition: HEAVY, target: 'a' })) },
  ],
  ['rules of a policy', { type: 'policy', rules: many(() => ({ condition: `!${HEAVY}` })) }],
  [
    'places of a prompt',
    {
      type: 'model',
      model: { provider: 'openai', model: 'gpt-5-mini' },
      prompt: many(() => `{{ ${HEAVY} }}`).join(' '),
    },
  ],
];

for (const [what, kind] of TOGETHER) {
  test(`${what} have a bound on their work together`, (t) => {
    const entry = enter({ kind }, { state });
    t.like(entry, { do: 'fail', errorClass: 'expression_error' });
    t.regex(entry.do === 'fail' ? entry.error : '', /more than 500000 steps of work/);
  });
}

test('checks of an evaluation have a bound on their work together', (t) => {
  const scorers = many((at) => ({ type: 'assertion', name: `s${at}`, check: `!${HEAVY}` }));
  const kind = { type: 'eval', scorers: scorers.slice(0, 50), on_fail: 'warn' };
  t.like(enter({ kind }, { state }), { do: 'complete', output: { passed: true } });
  const checks = many(() => `!${HEAVY}`);
  const more = { type: 'eval', scorers: [{ type: 'assertion', checks }], on_fail: 'warn' };
  t.like(enter({ kind: more }, { state }), { do: 'complete', output: { passed: false } });
});

test('conditions of edges have a bound on their work together', (t) => {
  const targets = Object.fromEntries(many((at) => [`t${at}`, { kind: 'pass' }]));
  const plan = planOf({
    start_node: 'n',
    nodes: { n: { kind: 'pass' }, ...targets },
    edges: many((at) => ({ from: 'n', to: `t${at}`, condition: HEAVY })),
  });
  const history = new History(plan, state);
  t.is(history.state.status, 'failed');
  const [ended] = history.events.slice(-1);
  t.regex(JSON.stringify(ended?.payload), /more than 500000 steps of work/);
});
