import type { Mapping } from '../../domain/expression/mapping.ts';
import { evaluateMapping } from '../../domain/expression/mapping.ts';
import { isJsonObject } from '../../domain/json.ts';
import { keysOfMapping } from '../../domain/workflow/lint/state-keys.ts';
import { ref } from '../../domain/workflow/schema/fields.ts';
import { failExpression } from '../fail-entry.ts';
import { readMapping } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';

interface PassSpec {
  readonly output: Mapping | null;
}

/**
 * Completes at once. Its output is `output`, else its mapped input, else null. An `output` that is
 * an object is merged into the state, unless the node has an output key to put it under, or runs for
 * an item of a `map`, which collects the outputs of its items itself.
 */
export const passKind: RunnableKind<PassSpec> = {
  type: 'pass',
  aliases: [],
  fields: { output: ref('Mapping', 'The output. An object is merged into the state.') },
  leaf: true,
  toolLike: false,

  parse(fields, at) {
    return { output: readMapping(fields, 'output', at) };
  },

  writes({ output }, { hasOutputKey }) {
    return output === null || hasOutputKey ? [] : keysOfMapping(output);
  },

  enter({ output }, { node, scope, item }) {
    const mapping = output ?? node.inputMapping;
    if (mapping === null) return { do: 'complete', output: null };
    const result = evaluateMapping(mapping, scope);
    if (!result.ok) return failExpression(result.message);
    const { value } = result;
    const isItem = item !== undefined && item !== null;
    const isMerged = output !== null && node.outputKey === null && !isItem && isJsonObject(value);
    return { do: 'complete', output: value, ...(isMerged ? { statePatch: value } : {}) };
  },
};
