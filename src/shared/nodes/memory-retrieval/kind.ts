import { evaluateMapping, type Mapping } from '../../domain/expression/mapping.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { K_MAX } from '../../domain/memory/fact.ts';
import type { EnterContext, Entry, ParseContext } from '../../domain/workflow/plan/plan.ts';
import { ref, wholeNumber, word } from '../../domain/workflow/schema/fields.ts';
import { coordinates } from '../enter-work.ts';
import { failExpression, failValue } from '../fail-entry.ts';
import { readComputed, readMapping } from '../read-fields.ts';
import type { RunnableKind } from '../runnable-kind.ts';
import { createMemoryRetrievalRunner } from './run.ts';
import type { MemoryRetrievalSpec } from './spec.ts';

/** The one memory there is; the same is meant by leaving it out. */
const CONNECTORS = ['memory', 'default'];
const QUERY_BYTES_MAX = 32 * 1024;
const ID_BYTES_MAX = 512;

/** Recalls facts of the tenant's memory. */
export const memoryRetrievalKind: RunnableKind<MemoryRetrievalSpec> = {
  type: 'memory_retrieval',
  aliases: [],
  fields: {
    connector_ref: word('There is one memory.', CONNECTORS),
    query_expr: ref('Computed', 'An expression, or a path that starts with $.'),
    query: ref('Computed', 'The same as `query_expr`.'),
    k: wholeNumber('Most facts.', { minimum: 1, maximum: K_MAX }),
    agent_id: ref('Mapping', 'Whose facts.'),
    end_user_id: ref('Mapping', 'Whose facts.'),
  },
  leaf: true,
  toolLike: false,

  parse(fields, at) {
    checkConnector(fields, at);
    const query = readQuery(fields, at);
    const k = readK(fields, at);
    const agentId = readMapping(fields, 'agent_id', at);
    const endUserId = readMapping(fields, 'end_user_id', at);
    return query === null || k === undefined ? null : { query, k, agentId, endUserId };
  },

  runner: createMemoryRetrievalRunner,

  enter(spec, context) {
    const query = evaluateText(
      spec.query,
      { name: 'query_expr', bytesMax: QUERY_BYTES_MAX },
      context,
    );
    if (typeof query !== 'string') return query ?? failValue('query_expr gives no text');
    const scope: Record<string, string | null> = {};
    for (const [name, mapping] of [
      ['agent_id', spec.agentId],
      ['end_user_id', spec.endUserId],
    ] as const) {
      const id =
        mapping === null ? null : evaluateText(mapping, { name, bytesMax: ID_BYTES_MAX }, context);
      if (id !== null && typeof id !== 'string') return id;
      scope[name] = id;
    }
    const input = { query, k: spec.k, ...scope };
    return { do: 'work', queue: 'engine', input, payload: coordinates(context) };
  },
};

function checkConnector(fields: JsonObject, at: ParseContext): void {
  const value = fields['connector_ref'] ?? 'memory';
  if (typeof value === 'string' && CONNECTORS.includes(value)) return;
  at.problem('/connector_ref', `must be one of ${CONNECTORS.join(', ')}: there is no other memory`);
}

/** An expression, or a path that starts with `$`. */
function readQuery(fields: JsonObject, at: ParseContext): Mapping | null {
  const name = (fields['query_expr'] ?? null) === null ? 'query' : 'query_expr';
  const value = fields[name] ?? null;
  if (value === null || value === '') {
    at.problem('/query_expr', 'missing query_expr');
    return null;
  }
  return readComputed(fields, name, at);
}

/** Null: as many as usual; `undefined`: reported. */
function readK(fields: JsonObject, at: ParseContext): number | null | undefined {
  const value: JsonValue = fields['k'] ?? null;
  if (value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= K_MAX) {
    return value;
  }
  at.problem('/k', `must be a whole number from 1 to ${K_MAX}`);
  return undefined;
}

/** Null: the value is null; for an id, that means none. */
function evaluateText(
  mapping: Mapping,
  { name, bytesMax }: { readonly name: string; readonly bytesMax: number },
  { scope }: EnterContext,
): string | null | Entry {
  const result = evaluateMapping(mapping, scope);
  if (!result.ok) return failExpression(result.message);
  const { value } = result;
  if (value === null) return null;
  if (typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= bytesMax) {
    return value;
  }
  return failValue(`${name} must give text of 1 to ${bytesMax} bytes`);
}
