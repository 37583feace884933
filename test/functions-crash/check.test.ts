import test from 'ava';

import type { ExecutionEvent } from '../support/wire.ts';
import { checkCancelled, checkEnd, checkFacts, type Facts } from './check.ts';
import { checkVisits, type ExecutionFacts } from './check-visits.ts';
import type { Program } from './program.ts';
import type { Effect } from './receiver.ts';

const STEP = {
  op: 'step',
  durability: 'each',
  failures: 0,
  undoFailures: 0,
  isPatient: false,
} as const;
const PROGRAM: Program = [
  { ...STEP, id: 'step-1', undo: true },
  { ...STEP, id: 'step-2', undo: true },
];

type Given = { readonly identity: string; readonly kind: string; readonly output?: unknown };

const registered = (id: string): Given => ({
  identity: `on-rollback undo ${id}`,
  kind: 'on_rollback',
});
const undone = (id: string): Given => ({
  identity: `rollback/on-rollback undo ${id}`,
  kind: 'rollback',
});
const recorded = (id: string): Given => ({
  identity: id,
  kind: 'step',
  output: { answer: `run-1 did ${id}`, nonce: `nonce of ${id}` },
});
const STEPS = [registered('step-1'), recorded('step-1'), registered('step-2'), recorded('step-2')];
const UNDONE = [undone('step-2'), undone('step-1')];

function events(entries: readonly Given[], positions = entries.map((_, index) => index)) {
  return entries.map((entry, index): ExecutionEvent => ({
    sequence: index + 1,
    kind: 'StepRecorded',
    node_id: 'run',
    created_at: '',
    event_id: '',
    execution_id: '',
    actor_id: '',
    payload: JSON.parse(JSON.stringify({ position: positions[index], entries: [entry] })),
  }));
}

function effect(name: string, more: Partial<Effect> = {}): Effect {
  const [phase = '', id = ''] = name.split(' ');
  return {
    tag: 'run-1',
    id,
    phase: phase === 'undo' ? 'undo' : 'do',
    keys: new Map([[`key of ${name}`, 2]]),
    seen: new Set(['']),
    place: 1,
    ...more,
  };
}

const DONE = [effect('do step-1'), effect('do step-2')];
const COMPLETED: Facts = {
  tag: 'run-1',
  program: PROGRAM,
  status: 'completed',
  output: { results: [recorded('step-1').output, recorded('step-2').output] },
  events: events(STEPS),
  effects: DONE,
  executions: ['exec_1'],
  children: new Map(),
};
const FAILED: Facts = {
  ...COMPLETED,
  status: 'failed',
  output: null,
  events: events([...STEPS, ...UNDONE]),
  effects: [...DONE, effect('undo step-2', { place: 3 }), effect('undo step-1', { place: 4 })],
};

test('a correct outcome is not a violation', (t) => {
  t.deepEqual(checkFacts(COMPLETED), []);
  t.deepEqual(checkFacts(FAILED), []);
});

test('a function that completed before its execution was cancelled is not rolled back', (t) => {
  const [first, ...others] = COMPLETED.events;
  if (first === undefined) throw new Error('it has events');
  const end: ExecutionEvent = { ...first, kind: 'NodeCompleted', payload: {} };
  const cancelled = { ...COMPLETED, status: 'cancelled', events: [first, ...others, end] };
  t.deepEqual(checkFacts(cancelled), []);
  t.regex(checkFacts({ ...cancelled, events: COMPLETED.events }).join(), /not undone/);
});

const BROKEN: Readonly<Record<string, readonly [Facts, RegExp]>> = {
  'a gap in the journal': [{ ...COMPLETED, events: events(STEPS, [0, 1, 3, 4]) }, /positions/],
  'an identity twice': [
    { ...COMPLETED, events: events([...STEPS, recorded('step-1')]) },
    /step-1 is recorded twice/,
  ],
  'two keys for an operation': [
    {
      ...COMPLETED,
      effects: [
        effect('do step-1', {
          keys: new Map([
            ['a', 1],
            ['b', 1],
          ]),
        }),
        effect('do step-2'),
      ],
    },
    /step-1 came with 2 keys/,
  ],
  'one key for two operations': [
    { ...COMPLETED, effects: DONE.map((one) => ({ ...one, keys: new Map([['same', 1]]) })) },
    /same key/,
  ],
  'another past for the same call': [
    {
      ...COMPLETED,
      effects: [effect('do step-1', { seen: new Set(['a', 'b']) }), effect('do step-2')],
    },
    /different pasts/,
  ],
  'a step without its effect': [{ ...COMPLETED, effects: DONE.slice(1) }, /step-1 has no effect/],
  'an output that was not recorded': [
    { ...COMPLETED, output: { results: [recorded('step-1').output, { nonce: 'another' }] } },
    /its output is/,
  ],
  'a rollback of what completed': [
    { ...COMPLETED, effects: [...DONE, effect('undo step-1')] },
    /step-1 was undone/,
  ],
  'rollbacks in order of registration': [
    {
      ...FAILED,
      effects: [...DONE, effect('undo step-2', { place: 4 }), effect('undo step-1', { place: 3 })],
    },
    /effects of the rollbacks are step-1,step-2, not step-2,step-1/,
  ],
  'a rollback that is missing': [
    {
      ...FAILED,
      events: events([...STEPS, undone('step-2')]),
      effects: [...DONE, effect('undo step-2', { place: 3 })],
    },
    /step-1 took place and was not undone/,
  ],
  'two executions of one start': [
    { ...COMPLETED, executions: ['exec_1', 'exec_2'] },
    /it is 2 executions/,
  ],
};

