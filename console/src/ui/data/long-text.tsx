import styles from './long-text.module.css';

const SHOWN_CHARS = 200;

/** A text that may be long, such as the message of an error: its beginning, and all of it on demand. */
export function LongText({ text }: { readonly text: string }) {
  if (text.length <= SHOWN_CHARS) return <>{text}</>;
  return (
    <details className={styles.text}>
      <summary>{text.slice(0, SHOWN_CHARS)}…</summary>
      <pre>{text}</pre>
    </details>
  );
}
