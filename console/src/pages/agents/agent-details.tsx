import { useQuery } from '@tanstack/react-query';

import { call, type ReplyOf } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Copyable } from '../../ui/data/copyable.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { Facts, Panel } from '../../ui/layout/panel.tsx';
import { CardView } from './card-view.tsx';

/** One agent with its card. */
export function AgentDetails({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}) {
  const query = useQuery({
    queryKey: ['agents', 'one', id],
    queryFn: ({ signal }) => call('read-agent', { path: { id }, signal }),
  });
  return (
    <ReadingContent query={query}>
      {(agent) => <Details agent={agent} onClose={onClose} />}
    </ReadingContent>
  );
}

function Details({
  agent,
  onClose,
}: {
  readonly agent: ReplyOf<'read-agent'>;
  readonly onClose: () => void;
}) {
  return (
    <Panel title={`Agent ${agent.name}`} actions={<Button onClick={onClose}>Close</Button>}>
      <Facts
        facts={[
          ['Id', <Copyable key="id" text={agent.id} label="agent id" />],
          ['Discovered from', agent.discovered_from ?? 'registered by a caller'],
          ['Registered', <Time key="registered" at={agent.registered_at} />],
          ['Changed', <Time key="updated" at={agent.updated_at} />],
        ]}
      />
      <CardView card={agent.card} />
    </Panel>
  );
}
