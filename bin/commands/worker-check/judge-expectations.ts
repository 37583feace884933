import { isDeepStrictEqual } from 'node:util';

import { fits, type Call, type CallLog } from './call-log.ts';
import type { Case, Expectation, Filter, Range } from './case-file.ts';
import { isWithin, matchesValue } from './match-value.ts';
import type { WorkerEnd } from './worker-process.ts';

/** All that a case has seen of a worker. */
export interface Seen {
  readonly of: Case;
  readonly log: CallLog;
  /** Null: the worker still ran at the end of the case. */
  readonly end: WorkerEnd | null;
  /** The last lines that the worker printed. */
  readonly output: string;
  /** When the worker was started or, later, got its signal; milliseconds as `performance.now()`. */
  readonly askedAt: number;
}

/** The expectations of the case that do not hold; empty: none. */
export function judgeExpectations(seen: Seen): readonly string[] {
  return seen.of.expect.flatMap((expected) => judge(expected, seen));
}

function judge(expected: Expectation, seen: Seen): readonly string[] {
  if ('any_of' in expected) return judgeAnyOf(expected.any_of, seen);
  if ('exit' in expected) return judgeExit(expected.exit, seen);
  if ('never' in expected) return judgeNever(expected, seen);
  const calls = seen.log.calls.filter((call) => fits(expected.calls, call));
  const what = nameCalls(expected.calls);
  if ('count' in expected) return judgeCount(expected.count, { what, found: calls.length });
  if ('same' in expected) return judgeSame(expected.same, { what, calls });
  if ('pace' in expected) return judgePace(expected, { what, calls });
  return judgeMembers(expected.have, { what, calls, seen });
}

function judgeAnyOf(choices: readonly (readonly Expectation[])[], seen: Seen): readonly string[] {
  const problems = choices.map((all) => all.flatMap((expected) => judge(expected, seen)));
  if (problems.some(({ length }) => length === 0)) return [];
  return [`none of these holds: ${problems.map((all) => all.join(', and ')).join('; ')}`];
}

function judgeExit(
  { code, within_ms: withinMs }: { readonly code: number | 'not 0'; readonly within_ms: number },
  { end, askedAt }: Seen,
): readonly string[] {
  if (end === null) return [`the worker had to end within ${withinMs} ms, and still runs`];
  const tookMs = Math.round(end.at - askedAt);
  const told = end.signal ?? `code ${end.code}`;
  const isRight = code === 'not 0' ? end.code !== 0 && end.code !== null : end.code === code;
  return [
    ...(isRight ? [] : [`the worker had to end with code ${code}, and ended with ${told}`]),
    ...(tookMs <= withinMs ? [] : [`the worker ended after ${tookMs} ms, allowed: ${withinMs}`]),
  ];
}

function judgeNever(
  { never, after, for_ms: forMs = Infinity }: Extract<Expectation, { never: Filter }>,
  { log }: Seen,
): readonly string[] {
  const time = log.timeOf(after);
  const moment = 'leased' in after ? `the lease of ${after.leased}` : nameCalls(after.call);
  if (time === null) return [`the case never saw ${moment}`];
  const found = log.calls.filter((call) => {
    return fits(never, call) && call.beganAt > time && call.beganAt <= time + forMs;
  });
  if (found.length === 0) return [];
  return [`${found.length} times ${nameCalls(never)} after ${moment}`];
}

function judgeCount(
  count: number | Range,
  { what, found }: { readonly what: string; readonly found: number },
): readonly string[] {
  const range = typeof count === 'number' ? { min: count, max: count } : count;
  return isWithin(range, found) ? [] : [`${what}: expected ${tellRange(range)}, found ${found}`];
}

function judgeSame(
  names: readonly string[],
  { what, calls }: { readonly what: string; readonly calls: readonly Call[] },
): readonly string[] {
  const [first, ...rest] = calls;
  return names
    .filter((name) => rest.some(({ body }) => !isDeepStrictEqual(body[name], first?.body[name])))
    .map((name) => `${what}: ${name} is not the same in all of them`);
}

function judgePace(
  { pace, first }: Extract<Expectation, { pace: Range }>,
  { what, calls }: { readonly what: string; readonly calls: readonly Call[] },
): readonly string[] {
  const inOrder = calls.toSorted((one, other) => one.beganAt - other.beganAt).slice(0, first);
  if (inOrder.length < 2) return [`${what}: expected at least 2, found ${inOrder.length}`];
  const gaps = inOrder.slice(1).map(({ beganAt }, index) => {
    return Math.round(beganAt - (inOrder[index]?.endedAt ?? 0));
  });
  const wrong = gaps.filter((gap) => !isWithin(pace, gap));
  if (wrong.length === 0) return [];
  return [`${what}: ${wrong.join(', ')} ms between them, expected ${tellRange(pace)} ms`];
}

function judgeMembers(
  have: Readonly<Record<string, unknown>>,
  given: { readonly what: string; readonly calls: readonly Call[]; readonly seen: Seen },
): readonly string[] {
  const { what, calls, seen } = given;
  if (calls.length === 0) return [`${what}: expected at least 1, found 0`];
  const wrong = calls.flatMap((call) =>
    Object.entries(have)
      .filter(([name, expected]) => {
        const input = seen.of.items.find((item) => item.name === call.item)?.input;
        return !matchesValue(expected, { value: call.body[name], call, input });
      })
      .map(([name, expected]) => {
        return `${what}: ${name} is ${tell(call.body[name])}, expected ${tellExpected(expected, call)}`;
      }),
  );
  return [...new Set(wrong)];
}

function nameCalls({ kind, item, status }: Filter): string {
  const kinds = typeof kind === 'string' ? kind : kind.join(' or ');
  const answer = status === undefined ? '' : ` answered ${status ?? 'nothing'}`;
  return `${kinds}${item === undefined ? '' : ` of ${item}`}${answer}`;
}

function tellRange({ min, max }: Range): string {
  if (min === max) return String(min);
  if (max === undefined) return `at least ${min}`;
  return min === undefined ? `at most ${max}` : `${min} to ${max}`;
}

function tellExpected(expected: unknown, { held }: Call): string {
  if (expected === '$fence') return `${held?.fence}, the fence of the claim`;
  if (expected === '$key') return `${held?.key}, the key of the claim`;
  return tell(expected);
}

const TOLD_CHARS_MAX = 120;

function tell(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length <= TOLD_CHARS_MAX ? text : `${text.slice(0, TOLD_CHARS_MAX)} …`;
}
