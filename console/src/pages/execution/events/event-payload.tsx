import { JsonView } from '../../../ui/data/json-view.tsx';
import { AbsoluteTime } from '../../../ui/data/time.tsx';
import { ErrorState, Loading } from '../../../ui/feedback/states.tsx';
import { Facts } from '../../../ui/layout/panel.tsx';
import { useReading } from '../use-reading.ts';

/** One event in full; its payload is read when somebody asks for it. */
export function EventPayload({ id, sequence }: { readonly id: string; readonly sequence: number }) {
  const { data, error, retry } = useReading('read-events', {
    key: [],
    params: { path: { id }, query: { after: sequence - 1, limit: 1 } },
    isFinal: true,
  });
  if (error !== null) return <ErrorState error={error} onRetry={retry} />;
  const event = data?.events[0];
  if (event === undefined) return <Loading />;
  return (
    <>
      <Facts
        facts={[
          ['Event', `${event.sequence} ${event.kind}`],
          ['Node', event.node_id ?? 'the execution'],
          ['Recorded', <AbsoluteTime key="at" at={event.created_at} />],
          ['By', event.actor_id],
        ]}
      />
      <JsonView label={`Payload of event ${event.sequence}`} value={event.payload} />
    </>
  );
}
