import { Copyable } from '../../ui/data/copyable.tsx';
import { JsonView } from '../../ui/data/json-view.tsx';
import { CallHint } from '../../ui/feedback/call-hint.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import type { Workflow } from './read-workflow.ts';

/** The definition as it is stored, with the schema of its input first. */
export function SchemaPane({ workflow }: { readonly workflow: Workflow }) {
  const { workflow_id: id, version, ir, ir_hash: hash } = workflow;
  const schema = ir['state_schema'];
  return (
    <>
      <Panel title="State schema">
        {schema === undefined ? (
          <p>The workflow takes any object: it has no schema.</p>
        ) : (
          <JsonView value={schema} label="State schema" openDepth={3} />
        )}
      </Panel>
      <Panel title="Definition">
        <p>
          Hash <Copyable text={hash} label="hash of the definition" shorten />
        </p>
        <JsonView value={ir} label="Definition" />
        <CallHint
          command={`svc workflow show ${id} --version ${version}`}
          request={`GET /workflows/${encodeURIComponent(id)}?version=${encodeURIComponent(version)}`}
        />
      </Panel>
    </>
  );
}
