import { PageHeader } from '../../ui/layout/page-header.tsx';

export function TenantsPage() {
  return <PageHeader title="Tenants" />;
}
