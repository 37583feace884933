import { JsonView } from '../../../ui/data/json-view.tsx';
import { AbsoluteTime } from '../../../ui/data/time.tsx';
import { ReadingContent } from '../../../ui/feedback/list-content.tsx';
import { Facts } from '../../../ui/layout/panel.tsx';
import { ForkButton } from '../fork/fork-button.tsx';
import { useReading } from '../use-reading.ts';

/** One event in full; its payload is read when somebody asks for it. */
export function EventPayload({ id, sequence }: { readonly id: string; readonly sequence: number }) {
  const query = useReading('read-events', {
    key: [],
    params: { path: { id }, query: { after: sequence - 1, limit: 1 } },
    isFinal: true,
  });
  return (
    <ReadingContent query={{ ...query, data: query.data?.events[0] }}>
      {(event) => (
        <>
          <Facts
            facts={[
              ['Event', `${event.sequence} ${event.kind}`],
              ['Node', event.node_id ?? 'the execution'],
              ['Recorded', <AbsoluteTime key="at" at={event.created_at} />],
              ['By', event.actor_id],
            ]}
          />
          <ForkButton id={id} from={{ sequence }} label={`Fork after event ${sequence}`} />
          <JsonView label={`Payload of event ${event.sequence}`} value={event.payload} />
        </>
      )}
    </ReadingContent>
  );
}
