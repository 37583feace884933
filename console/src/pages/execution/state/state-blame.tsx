import { Button } from '../../../ui/controls/button.tsx';
import { AbsoluteTime } from '../../../ui/data/time.tsx';
import { ErrorState, Loading } from '../../../ui/feedback/states.tsx';
import { useReading } from '../use-reading.ts';
import styles from './state-pane.module.css';

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
  const { data, error, retry } = useReading('blame-state', {
    key: [],
    params: { path: { id }, query: { sequence: at } },
    isFinal: true,
  });
  if (error !== null) return <ErrorState error={error} onRetry={retry} />;
  if (data === undefined) return <Loading />;
  if (data.keys.length === 0) return <p>The state has no keys after event {data.sequence}.</p>;
  return (
    <div className={styles.scroll} role="region" aria-label="Who set each key" tabIndex={0}>
      <table className={styles.table}>
        <caption className="visually-hidden">Who set each key last</caption>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Event</th>
            <th scope="col">Node</th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {data.keys.map((one) => (
            <tr key={one.key}>
              <th scope="row">
                <code>{one.key}</code>
              </th>
              <td>
                <Button kind="quiet" onClick={() => onSelect(one.sequence, one.node_id)}>
                  {one.sequence} {one.kind}
                </Button>
              </td>
              <td>{one.node_id ?? 'input'}</td>
              <td>
                <AbsoluteTime at={one.at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.truncated ? <p className={styles.note}>The state has more keys.</p> : null}
    </div>
  );
}
