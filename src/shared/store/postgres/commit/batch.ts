import type { CommitPlan } from '../../commit.ts';
import { toUuid } from '../rows.ts';
import { arrayParameter, type Cell } from './parameter.ts';
import type { BatchedPlan, PlanColumn, Rows, Section } from './section.ts';
import { COMMIT_SECTIONS } from './sections.ts';

export type SectionName = keyof typeof COMMIT_SECTIONS;
export type ColumnOf<Name extends SectionName> =
  (typeof COMMIT_SECTIONS)[Name] extends Section<infer Own> ? Own | PlanColumn : never;

/** A column that a statement takes as a parameter. */
export interface CommitColumn {
  readonly section: SectionName;
  readonly column: string;
  readonly type: string;
}

export const SECTIONS: Readonly<Record<SectionName, Section<string>>> = COMMIT_SECTIONS;

/** The plans of one statement. A section is gathered when the statement first asks for it. */
export interface Batch {
  readonly has: (section: SectionName) => boolean;
  readonly values: (column: CommitColumn) => readonly Cell[];
}

export function batchOf(plans: readonly BatchedPlan[]): Batch {
  const gathered: Partial<Record<SectionName, Rows<string> | null>> = {};
  const rowsOf = (section: SectionName): Rows<string> | null => {
    const known = gathered[section];
    return known === undefined ? (gathered[section] = SECTIONS[section].gather(plans)) : known;
  };
  return {
    has: (section) => rowsOf(section) !== null,
    values: ({ section, column }) => rowsOf(section)?.values(column) ?? [],
  };
}

/** In the order given, which is that of the verdicts. */
export function judgedBatch(plans: readonly CommitPlan[]): Batch {
  return batchOf(
    plans.map((plan, position) => ({
      plan,
      position,
      execution: toUuid(plan.executionId),
      base: 0,
    })),
  );
}

export function encodeColumns(
  columns: readonly CommitColumn[],
  batch: Batch,
): readonly (Buffer | string)[] {
  return columns.map((column) => arrayParameter(column.type, batch.values(column)));
}
