import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';

import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Copyable } from '../../ui/data/copyable.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import styles from './page.module.css';
import { SAMPLE, startSample } from './sample.ts';

/** Three steps from an empty installation to an execution on screen. */
export function FirstSteps() {
  const { can } = useSession();
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: startSample,
    onSuccess: (id) => navigate({ to: '/executions/$id', params: { id } }),
  });
  const mayStart = can('POST', '/workflows') && can('POST', '/executions');
  return (
    <Panel title="Nothing has run yet">
      <ol className={styles.steps}>
        <li>
          <h3>Register a workflow</h3>
          <p>
            The sample waits for two seconds, and then for a person. It needs no worker.{' '}
            <Link to="/editor">Write your own in the editor</Link>, or register a file:
          </p>
          <Copyable text="svc workflow register workflow.json" label="command that registers" />
          <details>
            <summary>The sample’s definition</summary>
            <JsonView value={SAMPLE} label="Definition of the sample" />
          </details>
        </li>
        <li>
          <h3>Start it</h3>
          <p>An execution is one run of a workflow, with an input of its own.</p>
          {mayStart ? (
            <Button kind="primary" busy={start.isPending} onClick={() => start.mutate()}>
              Register the sample and start it
            </Button>
          ) : (
            <p>A developer or an operator may start one.</p>
          )}
          <ActionError error={start.error} />
          <Copyable text="svc execution start welcome" label="command that starts" />
        </li>
        <li>
          <h3>Watch it</h3>
          <p>
            Its page shows each step as it is recorded. For steps in your own code, create a project
            with a worker:
          </p>
          <Copyable text="npm create svc@latest" label="command that creates a project" />
        </li>
      </ol>
    </Panel>
  );
}
