import { PageHeader } from '../../ui/layout/page-header.tsx';

export function InboxPage() {
  return <PageHeader title="Inbox" />;
}
