import type { ReactNode } from 'react';

import styles from './stack.module.css';

/** Parts of a page or a dialog, one below the other. */
export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

/** Buttons and short texts beside each other. */
export function Row({ children }: { readonly children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}
