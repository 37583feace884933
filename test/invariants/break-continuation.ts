import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { EventOf } from './dump.ts';
import { addDeed, claimOf, FAILED, FAILURE, RETRIED, STARTED } from './example-continuation.ts';
import type { ExampleRun } from './example-run.ts';
import { FUNCTION_RULES } from './fold-functions.ts';

/** By rule: a function that breaks it. */
export const CONTINUATION_BROKEN: Readonly<Record<string, (run: ExampleRun) => void>> = {
  [FUNCTION_RULES.continue]: (run) => set(run, 4, { turn: 1 }),
  [FUNCTION_RULES.next]: (run) => set(run, 5, { continues: 3 }),
  'a continuation is under the fence of its turn': (run) => set(run, 4, { lease_fence: 22 }),
  'a recorded continuation was requested with its input': (run) => set(run, 4, { input: {} }),
  'an acknowledged continuation is recorded once': (run) => change(run, 4, { kind: 'Nothing' }),
  'a continuation that is repeated has the same answer': (run) => {
    const [, again] = continuationsIn(run);
    Object.assign(again ?? {}, { answer: { status: 409, body: { continued: false } } });
  },
  'a visit begins with the recorded input': (run) =>
    void Object.assign(itemUnder(run, 22), { payload: { input: STARTED } }),
  'the waits of a visit end when it continues': ({ earlier }) =>
    void earlier.timers.push({
      execution_id: FAILED,
      tenant_id: 'amber',
      name: 'function_wait:f#0/nap',
      purpose: 'function_wait',
    }),
  'a function continues with its last visit': (run) => {
    const { carried } = eventOf(run, { of: RETRIED, sequence: 1 }).payload as { carried: object };
    Object.assign(carried, { inputs: [] });
  },
};

/** Breaks rules that hold for every visit, not only for those that continue as new. */
export const ALSO_BROKEN: readonly {
  readonly how: string;
  readonly rule: string;
  readonly breakIt: (run: ExampleRun) => void;
}[] = [
  {
    how: 'a visit continues twice',
    rule: 'a visit is scheduled once, and ends once',
    breakIt: (run) => change(run, 6, { ...eventOf(run, { of: FAILED, sequence: 4 }), sequence: 6 }),
  },
  {
    how: 'something is recorded in a visit that has continued',
    rule: FUNCTION_RULES.end,
    breakIt: (run) => set(run, 6, { visit: 0, position: 1 }),
  },
  {
    how: 'the next visit takes over the journal',
    rule: FUNCTION_RULES.next,
    breakIt: (run) => set(run, 6, { carried: true }),
  },
  {
    how: 'the next visit keeps the journal',
    rule: FUNCTION_RULES.gap,
    breakIt: (run) => set(run, 6, { position: 1 }),
  },
  {
    how: 'the next visit is a later turn',
    rule: FUNCTION_RULES.turn,
    breakIt: (run) => set(run, 6, { turn: 1 }),
  },
  {
    how: 'nothing follows a continuation',
    rule: FUNCTION_RULES.next,
    breakIt: (run) => {
      for (const sequence of [5, 6, 7]) change(run, sequence, { kind: 'Nothing' });
      change(run, 8, { kind: 'WorkflowCompleted' });
    },
  },
  {
    how: 'a lease has continued and failed',
    rule: 'a lease is settled once',
    breakIt: (run) => addDeed(run, { do: 'fail', workItemId: 'i8', fence: 21 }, { failed: true }),
  },
  {
    how: 'an item is handed out after it has continued',
    rule: 'an item is not handed out after its completion was answered',
    breakIt: (run) => {
      const of = { item: 'i8', execution: FAILED, key: 'k8', fence: 29, journal: [], input: {} };
      addDeed(run, ...claimOf(of));
    },
  },
  {
    how: 'a visit that has failed, and owes nothing, is cancelled',
    rule: 'a visit ends in one way, and after it began',
    breakIt: (run) => {
      change(run, 6, { kind: 'NodeFailed', payload: FAILURE });
      change(run, 7, { kind: 'NodeCancelled', payload: { visit: 1 } });
    },
  },
  {
    how: 'a retry begins a visit that has continued',
    rule: 'a retry repeats nothing that is recorded',
    breakIt: (run) =>
      void Object.assign(eventOf(run, { of: RETRIED, sequence: 2 }).payload, { visit: 0 }),
  },
];

function continuationsIn({ deeds }: ExampleRun): ExampleRun['deeds'] {
  return deeds.filter(({ asks: { do: what } }) => what === 'continue');
}

function itemUnder({ deeds }: ExampleRun, fence: number): object {
  const items = deeds.flatMap(({ answer }) => {
    const found = answer?.body['work_items'];
    return Array.isArray(found) ? (found as object[]) : [];
  });
  const item = items.find((one) => 'lease_fence' in one && one.lease_fence === fence);
  if (item === undefined) throw new Error(`nothing was given under fence ${fence}`);
  return item;
}

function eventOf(
  { last }: ExampleRun,
  { of, sequence }: { readonly of: string; readonly sequence: number },
): ExampleRun['last']['events'][number] {
  const found = last.events.find(
    (event) => event.execution_id === of && event.sequence === sequence,
  );
  if (found === undefined) throw new Error(`${of} has no event ${sequence}`);
  return found;
}

function change(run: ExampleRun, sequence: number, to: Partial<EventOf>): void {
  Object.assign(eventOf(run, { of: FAILED, sequence }), structuredClone(to));
}

function set(run: ExampleRun, sequence: number, fields: JsonObject): void {
  const { payload } = eventOf(run, { of: FAILED, sequence });
  change(run, sequence, { payload: { ...payload, ...fields } });
}
