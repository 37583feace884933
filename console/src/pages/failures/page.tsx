import { PageHeader } from '../../ui/layout/page-header.tsx';

export function FailuresPage() {
  return <PageHeader title="Failures" />;
}
