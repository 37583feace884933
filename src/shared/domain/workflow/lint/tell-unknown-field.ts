import { nearestName } from '../../nearest-name.ts';
import { pointerTo } from '../problem.ts';
import { quoteId } from '../quote-id.ts';
import { NODE_FIELDS } from '../schema/workflow-fields.ts';

interface UnknownField {
  readonly pointer: string;
  readonly name: string;
  /** The names that are read in its place. */
  readonly known: readonly string[];
}

/** The warning about a name that nothing reads in its place, with the name or place that was probably meant. */
export function tellUnknownField(found: UnknownField): string {
  const { name, known } = found;
  const told = `unknown field ${quoteId(name)} is ignored`;
  // A `policy` node names one of the `policies`; the `policy` of a node is something else.
  const reference = `${name}_ref`;
  if (known.includes(reference)) return `${told}: did you mean ${quoteId(reference)}?`;
  const home = homeOf(found, name);
  if (home !== null) return `${told} here: move it to ${home}`;
  const nearest = nearestName(name, known);
  if (nearest !== null) return `${told}: did you mean ${quoteId(nearest)}?`;
  const longer =
    [NODE_NAMES, known, ONLY_AT_TOP].map((names) => beginning(name, names)).find(isName) ??
    ending(name, known);
  if (longer === null) return told;
  if (known.includes(longer)) return `${told}: did you mean ${quoteId(longer)}?`;
  const elsewhere = homeOf(found, longer);
  return elsewhere === null ? told : `${told} here: did you mean ${elsewhere}?`;
}

/** The pointer of a field in the place that has it; null: no place does. */
function homeOf({ pointer }: UnknownField, field: string): string | null {
  const node = IN_NODE.exec(pointer)?.[1];
  if (node === undefined && !AT_TOP.test(pointer)) return null;
  if (NODE_NAMES.includes(field)) return `${node ?? '/nodes/<id>'}${pointerTo(field)}`;
  return ONLY_AT_TOP.includes(field) ? pointerTo(field) : null;
}

const AT_TOP = /^\/[^/]+$/;
const IN_NODE = /^(\/nodes\/[^/]+)(?:\/kind)?\/[^/]+$/;

/** Names that each part of a definition could have say nothing about where they belong. */
const ANYWHERE = ['id', 'name', 'description', 'labels', 'version'];
const NODE_NAMES = Object.keys(NODE_FIELDS).filter((name) => !ANYWHERE.includes(name));
/**
 * Fields of the workflow that can mean nothing else inside a node. Others can: `concurrency` there is
 * that of the node, and `models` a slip for its `model`.
 */
const ONLY_AT_TOP: readonly string[] = [
  'token_budget',
  'cost_budget_usd',
  'on_budget_exceeded',
  'mcp_servers',
  'remote_agents',
];

/** `retry_policy` for `retry`. */
function beginning(name: string, known: readonly string[]): string | null {
  return onlyOne(known.filter((one) => one.startsWith(`${name}_`)));
}

/** `max_concurrency` for `concurrency`. */
function ending(name: string, known: readonly string[]): string | null {
  return onlyOne(known.filter((one) => one.endsWith(`_${name}`)));
}

function onlyOne(names: readonly string[]): string | null {
  return names.length === 1 ? (names[0] ?? null) : null;
}

function isName(name: string | null): name is string {
  return name !== null;
}
