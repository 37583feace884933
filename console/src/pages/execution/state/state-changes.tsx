import { useSearchState } from '../../../app/search.ts';
import { SelectField } from '../../../ui/controls/field.tsx';
import { ErrorState, Loading } from '../../../ui/feedback/states.tsx';
import { useReading } from '../use-reading.ts';
import styles from './state-pane.module.css';

const SHOWN_CHARS = 400;

/** The changes that led to the state: those of the event, or all since the start. */
export function StateChanges({ id, at }: { readonly id: string; readonly at: number }) {
  const [search, change] = useSearchState();
  const isFromStart = search.since === 'start';
  const from = isFromStart ? Math.min(1, at) : Math.max(0, at - 1);
  const { data, error, retry } = useReading('compare-state', {
    key: [],
    params: { path: { id }, query: { from, to: at } },
    isFinal: true,
  });
  if (error !== null) return <ErrorState error={error} onRetry={retry} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <SelectField
        label="Compare with"
        value={isFromStart ? 'start' : 'previous'}
        options={[
          { value: 'previous', label: 'The state before this event' },
          { value: 'start', label: 'The state at the start' },
        ]}
        onChange={(event) =>
          change({ since: event.target.value === 'start' ? 'start' : undefined })
        }
      />
      {data.changes.length === 0 ? (
        <p>
          No key of the state differs between event {data.from} and event {data.to}.
        </p>
      ) : (
        <div className={styles.scroll} role="region" aria-label="Changes" tabIndex={0}>
          <table className={styles.table}>
            <caption className="visually-hidden">
              Changes from event {data.from} to event {data.to}
            </caption>
            <thead>
              <tr>
                <th scope="col">Change</th>
                <th scope="col">Path</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
              </tr>
            </thead>
            <tbody>
              {data.changes.map((one) => (
                <tr key={one.path}>
                  <td className={styles[one.op]}>{one.op}</td>
                  <td>
                    <code>{one.path}</code>
                  </td>
                  <td>{one.op === 'add' ? '' : <Value value={one.before} {...one} />}</td>
                  <td>{one.op === 'remove' ? '' : <Value value={one.after} {...one} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data.truncated ? <p className={styles.note}>There are more changes.</p> : null}
    </>
  );
}

function Value({ value, omitted }: { readonly value: unknown; readonly omitted: boolean }) {
  if (omitted) return <>too large to show</>;
  const text = JSON.stringify(value);
  return <code>{text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text}</code>;
}
