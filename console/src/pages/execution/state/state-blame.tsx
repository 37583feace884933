import type { ReplyOf } from '../../../api/client.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { type Column, DataTable } from '../../../ui/data/data-table.tsx';
import { AbsoluteTime } from '../../../ui/data/time.tsx';
import { ReadingContent } from '../../../ui/feedback/list-content.tsx';
import { useReading } from '../use-reading.ts';
import styles from './state-pane.module.css';

type KeySetting = ReplyOf<'blame-state'>['keys'][number];

/** For each key of the state: the event that set it last, as a button that leads there. */
export function StateBlame({
  id,
  at,
  onSelect,
}: {
  readonly id: string;
  readonly at: number;
  readonly onSelect: (sequence: number, node: string | null) => void;
}) {
  const query = useReading('blame-state', {
    key: [],
    params: { path: { id }, query: { sequence: at } },
    isFinal: true,
  });
  return (
    <ReadingContent query={query}>
      {(data) => (
        <>
          {data.keys.length === 0 ? (
            <p>The state has no keys after event {data.sequence}.</p>
          ) : (
            <DataTable
              label="Who set each key"
              rows={data.keys}
              rowKey={({ key }) => key}
              columns={columnsOf(onSelect)}
              isBounded
            />
          )}
          {data.truncated ? <p className={styles.note}>The state has more keys.</p> : null}
        </>
      )}
    </ReadingContent>
  );
}

function columnsOf(
  onSelect: (sequence: number, node: string | null) => void,
): readonly Column<KeySetting>[] {
  return [
    { id: 'key', title: 'Key', cell: ({ key }) => <code>{key}</code> },
    {
      id: 'event',
      title: 'Event',
      cell: ({ sequence, kind, node_id: node }) => (
        <Button kind="quiet" onClick={() => onSelect(sequence, node)}>
          {sequence} {kind}
        </Button>
      ),
    },
    { id: 'by', title: 'Set by', cell: (setting) => whoSet(setting) },
    { id: 'node', title: 'Node', cell: ({ node_id: node }) => node ?? 'input' },
    { id: 'time', title: 'Time', cell: ({ at }) => <AbsoluteTime at={at} /> },
  ];
}

/** The person or the sender of an external event, where the event follows from one. */
function whoSet({ actor_id: actor, cause }: KeySetting): string {
  return cause?.user_id ?? cause?.actor_id ?? actor;
}
