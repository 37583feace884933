import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useState } from 'react';

import styles from './command-palette.module.css';
import { PLACES } from './navigation.ts';
import { toggleTheme, toggleTimeZone } from './preferences.ts';
import { useSession } from './session.tsx';

const EXECUTION_ID = /^exec_[0-9a-f]{32}$/;

/** Every place, and any execution or workflow by its id, without the mouse. */
export function CommandPalette({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const { can } = useSession();
  const navigate = useNavigate();
  const run = (action: () => void) => () => {
    onClose();
    setText('');
    action();
  };
  const places = PLACES.flatMap((group) => group.places).filter(({ needs }) => can(...needs));
  const id = text.trim();
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.content} aria-describedby={undefined}>
          <Dialog.Title className="visually-hidden">Go to</Dialog.Title>
          <Command label="Go to" className={styles.command}>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="A place, an execution's id, a workflow's id…"
              className={styles.input}
            />
            <Command.List className={styles.list}>
              <Command.Empty className={styles.empty}>Nothing has this name.</Command.Empty>
              {EXECUTION_ID.test(id) ? (
                <Command.Item
                  value={id}
                  className={styles.item}
                  onSelect={run(() => void navigate({ to: '/executions/$id', params: { id } }))}
                >
                  Open execution {id}
                </Command.Item>
              ) : null}
              {places.map((place) => (
                <Command.Item
                  key={place.to}
                  value={place.title}
                  className={styles.item}
                  onSelect={run(() => void navigate({ to: place.to }))}
                >
                  {place.title}
                </Command.Item>
              ))}
              <Command.Item className={styles.item} onSelect={run(toggleTheme)}>
                Change the theme
              </Command.Item>
              <Command.Item className={styles.item} onSelect={run(toggleTimeZone)}>
                Change between UTC and local time
              </Command.Item>
              {id === '' || EXECUTION_ID.test(id) ? null : (
                <Command.Item
                  value={`workflow ${id}`}
                  className={styles.item}
                  onSelect={run(() => void navigate({ to: '/workflows/$id', params: { id } }))}
                >
                  Open workflow “{id}”
                </Command.Item>
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
