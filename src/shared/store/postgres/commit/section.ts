import type { CommitPlan } from '../../commit.ts';
import type { Cell } from './parameter.ts';

/** A plan with its place in the batch. */
export interface BatchedPlan {
  readonly plan: CommitPlan;
  /** Position in the batch: the judging statement joins everything by it. */
  readonly position: number;
  /** The UUID of its execution. */
  readonly execution: string;
  /** The sequence before its first event; 0 if only the statement can find it. */
  readonly base: number;
}

/** Where a row is: its plan, its index among the rows of the plan and among those of the batch. */
export interface Place {
  batched: BatchedPlan;
  index: number;
  ordinal: number;
}

/** An SQL type, and how to read a cell of that type from a row. */
type Column<Row> =
  | readonly [
      type: 'text' | 'json' | 'uuid' | 'timestamptz',
      read: (row: Row, at: Place) => string | null,
    ]
  | readonly [
      type: 'int2' | 'int4' | 'int8' | 'float8',
      read: (row: Row, at: Place) => number | null,
    ]
  | readonly [type: 'bool', read: (row: Row, at: Place) => boolean];

export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** The columns that every section has. */
const PLAN_COLUMNS = {
  position: ['int4', (_, { batched }) => batched.position],
  execution_id: ['uuid', (_, { batched }) => batched.execution],
  tenant_id: ['text', (_, { batched }) => batched.plan.tenantId],
} as const satisfies Columns<unknown>;

export type PlanColumn = keyof typeof PLAN_COLUMNS;

/** The rows of one kind from the plans of a batch, with a parameter array for each column. */
export interface Section<Name extends string> {
  /** The columns of its own, in order. */
  readonly names: readonly Name[];
  typeOf(column: Name | PlanColumn): string;
  /** Null: none of the plans has such a row. */
  gather(plans: readonly BatchedPlan[]): Rows<Name> | null;
}

export interface Rows<Name extends string> {
  values(column: Name | PlanColumn): readonly Cell[];
}

/** A section with any number of rows for each plan. */
export function section<Row, Name extends string>(
  rowsOf: (plan: CommitPlan) => readonly Row[],
  own: Readonly<Record<Name, Column<Row>>>,
): Section<Name> {
  const columns: Readonly<Record<Name | PlanColumn, Column<Row>>> = { ...PLAN_COLUMNS, ...own };
  return {
    names: Object.keys(own) as Name[],
    typeOf: (column) => columns[column][0],
    gather: (plans) => {
      const groups: RowsOfPlan<Row>[] = [];
      let count = 0;
      for (const batched of plans) {
        const rows = rowsOf(batched.plan);
        count += rows.length;
        if (rows.length > 0) groups.push({ batched, rows });
      }
      const [first] = groups;
      if (first === undefined) return null;
      const at: Place = { batched: first.batched, index: 0, ordinal: 0 };
      const gathered: Gathered<Row> = { groups, count, at };
      return { values: (column) => readColumn(gathered, columns[column][1]) };
    },
  };
}

/** A section with at most one row for each plan. */
export function optionalRow<Row, Name extends string>(
  rowOf: (plan: CommitPlan) => Row | null,
  own: Readonly<Record<Name, Column<Row>>>,
): Section<Name> {
  return section((plan) => {
    const row = rowOf(plan);
    return row === null ? NONE : [row];
  }, own);
}

/** The executions whose plans meet a condition. */
export function executionsThat(holds: (plan: CommitPlan) => boolean): Section<never> {
  return optionalRow((plan) => (holds(plan) ? plan : null), {});
}

const NONE: readonly never[] = [];

interface RowsOfPlan<Row> {
  readonly batched: BatchedPlan;
  readonly rows: readonly Row[];
}

interface Gathered<Row> {
  readonly groups: readonly RowsOfPlan<Row>[];
  /** How many rows there are. */
  readonly count: number;
  readonly at: Place;
}

/** One `Place` and one array of the right length: this runs for each column of each commit. */
function readColumn<Row>(
  { groups, count, at }: Gathered<Row>,
  read: (row: Row, at: Place) => Cell,
): readonly Cell[] {
  // oxlint-disable-next-line unicorn/no-new-array -- growing it cost the encoding of a batch 8 %
  const values = new Array<Cell>(count);
  at.ordinal = 0;
  for (const { batched, rows } of groups) {
    at.batched = batched;
    at.index = 0;
    for (const row of rows) {
      values[at.ordinal] = read(row, at);
      at.index += 1;
      at.ordinal += 1;
    }
  }
  return values;
}
