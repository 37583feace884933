import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { newKey } from '../../api/new-key.ts';
import { TextArea } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
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
    <FormDialog
      title="Add a fact"
      action="Add fact"
      hint={{ request: 'POST /v1/memory/add' }}
      sending={adding}
      onSend={() => adding.mutate()}
      onClose={onClose}
    >
      <TextArea
        label="Fact"
        hint="One sentence is recalled best."
        value={content}
        required
        onChange={(event) => setContent(event.target.value)}
      />
      <ScopeFields scope={scope} onChange={setScope} />
    </FormDialog>
  );
}