for (const [name, [facts, expected]] of Object.entries(BROKEN)) {
  test(`${name} is a violation`, (t) => {
    t.regex(checkFacts(facts).join('\n'), expected);
  });
}

test('an end that the program does not allow is a violation', (t) => {
  const course = { executionId: 'exec_1', isToldCancelled: false };
  const end = { status: 'failed', output: null, error: null };
  t.deepEqual(
    checkEnd({ tag: 'run-1', program: PROGRAM, cancel: null }, { ...course, end: null }),
    ['it has not ended'],
  );
  t.regex(
    checkEnd({ tag: 'run-1', program: PROGRAM, cancel: null }, { ...course, end }).join(),
    /not completed/,
  );
  const cancelled = { ...course, end: { ...end, status: 'completed' }, isToldCancelled: true };
  const cancel = { at: null, afterMs: 0 };
  t.deepEqual(checkEnd({ tag: 'run-1', program: PROGRAM, cancel }, cancelled), [
    'it was cancelled and completed',
  ]);
});

test('a cancel that was answered ends the execution as cancelled, unless it was ending', (t) => {
  const end = { status: 'failed', output: null, error: null };
  const told = { end, isToldCancelled: true };
  const [event] = COMPLETED.events;
  if (event === undefined) throw new Error('it has events');
  const ending = (outcome: string): ExecutionEvent[] => [
    { ...event, kind: 'WorkflowEnding', payload: { outcome } },
  ];
  t.regex(checkCancelled(told, []).join(), /ended failed/);
  t.regex(checkCancelled(told, ending('cancelled')).join(), /ended failed/);
  t.deepEqual(checkCancelled(told, ending('failed')), []);
  t.deepEqual(checkCancelled({ ...told, isToldCancelled: false }, []), []);
});

const POLL = { ...STEP, id: 'step-1', undo: false };
const CONTINUED: ExecutionFacts = {
  tag: 'run-1',
  program: [POLL, { op: 'continue', id: 'continue-2', program: PROGRAM }],
  status: 'completed',
  output: COMPLETED.output,
  events: [
    ...events([recorded('step-1')]).map((event) => ofVisit(event, 0)),
    ofVisit(continues({ tag: 'run-1+', program: PROGRAM }), 0),
    ...events(STEPS).map((event) => ofVisit(event, 1)),
  ],
  ofVisit: (tag) => ({
    executions: ['exec_1'],
    children: new Map(),
    effects:
      tag === 'run-1'
        ? [effect('do step-1', { keys: new Map([['key of the first', 1]]) })]
        : COMPLETED.effects,
  }),
};

function ofVisit(event: ExecutionEvent, visit: number): ExecutionEvent {
  const entries = JSON.stringify(event.payload).replaceAll('run-1 did', `${tagOf(visit)} did`);
  return { ...event, payload: { ...JSON.parse(entries), visit } };
}

function tagOf(visit: number): string {
  return `run-1${'+'.repeat(visit)}`;
}

function continues(input: object): ExecutionEvent {
  const [event] = events([recorded('step-1')]);
  if (event === undefined) throw new Error('it has events');
  return { ...event, kind: 'NodeContinuedAsNew', payload: JSON.parse(JSON.stringify({ input })) };
}

const OUTPUT = {
  results: ['step-1', 'step-2'].map((id) => ({
    answer: `run-1+ did ${id}`,
    nonce: `nonce of ${id}`,
  })),
};

test('a function that continued well is not a violation', (t) => {
  t.deepEqual(checkVisits({ ...CONTINUED, output: OUTPUT }), []);
});

const BROKEN_VISITS: Readonly<Record<string, readonly [Partial<ExecutionFacts>, RegExp]>> = {
  'a key of two visits': [{ ofVisit: () => CONTINUED.ofVisit('run-1+') }, /two visits share a key/],
  'a journal that continues in the next visit': [
    { events: CONTINUED.events.map((event) => ({ ...event, payload: moved(event) })) },
    /positions/,
  ],
  'another input': [
    { events: CONTINUED.events.with(1, ofVisit(continues({ tag: 'run-1+' }), 0)) },
    /another input/,
  ],
  'a visit that continued twice': [
    { events: [...CONTINUED.events, ofVisit(continues({ tag: 'run-1++' }), 1)] },
    /continued 2 times, and has 2 visits/,
  ],
  'a visit that is missing': [{ events: CONTINUED.events.toSpliced(1, 1) }, /in visit 1 of 2/],
};

function moved({ payload }: ExecutionEvent): ExecutionEvent['payload'] {
  const { position, visit } = payload;
  return visit === 1 ? { ...payload, position: Number(position) + 1 } : payload;
}

for (const [name, [change, expected]] of Object.entries(BROKEN_VISITS)) {
  test(`${name} is a violation`, (t) => {
    const broken = checkVisits({ ...CONTINUED, output: OUTPUT, ...change });
    t.regex(broken.join('\n'), expected);
  });
}
