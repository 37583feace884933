import type { JsonValue } from '../json.ts';
import type { JournalEntry } from './function-events.ts';
import type { FunctionWait } from './function-run.ts';
import type { ExecutionState, LiveVisit, MailboxEntry } from './state.ts';

/**
 * The entries of the waits that are satisfied by now, in the order in which the waits were opened. An
 * external event that was accepted is taken before a time-out that fired meanwhile, each by one wait.
 */
export function satisfiedEntries(
  { mailbox }: Pick<ExecutionState, 'mailbox'>,
  waits: readonly FunctionWait[],
): readonly JournalEntry[] {
  const taken = new Set<number>();
  return waits.flatMap((wait) => {
    const entry = satisfiedBy(wait, mailbox, taken);
    if (entry?.event_sequence !== undefined) taken.add(entry.event_sequence);
    return entry ?? [];
  });
}

function satisfiedBy(
  wait: FunctionWait,
  mailbox: readonly MailboxEntry[],
  taken: ReadonlySet<number>,
): JournalEntry | null {
  const { identity, kind, answer, hasFired } = wait;
  if (answer !== null) return answer;
  if (kind === 'event') {
    const sent = mailbox.find(
      ({ correlationKey, sequence }) =>
        correlationKey === wait.correlationKey && !taken.has(sequence),
    );
    if (sent !== undefined) {
      return { identity, kind, output: sent.payload, event_sequence: sent.sequence };
    }
  }
  if (!hasFired) return null;
  if (kind === 'timer') return { identity, kind, output: null };
  const what = kind === 'event' ? `external event "${wait.correlationKey ?? ''}"` : 'decision';
  return { identity, kind, error: { message: `no ${what} came in time`, class: 'timeout' } };
}

/** The entry that a person's decision makes. */
export function approvalEntry(
  identity: string,
  of: {
    readonly decision: 'approved' | 'rejected';
    readonly userId: string | null;
    readonly comment: string | null;
  },
): JournalEntry {
  const output: JsonValue = {
    approved: of.decision === 'approved',
    decided_by: of.userId,
    ...(of.comment !== null && { comment: of.comment }),
  };
  return { identity, kind: 'approval', output };
}

/**
 * Approvals that functions wait for and that nobody has decided. A rollback waits for none: its waits
 * stay in the state until the scheduler takes back their timers and children.
 */
export function openFunctionApprovals({ run }: LiveVisit): readonly FunctionWait[] {
  if (run === null || run.mode === 'rollback') return [];
  return run.waits.filter(
    ({ kind, answer, hasFired }) => kind === 'approval' && answer === null && !hasFired,
  );
}
