import { classNames } from '../../../ui/class-names.ts';
import { formatDuration } from '../../../ui/data/format-time.ts';
import { readEntries } from '../nodes/journal-tree.ts';
import type { ExecutionEvent } from './use-event-pages.ts';
import styles from './events-pane.module.css';

/** One event in the list: a button that moves all panes to it. */
export function EventLine({
  event,
  startedAt,
  isSelected,
  onSelect,
}: {
  readonly event: ExecutionEvent;
  readonly startedAt: string | null;
  readonly isSelected: boolean;
  readonly onSelect: (event: ExecutionEvent) => void;
}) {
  const offset = startedAt === null ? 0 : Date.parse(event.created_at) - Date.parse(startedAt);
  return (
    <button
      type="button"
      className={classNames(styles.line, isSelected && styles.selected)}
      aria-current={isSelected ? 'true' : undefined}
      onClick={() => onSelect(event)}
    >
      <span className={styles.sequence}>{event.sequence}</span>
      <span className={styles.offset} title={event.created_at}>
        +{formatDuration(Math.max(0, offset))}
      </span>
      <span className={classNames(styles.kind, isTrouble(event.kind) && styles.trouble)}>
        {event.kind}
      </span>
      <span className={styles.node}>{event.node_id ?? ''}</span>
      <span className={styles.facts}>{factsOf(event).join(' · ')}</span>
    </button>
  );
}

function isTrouble(kind: string): boolean {
  return kind.endsWith('Failed') || kind === 'PolicyViolation' || kind === 'BudgetExceeded';
}

/** The members of a payload that say most in a few words. */
function factsOf(event: ExecutionEvent): readonly string[] {
  const facts: string[] = [];
  const { attempt, visit, decision, tool, error, correlation_key: key, map } = event.payload;
  if (typeof visit === 'number' && visit > 0) facts.push(`visit ${visit}`);
  if (typeof map === 'object' && map !== null && 'index' in map) {
    facts.push(`item ${String(map.index)}`);
  }
  if (typeof attempt === 'number' && attempt > 0) facts.push(`attempt ${attempt + 1}`);
  for (const text of [decision, tool, key, error]) {
    if (typeof text === 'string') facts.push(text);
  }
  return [...facts, ...stepsOf(event)];
}

/** The steps that a durable function has recorded, and what it waits for. */
function stepsOf(event: ExecutionEvent): readonly string[] {
  const { entries, waits } = event.payload;
  return [entries, waits]
    .flatMap((list) => readEntries([{ ...event, payload: { entries: list } }]))
    .map(({ identity, error }) => (error === null ? identity : `${identity}: ${error}`));
}
