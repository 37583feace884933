import type { ReplyOf } from '../../../api/client.ts';
import { useSearchState } from '../../../app/search.ts';
import { SelectField } from '../../../ui/controls/field.tsx';
import { type Column, DataTable } from '../../../ui/data/data-table.tsx';
import { ReadingContent } from '../../../ui/feedback/list-content.tsx';
import { useReading } from '../use-reading.ts';
import styles from './state-pane.module.css';

type Change = ReplyOf<'compare-state'>['changes'][number];

const SHOWN_CHARS = 400;

/** The changes that led to the state: those of the event, or all since the start. */
export function StateChanges({ id, at }: { readonly id: string; readonly at: number }) {
  const [search, change] = useSearchState();
  const isFromStart = search.since === 'start';
  const from = isFromStart ? Math.min(1, at) : Math.max(0, at - 1);
  const query = useReading('compare-state', {
    key: [],
    params: { path: { id }, query: { from, to: at } },
    isFinal: true,
  });
  return (
    <ReadingContent query={query}>
      {(data) => (
        <>
          <SelectField
            label="Compare with"
            value={isFromStart ? 'start' : 'previous'}
            options={[
              { value: 'previous', label: 'The state before this event' },
              { value: 'start', label: 'The state at the start' },
            ]}
            onChange={(event) =>
              change({ since: event.target.value === 'start' ? 'start' : undefined })
            }
          />
          {data.changes.length === 0 ? (
            <p>
              No key of the state differs between event {data.from} and event {data.to}.
            </p>
          ) : (
            <DataTable
              label="Changes"
              rows={data.changes}
              rowKey={({ path }) => path}
              columns={COLUMNS}
              isBounded
            />
          )}
          {data.truncated ? <p className={styles.note}>There are more changes.</p> : null}
        </>
      )}
    </ReadingContent>
  );
}

const COLUMNS: readonly Column<Change>[] = [
  { id: 'change', title: 'Change', cell: ({ op }) => <span className={styles[op]}>{op}</span> },
  { id: 'path', title: 'Path', cell: ({ path }) => <code>{path}</code> },
  {
    id: 'before',
    title: 'Before',
    cell: ({ op, before, omitted }) =>
      op === 'add' ? '' : <Value value={before} omitted={omitted} />,
  },
  {
    id: 'after',
    title: 'After',
    cell: ({ op, after, omitted }) =>
      op === 'remove' ? '' : <Value value={after} omitted={omitted} />,
  },
];

function Value({ value, omitted }: { readonly value: unknown; readonly omitted: boolean }) {
  if (omitted) return <>too large to show</>;
  const text = JSON.stringify(value);
  return <code>{text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text}</code>;
}
