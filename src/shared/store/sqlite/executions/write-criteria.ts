import type {
  ExecutionCriteria,
  LabelCriteria,
  TextCriteria,
  TimeCriteria,
} from '../../../domain/execution/query/criteria.ts';
import type { Bindable } from '../connection/connect.ts';

export interface WrittenCriteria {
  readonly condition: string;
  readonly bindings: Readonly<Record<string, Bindable>>;
}

/**
 * The criteria as a condition on `executions`. `prefix` keeps its bindings apart from others'.
 * `executionId` is whose labels are compared.
 */
export function writeCriteria(
  prefix: string,
  criteria: ExecutionCriteria,
  executionId = 'e.id',
): WrittenCriteria {
  const parts: string[] = ['true'];
  const bindings: Record<string, Bindable> = {};
  const bind = (name: string, value: Bindable): string => {
    bindings[prefix + name] = value;
    return `:${prefix}${name}`;
  };
  /** A single value is compared by `=`: only then does the index give its rows in the list's order. */
  const addIn = (column: string, values: readonly string[] | null): void => {
    if (values === null) return;
    const [first] = values;
    if (values.length === 1 && first !== undefined) {
      parts.push(`${column} = ${bind(`${column}_is`, first)}`);
    } else parts.push(`${column} in (${eachOf(bind(`${column}_in`, JSON.stringify(values)))})`);
  };
  const addContains = (column: string, texts: readonly string[]): void => {
    if (texts.length === 0) return;
    const each = bind(`${column}_has`, JSON.stringify(texts));
    parts.push(`not exists (
      select 1 from json_each(${each}) part where instr(lower(${column}), part.value) = 0
    )`);
  };
  const addText = (column: string, { in: wanted, notIn, contains }: TextCriteria): void => {
    addIn(column, wanted);
    if (notIn.length > 0) {
      const each = bind(`${column}_not`, JSON.stringify(notIn));
      parts.push(`${column} not in (${eachOf(each)})`);
    }
    addContains(column, contains);
  };
  const addTimes = (column: string, { from, before }: TimeCriteria): void => {
    if (from !== null) parts.push(`${column} >= ${bind(`${column}_from`, Date.parse(from))}`);
    if (before !== null) parts.push(`${column} < ${bind(`${column}_before`, Date.parse(before))}`);
  };
  /** No driving criteria come here. */
  const addLabel = (index: number, { label, in: wanted, notIn, contains }: LabelCriteria): void => {
    const name = bind(`label_${index}`, label);
    const having = (condition: string) => `exists (
      select 1
      from execution_labels as n
      where n.execution_id = ${executionId} and n.name = ${name} and ${condition}
    )`;
    if (wanted !== null) {
      const each = bind(`label_${index}_in`, JSON.stringify(wanted));
      parts.push(having(`n.value in (${eachOf(each)})`));
    }
    if (notIn.length > 0) {
      const each = bind(`label_${index}_not`, JSON.stringify(notIn));
      parts.push(`not ${having(`n.value in (${eachOf(each)})`)}`);
    }
    if (contains.length > 0) {
      const each = bind(`label_${index}_has`, JSON.stringify(contains));
      parts.push(
        having(`not exists (
        select 1 from json_each(${each}) part where instr(lower(n.value), part.value) = 0
      )`),
      );
    }
  };
  addIn('status', criteria.statuses);
  addIn('id', criteria.ids);
  addIn('parent_execution_id', criteria.parents);
  addText('workflow_id', criteria.workflow);
  addText('workflow_version', criteria.version);
  addTimes('created_at', criteria.started);
  addTimes('completed_at', criteria.ended);
  for (const [index, label] of criteria.labels.entries()) addLabel(index, label);
  for (const is of criteria.waiting) parts.push(`${is ? '' : 'not '}${WAITS}`);
  addContains('error', criteria.errorContains);
  addIn('error_class', criteria.errorClasses);
  if (criteria.errorContains.length > 0 || criteria.errorClasses !== null) {
    parts.push(`case when error is null then false else ${HAS_NO_POLICY} end`);
  }
  return { condition: parts.join(' and '), bindings };
}

/** As `waiting_for` of a list. */
const WAITS = `(
  status in ('running', 'paused') and (
    exists (select 1 from flow_waits w where w.execution_id = e.id)
    or exists (
      select 1 from child_places p where p.execution_id = e.id and p.state = 'waiting'
    )
    or exists (select 1 from timers t where t.execution_id = e.id and t.name = 'start_after')
  )
)`;

function eachOf(list: string): string {
  return `select value from json_each(${list})`;
}

/** The name of its key in the definition says whether a workflow has a data policy anywhere. */
const HAS_NO_POLICY = `exists (
  select 1
  from definitions d
  where d.definition_id = e.definition_id and instr(d.ir, '"data_policy"') = 0
  union all
  select 1
  from imported_definitions d
  where d.definition_id = e.definition_id and instr(d.ir, '"data_policy"') = 0
)`;
