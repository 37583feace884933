import { PageHeader } from '../../ui/layout/page-header.tsx';

export function TokensPage() {
  return <PageHeader title="Tokens" />;
}
