import { useId, type ReactNode } from 'react';

import { classNames } from '../class-names.ts';
import styles from './panel.module.css';

/** A part of a page with a heading of its own. */
export function Panel({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.panel}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        <div className={styles.actions}>{actions}</div>
      </header>
      {children}
    </section>
  );
}

/** Pairs of a name and a value; a `wide` one is a text, and has a row of its own. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode, width?: 'wide'])[];
}) {
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value, width]) => (
        <div key={name} className={classNames(styles.fact, width && styles.wide)}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
