import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { call, type ReplyOf } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { ReadingContent } from '../../ui/feedback/list-content.tsx';
import { ActionError } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Facts, Panel } from '../../ui/layout/panel.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { KeyForm } from './key-form.tsx';

/** Whether memory works, how full it is, and the key for embeddings. */
export function SettingsPane() {
  const { can } = useSession();
  const query = useQuery({
    queryKey: ['memory', 'settings'],
    queryFn: ({ signal }) =>
      Promise.all([
        call('read-memory-settings', { signal }),
        call('read-memory-stats', { signal }),
      ]),
  });
  return (
    <ReadingContent query={query}>
      {([settings, stats]) => (
        <Stack>
          <State settings={settings} stats={stats} />
          {can('POST', '/v1/memory/settings') ? <KeyForm configured={settings.configured} /> : null}
        </Stack>
      )}
    </ReadingContent>
  );
}

function State({
  settings: { provider, enabled, configured },
  stats,
}: {
  readonly settings: ReplyOf<'read-memory-settings'>;
  readonly stats: ReplyOf<'read-memory-stats'>;
}) {
  const { can } = useSession();
  const client = useQueryClient();
  const switching = useMutation({
    mutationFn: (next: boolean) => call('change-memory-settings', { body: { enabled: next } }),
    onSuccess: ({ enabled: isOn }) => {
      void client.invalidateQueries({ queryKey: ['memory'] });
      notify(isOn ? 'Memory is on' : 'Memory is off');
    },
  });
  return (
    <Panel
      title="State"
      actions={
        configured && can('PATCH', '/v1/memory/settings') ? (
          <Button busy={switching.isPending} onClick={() => switching.mutate(!enabled)}>
            {enabled ? 'Switch off' : 'Switch on'}
          </Button>
        ) : null
      }
    >
      <ActionError error={switching.error} />
      <Facts
        facts={[
          [
            'Memory',
            <Badge key="state" tone={enabled ? 'ok' : 'idle'}>
              {enabled ? 'on' : 'off'}
            </Badge>,
          ],
          ['Provider', provider ?? 'none'],
          ['Key', configured ? 'kept, encrypted' : 'none'],
          ['Facts', `${stats.live} live, ${stats.count} of ${stats.quota} ever added`],
          ['Tier', stats.tier],
        ]}
      />
    </Panel>
  );
}
