import { PageHeader } from '../../ui/layout/page-header.tsx';

export function WorkflowsPage() {
  return <PageHeader title="Workflows" />;
}
