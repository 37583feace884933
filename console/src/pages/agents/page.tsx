import { PageHeader } from '../../ui/layout/page-header.tsx';

export function AgentsPage() {
  return <PageHeader title="Agents" />;
}
