import type { Mapping } from '../../expression/mapping.ts';
import { parseMapping } from '../../expression/mapping.ts';
import { isJsonObject } from '../../json.ts';
import { findKeyProblem } from '../../keepable-json.ts';
import type { PartialDataPolicy } from '../../data-policy/data-policy.ts';
import { parseDataPolicy } from '../../data-policy/parse-data-policy.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import type { RetryPolicy } from '../../work/retry.ts';
import { BUILT_IN_RETRY_POLICIES, DEFAULT_RETRY_POLICY } from '../../work/retry.ts';
import type { NormalisedEdge } from './normalise-edge.ts';
import type { NormalisedNode } from './normalise-node.ts';
import { parseRetryPolicy } from './parse-retry-policy.ts';
import { TIMEOUT_FORMS, parseTimeout } from './parse-timeouts.ts';
import type { WorkflowParts, WrittenRetryPolicy } from './parts.ts';
import { type NodeKind, type NodeReference, type PlannedUndo, UNDO_ON } from '../plan/plan.ts';
import type { Findings } from '../problem.ts';
import { pointerTo } from '../problem.ts';

/** A node with its own fields understood, and its edges not yet. */
export interface ParsedNode {
  readonly id: string;
  readonly kind: NodeKind<unknown>;
  readonly spec: unknown;
  readonly outputKey: string | null;
  readonly inputMapping: Mapping | null;
  readonly retryPolicy: RetryPolicy;
  /** Null: the workflow's. */
  readonly nodeTimeoutMs: number | null;
  readonly fallback: NodeReference | null;
  readonly undo: NodeUndo | null;
  readonly policy: Policy | null;
  readonly dataPolicy: PartialDataPolicy | null;
  /** Where the node stands, and where a field of the node or of its kind does. */
  readonly pointer: string;
  pointerOf(field: string): string;
}

/** The node that undoes another, and at which ends. */
export interface NodeUndo extends NodeReference {
  readonly on: PlannedUndo['on'];
}

/** Null: its kind is unknown or could not be read, which has been reported. */
export function parseNode(params: {
  readonly node: NormalisedNode;
  readonly outEdges: readonly NormalisedEdge[];
  readonly inEdges: readonly NormalisedEdge[];
  readonly nodeIds: ReadonlySet<string>;
  readonly retryPolicies: ReadonlyMap<string, RetryPolicy>;
  readonly parts: WorkflowParts;
  readonly findings: Findings;
}): ParsedNode | null {
  const { node, findings } = params;
  const written = ownRetryPolicy(node);
  const common = {
    id: node.id,
    outputKey: readOutputKey(node, findings),
    inputMapping: readInputMapping(node, findings),
    retryPolicy: readRetryPolicy(written, params.retryPolicies, findings),
    nodeTimeoutMs: readNodeTimeout(node, findings),
    fallback: readFallback(node, findings),
    undo: readUndo(node, findings),
    policy: parsePolicy(node.json['policy'] ?? null, node.pointerOf('policy'), findings.problems),
    dataPolicy: parseDataPolicy(
      node.json['data_policy'] ?? null,
      node.pointerOf('data_policy'),
      findings.problems,
    ),
    pointer: node.pointer,
    pointerOf: (field: string) => node.pointerOf(field),
  };
  const { kind } = node;
  if (kind === null) return null;
  const spec = kind.parse(node.fields, {
    nodeId: node.id,
    nodeIds: params.nodeIds,
    parts: params.parts,
    outEdges: params.outEdges.filter((edge) => edge.on === 'success'),
    listedBefore: [...new Set(params.inEdges.map((edge) => edge.from))],
    problem: (pointer, message) => findings.problems.add(locate(node, pointer), message),
    warn: (code, pointer, message) => findings.warnings.add(code, locate(node, pointer), message),
  });
  if (spec === null) return null;
  const inherited = written === null ? kind.retryPolicy?.(spec) : undefined;
  if (inherited === undefined) return { ...common, kind, spec };
  const retryPolicy = readRetryPolicy(inherited, params.retryPolicies, findings);
  return { ...common, retryPolicy, kind, spec };
}

/** Turns a pointer below a kind's fields into one from the IR's root. */
export function locate(node: Pick<ParsedNode, 'pointer' | 'pointerOf'>, below: string): string {
  const [, token, rest = ''] = /^\/([^/]*)(.*)$/s.exec(below) ?? [];
  if (token === undefined) return node.pointer;
  return node.pointerOf(token.replaceAll('~1', '/').replaceAll('~0', '~')) + rest;
}

