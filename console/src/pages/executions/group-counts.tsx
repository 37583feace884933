import { keepPreviousData, useQuery } from '@tanstack/react-query';

import { quoteText } from '../../../../src/shared/domain/execution/query/quote-text.ts';
import { call, type ReplyOf } from '../../api/client.ts';
import { pace, timed } from '../../api/pace.ts';
import { Button } from '../../ui/controls/button.tsx';
import { SelectField } from '../../ui/controls/field.tsx';
import { ErrorState, Loading } from '../../ui/feedback/states.tsx';
import type { FilterParameters } from './filter.ts';
import styles from './page.module.css';
import { formatCount } from './status-filter.tsx';

const COUNT_MS = 10_000;
const GROUPS_MAX = 100;
const FIELDS = ['status', 'workflow', 'version'] as const;

/** Chooses what the executions are counted by: a field, or a label of those on screen. */
export function GroupBy({
  by,
  labels,
  onChange,
}: {
  /** Undefined: nothing. */
  readonly by: string | undefined;
  /** Names of labels. */
  readonly labels: ReadonlySet<string>;
  readonly onChange: (by: string) => void;
}) {
  const names = [...labels].toSorted((one, other) => one.localeCompare(other));
  const keys = new Set([...FIELDS, ...names.map((name) => `labels.${name}`), ...(by ? [by] : [])]);
  return (
    <SelectField
      label="Group by"
      value={by ?? ''}
      onChange={(event) => onChange(event.target.value)}
      options={[
        { value: '', label: 'nothing' },
        ...[...keys].map((value) => ({ value, label: value })),
      ]}
    />
  );
}

/** How many of the executions that fit have each value; a click adds the value to the query. */
export function GroupCounts({
  by,
  parameters,
  onChoose,
}: {
  readonly by: string;
  readonly parameters: FilterParameters;
  readonly onChoose: (condition: string) => void;
}) {
  const query = useQuery({
    queryKey: ['execution-groups', by, parameters],
    queryFn: ({ signal }) =>
      timed(() =>
        call('count-executions', { query: { ...parameters, group_by: by, buckets: 1 }, signal }),
      ),
    refetchInterval: ({ state }) => pace(COUNT_MS, state.data),
    placeholderData: keepPreviousData,
  });
  if (query.data === undefined) {
    return query.error === null ? (
      <Loading />
    ) : (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  const { groups = [], is_exact: isExact } = query.data.answer;
  if (groups.length === 0) return <p className={styles.note}>No execution fits.</p>;
  return (
    <div className={styles.chips}>
      <ul className={styles.counts} aria-label={`Executions by ${by}`}>
        {groups.map((group) => (
          <li key={group.value ?? ''}>
            <Group group={group} by={by} onChoose={onChoose} />
          </li>
        ))}
      </ul>
      {groups.length < GROUPS_MAX ? null : (
        <span className={styles.note}>the largest {GROUPS_MAX} groups</span>
      )}
      {isExact ? null : <span className={styles.note}>of the newest</span>}
    </div>
  );
}

type Counted = NonNullable<ReplyOf<'count-executions'>['groups']>[number];

/** No query finds the executions without a label. */
function Group({
  group: { value, count },
  by,
  onChoose,
}: {
  readonly group: Counted;
  readonly by: string;
  readonly onChoose: (condition: string) => void;
}) {
  if (value === null) return <>without it {formatCount(count)}</>;
  return (
    <Button onClick={() => onChoose(`${by} = ${quoteText(value)}`)}>
      {value} {formatCount(count)}
    </Button>
  );
}
