import type { ReactNode } from 'react';

import type { CursorList } from '../../api/by-cursor.ts';
import { ErrorState, Loading } from './states.tsx';

/** What a list has to show: its error, that it is being read, that it is empty, or its rows. */
export function ListContent<Row>({
  list,
  loading,
  empty,
  children,
}: {
  readonly list: Pick<CursorList<Row>, 'rows' | 'hasMore' | 'isLoading' | 'error' | 'reload'>;
  /** What is being read, for a list that may take a while. */
  readonly loading?: string;
  /** An `EmptyState` that teaches the next step. */
  readonly empty: ReactNode;
  readonly children: ReactNode;
}) {
  if (list.error !== null) return <ErrorState error={list.error} onRetry={list.reload} />;
  if (list.isLoading) return <Loading {...labelOf(loading)} />;
  return list.rows.length === 0 && !list.hasMore ? empty : children;
}

/** What a single reading has to show: its error, that it is under way, or the answer. */
export function ReadingContent<Answer>({
  query,
  loading,
  children,
}: {
  readonly query: {
    readonly data: Answer | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly loading?: string;
  readonly children: (answer: Answer) => ReactNode;
}) {
  // A reading that fails later leaves its last answer on screen.
  if (query.data !== undefined) return children(query.data);
  if (query.error === null) return <Loading {...labelOf(loading)} />;
  return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
}

function labelOf(label: string | undefined): { readonly label?: string } {
  return label === undefined ? {} : { label };
}
