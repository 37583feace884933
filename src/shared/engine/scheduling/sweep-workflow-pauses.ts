import { SvcError } from '../../domain/errors.ts';
import type { ExecutionState } from '../../domain/execution/state.ts';
import type { ExecutionId } from '../../domain/ids.ts';
import type { WorkflowPause } from '../../domain/workflow/workflow-pause.ts';
import type { CommitPlan } from '../../store/commit.ts';
import { type LoadedExecution, StoreUnavailableError } from '../../store/store.ts';
import type { FreePosition } from '../../store/workflow-pauses.ts';
import { changeExecution } from '../commit/change-execution.ts';
import { MovesTooFastError } from '../commit/retry-while-moved.ts';
import type { EngineDeps } from '../deps.ts';
import { commitOfWorkflowHold, commitOfWorkflowRelease } from '../executions/pause-execution.ts';
import type { RoundResult } from './round-result.ts';

/*
 * Holds the live executions of a paused workflow, and releases them after a resume.
 *
 * Each execution is changed by a commit of its own, which depends on the state of the pause and on
 * the sequence that it was decided on. So the sweep may fail at any point: after a crash some
 * executions are held and some are not, and the next sweep reads the rest. Two concurrent sweeps
 * find half of their executions done. A commit for a pause that has ended meanwhile, or for a
 * withdrawn resume, is refused.
 *
 * A pass reads the live executions that are not held, running ones before waiting ones. Passes
 * continue during the pause, at growing intervals: a later one finds a start whose commit was in
 * flight when the workflow was paused. When a whole pass held nothing, that is recorded.
 *
 * An execution that moves too fast for a change is left to the next pass, and the others are changed. A
 * pass that has left one records nothing, and the next one follows soon.
 */

export interface PauseSweep {
  round(params: { readonly signal: AbortSignal }): Promise<SweepRound>;
}

export interface SweepRound extends RoundResult {
  /** Some workflow has a pause, in any state. */
  readonly isPaused: boolean;
}

interface Pass {
  status: 'running' | 'paused';
  after: FreePosition | null;
  /** Executions that this pass has held. */
  held: number;
  /** It has left an execution that moved too fast. */
  hasLeft: boolean;
}

/** Until when no pass is due, since the last held nothing, by the process's clock. */
interface Rest {
  readonly until: number;
  readonly ms: number;
}

export function createPauseSweep(deps: EngineDeps): PauseSweep {
  const change = createChange(deps);
  const holding = createHolding(deps, change);
  const giving = createGivingBack(deps, change);
  return {
    async round({ signal }) {
      const all = await listPauses(deps);
      holding.keepOnly(all);
      giving.keepOnly(all);
      let found = 0;
      let more = false;
      for (const pause of all) {
        if (signal.aborted) break;
        const swept = await (pause.resumed === null ? holding.sweep(pause) : giving.sweep(pause));
        found += swept.found;
        more ||= swept.more;
      }
      return { found, more, isPaused: all.length > 0 };
    },
  };
}

interface Sweeping {
  /** A part of what remains for the pause. */
  sweep(pause: WorkflowPause): Promise<RoundResult>;
  /** Forgets the progress of all other pauses. */
  keepOnly(pauses: readonly WorkflowPause[]): void;
}

function createHolding(deps: EngineDeps, change: ChangeExecution): Sweeping {
  const { workflowPauses } = deps.store;
  /** Passes under way, by pause. */
  const passes = new Map<string, Pass>();
  const rests = new Map<string, Rest>();

  async function sweep(pause: WorkflowPause): Promise<RoundResult> {
    const { pauseId } = pause;
    if ((rests.get(pauseId)?.until ?? 0) > deps.timers.now()) return NOTHING;
    const pass = passes.get(pauseId) ?? { ...FIRST };
    passes.set(pauseId, pass);
    const { found, more } = await holdBatch(pause, pass);
    if (more) return { found, more };
    pass.after = null;
    if (pass.status === 'running') {
      pass.status = 'paused';
      const rest = await sweep(pause);
      return { found: found + rest.found, more: rest.more };
    }
    passes.delete(pauseId);
    // Neither half may have seen an execution whose status changed meanwhile.
    return pass.held > 0 ? { found, more: true } : endPasses(pause, pass);
  }

  async function holdBatch(pause: WorkflowPause, pass: Pass): Promise<RoundResult> {
    const { status, after } = pass;
    const free = await workflowPauses.listFree({ pause, status, after, limit: BATCH_MAX });
    const done = await changeAll(
      free.map(({ executionId }) => executionId),
      (executionId) =>
        change(executionId, (state, { row, workflowPause }) =>
          commitOfWorkflowHold(row, state, workflowPause),
        ),
    );
    const found = done.filter((outcome) => outcome === 'changed').length;
    pass.held += found;
    pass.hasLeft ||= done.includes('left');
    pass.after = free.at(-1) ?? null;
    return { found, more: free.length === BATCH_MAX };
  }

  /** A whole pass held nothing: the next one follows after a longer rest. */
  async function endPasses(pause: WorkflowPause, { hasLeft }: Pass): Promise<RoundResult> {
    const last = hasLeft ? undefined : rests.get(pause.pauseId);
    const ms = Math.min(2 * (last?.ms ?? REST_MS_MIN / 2), REST_MS_MAX);
    rests.set(pause.pauseId, { until: deps.timers.now() + ms, ms });
    if (hasLeft || pause.sweptAt !== null) return NOTHING;
    await workflowPauses.noteSwept(pause);
    return { found: 1, more: false };
  }

  return {
    sweep,
    keepOnly(pauses) {
      forgetOthers(passes, pauses);
      forgetOthers(rests, pauses);
    },
  };
}

