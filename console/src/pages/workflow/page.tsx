import { PageHeader } from '../../ui/layout/page-header.tsx';

export function WorkflowPage() {
  return <PageHeader title="Workflow" />;
}
