import { Badge } from '../../ui/data/badge.tsx';
import { Time, useNow } from '../../ui/data/time.tsx';
import type { Approval } from './read-approvals.ts';

const SOON_MS = 60 * 60 * 1_000;

/** How long a person has, as a badge that gets louder in the last hour. */
export function DeadlineBadge({ at }: { readonly at: string | null }) {
  const now = useNow();
  if (at === null) return null;
  const left = Date.parse(at) - now;
  return (
    <Badge tone={left < SOON_MS ? 'bad' : 'wait'}>
      {left > 0 ? (
        <>
          due <Time at={at} now={now} />
        </>
      ) : (
        'due now'
      )}
    </Badge>
  );
}

/** What follows when nobody decides in time, and after a rejection. */
export function describeOtherwise({ outcome, to }: Approval['otherwise']): string {
  switch (outcome) {
    case 'fail':
      return 'the node fails';
    case 'continue':
      return `the execution continues at ${to.join(', ')}`;
    case 'code':
      return 'the code of the function decides';
  }
}

/** The consequence of a deadline in one sentence. */
export function DeadlineText({
  approval,
}: {
  readonly approval: Pick<Approval, 'deadline_at' | 'otherwise'>;
}) {
  const { deadline_at: at, otherwise } = approval;
  if (at === null) return <>It waits until somebody decides.</>;
  return (
    <>
      Without a decision <Time at={at} />, {describeOtherwise(otherwise)}.
    </>
  );
}
