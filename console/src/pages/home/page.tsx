import { useQuery } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { ErrorState, Loading } from '../../ui/feedback/states.tsx';
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
      {latest.data === undefined ? (
        <Waiting error={latest.error} onRetry={() => void latest.refetch()} />
      ) : (
        <>
          {latest.data.executions.length === 0 ? <FirstSteps /> : null}
          <Tiles everyMs={EVERY_MS} />
          <LatestExecutions executions={latest.data.executions} />
        </>
      )}
    </>
  );
}

function Waiting({
  error,
  onRetry,
}: {
  readonly error: Error | null;
  readonly onRetry: () => void;
}) {
  return error === null ? <Loading /> : <ErrorState error={error} onRetry={onRetry} />;
}
