import { EXECUTION_STATUSES } from '../status.ts';
import { TIME_OPERATORS } from './condition.ts';

export type Field =
  'status' | 'workflow' | 'version' | 'parent' | 'id' | 'error' | 'started' | 'ended';

/** An operator as a query spells it. */
export type Spelling = '=' | '!=' | '~' | 'in' | (typeof TIME_OPERATORS)[number];

interface FieldRule {
  readonly operators: readonly Spelling[];
  /** Examples or all of its values. */
  readonly values: readonly string[];
}

const SET: readonly Spelling[] = ['=', '!=', 'in'];
const TIMES = ['-1h', '-24h', '-7d', 'now'];

/**
 * The fields of a query and their operators. Errors have no `!=`: an execution that is missing from
 * the answer would tell what a data policy hides.
 */
export const FIELDS: Readonly<Record<Field, FieldRule>> = {
  status: { operators: SET, values: EXECUTION_STATUSES },
  workflow: { operators: [...SET, '~'], values: [] },
  version: { operators: [...SET, '~'], values: [] },
  parent: { operators: ['=', 'in'], values: [] },
  id: { operators: ['=', 'in'], values: [] },
  error: { operators: ['~'], values: [] },
  started: { operators: TIME_OPERATORS, values: TIMES },
  ended: { operators: TIME_OPERATORS, values: TIMES },
};

const ALIASES: Readonly<Record<string, Field>> = {
  workflow_id: 'workflow',
  workflow_version: 'version',
  parent_execution_id: 'parent',
  execution_id: 'id',
  created: 'started',
  created_at: 'started',
  started_at: 'started',
  completed: 'ended',
  completed_at: 'ended',
};

export const FIELD_NAMES: readonly string[] = Object.keys(FIELDS);

/** The field of a name or of another name for it. */
export function findField(name: string): Field | null {
  const lower = name.toLowerCase();
  if (isField(lower)) return lower;
  return Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] ?? null) : null;
}

function isField(name: string): name is Field {
  return Object.hasOwn(FIELDS, name);
}
