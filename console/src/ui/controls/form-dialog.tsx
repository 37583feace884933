import type { ReactNode } from 'react';

import { CallHint } from '../feedback/call-hint.tsx';
import { ActionError } from '../feedback/states.tsx';
import { Stack } from '../layout/stack.tsx';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

/** A dialog whose fields are sent together; a refusal shows beside the button that asked. */
export function FormDialog({
  title,
  description,
  action,
  keep = 'Cancel',
  kind = 'primary',
  hint,
  sending,
  isIncomplete = false,
  wide = false,
  extra,
  next,
  onSend,
  onClose,
  children,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  /** The label of the button that sends, a verb: "Create tenant". */
  readonly action: string;
  /** The label of the button that changes nothing. */
  readonly keep?: string;
  readonly kind?: 'primary' | 'danger' | 'normal';
  /** The command and the request that do the same; absent: nothing leaves the browser. */
  readonly hint?: { readonly command?: string; readonly request: string };
  /** The request; absent: nothing leaves the browser. */
  readonly sending?: { readonly isPending: boolean; readonly error: unknown };
  /** Nothing is sent while the fields have a problem that the browser does not find. */
  readonly isIncomplete?: boolean;
  readonly wide?: boolean;
  /** Buttons before the one that sends. */
  readonly extra?: ReactNode;
  /** Buttons after it, for a form that is sent in two steps. */
  readonly next?: ReactNode;
  readonly onSend: (form: HTMLFormElement) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog open onClose={onClose} title={title} description={description} wide={wide}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isIncomplete) onSend(event.currentTarget);
        }}
      >
        <Stack>
          {children}
          <ActionError error={sending?.error} />
          {hint === undefined ? null : <CallHint {...hint} />}
          <DialogActions>
            <Button onClick={onClose}>{keep}</Button>
            {extra}
            <Button
              kind={kind}
              type="submit"
              disabled={isIncomplete}
              busy={sending?.isPending ?? false}
            >
              {action}
            </Button>
            {next}
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
