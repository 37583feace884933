import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../ui/controls/dialog.tsx';
import { Copyable } from '../../ui/data/copyable.tsx';

/** The secret of a new webhook, shown this once. */
export function WebhookSecretDialog({
  url,
  secret,
  onClose,
}: {
  readonly url: string;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Secret of the webhook"
      description="Copy it now. Nobody can show it again."
    >
      <Copyable text={secret} label="secret" />
      <p>
        The receiver at {url} verifies <code>webhook-signature</code> with it, by the Standard
        Webhooks scheme.
      </p>
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
