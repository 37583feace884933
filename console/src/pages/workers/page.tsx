import { PageHeader } from '../../ui/layout/page-header.tsx';

export function WorkersPage() {
  return <PageHeader title="Workers and queues" />;
}
