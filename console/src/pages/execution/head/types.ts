import type { ReplyOf } from '../../../api/client.ts';

export type Execution = ReplyOf<'read-execution'>;
export type Explanation = ReplyOf<'explain-execution'>;
export type Blocker = Explanation['blockers'][number];
export type Approval = ReplyOf<'list-approvals'>['pending'][number];

export function hasEnded({ status }: Pick<Execution, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
