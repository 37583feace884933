import { Link } from '@tanstack/react-router';

import { quoteText } from '../../../../../src/shared/domain/execution/query/quote-text.ts';
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
            search={{ q: `labels.${name} = ${quoteText(value)}` }}
            title="Show all executions with this label"
          >
            {name}={value}
          </Link>
        </li>
      ))}
    </ul>
  );
}
