import { describe, type Violation } from '../invariants/violation.ts';
import type { ChaosRun } from './run-chaos.ts';
import type { Operation, Strike } from './types.ts';

const AROUND_MS = 2_000;
const LINES_MAX = 60;
const VIOLATIONS_TOLD_MAX = 20;

/** The results of a run, as data. */
export function summarise(run: ChaosRun) {
  const { seed, folder, faultsMs, tookMs, strikes, failpoints, operations, violations } = run;
  return {
    seed,
    folder,
    minutes: Math.round(faultsMs / 600) / 100,
    took_seconds: Math.round(tookMs / 1_000),
    faults: countBy(strikes, ({ fault }) => fault),
    failpoints: failpoints.map(({ kind, statement, when, hits }) => ({
      failpoint: `${kind}: ${when} ${statement}`,
      hits,
    })),
    operations: countBy(operations, ({ asks }) => asks.do),
    answers: countBy(operations, ({ answer }) => `${answer?.status ?? 'none'}`),
    executions: countBy(run.dump?.executions ?? [], ({ status }) => status),
    exercised: run.exercised,
    unexercised: run.unexercised,
    violations,
  };
}

/** The results of a run, for people. */
export function render(run: ChaosRun): string {
  const summary = summarise(run);
  const hit = summary.failpoints.filter(({ hits }) => hits > 0);
  const parts = [
    heading(`seed ${run.seed}, ${summary.minutes} minutes of faults, ${summary.took_seconds} s`),
    table('faults', summary.faults),
    table('operations', summary.operations),
    table('answers', summary.answers),
    table('executions', summary.executions),
    table('exercised', summary.exercised),
    `failpoints hit: ${hit.length} of ${summary.failpoints.length}\n${summary.failpoints
      .map(({ failpoint, hits }) => `  ${String(hits).padStart(4)}  ${failpoint}`)
      .join('\n')}`,
    ...(summary.unexercised.length === 0
      ? []
      : [`not exercised in a run this short:\n  ${summary.unexercised.join('\n  ')}`]),
    ...run.violations.slice(0, VIOLATIONS_TOLD_MAX).map((violation) => tell(run, violation)),
    `${run.violations.length} violations; seed ${run.seed}; logs, operations, faults and database in ${run.folder}`,
  ];
  return parts.join('\n\n');
}

/** A violation, and the strikes during the operations on its objects. */
function tell(run: ChaosRun, violation: Violation): string {
  const ids = Object.values(violation.about ?? {}).filter(
    (id): id is string => typeof id === 'string' && id.length > ID_LENGTH_MIN,
  );
  const about = run.operations.filter((operation) => {
    const text = JSON.stringify([operation.asks, operation.answer]);
    return ids.some((id) => text.includes(id));
  });
  const around = run.strikes.filter(({ firedAtMs, healedAtMs }) =>
    about.some(
      ({ beganAtMs, endedAtMs }) =>
        firedAtMs - AROUND_MS < (endedAtMs ?? beganAtMs) &&
        beganAtMs < (healedAtMs ?? firedAtMs) + AROUND_MS,
    ),
  );
  const lines = [
    ...about.map((operation) => ({ at: operation.beganAtMs, text: lineOf(operation) })),
    ...around.map((strike) => ({ at: strike.firedAtMs, text: lineOfStrike(strike) })),
  ].toSorted((one, other) => one.at - other.at);
  return [
    `VIOLATION ${describe(violation)}`,
    ...lines.slice(0, LINES_MAX).map(({ at, text }) => `  ${(at / 1_000).toFixed(3)} s  ${text}`),
  ].join('\n');
}

const ID_LENGTH_MIN = 12;

function lineOf({ client, asks, answer, beganAtMs, endedAtMs, trouble }: Operation): string {
  const { do: what, ...rest } = asks;
  const body = answer === null ? (trouble ?? 'no answer') : JSON.stringify(answer.body);
  const tookMs = endedAtMs === null ? '?' : endedAtMs - beganAtMs;
  return `${client} ${what} ${JSON.stringify(rest)} → ${answer?.status ?? ''} ${body.slice(0, 200)} (${tookMs} ms)`;
}

function lineOfStrike({ fault, target, firedAtMs, healedAtMs, note }: Strike): string {
  const lasted = healedAtMs === null ? 'not healed' : `${healedAtMs - firedAtMs} ms`;
  return `*** ${fault} of ${target}, ${lasted}${note === undefined ? '' : `: ${note}`}`;
}

function heading(text: string): string {
  return `${text}\n${'='.repeat(text.length)}`;
}

function table(title: string, counts: Readonly<Record<string, number>>): string {
  const rows = Object.entries(counts).toSorted(([one], [other]) => one.localeCompare(other));
  return `${title}\n${rows.map(([name, count]) => `  ${String(count).padStart(6)}  ${name}`).join('\n')}`;
}

function countBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1;
  return counts;
}
