import { isDeepStrictEqual } from 'node:util';

import type { Call, CallLog } from './call-log.ts';
import type { CallKind, Expectation } from './case-file.ts';
import type { Seen } from './judge-expectations.ts';
import type { PlayedItems } from './played-items.ts';

/** Judges of the rules that hold in every case, by their names in `worker-cases.json`. */
export const ALWAYS: Readonly<
  Record<string, (seen: Seen & { readonly items: PlayedItems }) => readonly string[]>
> = {
  'requests-are-well-formed': ({ log }) => unique(log.calls.flatMap(({ fault }) => fault ?? [])),
  'one-worker-id': ({ log }) => judgeWorkerId(log),
  'echoes-the-fence': ({ log }) => judgeFences(log),
  'echoes-the-key': ({ log }) => judgeKeys(log),
  'nothing-after-the-end': ({ log }) => judgeEnds(log),
  'repeats-the-same-result': ({ log }) => judgeRepeats(log),
  'keeps-its-leases': ({ items }) =>
    [...items.lapsed].map((name) => `the lease of ${name} ended, as no heartbeat came in time`),
  'keeps-running': ({ end, of, output }) => {
    if (end === null || of.signal !== undefined || expectsExit(of.expect)) return [];
    const told = end.signal ?? `code ${end.code}`;
    return [
      `the worker ended with ${told} in the middle of the case: ${output.slice(-400).trim()}`,
    ];
  },
};

const ABOUT_ITEM: ReadonlySet<CallKind> = new Set([
  'heartbeat',
  'complete',
  'fail',
  'release',
  'steps',
  'suspend',
  'continue',
]);
const ENDS: ReadonlySet<CallKind> = new Set(['complete', 'fail', 'release', 'suspend', 'continue']);

/** Heartbeats have a thread of their own, which learns of an end a little later. */
const LATE_MS = 1000;

function judgeWorkerId({ calls }: CallLog): readonly string[] {
  const ids = new Set(
    calls
      .filter(({ kind, body }) => kind === 'claim' || (kind === 'heartbeat' && 'worker_id' in body))
      .map(({ body }) => body['worker_id']),
  );
  const isText = [...ids].every((id) => typeof id === 'string' && id !== '');
  return ids.size <= 1 && isText
    ? []
    : [`worker_id must be one text in all claims and heartbeats: ${[...ids].join(', ')}`];
}

function judgeFences({ calls }: CallLog): readonly string[] {
  return unique(
    calls
      .filter(({ kind }) => ABOUT_ITEM.has(kind))
      .filter(({ body, held }) => !held?.fences.includes(body['lease_fence'] as number))
      .map(({ kind, item, body, held }) => {
        const fence = JSON.stringify(body['lease_fence']) ?? 'absent';
        return `${kind} of ${item}: lease_fence is ${fence}, and the claim says ${held?.fence}`;
      }),
  );
}

function judgeKeys({ calls }: CallLog): readonly string[] {
  return unique(
    calls
      .filter(({ kind, held }) => kind === 'complete' && held !== null)
      .filter(({ body, held }) => body['idempotency_key'] !== (held?.key ?? undefined))
      .map(({ item, body, held }) => {
        const key = JSON.stringify(body['idempotency_key']) ?? 'absent';
        return `complete of ${item}: idempotency_key is ${key}, and the claim says ${held?.key ?? 'none'}`;
      }),
  );
}

function judgeEnds({ calls }: CallLog): readonly string[] {
  return unique(
    calls.flatMap((end) => {
      if (!isEnd(end)) return [];
      return calls
        .filter((call) => ABOUT_ITEM.has(call.kind) && isOfLease(call, end))
        .filter(({ kind, beganAt }) => {
          const isOneFlow = end.kind !== 'heartbeat' && kind !== 'heartbeat';
          return beganAt > end.endedAt + (isOneFlow ? 0 : LATE_MS);
        })
        .map(({ kind, item }) => {
          return `${kind} of ${item} follows the answer ${end.status} to ${end.kind}, which was the end`;
        });
    }),
  );
}

/** After this answer the worker has nothing left to do about the item. */
function isEnd({ kind, status, item }: Call): boolean {
  if (item === null) return false;
  if (status === 200) return ENDS.has(kind);
  return ABOUT_ITEM.has(kind) && kind !== 'steps' && (status === 404 || status === 409);
}

function isOfLease(one: Call, other: Call): boolean {
  return one.item === other.item && one.body['lease_fence'] === other.body['lease_fence'];
}

function judgeRepeats({ calls }: CallLog): readonly string[] {
  const completes = calls.filter(({ kind }) => kind === 'complete');
  return unique(
    completes.flatMap((call) => {
      const first = completes.find((one) => isOfLease(one, call));
      return first !== undefined && !isDeepStrictEqual(first.body['output'], call.body['output'])
        ? [`complete of ${call.item} was repeated with another output: the tool was called twice`]
        : [];
    }),
  );
}

function expectsExit(expected: readonly Expectation[]): boolean {
  return expected.some((one) => 'exit' in one || ('any_of' in one && one.any_of.some(expectsExit)));
}

function unique(problems: readonly string[]): readonly string[] {
  return [...new Set(problems)];
}
