import type { Operation, Strike } from '../chaos/types.ts';
import type { Violation } from '../invariants/violation.ts';
import { DISK_SLOW } from './disk-slow.ts';
import type { Promotion } from './failover-database.ts';
import { RECOVERY_MS_MAX } from './recovery-limit.ts';

/** One slow disk, as its callers noticed it; times are in milliseconds. */
export interface SlowDiskSeen {
  readonly note: string;
  readonly lastedMs: number;
  /** The changes that began meanwhile. */
  readonly changes: {
    readonly acknowledged: number;
    readonly refused: number;
    readonly withoutAnswer: number;
    readonly medianMs: number | null;
    readonly slowestMs: number | null;
  };
  /** From its end to the answer of the first change that began later; null: none was acknowledged. */
  readonly changesAfterMs: number | null;
  /** From its end to the first good read, by API process. */
  readonly readsAfterMs: Readonly<Record<string, number | null>>;
}

interface SlowDiskRun {
  readonly strikes: readonly Strike[];
  readonly operations: readonly Operation[];
  readonly promotions: readonly Promotion[];
  /** See `RecoveryWatch`. */
  readonly answered: ReadonlyMap<string, readonly number[]>;
}

/** A slow disk delays its callers, costs no primary its role, and is soon forgotten. */
export function checkSlowDisks(run: SlowDiskRun): {
  readonly seen: readonly SlowDiskSeen[];
  readonly violations: readonly Violation[];
} {
  const healed = run.strikes.flatMap(({ fault, healedAtMs, ...strike }) =>
    fault === DISK_SLOW && healedAtMs !== null ? [{ ...strike, fault, healedAtMs }] : [],
  );
  const looked = healed.map((strike) => ({ strike, seen: look(run, strike) }));
  return {
    seen: looked.map(({ seen }) => seen),
    violations: looked.flatMap(({ strike, seen }) => [
      ...promotedMeanwhile(run, strike),
      ...(meetsAnother(run, strike) ? [] : lateAfter(seen)),
    ]),
  };
}

type Healed = Strike & { readonly healedAtMs: number };

/** Requests that are acknowledged only when the primary has written something. */
const CHANGES = new Set<Operation['asks']['do']>([
  'start',
  'complete',
  'fail',
  'heartbeat',
  'approve',
  'event',
  'cancel',
  'pause',
  'resume',
  'pause_workflow',
  'resume_workflow',
]);

function look(run: SlowDiskRun, { firedAtMs, healedAtMs, note = '' }: Healed): SlowDiskSeen {
  const changes = run.operations.filter(({ asks }) => CHANGES.has(asks.do));
  const during = changes.filter(
    ({ beganAtMs }) => beganAtMs >= firedAtMs && beganAtMs < healedAtMs,
  );
  const took = during
    .filter(isAcknowledged)
    .map(({ beganAtMs, endedAtMs }) => (endedAtMs ?? beganAtMs) - beganAtMs)
    .toSorted((one, other) => one - other);
  const since = (times: readonly number[]): number | null =>
    times.length === 0 ? null : Math.round(Math.min(...times) - healedAtMs);
  return {
    note,
    lastedMs: healedAtMs - firedAtMs,
    changes: {
      acknowledged: took.length,
      refused: during.filter(({ answer }) => (answer?.status ?? 0) >= 500).length,
      withoutAnswer: during.filter(({ answer }) => answer === null).length,
      medianMs: took[Math.floor(took.length / 2)] ?? null,
      slowestMs: took.at(-1) ?? null,
    },
    changesAfterMs: since(
      changes
        .filter((change) => change.beganAtMs >= healedAtMs && isAcknowledged(change))
        .map(({ endedAtMs }) => endedAtMs ?? Infinity),
    ),
    readsAfterMs: Object.fromEntries(
      [...run.answered].map(([api, times]) => [
        api,
        since(times.filter((time) => time >= healedAtMs)),
      ]),
    ),
  };
}

function isAcknowledged({ answer }: Operation): boolean {
  return answer !== null && answer.status < 300;
}

/** Another target was struck while callers should recover: nobody knows what delayed them. */
function meetsAnother({ strikes }: SlowDiskRun, { healedAtMs }: Healed): boolean {
  return strikes.some(
    (other) =>
      other.firedAtMs < healedAtMs + RECOVERY_MS_MAX && (other.healedAtMs ?? Infinity) > healedAtMs,
  );
}

function promotedMeanwhile({ promotions }: SlowDiskRun, strike: Healed): readonly Violation[] {
  return promotions
    .filter(({ at }) => at >= strike.firedAtMs && at <= strike.healedAtMs)
    .map(({ node, at }) => ({
      rule: 'a slow disk that answers costs no primary its role',
      about: { node },
      saw: `promoted ${Math.round(at - strike.firedAtMs)} ms after the disk got slow (${strike.note ?? ''})`,
    }));
}

function lateAfter({ note, changesAfterMs, readsAfterMs }: SlowDiskSeen): readonly Violation[] {
  const times = Object.entries({ ...readsAfterMs, 'changes of all clients': changesAfterMs });
  return times
    .filter(([, ms]) => ms === null || ms > RECOVERY_MS_MAX)
    .map(([what, ms]) => ({
      rule: `all is as before within ${RECOVERY_MS_MAX} ms of the end of a slow disk`,
      about: { what },
      saw: `${ms === null ? 'it never was' : `${ms} ms`} (${note})`,
    }));
}

export function renderSlowDisks(seen: readonly SlowDiskSeen[]): string {
  if (seen.length === 0) return '';
  const lines = seen.map(({ note, lastedMs, changes, changesAfterMs, readsAfterMs }) => {
    const reads = Object.entries(readsAfterMs).map(([api, ms]) => `${api} ${ms ?? 'never'} ms`);
    return [
      `  ${note}, for ${lastedMs} ms: ${changes.acknowledged} changes acknowledged`,
      `${changes.medianMs ?? '-'} ms in the middle, ${changes.slowestMs ?? '-'} ms at most`,
      `${changes.refused} refused, ${changes.withoutAnswer} without an answer`,
      `well again: changes ${changesAfterMs ?? 'never'} ms, reads ${reads.join(', ')}`,
    ].join('; ');
  });
  return `slow disks\n${lines.join('\n')}\n\n`;
}
