import { useState, type ReactNode } from 'react';

import { messageOf } from '../../api/api-error.ts';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { TextField } from './field.tsx';

/** Asks before an action that cannot be undone, and shows what it hits. */
export function ConfirmDialog({
  title,
  children,
  action,
  name,
  busy,
  error,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  /** What the action hits, and what becomes of it. */
  readonly children: ReactNode;
  /** The label of the button that acts, a verb: "Delete schedule". */
  readonly action: string;
  /** The name that has to be typed first; absent: a click is enough. */
  readonly name?: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const mayAct = name === undefined || typed === name;
  return (
    <Dialog open onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (mayAct) onConfirm();
        }}
        style={{ display: 'contents' }}
      >
        <div>{children}</div>
        {name === undefined ? null : (
          <TextField
            label={`Type ${name} to confirm`}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        {error ? <p role="alert">{messageOf(error)}</p> : null}
        <DialogActions>
          <Button onClick={onClose}>Keep</Button>
          <Button kind="danger" type="submit" disabled={!mayAct} busy={busy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
