import { type FragmentSqlToken, sql } from 'slonik';

import type {
  ExecutionCriteria,
  TextCriteria,
  TimeCriteria,
} from '../../../domain/execution/query/criteria.ts';
import type { ExecutionId } from '../../../domain/ids.ts';
import { toUuid } from '../rows.ts';

/** The criteria as a condition on `executions e`. */
export function writeCriteria(criteria: ExecutionCriteria): FragmentSqlToken {
  const { statuses, ids, parents, errorContains } = criteria;
  const parts = [
    sql.fragment`true`,
    ...(statuses === null ? [] : [writeIn(sql.fragment`e.status`, statuses)]),
    ...(ids === null ? [] : [writeIds(sql.fragment`e.id`, ids)]),
    ...(parents === null ? [] : [writeIds(sql.fragment`e.parent_execution_id`, parents)]),
    ...writeText(sql.fragment`e.workflow_id`, criteria.workflow),
    ...writeText(sql.fragment`e.workflow_version`, criteria.version),
    ...writeTimes(sql.fragment`e.created_at`, criteria.started),
    ...writeTimes(sql.fragment`e.completed_at`, criteria.ended),
    ...(errorContains.length === 0 ? [] : [writeError(errorContains)]),
  ];
  return sql.fragment`${sql.join(parts, sql.fragment` and `)}`;
}

function writeText(
  column: FragmentSqlToken,
  { in: wanted, notIn, contains }: TextCriteria,
): readonly FragmentSqlToken[] {
  return [
    ...(wanted === null ? [] : [writeIn(column, wanted)]),
    ...(notIn.length === 0
      ? []
      : [sql.fragment`${column} <> all(${sql.array([...notIn], 'text')})`]),
    ...(contains.length === 0 ? [] : [writeContains(column, contains)]),
  ];
}

/** A single value is compared by `=`: only then does the index give its rows in the order of the list. */
function writeIn(column: FragmentSqlToken, values: readonly string[]): FragmentSqlToken {
  const [first] = values;
  if (values.length === 1 && first !== undefined) return sql.fragment`${column} = ${first}`;
  return sql.fragment`${column} = any(${sql.array([...values], 'text')})`;
}

function writeIds(column: FragmentSqlToken, ids: readonly ExecutionId[]): FragmentSqlToken {
  return sql.fragment`${column} = any(${sql.array(ids.map(toUuid), 'uuid')})`;
}

function writeTimes(
  column: FragmentSqlToken,
  { from, before }: TimeCriteria,
): readonly FragmentSqlToken[] {
  return [
    ...(from === null ? [] : [sql.fragment`${column} >= ${from}::timestamptz`]),
    ...(before === null ? [] : [sql.fragment`${column} < ${before}::timestamptz`]),
  ];
}

/** In the collation C, lower case means that of ASCII letters, as on SQLite. */
function writeContains(column: FragmentSqlToken, texts: readonly string[]): FragmentSqlToken {
  return sql.fragment`(
    select bool_and(position(x.part in lower(${column} collate "C")) > 0)
    from unnest(${sql.array([...texts], 'text')}) as x (part)
  )`;
}

/** The definition is read last, and only for an error that fits: it may be large. */
function writeError(texts: readonly string[]): FragmentSqlToken {
  return sql.fragment`case
    when e.error is null or not ${writeContains(sql.fragment`e.error`, texts)} then false
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
}
