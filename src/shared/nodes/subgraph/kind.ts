import { evaluateMapping } from '../../domain/expression/mapping.ts';
import { isJsonObject } from '../../domain/json.ts';
import { keysOfMapping } from '../../domain/workflow/lint/state-keys.ts';
import { ref, text, word } from '../../domain/workflow/schema/fields.ts';
import { coordinates, evaluateInput } from '../enter-work.ts';
import { failExpression } from '../fail-entry.ts';
import { readMapping, readName, readText, readWord } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createSubgraphRunner, type SubgraphDeps } from './run.ts';
import type { SubgraphSpec } from './spec.ts';

/**
 * Runs another workflow as a child execution and waits for its end. The output is `output_mapping`,
 * in which `output` is the child's last state, else that state. An `output_mapping` that gives an
 * object is merged into the state by the rules of `pass`.
 */
export const subgraphKind: RunnableKind<SubgraphSpec, SubgraphDeps> = {
  type: 'subgraph',
  aliases: [],
  fields: {
    workflow_ref: text('The workflow that runs as a child.'),
    workflow_version: text('Its version. Default: the one registered last.'),
    output_mapping: ref('Mapping', 'The output; in it `output` is the last state of the child.'),
    on_child_failure: word('How to treat a failed child. Default `fail`.', ['fail', 'complete']),
  },
  leaf: true,
  toolLike: false,

  parse(fields, at) {
    const workflowId = readName(fields, 'workflow_ref', at);
    const version = readText(fields, 'workflow_version', at);
    const output = readMapping(fields, 'output_mapping', at);
    const onChildFailure =
      readWord(fields, { name: 'on_child_failure', words: ['fail', 'complete'] }, at) ?? 'fail';
    return workflowId === null ? null : { workflowId, version, output, onChildFailure };
  },

  writes({ output }, { hasOutputKey }) {
    return output === null || hasOutputKey ? [] : keysOfMapping(output);
  },

  runner: createSubgraphRunner,

  enter(_spec, context) {
    const input = evaluateInput(context);
    if (!input.ok) return failExpression(input.message);
    return { do: 'work', queue: 'engine', input: input.value, payload: coordinates(context) };
  },

  afterChild({ output, onChildFailure }, { node, scope, item }, end) {
    if (!end.ok) {
      const { childId, status, error, errorClass } = end;
      if (onChildFailure === 'fail') return { do: 'fail', error, errorClass };
      return {
        do: 'complete',
        output: { error, error_class: errorClass, status, execution_id: childId },
      };
    }
    if (output === null) return { do: 'complete', output: end.output };
    const result = evaluateMapping(output, { ...scope, output: end.output });
    if (!result.ok) return { do: 'fail', error: result.message, errorClass: 'expression_error' };
    const { value } = result;
    const isItem = item !== undefined && item !== null;
    const isMerged = node.outputKey === null && !isItem && isJsonObject(value);
    return { do: 'complete', output: value, ...(isMerged ? { statePatch: value } : {}) };
  },
};
