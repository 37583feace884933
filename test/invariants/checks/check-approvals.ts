import type { Dump, EventOf } from '../dump.ts';
import { deedsOf, isBefore, success, type DeedOf, type History } from '../history.ts';
import { violations, type Violation } from '../violation.ts';
import { byExecution } from './check-histories.ts';

interface Listed {
  readonly execution_id: string;
  readonly node_id: string;
  readonly visit: number;
  readonly step: string | null;
}

/** The lists of open approvals of all executions show what was asked for and nobody has decided. */
export function checkApprovals(dump: Dump, history: History): Violation[] {
  const events = byExecution(dump);
  const lists = deedsOf(history, 'list_approvals');
  const decided = deedsOf(history, 'approve').filter(
    (deed) => success(deed)?.['accepted'] === true,
  );
  const ended = deedsOf(history, 'read').filter((deed) => OVER.has(success(deed)?.['status']));
  const find = (kind: string, of: Listed) =>
    events.get(of.execution_id)?.find((event) => event.kind === kind && isOf(event, of));
  return [
    ...eachListed('an open approval in a list was asked for', lists, ({ one }) =>
      find('ApprovalRequested', one) === undefined ? 'no event asks for it' : null,
    ),
    ...eachListed('a list shows no approval as open whose decision was answered', lists, (seen) => {
      const comment = find('ApprovalReceived', seen.one)?.payload['comment'];
      // A request that arrives twice may decide two approvals.
      const received = (events.get(seen.one.execution_id) ?? []).filter(
        ({ kind, payload }) => kind === 'ApprovalReceived' && payload['comment'] === comment,
      );
      const by = decided.filter(({ asks }) => asks.token === comment);
      const isDecided = by.length > 0 && by.length >= received.length;
      if (!isDecided || !by.every((deed) => isBefore(deed, seen.deed))) return null;
      return `decided by ${by.map(({ begun }) => begun).join(', ')}`;
    }),
    ...eachListed(
      'a list shows no open approval of an execution that was read as ended',
      lists,
      (seen) => {
        const end = ended.find(({ asks }) => asks.executionId === seen.one.execution_id);
        return end !== undefined && isBefore(end, seen.deed)
          ? `read as ended by ${end.begun}`
          : null;
      },
    ),
  ];
}

function isOf({ node_id: nodeId, payload }: EventOf, of: Listed): boolean {
  const { visit, step = null } = payload;
  return nodeId === of.node_id && visit === of.visit && step === of.step;
}

type List = DeedOf<'list_approvals'>;

function eachListed(
  rule: string,
  lists: readonly List[],
  tell: (seen: { readonly deed: List; readonly one: Listed }) => string | null,
): Violation[] {
  const all = lists.flatMap((deed) => {
    const shown = (success(deed)?.['approvals'] ?? []) as unknown as readonly Listed[];
    return shown.map((one) => ({ deed, one }));
  });
  return violations(rule, all, (seen) => {
    const saw = tell(seen);
    if (saw === null) return null;
    return { about: { execution: seen.one.execution_id, deed: seen.deed.begun }, saw };
  });
}

const OVER = new Set<unknown>(['completed', 'failed', 'cancelled']);
