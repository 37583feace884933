import { Tabs as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

import styles from './tabs.module.css';

/** Tabs of one page; the arrow keys move between them. */
export function Tabs<Id extends string>({
  label,
  tabs,
  value,
  onChange,
}: {
  readonly label: string;
  readonly tabs: readonly {
    readonly id: Id;
    readonly title: string;
    readonly content: ReactNode;
  }[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}) {
  const choose = (id: string) => {
    const tab = tabs.find((candidate) => candidate.id === id);
    if (tab !== undefined) onChange(tab.id);
  };
  return (
    <Primitive.Root value={value} onValueChange={choose} className={styles.root}>
      <Primitive.List aria-label={label} className={styles.list}>
        {tabs.map(({ id, title }) => (
          <Primitive.Trigger key={id} value={id} className={styles.tab}>
            {title}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {tabs.map(({ id, content }) => (
        <Primitive.Content key={id} value={id} className={styles.content}>
          {content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
