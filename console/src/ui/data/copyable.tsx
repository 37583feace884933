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
        {copied ? '✓' : <CopyIcon />}
      </Button>
      <span role="status" className="visually-hidden">
        {copied ? `Copied ${label}` : ''}
      </span>
    </span>
  );
}

/** Drawn, because few fonts have a sign for it. */
function CopyIcon() {
  return (
    <svg
      aria-hidden="true"
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
    >
      <rect x="4.5" y="4.5" width="8" height="8" rx="1.5" />
      <path d="M9.5 2.5v-1h-8v8h1" />
    </svg>
  );
}
