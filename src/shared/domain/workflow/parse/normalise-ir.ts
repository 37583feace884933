import type { JsonObject, JsonValue } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import { checkOptionalKeys, withoutNullKeys } from './optional-keys.ts';
import { checkExpose } from '../expose.ts';
import type { KindRegistry } from '../kind-registry.ts';
import type { NormalisedEdge } from './normalise-edge.ts';
import { normaliseEdge } from './normalise-edge.ts';
import type { NormalisedNode } from './normalise-node.ts';
import { normaliseNode } from './normalise-node.ts';
import { END_TARGET } from '../plan/plan.ts';
import type { Findings, ProblemList } from '../problem.ts';
import { pointerTo } from '../problem.ts';

/**
 * A definition in the one form that is stored: every kind an object with its type, aliases
 * resolved, nodes written inside others taken out, optional keys that were null left out. Unknown
 * keys stay where they were. Normalising it again changes nothing.
 */
export interface NormalisedIr extends JsonObject {
  readonly workflow_id: string;
  readonly version: string;
  readonly nodes: JsonObject;
  readonly edges: readonly JsonObject[];
}

export interface Normalised {
  readonly ir: NormalisedIr;
  readonly nodes: readonly NormalisedNode[];
  readonly edges: readonly NormalisedEdge[];
  /** False: some edges or kinds could not be read, which has been reported. */
  readonly isComplete: boolean;
}

const NODES_MAX = 10_000;
export const EDGES_MAX = 50_000;
const ID_BYTES_MAX = 512;
const DEFAULT_VERSION = '1.0.0';

/** Null: too wrong or too large to look at any closer; the reason has been reported. */
export function normaliseIr(params: {
  readonly ir: JsonObject;
  readonly kinds: KindRegistry;
  readonly findings: Findings;
}): Normalised | null {
  const { ir, kinds, findings } = params;
  const { problems } = findings;
  const workflowId = readWorkflowId(ir, problems);
  const version = readVersion(ir, problems);
  checkOptionalKeys(ir, findings);
  checkExpose(ir, findings);
  const rawNodes = readNodes(ir, problems);
  const rawEdges = readEdges(ir, problems);
  if (rawNodes === null || rawEdges === null) return null;

  const nodes = normaliseNodes({ rawNodes, kinds, findings });
  const edges = rawEdges.map((raw, index) =>
    normaliseEdge(raw, pointerTo('edges', index), problems),
  );
  const known = edges.filter((edge) => edge !== null);
  return {
    ir: {
      ...withoutNullKeys(ir),
      workflow_id: workflowId,
      version,
      nodes: Object.fromEntries(nodes.map((node) => [node.id, node.json])),
      edges: known.map((edge) => edge.json),
    },
    nodes,
    edges: known,
    isComplete: known.length === edges.length && nodes.every((node) => node.kind !== null),
  };
}

function readWorkflowId(ir: JsonObject, problems: ProblemList): string {
  const value = ir['workflow_id'] ?? '';
  if (value === '') problems.add('/workflow_id', 'missing ir.workflow_id');
  else checkId(value, '/workflow_id', problems);
  return typeof value === 'string' ? value : '';
}

function readVersion(ir: JsonObject, problems: ProblemList): string {
  const value = ir['version'] ?? DEFAULT_VERSION;
  checkId(value, '/version', problems);
  return typeof value === 'string' ? value : DEFAULT_VERSION;
}

function checkId(value: JsonValue, pointer: string, problems: ProblemList): void {
  if (typeof value !== 'string') problems.add(pointer, 'must be a string');
  else if (value === '') problems.add(pointer, 'must not be empty');
  else if (Buffer.byteLength(value) > ID_BYTES_MAX) {
    problems.add(pointer, `must not be longer than ${ID_BYTES_MAX} bytes`);
  }
}

function readNodes(ir: JsonObject, problems: ProblemList): JsonObject | null {
  const raw = ir['nodes'] ?? {};
  if (!isJsonObject(raw)) {
    problems.add('/nodes', 'must be an object of nodes by their ids');
    return null;
  }
  const count = Object.keys(raw).length;
  if (count <= NODES_MAX) return raw;
  problems.add('/nodes', `${count} nodes, and ${NODES_MAX} are the most`);
  return null;
}

function readEdges(ir: JsonObject, problems: ProblemList): readonly JsonValue[] | null {
  const raw = ir['edges'] ?? [];
  if (!Array.isArray(raw)) {
    problems.add('/edges', 'must be a list of edges');
    return null;
  }
  if (raw.length <= EDGES_MAX) return raw;
  problems.add('/edges', `${raw.length} edges, and ${EDGES_MAX} are the most`);
  return null;
}

interface Pending {
  readonly id: string;
  readonly raw: JsonValue;
  readonly pointer: string;
}

/** Nodes written inside others are appended. */
function normaliseNodes(params: {
  readonly rawNodes: JsonObject;
  readonly kinds: KindRegistry;
  readonly findings: Findings;
}): readonly NormalisedNode[] {
  const { rawNodes, kinds, findings } = params;
  const pending: Pending[] = Object.entries(rawNodes).map(([id, raw]) => ({
    id,
    raw,
    pointer: pointerTo('nodes', id),
  }));
  const taken = new Set(Object.keys(rawNodes));
  const nodes: NormalisedNode[] = [];
  for (const next of pending) {
    checkNodeId(next, findings.problems);
    const { node, inline } = normaliseNode({ ...next, kinds, findings });
    nodes.push(node);
    for (const one of inline) {
      if (taken.has(one.id)) {
        findings.problems.add(one.pointer, `there is already a node "${one.id}"`);
      } else {
        taken.add(one.id);
        pending.push(one);
      }
    }
  }
  return nodes;
}

function checkNodeId({ id, pointer }: Pending, problems: ProblemList): void {
  checkId(id, pointer, problems);
  if (id === END_TARGET) {
    problems.add(pointer, `"${END_TARGET}" ends a path and cannot be a node; name it otherwise`);
  }
}
