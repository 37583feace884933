import { useByCursor } from '../../../api/by-cursor.ts';
import { call } from '../../../api/client.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Badge } from '../../../ui/data/badge.tsx';
import { formatDuration } from '../../../ui/data/format-time.ts';
import { JsonView } from '../../../ui/data/json-view.tsx';
import { ListContent } from '../../../ui/feedback/list-content.tsx';
import type { Selection } from '../selection.ts';
import { growTree, type JournalBranch, type JournalEntry, readEntries } from './journal-tree.ts';
import styles from './nodes-pane.module.css';

/** An event holds up to a few entries, each of up to 64 KiB. */
const PAGE_EVENTS = 10;

/** What a durable function has recorded, as a tree of its steps and waits. */
export function Journal({
  id,
  nodeId,
  at,
  selection,
}: {
  readonly id: string;
  readonly nodeId: string;
  readonly at: number;
  readonly selection: Selection;
}) {
  const list = useByCursor({
    key: ['journal', id, at],
    read: async (cursor, signal) => {
      const { events } = await call('read-events', {
        path: { id },
        query: {
          types: 'StepRecorded',
          after: Number(cursor ?? 0),
          before: at + 1,
          limit: PAGE_EVENTS,
        },
        signal,
      });
      const last = events.length < PAGE_EVENTS ? undefined : events.at(-1);
      return { rows: events, nextCursor: last === undefined ? null : String(last.sequence) };
    },
  });
  const entries = readEntries(list.rows.filter(({ node_id: node }) => node === nodeId));
  return (
    <ListContent list={list} empty={<p>The function has recorded nothing up to this event.</p>}>
      <section aria-label={`Journal of ${nodeId}`}>
        <h3>
          Journal: {entries.length} {entries.length === 1 ? 'entry' : 'entries'}
          {list.hasMore ? ' so far' : ''}
        </h3>
        {entries.length === 0 && !list.hasMore ? (
          <p>The function has recorded nothing up to this event.</p>
        ) : (
          <Branch branch={growTree(entries)} selection={selection} />
        )}
        {list.hasMore ? (
          <Button busy={list.isLoadingMore} onClick={list.loadMore}>
            Read more of the journal
          </Button>
        ) : null}
      </section>
    </ListContent>
  );
}

function Branch({
  branch,
  selection,
}: {
  readonly branch: JournalBranch;
  readonly selection: Selection;
}) {
  return (
    <ul className={styles.tree}>
      {branch.branches.map((inner) => (
        <li key={inner.path}>
          {inner.entries.length === 0 ? <span>{inner.name}</span> : null}
          {inner.entries.map((entry) => (
            <Entry key={entry.sequence} name={inner.name} entry={entry} selection={selection} />
          ))}
          {inner.branches.length === 0 ? null : <Branch branch={inner} selection={selection} />}
        </li>
      ))}
    </ul>
  );
}

function Entry({
  name,
  entry,
  selection,
}: {
  readonly name: string;
  readonly entry: JournalEntry;
  readonly selection: Selection;
}) {
  return (
    <div>
      <button
        type="button"
        className={styles.name}
        onClick={() => selection.select({ at: entry.sequence })}
      >
        {name}
      </button>{' '}
      <Badge tone={entry.error === null ? 'ok' : 'bad'}>{entry.kind}</Badge>{' '}
      <span className={styles.note}>
        {entry.durationMs === null ? '' : formatDuration(entry.durationMs)}
        {entry.attempts > 1 ? ` · ${entry.attempts} attempts` : ''}
      </span>
      {entry.error === null ? null : <p className={styles.error}>{entry.error}</p>}
      {entry.output === undefined ? null : (
        <details>
          <summary>Output</summary>
          <JsonView label={`Output of ${entry.identity}`} value={entry.output} openDepth={1} />
        </details>
      )}
    </div>
  );
}
