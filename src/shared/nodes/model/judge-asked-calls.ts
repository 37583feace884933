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
 * Judges each call that a model asks for by its own name and arguments, as soon as it asks: whoever
 * makes the calls later, a worker under any name among them, gets no call that policies forbid and
 * none that a person has yet to approve.
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
