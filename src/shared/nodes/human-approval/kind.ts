import { TIMEOUT_FORMS, parseTimeout } from '../../domain/workflow/parse/parse-timeouts.ts';
import { ref, text } from '../../domain/workflow/schema/fields.ts';
import { evaluateInput } from '../enter-work.ts';
import { failExpression } from '../fail-entry.ts';
import { readText } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface HumanApprovalSpec {
  readonly description: string | null;
  /** Null: the workflow's `approval_timeout`. */
  readonly timeoutMs: number | null;
}

/**
 * Parks until a person decides. Rejected or out of time, it fails, and `fallback_node`, which every
 * node may have, leads on from there.
 */
export const humanApprovalKind: RunnableKind<HumanApprovalSpec> = {
  type: 'human_approval',
  aliases: [],
  fields: {
    description: text('The question for the person.'),
    timeout_secs: ref('Duration', 'Longest wait. Default: `approval_timeout` of the workflow.'),
  },
  leaf: false,
  toolLike: false,

  writes: () => 'any',

  parse(fields, at) {
    const description = readText(fields, 'description', at);
    const timeout = fields['timeout_secs'] ?? null;
    const timeoutMs = timeout === null ? null : parseTimeout(timeout);
    if (timeout !== null && timeoutMs === null) {
      at.problem('/timeout_secs', `must be ${TIMEOUT_FORMS}`);
    }
    return { description, timeoutMs };
  },

  enter({ description, timeoutMs }, context) {
    const { node } = context;
    const asked = { description, timeoutMs: timeoutMs ?? node.approvalTimeoutMs };
    // The state alone is not shown: a person decides on what the workflow names.
    if (node.inputMapping === null) return { do: 'approval', ...asked, shown: null };
    const input = evaluateInput(context);
    if (!input.ok) return failExpression(input.message);
    return { do: 'approval', ...asked, shown: { input: input.value } };
  },
};
