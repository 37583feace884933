import { approvalQuestion, type Violation } from '../../domain/execution/judge-work.ts';
import type { ModelToolCall } from '../../ports/models.ts';
import type { OfferedTool } from './read-offered-tools.ts';
import type { NodeCall } from '../run.ts';

export type AskedCallsVerdict =
  | { readonly is: 'allowed' }
  /** The first call that a person has not approved yet. */
  | { readonly is: 'approval'; readonly question: ReturnType<typeof approvalQuestion> }
  | { readonly is: 'blocked'; readonly violation: Violation };

/**
 * Judges each call that a model requests, by its name and arguments, as soon as the model requests
 * it. So a later caller, such as a worker with any name, gets no call that policies forbid or that
 * still needs an approval.
 */
export function judgeAskedCalls(
  asked: readonly ModelToolCall[],
  by: {
    readonly offered: readonly OfferedTool[];
    readonly call: Pick<NodeCall, 'policy' | 'isApproved'>;
  },
): AskedCallsVerdict {
  const { offered, call } = by;
  const judged = asked.map((one) => {
    const names = offered.find(({ name }) => name === one.name)?.names ?? ([one.name] as const);
    return { one, judgement: call.policy.judgeTool(...names) };
  });
  for (const { one, judgement } of judged) {
    if (judgement.is !== 'blocked') continue;
    const { pattern } = judgement;
    return { is: 'blocked', violation: { name: one.name, rule: 'blocked_tools', pattern } };
  }
  for (const { one, judgement } of judged) {
    if (judgement.is !== 'approval') continue;
    // The same question as of a node that makes the call itself.
    const question = approvalQuestion(one.name, one.arguments);
    if (!call.isApproved(question.shown)) return { is: 'approval', question };
  }
  return { is: 'allowed' };
}