function createGivingBack(deps: EngineDeps, change: ChangeExecution): Sweeping {
  const { workflowPauses } = deps.store;
  /** The last execution given back, by pause. */
  const returns = new Map<string, ExecutionId>();
  return {
    async sweep(pause) {
      const after = returns.get(pause.pauseId) ?? null;
      const held = await workflowPauses.listHeld({ pause, after, limit: BATCH_MAX });
      const actorId = pause.resumed?.by ?? pause.by;
      const done = await changeAll(held, (executionId) =>
        change(executionId, (state, { row, workflowPause }) =>
          workflowPause === null ? commitOfWorkflowRelease(row, state, { actorId }) : null,
        ),
      );
      const leftOver = held.filter((_, index) => done[index] === 'unchanged');
      await workflowPauses.forget(pause, leftOver);
      const found = done.filter(isDone).length;
      const last = held.at(-1);
      if (last !== undefined && held.length === BATCH_MAX) {
        returns.set(pause.pauseId, last);
        return { found, more: true };
      }
      returns.delete(pause.pauseId);
      const isFinished = await workflowPauses.finish(pause);
      return { found: found + (isFinished ? 1 : 0), more: false };
    },
    keepOnly: (pauses) => forgetOthers(returns, pauses),
  };
}

/** Changes one execution where there is something to change. */
type ChangeExecution = (
  executionId: ExecutionId,
  commitOf: (state: ExecutionState, loaded: LoadedExecution) => CommitPlan | null,
) => Promise<Outcome>;

function createChange(deps: EngineDeps): ChangeExecution {
  /** Executions that cannot be changed, reported once. */
  const troubled = new Set<ExecutionId>();

  function noteTrouble(executionId: ExecutionId, error: unknown): void {
    if (!troubled.has(executionId)) {
      const ids = { execution_id: executionId };
      deps.report.trouble('an execution of a paused workflow cannot be changed', error, ids);
    }
    if (troubled.size < TROUBLED_MAX) troubled.add(executionId);
  }

  return async (executionId, commitOf) => {
    try {
      return await changeExecution<Outcome>(deps, {
        // Readings of no tenant go together.
        tenantId: null,
        executionId,
        propose: (state, loaded) => {
          const commit = commitOf(state, loaded);
          return commit === null ? { commit, answer: 'unchanged' } : { commit, answer: 'changed' };
        },
      });
    } catch (error) {
      // It was removed.
      if (error instanceof SvcError && error.status === 404) return 'unchanged';
      const isLeft = error instanceof MovesTooFastError;
      if (error instanceof StoreUnavailableError && !isLeft) throw error;
      noteTrouble(executionId, error);
      return isLeft ? 'left' : 'failed';
    }
  };
}

/** Some at a time, so that they commit together. */
async function changeAll(
  executionIds: readonly ExecutionId[],
  change: (executionId: ExecutionId) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < executionIds.length; at += AT_ONCE) {
    outcomes.push(...(await Promise.all(executionIds.slice(at, at + AT_ONCE).map(change))));
  }
  return outcomes;
}

/** `left`: to the next pass. */
type Outcome = 'changed' | 'unchanged' | 'failed' | 'left';

function isDone(outcome: Outcome): boolean {
  return outcome === 'changed' || outcome === 'unchanged';
}

async function listPauses(deps: EngineDeps): Promise<readonly WorkflowPause[]> {
  const all: WorkflowPause[] = [];
  for (;;) {
    const page = await deps.store.workflowPauses.list({
      after: all.at(-1) ?? null,
      limit: PAGE_MAX,
    });
    all.push(...page);
    if (page.length < PAGE_MAX) return all;
  }
}

function forgetOthers(known: Map<string, unknown>, pauses: readonly WorkflowPause[]): void {
  const ids = new Set(pauses.map(({ pauseId }) => pauseId));
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
}

const FIRST: Pass = { status: 'running', after: null, held: 0, hasLeft: false };
const PAGE_MAX = 500;
/** Executions of one workflow that a round looks at: so long others wait at most. */
const BATCH_MAX = 256;
/** Changed at the same time. */
const AT_ONCE = 32;
const TROUBLED_MAX = 1_000;
const REST_MS_MIN = 5_000;
const REST_MS_MAX = 600_000;
const NOTHING: RoundResult = { found: 0, more: false };
