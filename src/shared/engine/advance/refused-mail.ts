import type { ExecutionState } from '../../domain/execution/state.ts';
import type { RefusalReason } from '../../store/commit.ts';
import { beyondDescendants, withoutAncestor } from './family.ts';
import type { RunningItem } from './run-items.ts';
import type { Mail } from './runner-mailbox.ts';

/** The mail after its commit was refused. */
export interface RefusedMail {
  /** For the next commit. */
  readonly mail: Mail;
  /** The item that another process holds now; null: none is known. */
  readonly lost: RunningItem | null;
  /** The refusal does not say which outcome is at fault: each is committed alone from now on. */
  readonly oneByOne: boolean;
}

export function judgeRefusedMail(of: {
  readonly mail: Mail;
  readonly reason: RefusalReason;
  readonly state: ExecutionState;
  readonly descendantsMax: number;
  /** An ancestor has ended, so no child of it can ever start. */
  readonly isOrphanForGood?: boolean;
}): RefusedMail {
  const { mail, reason } = of;
  switch (reason) {
    case 'stale':
      return judgeStale(mail);
    case 'descendants_limited':
      return refuseChild(mail, { state: of.state, max: of.descendantsMax });
    case 'orphaned':
      return of.isOrphanForGood === true && of.state.ending !== null
        ? refuseChildren(mail)
        : { mail, lost: null, oneByOne: false };
    default:
      return { mail, lost: null, oneByOne: false };
  }
}

/** A lease is lost: the process that holds the new one settles the item. */
function judgeStale(mail: Mail): RefusedMail {
  const [first, ...others] = mail.settled;
  if (first === undefined || others.length > 0) return { mail, lost: null, oneByOne: true };
  return { mail: { noted: mail.noted, settled: [] }, lost: first.item, oneByOne: false };
}

/** The tree has no room for all children of the commit. One alone becomes a failed attempt. */
function refuseChild(
  mail: Mail,
  tree: { readonly state: ExecutionState; readonly max: number },
): RefusedMail {
  const children = mail.settled.filter(({ outcome }) => outcome.ok === 'child').length;
  if (children !== 1) return { mail, lost: null, oneByOne: true };
  const settled = mail.settled.map(({ item, outcome }) => ({
    item,
    outcome: beyondDescendants(outcome, tree),
  }));
  return { mail: { noted: mail.noted, settled }, lost: null, oneByOne: false };
}

/** Only undos and finalizers are left, and a cancel changes nothing: another try would be refused as well. */
function refuseChildren({ noted, settled }: Mail): RefusedMail {
  const refused = settled.map(({ item, outcome }) => ({ item, outcome: withoutAncestor(outcome) }));
  return { mail: { noted, settled: refused }, lost: null, oneByOne: false };
}
