import { LABEL_NAME } from '../labels/labels.ts';
import { EXECUTION_STATUSES } from '../status.ts';
import { TIME_OPERATORS } from './condition.ts';

export type Field =
  | 'status'
  | 'workflow'
  | 'version'
  | 'parent'
  | 'id'
  | 'error'
  | 'error_class'
  | 'labels'
  | 'waiting'
  | 'started'
  | 'ended';

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
  error_class: { operators: ['=', 'in'], values: [] },
  labels: { operators: [...SET, '~'], values: [] },
  waiting: { operators: ['='], values: ['true', 'false'] },
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

/** Begins the name of a label. */
export const LABELS = 'labels.';

/** The field of any label, for messages. */
export const LABEL_FIELD = `${LABELS}name`;

/** As a query may write them: a label stands for all. */
export const FIELD_NAMES: readonly string[] = Object.keys(FIELDS).map((field) =>
  field === 'labels' ? LABEL_FIELD : field,
);

export interface NamedField {
  readonly field: Field;
  /** The name of the label; empty for other fields. */
  readonly label: string;
}

/** The field of a name, of another name for it, or of a label: `labels.customer`. */
export function findField(name: string): NamedField | null {
  const lower = name.toLowerCase();
  if (lower.startsWith(LABELS)) {
    const label = name.slice(LABELS.length);
    return LABEL_NAME.test(label) ? { field: 'labels', label } : null;
  }
  if (lower !== 'labels' && isField(lower)) return { field: lower, label: '' };
  const aliased = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : undefined;
  return aliased === undefined ? null : { field: aliased, label: '' };
}

function isField(name: string): name is Field {
  return Object.hasOwn(FIELDS, name);
}
