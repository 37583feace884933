import { useEffect, type ReactNode } from 'react';

import styles from './page-header.module.css';

/** The title of a page, also the document's, with what can be done on the page. */
export function PageHeader({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  /** Buttons. */
  readonly children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <header className={styles.header}>
      <div className={styles.titles}>
        <h1>{title}</h1>
        {about === undefined ? null : <p className={styles.about}>{about}</p>}
      </div>
      <div className={styles.actions}>{children}</div>
    </header>
  );
}
