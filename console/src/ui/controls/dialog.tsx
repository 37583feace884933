import { Dialog as Primitive } from 'radix-ui';
import { type ReactNode, useRef } from 'react';

import { Button } from './button.tsx';
import styles from './dialog.module.css';

/** A modal dialog: focus stays inside, Escape closes it, and focus returns to where it was. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  wide = false,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  readonly wide?: boolean;
}) {
  const opener = useRef<Element | null>(null);
  return (
    <Primitive.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className={styles.overlay} />
        <Primitive.Content
          className={wide ? styles.wide : styles.content}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          // By itself it returns to a trigger, and these dialogs have none.
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <header className={styles.head}>
            <Primitive.Title className={styles.title}>{title}</Primitive.Title>
            <Primitive.Close asChild>
              <Button kind="quiet" aria-label="Close">
                ✕
              </Button>
            </Primitive.Close>
          </header>
          {description === undefined ? null : (
            <Primitive.Description asChild>
              <div className={styles.description}>{description}</div>
            </Primitive.Description>
          )}
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** The row of buttons at a dialog's end. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
