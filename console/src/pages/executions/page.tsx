import { PageHeader } from '../../ui/layout/page-header.tsx';

export function ExecutionsPage() {
  return <PageHeader title="Executions" />;
}
