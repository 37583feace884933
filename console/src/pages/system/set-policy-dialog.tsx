import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { call } from '../../api/client.ts';
import { useTenantId } from '../../app/use-tenant-id.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/field.tsx';
import { FormDialog } from '../../ui/controls/form-dialog.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { ENDS, PREVIEW_SEARCH_MS } from './policies.ts';
import { PreviewView } from './preview-view.tsx';

type End = (typeof ENDS)[number]['key'];

/** Sets a policy, and shows before what the shortest of its times would remove. */
export function SetPolicyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const tenantId = useTenantId();
  const [workflow, setWorkflow] = useState('');
  const [days, setDays] = useState<Readonly<Record<End, string>>>({
    completed_days: '',
    failed_days: '',
    cancelled_days: '',
  });
  const [previewed, setPreviewed] = useState<PreviewQuery | null>(null);
  const preview = useQuery({
    queryKey: ['retention', 'preview', previewed],
    queryFn: ({ signal }) =>
      call('preview-retention', { query: { ...previewed, search_ms: PREVIEW_SEARCH_MS }, signal }),
    enabled: previewed !== null,
  });
  const workflowId = workflow.trim();
  const given = ENDS.flatMap(({ key }) =>
    days[key] === '' ? [] : [[key, Number(days[key])] as const],
  );
  const shortest = Math.min(...given.flatMap(([, of]) => (of > 0 ? [of] : [])));
  const named = workflowId === '' ? {} : { workflow_id: workflowId };
  const saving = useMutation({
    mutationFn: () =>
      call('set-retention-policy', { body: { ...named, ...Object.fromEntries(given) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['retention'] });
      notify('The policy is in force');
      onClose();
    },
  });
  return (
    <FormDialog
      wide
      title={`Set a retention policy of ${tenantId}`}
      description="A scheduler removes older executions with their events within minutes. This cannot be undone."
      action="Set policy"
      kind="danger"
      hint={{
        command: `svc retention set --tenant ${tenantId}`,
        request: 'PUT /retention/policies',
      }}
      sending={{ isPending: saving.isPending, error: preview.error ?? saving.error }}
      isIncomplete={given.length === 0}
      extra={
        <Button
          disabled={!Number.isFinite(shortest)}
          busy={preview.isFetching}
          onClick={() => setPreviewed({ ...named, older_than_days: shortest })}
        >
          Preview
        </Button>
      }
      onSend={() => saving.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Workflow"
        hint="Empty: all workflows without a policy of their own."
        value={workflow}
        spellCheck={false}
        onChange={(event) => setWorkflow(event.target.value)}
      />
      {ENDS.map(({ key, label }) => (
        <TextField
          key={key}
          label={`${label}: days after the end`}
          hint="0: forever. Empty: as a broader policy says."
          type="number"
          min={0}
          step={1}
          value={days[key]}
          onChange={(event) => setDays({ ...days, [key]: event.target.value })}
        />
      ))}
      {preview.data === undefined ? null : <PreviewView preview={preview.data} />}
    </FormDialog>
  );
}

interface PreviewQuery {
  readonly workflow_id?: string;
  readonly older_than_days: number;
}
