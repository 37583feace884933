import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { useSession } from '../../app/session.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/data/badge.tsx';
import { ActionError, ErrorState, Loading } from '../../ui/feedback/states.tsx';
import { notify } from '../../ui/feedback/toast.tsx';
import { Facts, Panel } from '../../ui/layout/panel.tsx';
import { Stack } from '../../ui/layout/stack.tsx';
import { KeyForm } from './key-form.tsx';

/** Whether memory works, how full it is, and the key for embeddings. */
export function SettingsPane() {
  const { can } = useSession();
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['memory', 'settings'],
    queryFn: ({ signal }) =>
      Promise.all([
        call('read-memory-settings', { signal }),
        call('read-memory-stats', { signal }),
      ]),
  });
  const switching = useMutation({
    mutationFn: (enabled: boolean) => call('change-memory-settings', { body: { enabled } }),
    onSuccess: ({ enabled }) => {
      void client.invalidateQueries({ queryKey: ['memory'] });
      notify(enabled ? 'Memory is on' : 'Memory is off');
    },
  });
  if (query.data === undefined) {
    if (query.error === null) return <Loading />;
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  const [{ provider, enabled, configured }, stats] = query.data;
  return (
    <Stack>
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
      {can('POST', '/v1/memory/settings') ? <KeyForm configured={configured} /> : null}
    </Stack>
  );
}
