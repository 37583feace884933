import { PageHeader } from '../../ui/layout/page-header.tsx';

export function SystemPage() {
  return <PageHeader title="System" />;
}
