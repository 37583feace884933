import { call } from '../../../api/client.ts';
import { keyOf, nameOf, type Approval } from '../read-approvals.ts';

export type Decision = 'approved' | 'rejected';

export interface Refused {
  readonly approval: Approval;
  readonly error: string;
}

export interface Report {
  readonly done: number;
  readonly refused: readonly Refused[];
}

/** Decisions that one request takes. */
const BATCH = 100;
const NOTHING_OPEN = 'It no longer waits: somebody decided, or the execution has moved on.';

/** Sends the same decision for each approval; each is bound to what was shown. */
export async function decideMany(params: {
  readonly approvals: readonly Approval[];
  readonly decision: Decision;
  readonly comment: string;
}): Promise<Report> {
  const { approvals, decision, comment } = params;
  const refused: Refused[] = [];
  for (let from = 0; from < approvals.length; from += BATCH) {
    const batch = approvals.slice(from, from + BATCH);
    const decisions = batch.map((approval) => requestOf(approval, { decision, comment }));
    const { results } = await call('decide-approvals', { body: { decisions } });
    for (const [index, { accepted, error }] of results.entries()) {
      const approval = batch[index];
      if (accepted || approval === undefined) continue;
      refused.push({ approval, error: error ?? NOTHING_OPEN });
    }
  }
  return { done: approvals.length - refused.length, refused };
}

function requestOf(
  { execution_id, node_id, step, shown_hash }: Approval,
  { decision, comment }: { readonly decision: Decision; readonly comment: string },
) {
  return {
    execution_id,
    node_id,
    decision,
    ...(step === null ? {} : { step }),
    ...(shown_hash === null ? {} : { shown_hash }),
    ...(comment === '' ? {} : { comment }),
  };
}

export function rowKey(approval: Approval): string {
  return keyOf(nameOf(approval));
}
