import { isTerminal } from '../../src/shared/domain/execution/status.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';
import type { CommitPlan, CommitVerdict } from '../../src/shared/store/commit.ts';
import { textIn } from '../invariants/dump.ts';
import type { SeenWait } from '../invariants/checks/check-results.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** Records how long callers wait for results, and when the ends that they wait for are committed. */
export interface Waits {
  /** Between the commits of a process and the database. */
  noteCommits(plans: readonly CommitPlan[], verdicts: readonly CommitVerdict[]): void;
  /** Wraps the answers of a process. */
  watch(process: Process): WatchWait;
  noteCalm(): void;
  seen(): readonly SeenWait[];
}

export type WatchWait = <Served extends { readonly body: JsonObject; readonly status: number }>(
  /** `executionId` null: the answer tells which execution has started. */
  of: { readonly waitMs: number; readonly executionId: string | null },
  serve: () => Promise<Served>,
) => Promise<Served>;

interface Open {
  executionId: string | null;
  readonly process: Process;
  readonly begunAt: number;
  readonly waitMs: number;
  answered: SeenWait['answered'];
  hasFailed: boolean;
}

export function createWaits(world: World): Waits {
  const ends = new Map<string, number>();
  const starts = new Map<string, number>();
  const waits: Open[] = [];
  let calmAt = Infinity;

  function seen({ process, hasFailed, executionId, ...wait }: Open): readonly SeenWait[] {
    // A start without an answer tells nobody what it started.
    if (executionId === null) return [];
    const endedAt = ends.get(executionId) ?? null;
    const isServed = process.isAlive() && !hasFailed && process.runsSince() <= wait.begunAt;
    const startedAt = starts.get(executionId) ?? -Infinity;
    const due = isServed ? dueAt(Math.max(wait.begunAt, startedAt + CALL_MS), endedAt) : null;
    return [
      { ...wait, executionId, endedAt, dueAt: due !== null && due < world.now() ? due : null },
    ];
  }

  /** Null: nobody knows. */
  function dueAt(begunAt: number, endedAt: number | null): number | null {
    if (endedAt === null || calmAt === Infinity) return null;
    // The question for a hint has reached all processes, and no hint is lost any more.
    const isHinted = begunAt >= calmAt && endedAt >= begunAt + ASKED_MS;
    if (isHinted) return endedAt + HINTED_MS;
    return Math.max(begunAt, endedAt, calmAt) + FOUND_MS;
  }

  return {
    noteCommits: (plans, verdicts) => {
      for (const [index, { executionId, status, create }] of plans.entries()) {
        if (verdicts[index]?.accepted !== true) continue;
        if (create !== undefined && create !== null) starts.set(executionId, world.now());
        if (status === null || !isTerminal(status)) continue;
        ends.set(executionId, world.now());
      }
    },
    watch:
      (process) =>
      async ({ executionId, waitMs }, serve) => {
        const begunAt = world.now();
        const wait: Open = {
          executionId,
          process,
          begunAt,
          waitMs,
          answered: null,
          hasFailed: false,
        };
        waits.push(wait);
        try {
          const answer = await serve();
          wait.executionId ??= textIn(answer.body, 'execution_id');
          wait.answered = { at: world.now(), isEnd: answer.status === 200 };
          return answer;
        } catch (error) {
          wait.hasFailed = true;
          throw error;
        }
      },
    noteCalm: () => {
      calmAt = world.now();
    },
    seen: () => waits.flatMap(seen),
  };
}

/** Within this time a process has asked all others for the hint of an end. */
const ASKED_MS = 100;
/** A call of the database takes no longer. */
const CALL_MS = 60;
/** A hint, and the calls that read a result. */
const HINTED_MS = 400;
/**
 * A call from before the faults ended may still fail by its timeout, and then the process looks once
 * a second.
 */
const FOUND_MS = 2_400;
