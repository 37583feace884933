import { Link } from '@tanstack/react-router';

import styles from './head.module.css';
import type { Execution } from './types.ts';

/** The labels of an execution; each leads to all executions that have it. */
export function Labels({ labels }: { readonly labels: Execution['labels'] }) {
  return (
    <ul className={styles.labels} aria-label="Labels">
      {Object.entries(labels).map(([name, value]) => (
        <li key={name}>
          <Link
            to="/executions"
            search={{ q: `labels.${name} = ${quote(value)}` }}
            title="Show all executions with this label"
          >
            {name}={value}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** A query takes each character after a backslash as it is. */
function quote(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
