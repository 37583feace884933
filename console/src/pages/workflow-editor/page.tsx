import { PageHeader } from '../../ui/layout/page-header.tsx';

export function WorkflowEditorPage() {
  return <PageHeader title="Editor" />;
}
