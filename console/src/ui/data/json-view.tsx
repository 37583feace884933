import { useState } from 'react';

import styles from './json-view.module.css';

const SHOWN_MAX = 100;
const TEXT_MAX = 2_000;

/** A JSON value as a tree: text only, large parts folded until they are asked for. */
export function JsonView({
  value,
  label,
  openDepth = 2,
}: {
  readonly value: unknown;
  /** What the value is, for screen readers. */
  readonly label: string;
  readonly openDepth?: number;
}) {
  return (
    // A focusable region: a wide value scrolls by keyboard too.
    <div className={styles.view} role="region" aria-label={label} tabIndex={0}>
      <JsonNode name={null} value={value} depth={0} openDepth={openDepth} />
    </div>
  );
}

function JsonNode({
  name,
  value,
  depth,
  openDepth,
}: {
  readonly name: string | null;
  readonly value: unknown;
  readonly depth: number;
  readonly openDepth: number;
}) {
  const [open, setOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(SHOWN_MAX);
  const key = name === null ? null : <span className={styles.key}>{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={styles.row}>
        {key}
        <Scalar value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const brackets = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0) {
    return (
      <div className={styles.row}>
        {key}
        {brackets}
      </div>
    );
  }
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className={styles.row}
    >
      <summary className={styles.summary}>
        {key}
        <span className={styles.count}>
          {brackets[0]} {entries.length} {brackets[1]}
        </span>
      </summary>
      {open ? (
        <div className={styles.children}>
          {entries.slice(0, shown).map(([child, inner]) => (
            <JsonNode
              key={child}
              name={child}
              value={inner}
              depth={depth + 1}
              openDepth={openDepth}
            />
          ))}
          {entries.length > shown ? (
            <button type="button" className={styles.more} onClick={() => setShown(shown * 10)}>
              Show {Math.min(shown * 9, entries.length - shown)} more of {entries.length}
            </button>
          ) : null}
        </div>
      ) : null}
    </details>
  );
}

function Scalar({ value }: { readonly value: unknown }) {
  const [whole, setWhole] = useState(false);
  const text = JSON.stringify(value) ?? 'undefined';
  const cut = text.length > TEXT_MAX && !whole;
  return (
    <span className={typeof value === 'string' ? styles.string : styles.scalar}>
      {cut ? `${text.slice(0, TEXT_MAX)}…` : text}
      {cut ? (
        <button type="button" className={styles.more} onClick={() => setWhole(true)}>
          Show all {text.length} characters
        </button>
      ) : null}
    </span>
  );
}
