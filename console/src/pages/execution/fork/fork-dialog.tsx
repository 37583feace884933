import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';

import { call } from '../../../api/client.ts';
import { newKey } from '../../../api/new-key.ts';
import { CheckField, TextArea } from '../../../ui/controls/field.tsx';
import { FormDialog } from '../../../ui/controls/form-dialog.tsx';
import { useAction } from '../head/use-action.ts';
import { useSettled } from '../state/use-settled.ts';
import { ForkPreview } from './fork-preview.tsx';
import { bodyOf, commandOf, type ForkBody, type ForkFrom, type Patch } from './fork-request.ts';

const SETTLED_MS = 300;

/** Shows what a fork keeps and runs, and starts it. */
export function ForkDialog({
  id,
  from,
  onClose,
}: {
  readonly id: string;
  readonly from: ForkFrom;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const [text, setText] = useState('{}');
  const [isLatest, setLatest] = useState(false);
  const patch = readPatch(text);
  const body = patch === null ? null : bodyOf(from, { patch, isLatest });
  const settled = useSettled(body === null ? null : JSON.stringify(body), SETTLED_MS);
  const fork = useAction(
    'Started the fork',
    async (given: Sent) => {
      const reply = await call('fork-execution', {
        path: { id },
        body: given.body,
        headers: { 'idempotency-key': given.key },
      });
      if (!('execution_id' in reply)) throw new Error('The service started no fork.');
      await navigate({ to: '/executions/$id', params: { id: reply.execution_id } });
    },
    onClose,
  );
  return (
    <FormDialog
      wide
      title={titleOf(from)}
      description="A fork is a new execution that carries the results recorded before this point. Steps that run again call the outside again. The original is not touched."
      action="Fork execution"
      keep="Keep"
      hint={{
        ...(body === null ? {} : { command: commandOf(id, body) }),
        request: `POST /executions/${id}/fork ${JSON.stringify(body ?? {})}`,
      }}
      sending={fork}
      isIncomplete={body === null}
      onSend={() => {
        if (body !== null) fork.mutate(sendAgain(fork.variables, body));
      }}
      onClose={onClose}
    >
      {settled === null ? null : <ForkPreview id={id} body={settled} />}
      <TextArea
        label="Change of the state, as a JSON merge patch"
        hint="Members replace those of the state; null removes one. {} changes nothing."
        value={text}
        spellCheck={false}
        problem={patch === null ? 'This is no JSON object.' : null}
        onChange={(event) => setText(event.target.value)}
      />
      <CheckField
        label="Use the definition that was registered last"
        checked={isLatest}
        onChange={(event) => setLatest(event.target.checked)}
      />
    </FormDialog>
  );
}

interface Sent {
  readonly body: ForkBody;
  readonly key: string;
}

/** The same request has the same key, so that a lost answer starts no second fork. */
function sendAgain(last: Sent | undefined, body: ForkBody): Sent {
  const isSame = last !== undefined && JSON.stringify(last.body) === JSON.stringify(body);
  return isSame ? last : { body, key: newKey() };
}

function titleOf(from: ForkFrom): string {
  if ('sequence' in from) return `Fork after event ${from.sequence}`;
  if (from.items === 'failed') return `Rerun the failed items of ${from.node}`;
  return `Fork from ${from.node}`;
}

function readPatch(text: string): Patch | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Patch) : null;
  } catch {
    return null;
  }
}
