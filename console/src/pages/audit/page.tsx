import { PageHeader } from '../../ui/layout/page-header.tsx';

export function AuditPage() {
  return <PageHeader title="Audit" />;
}
