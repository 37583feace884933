import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { messageOf } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../ui/controls/dialog.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import styles from './page.module.css';

/** What can run again: the item of a live execution, or an execution that failed. */
export interface Repeatable {
  readonly execution_id: string;
  /** Null: the execution is retried as a new one. */
  readonly work_item_id: string | null;
}

interface Outcome {
  readonly executionId: string;
  /** Null: it runs again. */
  readonly refusal: string | null;
}

/** Shows what would run again, repeats one after another, and says what became of each. */
export function RepeatDialog({
  members,
  onClose,
}: {
  readonly members: readonly Repeatable[];
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const words = members.some(({ work_item_id: item }) => item === null) ? RETRY : REQUEUE;
  const repeat = useMutation({
    mutationFn: async () => {
      setOutcomes([]);
      for (const member of members) {
        const outcome = await repeatOne(member);
        setOutcomes((known) => [...known, outcome]);
      }
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ['failures'] }),
        client.invalidateQueries({ queryKey: ['dead-letters'] }),
      ]),
  });
  const refused = outcomes.filter(({ refusal }) => refusal !== null);
  const done = outcomes.length - refused.length;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${words.verb} ${members.length === 1 ? words.one : `${members.length} ${words.many}`}`}
      description={words.consequence}
    >
      <ul className={styles.preview} aria-label="What runs again" tabIndex={0}>
        {members.map(({ execution_id: id, work_item_id: item }) => (
          <li key={item ?? id}>{id}</li>
        ))}
      </ul>
      <p role="status">
        {outcomes.length === 0
          ? ''
          : `${done} of ${members.length} ${words.done}, ${refused.length} refused`}
      </p>
      {refused.length === 0 ? null : (
        <ul className={styles.preview} aria-label="Refused" tabIndex={0}>
          {refused.map(({ executionId, refusal }) => (
            <li key={executionId}>
              {executionId}: {refusal}
            </li>
          ))}
        </ul>
      )}
      {members.length === 1 ? (
        <CallHint command={words.command(members[0])} request={words.request(members[0])} />
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>{repeat.isSuccess ? 'Done' : 'Cancel'}</Button>
        {repeat.isSuccess ? null : (
          <Button kind="primary" busy={repeat.isPending} onClick={() => repeat.mutate()}>
            {words.verb}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

const REQUEUE = {
  verb: 'Requeue',
  one: 'one item',
  many: 'items',
  done: 'requeued',
  consequence: 'Each goes back on its queue with all its attempts, if its node still waits for it.',
  command: (member?: Repeatable) => `svc work-item requeue ${member?.work_item_id ?? ''}`,
  request: (member?: Repeatable) => `POST /work-items/${member?.work_item_id ?? ''}/requeue`,
};

const RETRY: typeof REQUEUE = {
  verb: 'Retry',
  one: 'one execution',
  many: 'executions',
  done: 'retried',
  consequence:
    'Each continues as a new execution from the node that failed; completed nodes do not run again.',
  command: (member) => `svc execution retry ${member?.execution_id ?? ''}`,
  request: (member) => `POST /executions/${member?.execution_id ?? ''}/retry`,
};

async function repeatOne(member: Repeatable): Promise<Outcome> {
  const { execution_id: executionId, work_item_id: item } = member;
  try {
    if (item === null) await call('retry-execution', { path: { id: executionId } });
    else await call('requeue-work-item', { path: { id: item } });
    return { executionId, refusal: null };
  } catch (error) {
    return { executionId, refusal: messageOf(error) };
  }
}
