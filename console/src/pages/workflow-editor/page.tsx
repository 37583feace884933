import { stringify } from 'yaml';

import { useSearchState } from '../../app/search.ts';
import { useSession } from '../../app/session.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { EmptyState } from '../../ui/feedback/states.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { useWorkflow } from '../workflow/read-workflow.ts';
import { readDraft } from './draft.ts';
import { Editor } from './editor.tsx';
import { SAMPLE } from './sample.ts';

/** Writes a workflow: a new one, or a new version of one that is registered. */
export function WorkflowEditorPage() {
  const { can } = useSession();
  const [search] = useSearchState();
  const id = search['workflow'] ?? '';
  const draftName = id === '' ? 'new' : id;
  const stored = useWorkflow(id, search['version'] ?? null);
  const title = id === '' ? 'New workflow' : `Edit ${id}`;
  if (!can('POST', '/workflows/validate')) {
    return (
      <>
        <PageHeader title={title} />
        <EmptyState title="Your role may not write workflows">
          <p>A developer or an operator may.</p>
        </EmptyState>
      </>
    );
  }
  const draft = readDraft(draftName);
  if (draft === null && id !== '' && stored.data === undefined) {
    return (
      <>
        <PageHeader title={title} />
        <ReadingContent query={stored}>{() => null}</ReadingContent>
      </>
    );
  }
  const original = id === '' ? SAMPLE : writeYaml(stored.data?.ir);
  return (
    <Editor
      key={draftName}
      title={title}
      draftName={draftName}
      original={original}
      initial={draft ?? original}
    />
  );
}

function writeYaml(ir: Readonly<Record<string, unknown>> | undefined): string {
  return ir === undefined ? '' : stringify(ir, { lineWidth: 100 });
}
