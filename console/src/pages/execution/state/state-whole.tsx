import { JsonView } from '../../../ui/data/json-view.tsx';
import { ReadingContent } from '../../../ui/feedback/list-content.tsx';
import { useReading } from '../use-reading.ts';
import styles from './state-pane.module.css';

export function StateWhole({ id, at }: { readonly id: string; readonly at: number }) {
  const query = useReading('read-state', {
    key: [],
    params: { path: { id }, query: { sequence: at } },
    isFinal: true,
  });
  return (
    <ReadingContent query={query}>
      {(data) => (
        <>
          <JsonView label={`State after event ${data.sequence}`} value={data.state} />
          {data.omitted_total === 0 ? null : (
            <p className={styles.note}>
              Too large to show: {data.omitted.map(({ key }) => key).join(', ')}.
            </p>
          )}
        </>
      )}
    </ReadingContent>
  );
}
