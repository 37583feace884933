import { PageHeader } from '../../ui/layout/page-header.tsx';

export function ExecutionPage() {
  return <PageHeader title="Execution" />;
}
