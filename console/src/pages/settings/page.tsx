import { PageHeader } from '../../ui/layout/page-header.tsx';

export function SettingsPage() {
  return <PageHeader title="Settings" />;
}
