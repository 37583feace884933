import { type Claim, releasedIn } from './check-claims.ts';
import type { Dump } from '../dump.ts';
import { deedsOf, success, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';

/** Claims for some tools and named queues, and items that workers release. */
export function checkReleases(dump: Dump, claims: readonly Claim[], history: History): Violation[] {
  const { surely } = releasedIn(history);
  const byItem = Map.groupBy(claims, ({ workItemId }) => workItemId);
  const failed = new Set(
    dump.events
      .filter(({ kind }) => kind === 'NodeFailed')
      .map(({ payload }) => JSON.stringify([payload['work_item_id'], payload['attempt']])),
  );
  const settles = [
    ...deedsOf(history, 'complete'),
    ...deedsOf(history, 'fail'),
    ...deedsOf(history, 'complete_rollback'),
    ...deedsOf(history, 'record'),
  ];
  return [
    ...violations('an item is handed out only to a claim that admits it', claims, (claim) => {
      const { tools = null, queueNames = ['default'] } = claim.deed.asks;
      const isAsked = tools === null || tools.some((glob) => matches(glob, claim.tool ?? ''));
      if (isAsked && queueNames.includes(claim.queueName)) return null;
      return {
        about: { work_item: claim.workItemId, deed: claim.deed.begun },
        saw: `${claim.tool ?? 'nothing'} of ${claim.queueName} to a claim of ${String(tools)}`,
      };
    }),
    ...violations(
      'a release uses no attempt',
      claims.filter(({ fence }) => surely.has(fence)),
      ({ workItemId, attempt, fence }) => {
        const later = byItem.get(workItemId)?.some((claim) => claim.attempt > attempt) ?? false;
        if (!later || failed.has(JSON.stringify([workItemId, attempt]))) return null;
        return {
          about: { work_item: workItemId, fence },
          saw: `attempt ${attempt} was followed by another, and had not failed`,
        };
      },
    ),
    ...violations('a released item is not settled under the same fence', settles, (deed) => {
      const { workItemId, fence } = deed.asks;
      if (success(deed) === null || !surely.has(fence)) return null;
      return { about: { work_item: workItemId, fence }, saw: `${deed.asks.do} was accepted` };
    }),
  ];
}

/** `*` matches any characters, `?` one. */
function matches(glob: string, name: string): boolean {
  const [mark = '', rest] = [glob[0], glob.slice(1)];
  if (glob === '') return name === '';
  if (mark === '*') return matches(rest, name) || (name !== '' && matches(glob, name.slice(1)));
  return name !== '' && (mark === '?' || mark === name[0]) && matches(rest, name.slice(1));
}
