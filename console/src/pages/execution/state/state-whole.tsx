import { JsonView } from '../../../ui/data/json-view.tsx';
import { ErrorState, Loading } from '../../../ui/feedback/states.tsx';
import { useReading } from '../use-reading.ts';
import styles from './state-pane.module.css';

export function StateWhole({ id, at }: { readonly id: string; readonly at: number }) {
  const { data, error, retry } = useReading('read-state', {
    key: [],
    params: { path: { id }, query: { sequence: at } },
    isFinal: true,
  });
  if (error !== null) return <ErrorState error={error} onRetry={retry} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <JsonView label={`State after event ${data.sequence}`} value={data.state} />
      {data.omitted_total === 0 ? null : (
        <p className={styles.note}>
          Too large to show: {data.omitted.map(({ key }) => key).join(', ')}.
        </p>
      )}
    </>
  );
}
