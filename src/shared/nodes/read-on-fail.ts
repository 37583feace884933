import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import { END_TARGET, type NodeReference, type ParseContext } from '../domain/workflow/plan/plan.ts';

/** The consequence of an evaluation that did not pass. */
export type OnFail =
  | { readonly do: 'fail' | 'warn' }
  /** Back to a node, at most `max` times; then the node fails. */
  | { readonly do: 'retry'; readonly target: NodeReference; readonly max: number }
  | { readonly do: 'branch'; readonly target: NodeReference };

const FORMS =
  'must be "fail", "warn", "retry", {"retry": {"target": …}} or {"branch": {"target": …}}';
const RETRIES = { default: 3, most: 1_000 };

/** Reads `on_fail` and `max_retries`. Null: what is wrong has been reported. */
export function readOnFail(fields: JsonObject, at: ParseContext): OnFail | null {
  const max = readMaxRetries(fields, at);
  const way = readWay(fields['on_fail'] ?? null, at);
  if (way === null || max === undefined) return null;
  if (max !== null && way.do !== 'retry') {
    at.warn('without_effect', '/max_retries', `without effect: on_fail is ${way.do}`);
  }
  return way.do === 'retry' ? { ...way, max: max ?? RETRIES.default } : way;
}

type Way =
  Exclude<OnFail, { do: 'retry' }> | { readonly do: 'retry'; readonly target: NodeReference };

function readWay(raw: JsonValue, at: ParseContext): Way | null {
  if (raw === null || raw === 'fail') return { do: 'fail' };
  if (raw === 'warn') return { do: 'warn' };
  if (raw === 'retry') return readRetry(null, at);
  const [entry, ...others] = isJsonObject(raw) ? Object.entries(raw) : [];
  if (entry === undefined || others.length > 0) return refuse(at);
  const [name, how] = entry;
  switch (name) {
    case 'fail':
    case 'warn':
      return { do: name };
    case 'retry':
      return readRetry(how, at);
    case 'branch': {
      const target = readTarget('branch', how, at);
      return target === null ? null : { do: 'branch', target };
    }
    default:
      return refuse(at);
  }
}

/** Without a target: the one node that an edge leads here from. */
function readRetry(how: JsonValue, at: ParseContext): Way | null {
  const isNamed =
    typeof how === 'string' || (isJsonObject(how) && (how['target'] ?? null) !== null);
  const [only, ...others] = at.listedBefore;
  if (!isNamed && (only === undefined || others.length > 0)) {
    const found = only === undefined ? 'no edge leads here' : 'edges of several nodes lead here';
    at.problem('/on_fail', `${found}: name the node to go back to, as {"retry": {"target": …}}`);
    return null;
  }
  const target = isNamed ? readTarget('retry', how, at) : { to: only ?? '', pointer: '/on_fail' };
  if (target === null) return null;
  if (target.to !== at.nodeId && target.to !== END_TARGET) return { do: 'retry', target };
  at.problem(target.pointer, 'must be the node that makes what is judged');
  return null;
}

/** `{target}`, or the node's id alone. */
function readTarget(name: string, how: JsonValue, at: ParseContext): NodeReference | null {
  const isShort = typeof how === 'string';
  const pointer = isShort ? `/on_fail/${name}` : `/on_fail/${name}/target`;
  const to = isJsonObject(how) ? how['target'] : how;
  if (typeof to === 'string' && to !== '') return { to, pointer };
  at.problem(pointer, 'missing target');
  return null;
}

function refuse(at: ParseContext): null {
  at.problem('/on_fail', FORMS);
  return null;
}

/** Null: left out; undefined: reported. */
function readMaxRetries(fields: JsonObject, at: ParseContext): number | null | undefined {
  const value = fields['max_retries'] ?? null;
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (value === null || (isWhole && value >= 0 && value <= RETRIES.most)) return value;
  at.problem('/max_retries', `must be a whole number from 0 to ${RETRIES.most}`);
  return undefined;
}
