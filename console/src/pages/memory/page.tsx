import { PageHeader } from '../../ui/layout/page-header.tsx';

export function MemoryPage() {
  return <PageHeader title="Memory" />;
}
