import { PageHeader } from '../../ui/layout/page-header.tsx';

export function HomePage() {
  return <PageHeader title="Home" />;
}
