import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

import { Button, type ButtonKind } from './button.tsx';
import styles from './menu.module.css';

export interface MenuEntry {
  readonly label: ReactNode;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/** A button that opens a list of actions. */
export function Menu({
  label,
  entries,
  kind = 'normal',
}: {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly kind?: ButtonKind;
}) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button kind={kind}>{label} ▾</Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles.menu} align="end" sideOffset={4}>
          {entries.map((entry, index) => (
            <DropdownMenu.Item
              key={index}
              className={entry.danger ? styles.danger : styles.item}
              disabled={entry.disabled ?? false}
              onSelect={entry.onSelect}
            >
              {entry.label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
