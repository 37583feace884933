import { PageHeader } from '../../ui/layout/page-header.tsx';

export function WebhooksPage() {
  return <PageHeader title="Webhooks" />;
}
