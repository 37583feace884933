import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';

import { call } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogActions } from '../../ui/controls/dialog.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { ActionError, Loading } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { TextDiff } from '../../ui/text-editor/index.ts';
import { canonical } from '../../ui/workflow-graph/compare-graphs.ts';
import { WorkflowGraph } from '../../ui/workflow-graph/index.ts';
import styles from './page.module.css';
import { WarningsBefore } from './problem-list.tsx';
import type { Validation } from './use-validation.ts';

type Definition = NonNullable<Validation['definition']>;

/** Shows the changes from the latest version, as graph and as text, and registers the definition. */
export function RegisterDialog({
  definition,
  warnings,
  onClose,
  onRegistered,
}: {
  readonly definition: Definition;
  readonly warnings: Validation['warnings'];
  readonly onClose: () => void;
  readonly onRegistered: () => void;
}) {
  const { workflow_id: id, version, ir, revision } = definition;
  const client = useQueryClient();
  const navigate = useNavigate();
  const latest = useQuery({
    queryKey: ['workflow-before', id],
    queryFn: async ({ signal }) => {
      const query = { workflow_id: id, limit: 1 };
      const { workflows } = await call('list-workflows', { query, signal });
      if (workflows.length === 0) return null;
      return (await call('read-workflow', { path: { id }, signal })).ir;
    },
    staleTime: 0,
  });
  const register = useMutation({
    mutationFn: () => call('register-workflow', { body: { ir: { ...ir, workflow_id: id } } }),
    onSuccess: async () => {
      notify(`Registered ${id} ${version}`);
      onRegistered();
      onClose();
      await client.invalidateQueries({ queryKey: ['workflows'] });
      void navigate({ to: '/workflows/$id', params: { id }, search: { version } });
    },
  });
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`Register ${id} ${version}`}
      description={`As revision ${revision} of this version. Executions that run keep their definition.`}
    >
      <div className={styles.changes}>
        {latest.data === undefined ? (
          latest.error === null ? (
            <Loading />
          ) : (
            <ActionError error={latest.error} />
          )
        ) : latest.data === null ? (
          <p>This is the first version of the workflow.</p>
        ) : (
          <Suspense fallback={<Loading />}>
            <div className={styles.changedGraph}>
              <WorkflowGraph
                definition={ir}
                diff={latest.data}
                label="Changes from the latest version"
              />
            </div>
            <TextDiff
              label="Text of the changes from the latest version"
              before={canonical(latest.data, 2)}
              after={canonical(ir, 2)}
            />
          </Suspense>
        )}
      </div>
      <WarningsBefore warnings={warnings} />
      <ActionError error={register.error} />
      <CallHint command="svc workflow register workflow.yaml" request="POST /workflows" />
      <DialogActions>
        <Button onClick={onClose}>Keep editing</Button>
        <Button
          kind="primary"
          busy={register.isPending}
          disabled={latest.data === undefined}
          onClick={() => register.mutate()}
        >
          Register
        </Button>
      </DialogActions>
    </Dialog>
  );
}