function readText(node: NormalisedNode, field: string, { problems }: Findings): string | null {
  const value = node.json[field] ?? null;
  if (value === null) return null;
  if (typeof value === 'string' && value !== '') return value;
  problems.add(node.pointerOf(field), 'must be a string that is not empty');
  return null;
}

function readOutputKey(node: NormalisedNode, findings: Findings): string | null {
  const key = readText(node, 'output_key', findings);
  const problem = key === null ? null : findKeyProblem(key);
  if (problem !== null) {
    findings.problems.add(node.pointerOf('output_key'), `${problem} is not allowed`);
  }
  return key;
}

function readInputMapping(node: NormalisedNode, { problems }: Findings): Mapping | null {
  const value = node.json['input_mapping'] ?? null;
  if (value === null) return null;
  const parsed = parseMapping(value);
  if (parsed.ok) return parsed.mapping;
  problems.add(node.pointerOf('input_mapping') + parsed.pointer, parsed.message);
  return null;
}

function ownRetryPolicy(node: NormalisedNode): WrittenRetryPolicy | null {
  const value = node.json['retry_policy'] ?? null;
  return value === null ? null : { value, pointer: node.pointerOf('retry_policy') };
}

function readRetryPolicy(
  written: WrittenRetryPolicy | null,
  policies: ReadonlyMap<string, RetryPolicy>,
  { problems }: Findings,
): RetryPolicy {
  if (written === null) return DEFAULT_RETRY_POLICY;
  const { value, pointer } = written;
  if (isJsonObject(value)) return parseRetryPolicy(value, pointer, problems);
  const known = typeof value === 'string' ? policies.get(value) : undefined;
  if (known !== undefined) return known;
  problems.add(
    pointer,
    typeof value === 'string'
      ? `unknown retry policy: known are ${[...policies.keys()].slice(0, 20).join(', ')}`
      : 'must be the name of a retry policy, or one as an object',
  );
  return DEFAULT_RETRY_POLICY;
}

function readNodeTimeout(node: NormalisedNode, { problems }: Findings): number | null {
  const value = node.json['node_timeout_secs'] ?? null;
  if (value === null) return null;
  const ms = parseTimeout(value);
  if (ms === null) problems.add(node.pointerOf('node_timeout_secs'), `must be ${TIMEOUT_FORMS}`);
  return ms;
}

function readFallback(node: NormalisedNode, findings: Findings): NodeReference | null {
  const to = readText(node, 'fallback_node', findings);
  return to === null ? null : { to, pointer: '/fallback_node' };
}

function readUndo(node: NormalisedNode, findings: Findings): NodeUndo | null {
  const to = readText(node, 'undo', findings);
  const on = readUndoOn(node, findings);
  if (to !== null) return { to, pointer: '/undo', on: on ?? UNDO_ON };
  if (on === null || node.json['undo'] !== undefined) return null;
  const at = node.pointerOf('undo_on');
  findings.warnings.add('without_effect', at, 'does nothing: the node has no undo');
  return null;
}

/** Null: left out, or reported. */
function readUndoOn(node: NormalisedNode, { problems }: Findings): NodeUndo['on'] | null {
  const value = node.json['undo_on'] ?? null;
  if (value === null) return null;
  const given = Array.isArray(value) ? value : [value];
  const known = UNDO_ON.filter((word) => given.includes(word));
  if (given.length > 0 && known.length === given.length) return known;
  problems.add(node.pointerOf('undo_on'), `must be a list of ${UNDO_ON.join(', ')}, each once`);
  return null;
}

/** The policies a node may name: the definition's own go before the built-in ones. */
export function parseRetryPolicies(
  ir: { readonly [key: string]: unknown },
  { problems }: Findings,
): ReadonlyMap<string, RetryPolicy> {
  const policies = new Map(Object.entries(BUILT_IN_RETRY_POLICIES));
  const raw = ir['retry_policies'] ?? {};
  if (!isJsonObject(raw)) return policies;
  for (const [name, policy] of Object.entries(raw)) {
    policies.set(name, parseRetryPolicy(policy, `/retry_policies${pointerTo(name)}`, problems));
  }
  return policies;
}
