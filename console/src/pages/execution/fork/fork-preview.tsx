import { useReading } from '../use-reading.ts';
import { ReadingContent } from '../../../ui/feedback/list-content.tsx';
import { Facts } from '../../../ui/layout/panel.tsx';
import type { ForkBody, Preview } from './fork-request.ts';

/** What the fork would keep and run, asked of the service; its refusal shows in place of it. */
export function ForkPreview({ id, body }: { readonly id: string; readonly body: string }) {
  const given: ForkBody = JSON.parse(body);
  const query = useReading('fork-execution', {
    key: ['preview', body],
    params: { path: { id }, body: { ...given, dry_run: true } },
  });
  const preview = query.data !== undefined && 'begins' in query.data ? query.data : undefined;
  return (
    <section aria-label="What the fork does" aria-live="polite">
      <ReadingContent query={{ ...query, data: preview }} loading="Asking what the fork would do…">
        {(told) => <Facts facts={factsOf(told)} />}
      </ReadingContent>
    </section>
  );
}

function factsOf(preview: Preview): readonly (readonly [string, string])[] {
  const { maps, approvals, waiting_events: waiting, undone } = preview;
  const items = maps.map((map) => `${map.kept_items} of ${map.node_id}`);
  return [
    ['After event', String(preview.sequence)],
    ['Begins at', preview.begins.join(', ') || 'nothing'],
    ['Keeps', listVisits(preview.kept)],
    ['Runs again', listVisits(preview.left)],
    ...(items.length === 0 ? [] : [['Items kept', items.join(', ')] as const]),
    ...(approvals.length === 0 ? [] : [['Approvals kept', listVisits(approvals)] as const]),
    ...(waiting === 0 ? [] : [['Events kept', `${waiting} not taken yet`] as const]),
    ...(undone.length === 0 ? [] : [['Kept but undone', listUndone(undone)] as const]),
  ];
}

function listUndone(undone: Preview['undone']): string {
  return undone
    .map(({ node_id: node, visit }) => (visit === 0 ? node : `${node} (visit ${visit})`))
    .join(', ');
}

function listVisits(visits: Preview['kept']): string {
  const told = visits.map(({ node_id: node, visits: times }) =>
    times === 1 ? node : `${node} (${times} visits)`,
  );
  return told.join(', ') || 'nothing';
}
