import { useQuery } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LatestExecutions } from './latest-executions.tsx';
import { Tiles } from './tiles.tsx';

const EVERY_MS = 5_000;
const LATEST = 10;

/** How the tenant is doing; on an empty installation, the way to a first run. */
export function HomePage() {
  const latest = useQuery({
    queryKey: ['home', 'latest'],
    queryFn: ({ signal }) => call('list-executions', { query: { limit: LATEST }, signal }),
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeader title="Home" />
      <ReadingContent query={latest}>
        {({ executions }) => (
          <>
            {executions.length === 0 ? <FirstSteps /> : null}
            <Tiles everyMs={EVERY_MS} />
            <LatestExecutions executions={executions} />
          </>
        )}
      </ReadingContent>
    </>
  );
}
