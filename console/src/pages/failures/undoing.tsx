import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call, type ReplyOf } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmDialog } from '../../ui/controls/confirm-dialog.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { nameVisit } from '../../ui/data/name-visit.ts';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { notify } from '../../ui/feedback/toast.tsx';

type Letter = ReplyOf<'list-dead-letters'>['work_items'][number];

/** What an undo that failed is to undo and with what, and a way to give it up. */
export function Undoing({ letter }: { readonly letter: Letter }) {
  const { can } = useSession();
  const [isOpen, setOpen] = useState(false);
  const { undoes, id } = letter;
  if (undoes === null) return null;
  const { node_id: node, input, output, omitted } = undoes;
  return (
    <>
      <details>
        <summary>{nameVisit(undoes)}</summary>
        <h3>Input of the undo</h3>
        {omitted.includes('input') ? (
          NOT_SHOWN
        ) : (
          <JsonView label={`Input of ${id}`} value={input} />
        )}
        <h3>Output of {node}</h3>
        {omitted.includes('output') ? (
          NOT_SHOWN
        ) : (
          <JsonView label={`Output of ${node}, undone by ${id}`} value={output} />
        )}
      </details>
      {can('POST', '/executions/:id/cancel') ? (
        <Button kind="danger" aria-label={`Give up ${id}`} onClick={() => setOpen(true)}>
          Give up
        </Button>
      ) : null}
      {isOpen ? <GiveUpDialog letter={letter} node={node} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

const NOT_SHOWN = <p>A data policy hides it, or it is too large for this list.</p>;

function GiveUpDialog({
  letter,
  node,
  onClose,
}: {
  readonly letter: Letter;
  readonly node: string;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const { execution_id: id } = letter;
  const giveUp = useMutation({
    mutationFn: () => call('cancel-execution', { path: { id } }),
    onSuccess: () => {
      notify(`Asked to end ${id} without its undos`);
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['dead-letters'] }),
  });
  return (
    <ConfirmDialog
      title={`Give up the undo of ${node}?`}
      action="Give up"
      busy={giveUp.isPending}
      error={giveUp.error}
      onConfirm={() => giveUp.mutate()}
      onClose={onClose}
    >
      <p>
        First undo {node} by hand. If only dead letters are left to undo, {id} then ends and says
        what is not undone. If another undo can still run, nothing is given up.
      </p>
      <CallHint command={`svc execution cancel ${id}`} request={`POST /executions/${id}/cancel`} />
    </ConfirmDialog>
  );
}
