import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../ui/controls/dialog.tsx';
import { Copyable } from '../../ui/data/copyable.tsx';
import { Facts } from '../../ui/layout/panel.tsx';
import { describeRole, type Token } from './roles.ts';

/** A new token, shown this once: the service keeps its hash only. */
export function SecretDialog({
  token,
  secret,
  onClose,
}: {
  readonly token: Token;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Token ${token.name}`}
      description="Copy it now. Nobody can show it again."
    >
      <Copyable text={secret} label="token" />
      <Facts
        facts={[
          ['Role', token.role],
          ['It', describeRole(token.role)],
          ['Tenant', token.tenant_id],
        ]}
      />
      <p>
        Send it as <code>Authorization: Bearer …</code>, set <code>SVC_TOKEN</code> for commands and
        workers, or sign in to the console with it.
      </p>
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
