import { classNames } from '../class-names.ts';
import styles from './long-text.module.css';

const SHOWN_CHARS = 200;
/** Longer ones get a column that is wide enough to be read. */
const WIDE_CHARS = 40;

/** A text that may be long, such as the message of an error: its beginning, and all of it on demand. */
export function LongText({ text }: { readonly text: string }) {
  if (text.length <= WIDE_CHARS) return <>{text}</>;
  if (text.length <= SHOWN_CHARS) return <div className={styles.cell}>{text}</div>;
  return (
    <details className={classNames(styles.cell, styles.text)}>
      <summary>{text.slice(0, SHOWN_CHARS)}…</summary>
      <pre>{text}</pre>
    </details>
  );
}
