import { ToggleChip } from '../../ui/controls/chip.tsx';
import { STATUSES, type Status } from './filter.ts';
import styles from './page.module.css';
import type { Counts } from './read-executions.ts';

/** The number of executions of each status; a click narrows the list to one. */
export function StatusFilter({
  counts,
  status,
  onChange,
}: {
  readonly counts: Counts | undefined;
  readonly status: Status | null;
  readonly onChange: (status: Status | null) => void;
}) {
  return (
    <div role="group" aria-label="Status" className={styles.chips}>
      {STATUSES.map((each) => (
        <ToggleChip
          key={each}
          pressed={each === status}
          onToggle={() => onChange(each === status ? null : each)}
        >
          {each} {counts === undefined ? '' : formatCount(counts.by_status[each] ?? 0)}
        </ToggleChip>
      ))}
      {counts === undefined || counts.is_exact ? null : (
        <span className={styles.note}>of the newest</span>
      )}
    </div>
  );
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}
