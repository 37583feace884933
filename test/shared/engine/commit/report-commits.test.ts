import test from 'ava';

import type { ExecutionId, TenantId, WorkItemId } from '../../../../src/shared/domain/ids.ts';
import { reportCommits } from '../../../../src/shared/engine/commit/report-commits.ts';
import {
  emptyCommit,
  type CommitPlan,
  type CommitVerdict,
  type NewEvent,
} from '../../../../src/shared/store/commit.ts';

const ACCEPTED: CommitVerdict = { accepted: true, lastSequence: 1, createdAt: '', fences: [] };
const REFUSED: CommitVerdict = { accepted: false, reason: 'moved', existing: null };

function report(batch: readonly (readonly [Partial<CommitPlan>, CommitVerdict])[]) {
  const counts: Record<string, number> = {};
  const sizes: number[] = [];
  const plans = batch.map(([changes]) => ({ ...plan(), ...changes }));
  const verdicts = batch.map(([, verdict]) => verdict);
  const of = {
    count(name: string, by: number, labels: Readonly<Record<string, string>> = {}) {
      const key = [name, ...Object.values(labels)].join(' ');
      counts[key] = (counts[key] ?? 0) + by;
    },
    observe: (_name: string, size: number) => void sizes.push(size),
  };
  reportCommits(of, plans, verdicts);
  return { counts, sizes };
}

function plan(): CommitPlan {
  return emptyCommit({ executionId: 'e' as ExecutionId, tenantId: 't' as TenantId });
}

function event(kind: NewEvent['kind']): NewEvent {
  return { kind, nodeId: 'n', payload: '{}', actorId: 'a' };
}

test('a batch counts once, with its size, and its events by kind', (t) => {
  const { counts, sizes } = report([
    [{ events: [event('NodeStarted'), event('NodeCompleted')] }, ACCEPTED],
    [{ events: [event('NodeCompleted')] }, ACCEPTED],
  ]);
  t.deepEqual(counts, { commits: 1, 'events NodeStarted': 1, 'events NodeCompleted': 2 });
  t.deepEqual(sizes, [2]);
});

test('nothing of a refused plan counts but its refusal', (t) => {
  const cause = { errorClass: 'error', causeKey: 1 };
  const letter = { workItemId: 'w' as WorkItemId, attempt: 0, error: 'e', ...cause };
  const all: Partial<CommitPlan> = {
    events: [event('RetryScheduled')],
    deadLetters: [letter],
    charge: { inputTokens: 1, outputTokens: 1, costUsd: 1 },
  };
  t.deepEqual(report([[all, REFUSED]]).counts, { commits: 1, 'commit_refusals moved': 1 });
  t.deepEqual(report([[all, ACCEPTED]]).counts, {
    commits: 1,
    'events RetryScheduled': 1,
    'retries n': 1,
    dead_letters: 1,
    'model_tokens input': 1,
    'model_tokens output': 1,
    model_cost: 1,
  });
});
