import { createStore } from '../../api/store.ts';

export const COLUMNS = [
  { id: 'version', title: 'Version' },
  { id: 'started', title: 'Started' },
  { id: 'duration', title: 'Duration' },
  { id: 'ended', title: 'Ended' },
  { id: 'wait', title: 'Waits for' },
  { id: 'parent', title: 'Parent' },
  { id: 'labels', title: 'Labels' },
  { id: 'class', title: 'Error class' },
  { id: 'node', title: 'Failed node' },
  { id: 'error', title: 'Error' },
] as const;

export type ColumnId = (typeof COLUMNS)[number]['id'];

const KEY = 'svc.executions.columns';
const DEFAULT: readonly ColumnId[] = ['started', 'duration', 'wait', 'error'];

const chosen = createStore<readonly ColumnId[]>(readChosen());

/** The columns beside the status, the workflow and the id, which every row has. */
export const useColumns = chosen.use;

export function toggleColumn(id: ColumnId): void {
  const now = chosen.read();
  const ids = COLUMNS.map((column) => column.id);
  const next = ids.filter((each) => (each === id ? !now.includes(each) : now.includes(each)));
  localStorage.setItem(KEY, next.join());
  chosen.write(next);
}

function readChosen(): readonly ColumnId[] {
  const kept = localStorage.getItem(KEY)?.split(',');
  if (kept === undefined) return DEFAULT;
  return COLUMNS.map(({ id }) => id).filter((id) => kept.includes(id));
}
