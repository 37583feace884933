import { Copyable } from '../data/copyable.tsx';
import styles from './call-hint.module.css';

/** The command and the request that do what a button does. */
export function CallHint({
  command,
  request,
}: {
  /** A line for a shell: `svc execution cancel exec_…`; absent: there is none. */
  readonly command?: string;
  /** `POST /executions/exec_…/cancel`. */
  readonly request: string;
}) {
  return (
    <details className={styles.hint}>
      <summary>By command or request</summary>
      {command === undefined ? null : <Copyable text={command} label="command" />}
      <Copyable text={request} label="request" />
    </details>
  );
}
