import { useState } from 'react';

import { Button } from '../controls/button.tsx';
import styles from './copyable.module.css';

/** A text with a button that copies it. Long ids are shortened on screen, never in the copy. */
export function Copyable({
  text,
  label,
  shorten = false,
}: {
  readonly text: string;
  /** What is copied, for screen readers: "execution id". */
  readonly label: string;
  readonly shorten?: boolean;
}) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1_500);
    });
  };
  return (
    <span className={styles.copyable}>
      <code className={styles.text} title={shorten ? text : undefined}>
        {shorten && text.length > 20 ? `${text.slice(0, 13)}…${text.slice(-4)}` : text}
      </code>
      <Button kind="quiet" aria-label={`Copy ${label}`} onClick={copy}>
        {copied ? '✓' : '⧉'}
      </Button>
      <span role="status" className="visually-hidden">
        {copied ? `Copied ${label}` : ''}
      </span>
    </span>
  );
}
