import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { newKey } from '../../api/new-key.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../ui/controls/dialog.tsx';
import { TextArea } from '../../ui/controls/field.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { NO_SCOPE, ScopeFields, scopeOf } from './scope-fields.tsx';

/** Remembers a fact, once however often the request is repeated. */
export function AddFactDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [ingestionKey] = useState(newKey);
  const [content, setContent] = useState('');
  const [scope, setScope] = useState(NO_SCOPE);
  const adding = useMutation({
    mutationFn: () =>
      call('add-fact', { body: { content, ...scopeOf(scope), ingestion_key: ingestionKey } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['memory'] });
      notify('Remembered the fact');
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title="Add a fact">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <Stack>
          <TextArea
            label="Fact"
            hint="One sentence is recalled best."
            value={content}
            required
            onChange={(event) => setContent(event.target.value)}
          />
          <ScopeFields scope={scope} onChange={setScope} />
          <ActionError error={adding.error} />
          <CallHint request="POST /v1/memory/add" />
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button kind="primary" type="submit" busy={adding.isPending}>
              Add fact
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
