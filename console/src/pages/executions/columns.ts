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
/** Columns of the time when a choice was kept as the list of all that show. */
const LISTED: readonly ColumnId[] = [
  'version',
  'started',
  'duration',
  'ended',
  'parent',
  'labels',
  'error',
];

const chosen = createStore<readonly ColumnId[]>(readChosen());

/** The columns beside the status, the workflow and the id, which every row has. */
export const useColumns = chosen.use;

export function toggleColumn(id: ColumnId): void {
  const now = chosen.read();
  const ids = COLUMNS.map((column) => column.id);
  const next = ids.filter((each) => (each === id ? !now.includes(each) : now.includes(each)));
  keepChosen(next);
  chosen.write(next);
}

/** Keeps the differences from the default alone, so that later columns show by their own default. */
function keepChosen(columns: readonly ColumnId[]): void {
  const shown = columns.filter((id) => !DEFAULT.includes(id)).map((id) => `+${id}`);
  const hidden = DEFAULT.filter((id) => !columns.includes(id)).map((id) => `-${id}`);
  const changes = [...shown, ...hidden];
  if (changes.length === 0) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, changes.join());
}

function readChosen(): readonly ColumnId[] {
  const text = localStorage.getItem(KEY);
  if (text === null) return DEFAULT;
  const kept = text.split(',');
  const isList = !kept.some((each) => /^[+-]/.test(each));
  return COLUMNS.map(({ id }) => id).filter((id) => {
    if (isList && LISTED.includes(id)) return kept.includes(id);
    return DEFAULT.includes(id) ? !kept.includes(`-${id}`) : kept.includes(`+${id}`);
  });
}
