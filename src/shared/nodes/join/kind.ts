import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { EnterContext, NodeReference, ParseContext } from '../../domain/workflow/plan/plan.ts';
import { anyOf, list, object, text } from '../../domain/workflow/schema/fields.ts';
import { coordinates } from '../enter-work.ts';
import type { RunnableKind } from '../runnable-kind.ts';

type MergeStrategy =
  | { readonly by: 'collect' | 'first' }
  | { readonly by: 'custom'; readonly module: string; readonly function: string };

interface JoinSpec {
  /** Null: all nodes that lead to it. */
  readonly waitFor: readonly NodeReference[] | null;
  readonly merge: MergeStrategy;
}

/** Waits for several nodes and merges their outputs into one. */
export const joinKind: RunnableKind<JoinSpec> = {
  type: 'join',
  aliases: [],
  fields: {
    wait_for: list('The nodes that it waits for. Default: all that lead here.', {
      $ref: '#/$defs/NodeId',
    }),
    merge_strategy: anyOf('How the outputs become one. Default `collect`.', [
      { enum: ['collect', 'first'] },
      object(
        'A worker merges them.',
        {
          custom: object(
            'The function.',
            { function_ref: text('`module:function` of a Python worker.') },
            ['function_ref'],
          ),
        },
        ['custom'],
      ),
    ]),
  },
  leaf: false,
  toolLike: false,

  parse(fields, at) {
    const waitFor = readWaitFor(fields['wait_for'] ?? null, at);
    const merge = readMerge(fields['merge_strategy'] ?? 'collect', at);
    return merge === null ? null : { waitFor, merge };
  },

  waitFor: ({ waitFor }) => waitFor,

  tool: ({ merge }) => (merge.by === 'custom' ? `${merge.module}.${merge.function}` : 'join'),

  writes: ({ merge }) => (merge.by === 'custom' ? 'any' : []),

  enter({ merge }, context) {
    switch (merge.by) {
      case 'collect':
        return { do: 'complete', output: collect(context) };
      case 'first':
        return { do: 'complete', output: context.arrivals[0]?.output ?? null };
      case 'custom':
        return {
          do: 'work',
          queue: 'python_tool',
          input: { results: collect(context) },
          payload: { ...coordinates(context), module: merge.module, function: merge.function },
        };
    }
  },
};

function collect({ arrivals }: EnterContext): JsonObject {
  return Object.fromEntries(arrivals.map(({ nodeId, output }) => [nodeId, output]));
}

function readWaitFor(raw: JsonValue, at: ParseContext): readonly NodeReference[] | null {
  if (raw === null) return null;
  if (!Array.isArray(raw)) {
    at.problem('/wait_for', 'must be a list of node ids');
    return null;
  }
  const references = raw.map((to: JsonValue, index) => {
    const pointer = `/wait_for/${index}`;
    if (typeof to === 'string') return { to, pointer };
    at.problem(pointer, 'must be the id of a node');
    return null;
  });
  return references.length === 0 ? null : references.filter((reference) => reference !== null);
}

function readMerge(raw: JsonValue, at: ParseContext): MergeStrategy | null {
  if (raw === 'collect' || raw === 'first') return { by: raw };
  const custom = isJsonObject(raw) ? (raw['custom'] ?? null) : null;
  if (!isJsonObject(custom)) {
    at.problem('/merge_strategy', 'must be collect, first, or {custom: {function_ref}}');
    return null;
  }
  const reference = custom['function_ref'] ?? null;
  const [, module, name] =
    typeof reference === 'string' ? (/^([^:]+):([^:]+)$/.exec(reference) ?? []) : [];
  if (module !== undefined && name !== undefined) return { by: 'custom', module, function: name };
  at.problem('/merge_strategy/custom/function_ref', 'must be a function as "module:function"');
  return null;
}
