import type { ReactNode } from 'react';

import styles from './chip.module.css';

/** A filter that is on or off. */
export function ToggleChip({
  pressed,
  onToggle,
  children,
}: {
  readonly pressed: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button type="button" className={styles.chip} aria-pressed={pressed} onClick={onToggle}>
      {children}
    </button>
  );
}

/** A filter that applies, with a button that removes it. */
export function FilterChip({
  label,
  onRemove,
}: {
  readonly label: string;
  readonly onRemove: () => void;
}) {
  return (
    <span className={styles.filter}>
      {label}
      <button
        type="button"
        className={styles.remove}
        aria-label={`Remove ${label}`}
        onClick={onRemove}
      >
        ✕
      </button>
    </span>
  );
}
