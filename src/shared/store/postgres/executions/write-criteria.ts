import type {
  ExecutionCriteria,
  LabelCriteria,
  TextCriteria,
  TimeCriteria,
} from '../../../domain/execution/query/criteria.ts';
import type { ExecutionId, TenantId } from '../../../domain/ids.ts';
import { toUuid } from '../rows.ts';

/** Takes a value of a statement and returns its place in the text: `$3`. */
export type Bind = (value: unknown) => string;

/** The criteria as a condition on `executions e`. */
export function writeCriteria(criteria: ExecutionCriteria, bind: Bind): string {
  const { statuses } = criteria;
  const parts = [
    'true',
    ...(statuses === null ? [] : [writeIn('e.status', statuses, bind)]),
    ...writeIds('e.id', criteria.ids, bind),
    ...writeIds('e.parent_execution_id', criteria.parents, bind),
    ...writeText('e.workflow_id', criteria.workflow, bind),
    ...writeText('e.workflow_version', criteria.version, bind),
    ...writeTimes('e.created_at', criteria.started, bind),
    ...writeTimes('e.completed_at', criteria.ended, bind),
    ...criteria.labels.flatMap((label) => writeLabel(label, ownerOf('e.id'), bind)),
    ...criteria.waiting.map((is) => `${is ? '' : 'not '}${WAITS}`),
    ...writeError(criteria, bind),
  ];
  return parts.join(' and ');
}

/** As `waiting_for` of a list; values, as of a label. */
const WAITS = `case
    when e.status not in ('running', 'paused') then false
    else coalesce(
      (select true from flow_waits w where w.execution_id = e.id),
      (select true from child_places p where p.execution_id = e.id and p.state = 'waiting'),
      (select true from timers t where t.execution_id = e.id and t.name = 'start_after'),
      false
    )
  end`;

/** The label `n` of something. */
interface Owner {
  /** By the primary key. */
  readonly label: string;
  /** By the index of values, if that finds it. */
  readonly writeValue: () => string;
}

function ownerOf(executionId: string): Owner {
  const label = `n.execution_id = ${executionId}`;
  return { label, writeValue: () => label };
}

/**
 * The criteria on errors and labels as a condition on the dead letter `d`. It spares the reading of executions that
 * don't fit. An error that fits is compared again beside its execution.
 */
export function writeCriteriaOfItem(criteria: ExecutionCriteria, bind: Bind): string {
  return [
    'true',
    ...writeErrorTexts('d', criteria, bind),
    ...criteria.labels.flatMap((label) => writeLabel(label, ownerOf('d.execution_id'), bind)),
  ].join(' and ');
}

/** The criteria as a condition on the entry `l` of a label; values are compared by entries alone. */
export function writeOtherLabels(
  labels: readonly LabelCriteria[],
  tenantId: TenantId,
  bind: Bind,
): string {
  const label = 'n.execution_id = l.execution_id';
  const writeValue = () => `n.tenant_id = ${bind(tenantId)}::text
      and n.created_at = l.created_at
      and ${label}`;
  return ['true', ...labels.flatMap((each) => writeLabel(each, { label, writeValue }, bind))].join(
    ' and ',
  );
}

function writeLabel(
  { label, in: wanted, notIn, contains }: LabelCriteria,
  owner: Owner,
  bind: Bind,
): readonly string[] {
  // A value, not `exists`, which the server may turn into a join with all executions of the label.
  const having = (own: string, condition: string) => `coalesce((
    select true
    from execution_labels n
    where ${own}
      and n.name = ${bind(label)}::text
      and ${condition}
  ), false)`;
  const hasOneOf = (values: readonly string[]) =>
    having(owner.writeValue(), writeIn('n.value', values, bind));
  return [
    ...(wanted === null ? [] : [hasOneOf(wanted)]),
    ...(notIn.length === 0 ? [] : [`not ${hasOneOf(notIn)}`]),
    ...(contains.length === 0
      ? []
      : [having(owner.label, writeContains('n.value', contains, bind))]),
  ];
}

function writeText(
  column: string,
  { in: wanted, notIn, contains }: TextCriteria,
  bind: Bind,
): readonly string[] {
  return [
    ...(wanted === null ? [] : [writeIn(column, wanted, bind)]),
    ...(notIn.length === 0 ? [] : [`${column} <> all(${bind(notIn)}::text[])`]),
    ...(contains.length === 0 ? [] : [writeContains(column, contains, bind)]),
  ];
}

/** A single value is compared by `=`: only then does the index give its rows in the order of the list. */
function writeIn(column: string, values: readonly string[], bind: Bind): string {
  if (values.length === 1) return `${column} = ${bind(values[0])}::text`;
  return `${column} = any(${bind(values)}::text[])`;
}

function writeIds(
  column: string,
  ids: readonly ExecutionId[] | null,
  bind: Bind,
): readonly string[] {
  if (ids === null) return [];
  const uuids = ids.map(toUuid);
  if (uuids.length === 1) return [`${column} = ${bind(uuids[0])}::uuid`];
  return [`${column} = any(${bind(uuids)}::uuid[])`];
}

export function writeTimes(
  column: string,
  { from, before }: TimeCriteria,
  bind: Bind,
): readonly string[] {
  return [
    ...(from === null ? [] : [`${column} >= ${bind(from)}::timestamptz`]),
    ...(before === null ? [] : [`${column} < ${bind(before)}::timestamptz`]),
  ];
}

/** In the collation C, lower case means that of ASCII letters, as on SQLite. */
function writeContains(column: string, texts: readonly string[], bind: Bind): string {
  const parts = texts.map(
    (text) => `position(${bind(text)}::text in lower(${column} collate "C")) > 0`,
  );
  return `(${parts.join(' and ')})`;
}

function writeErrorTexts(
  alias: string,
  { errorContains, errorClasses }: ExecutionCriteria,
  bind: Bind,
): readonly string[] {
  const error = `${alias}.error`;
  return [
    ...(errorContains.length === 0 ? [] : [writeContains(error, errorContains, bind)]),
    ...(errorClasses === null ? [] : [writeIn(`${alias}.error_class`, errorClasses, bind)]),
  ];
}

/** The definition is read last, and only for an error that fits: it may be large. */
function writeError(criteria: ExecutionCriteria, bind: Bind): readonly string[] {
  const fits = writeErrorTexts('e', criteria, bind);
  if (fits.length === 0) return [];
  const condition = `case
    when (${fits.join(' and ')}) is not true then false
    else exists (
      select 1
      from definitions d
      where d.definition_id = e.definition_id
        and position('"data_policy"' in d.ir::text) = 0
      union all
      select 1
      from imported_definitions d
      where d.definition_id = e.definition_id
        and position('"data_policy"' in d.ir::text) = 0
    )
  end`;
  return [condition];
}
