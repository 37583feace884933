import type { CursorList } from '../../api/by-cursor.ts';
import { Button } from '../controls/button.tsx';

/** Reads the next page of a short list; absent when there is none. */
export function LoadMore<Row>({
  list,
}: {
  readonly list: Pick<CursorList<Row>, 'hasMore' | 'isLoadingMore' | 'loadMore'>;
}) {
  if (!list.hasMore) return null;
  return (
    <Button onClick={list.loadMore} busy={list.isLoadingMore}>
      Show more
    </Button>
  );
}
