import type { ExecutionId } from '../../domain/ids.ts';
import type { CommitPlan } from '../commit.ts';

export interface LabelRow {
  /** An execution that the plan starts; null: the plan's own. */
  readonly startedId: ExecutionId | null;
  readonly name: string;
  readonly value: string;
}

const NONE: readonly LabelRow[] = [];

/** The labels of the executions that a plan makes. */
export function labelsOf({ create, startsExecutions }: CommitPlan): readonly LabelRow[] {
  if (create?.labels === undefined && startsExecutions.length === 0) return NONE;
  const made = [
    { executionId: null, labels: create?.labels },
    ...startsExecutions.map(({ executionId, labels }) => ({ executionId, labels })),
  ];
  return made.flatMap(({ executionId, labels = {} }) =>
    Object.entries(labels).map(([name, value]) => ({ startedId: executionId, name, value })),
  );
}

/** The labels that a plan gives an execution which exists. */
export function setLabelsOf({ setsLabels }: CommitPlan): readonly Omit<LabelRow, 'startedId'>[] {
  if (setsLabels === undefined) return NONE;
  return Object.entries(setsLabels).map(([name, value]) => ({ name, value }));
}
