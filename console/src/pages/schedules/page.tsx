import { PageHeader } from '../../ui/layout/page-header.tsx';

export function SchedulesPage() {
  return <PageHeader title="Schedules" />;
}
