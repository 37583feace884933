import { isJsonObject } from '../../json.ts';
import { joinDataPolicies } from '../../data-policy/data-policy.ts';
import { parseDataPolicy } from '../../data-policy/parse-data-policy.ts';
import { parseBudget } from '../../budget/parse-budget.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import { type Mapping, parseMapping } from '../../expression/mapping.ts';
import { linkUndos } from './link-undos.ts';
import { findStartNode } from './find-start-node.ts';
import type { Links } from './link-edges.ts';
import { linkEdges } from './link-edges.ts';
import type { Normalised } from '../parse/normalise-ir.ts';
import { parseBatch } from '../parse/parse-batch.ts';
import { parseConcurrency } from '../parse/parse-concurrency.ts';
import { parseDebounce } from '../parse/parse-debounce.ts';
import { parseFairness } from '../parse/parse-fairness.ts';
import { parseStartRate } from '../parse/parse-start-rate.ts';
import { parseStartTimes } from '../parse/parse-start-times.ts';
import { parseContinueAsNew } from '../parse/parse-continue-as-new.ts';
import type { ParsedNode } from '../parse/parse-node.ts';
import { locate, parseNode, parseRetryPolicies } from '../parse/parse-node.ts';
import type { Timeouts } from '../parse/parse-timeouts.ts';
import { parseTimeouts } from '../parse/parse-timeouts.ts';
import { parseExecutionLabels } from '../parse/parse-execution-labels.ts';
import { parseParts } from '../parse/parse-parts.ts';
import type { WorkflowParts } from '../parse/parts.ts';
import type { Plan, PlanNode } from './plan.ts';
import type { Findings } from '../problem.ts';
import { computeReachability } from './reachability.ts';

/** Turns a normalised definition into a plan. Null: at least one problem has been reported. */
export function buildPlan(normalised: Normalised, findings: Findings): Plan | null {
  const { ir } = normalised;
  const before = findings.problems.count;
  const timeouts = parseTimeouts(ir, findings);
  const parts = parseParts(ir, findings);
  const policy = parsePolicy(ir['policy'] ?? null, '/policy', findings.problems);
  const budget = parseBudget(ir, findings.problems);
  const dataPolicy = parseDataPolicy(ir['data_policy'] ?? null, '/data_policy', findings.problems);
  const continueAsNew = parseContinueAsNew(ir, findings);
  const concurrency = parseConcurrency(ir, findings);
  const rate = parseStartRate(ir, findings);
  const debounce = parseDebounce(ir, findings);
  const batch = parseBatch(ir, findings);
  const fairness = parseFairness(ir, findings);
  const startTimes = parseStartTimes(ir, findings);
  const executionLabels = parseExecutionLabels(ir, findings);
  const nodes = parseNodes(normalised, parts, findings);
  const nodeIds = new Set(normalised.nodes.map((node) => node.id));
  const undos = linkUndos({ nodeIds, nodes, findings });
  const undoIds = new Set([...undos.values()].map(({ nodeId }) => nodeId));
  const links = linkEdges({ nodeIds, nodes, undoIds, edges: normalised.edges, findings });
  checkPlaces(nodes, links, findings);
  const isComplete = normalised.isComplete && findings.problems.count === before;
  const finalizers = findFinalizers(nodes);
  const finalizerIds = new Set(finalizers.map(({ nodeId }) => nodeId));
  const startNode = findStartNode({
    ir,
    nodeIds,
    finalizerIds,
    undoIds,
    links,
    isComplete,
    findings,
  });
  if (findings.problems.count > 0) return null;

  const reachable = findReachable(startNode, links);
  const steps = nodes.filter(({ id }) => !finalizerIds.has(id) && !undoIds.has(id));
  warnUnreachable({ nodes: steps, startNode, reachable, findings });
  const schema = ir['state_schema'] ?? null;
  const planNodes = buildNodes({ nodes, links, undos, reachable, timeouts });
  return {
    workflowId: ir.workflow_id,
    version: ir.version,
    startNode,
    nodes: planNodes,
    stateSchema: isJsonObject(schema) ? schema : null,
    executionLabels,
    concurrency,
    rate,
    debounce,
    batch,
    fairness,
    startTimes,
    workflowTimeoutMs: timeouts.workflowTimeoutMs,
    continueAsNew,
    policy,
    budget,
    dataPolicy,
    shownPolicy: joinDataPolicies(
      dataPolicy,
      nodes.map((node) => node.dataPolicy).filter((policy) => policy !== null),
    ),
    parts,
    finalizers,
    undos,
    hasChoice: planNodes.values().some(isChoice),
    reaches: buildReaches(nodes, links),
  };
}

function parseNodes(
  { ir, nodes, edges }: Normalised,
  parts: WorkflowParts,
  findings: Findings,
): readonly ParsedNode[] {
  const retryPolicies = parseRetryPolicies(ir, findings);
  const nodeIds = new Set(nodes.map((node) => node.id));
  const edgesFrom = Map.groupBy(edges, (edge) => edge.from);
  const edgesTo = Map.groupBy(edges, (edge) => edge.to);
  return nodes
    .map((node) => {
      const outEdges = edgesFrom.get(node.id) ?? [];
      const inEdges = edgesTo.get(node.id) ?? [];
      return parseNode({ node, outEdges, inEdges, nodeIds, retryPolicies, parts, findings });
    })
    .filter((node) => node !== null);
}

/** Errors of a node that only the whole workflow shows. */
function checkPlaces(nodes: readonly ParsedNode[], links: Links, { problems }: Findings): void {
  const checked = nodes.filter(({ kind }) => kind.checkPlace !== undefined);
  if (checked.length === 0) return;
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const predecessors = findPredecessors(links);
  for (const node of checked) {
    const before = [...(predecessors.get(node.id) ?? [])].flatMap((id) => {
      const kind = kinds.get(id);
      return kind === undefined ? [] : [{ id, kind }];
    });
    const place = {
      predecessors: before,
      leadsHere: (from: string) => !kinds.has(from) || isWay({ links, from, to: node.id }),
    };
    const found = node.kind.checkPlace?.(node.spec, place) ?? [];
    for (const { pointer, message } of found) problems.add(locate(node, pointer), message);
  }
}

function isWay(of: { readonly links: Links; readonly from: string; readonly to: string }): boolean {
  const passed = new Set([of.from]);
  for (const id of passed) {
    for (const { to } of of.links.edges.get(id) ?? []) {
      if (to === of.to) return true;
      passed.add(to);
    }
  }
  return false;
}

function findFinalizers(nodes: readonly ParsedNode[]): Plan['finalizers'] {
  return nodes.flatMap(({ id, kind, spec }) => {
    const runOn = kind.runOn?.(spec);
    return runOn === undefined ? [] : [{ nodeId: id, runOn }];
  });
}

function findReachable(startNode: string | null, links: Links): ReadonlySet<string> {
  const reachable = new Set(startNode === null ? [] : [startNode]);
  for (const id of reachable) {
    for (const { to } of links.edges.get(id) ?? []) reachable.add(to);
  }
  for (const [body, map] of links.bodyOf) if (reachable.has(map)) reachable.add(body);
  return reachable;
}

function warnUnreachable(params: {
  readonly nodes: readonly ParsedNode[];
  readonly startNode: string | null;
  readonly reachable: ReadonlySet<string>;
  readonly findings: Findings;
}): void {
  for (const { id, pointer } of params.nodes) {
    if (params.reachable.has(id)) continue;
    params.findings.warnings.add(
      'unreachable_node',
      pointer,
      `never runs: nothing leads here from the start node ${JSON.stringify(params.startNode)}`,
    );
  }
}

function buildNodes(params: {
  readonly nodes: readonly ParsedNode[];
  readonly links: Links;
  readonly undos: Plan['undos'];
  readonly reachable: ReadonlySet<string>;
  readonly timeouts: Timeouts;
}): ReadonlyMap<string, PlanNode> {
  const { links, timeouts, undos } = params;
  const undoneBy = Map.groupBy(
    params.nodes.filter(({ id }) => undos.has(id)),
    ({ id }) => undos.get(id)?.nodeId,
  );
  const predecessors = findPredecessors(links);
  return new Map(
    params.nodes.map((node) => [
      node.id,
      {
        id: node.id,
        kind: node.kind,
        spec: node.spec,
        edges: links.edges.get(node.id) ?? [],
        predecessors: [...(predecessors.get(node.id) ?? [])],
        waitFor: links.waitFor.get(node.id) ?? null,
        reachable: params.reachable.has(node.id),
        bodyOf: links.bodyOf.get(node.id) ?? null,
        outputKey: node.outputKey,
        inputMapping: node.inputMapping ?? (undoneBy.has(node.id) ? UNDONE_OUTPUT : null),
        retryPolicy: node.retryPolicy,
        nodeTimeoutMs:
          node.nodeTimeoutMs ?? (node.kind.takesItsTime === true ? null : timeouts.nodeTimeoutMs),
        scheduleToStartMs: timeouts.scheduleToStartMs,
        heartbeatIntervalMs: timeouts.heartbeatIntervalMs,
        approvalTimeoutMs: timeouts.approvalTimeoutMs,
        policy: node.policy,
        // An undo shows what the undone node put out.
        dataPolicy: node.dataPolicy ?? undoneBy.get(node.id)?.[0]?.dataPolicy ?? null,
      },
    ]),
  );
}

/** An undo gets the output of the visit that it undoes. */
const UNDONE_OUTPUT = mappingOf('$output');

function mappingOf(path: string): Mapping {
  const parsed = parseMapping(path);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.mapping;
}

/** Whether it may leave out a node that it leads to. */
function isChoice({ kind, edges }: PlanNode): boolean {
  return (
    kind.type === 'condition' ||
    edges.some((edge) => edge.condition !== null || edge.on !== 'success')
  );
}

function findPredecessors(links: Links): ReadonlyMap<string, ReadonlySet<string>> {
  const predecessors = new Map<string, Set<string>>();
  for (const [from, edges] of links.edges) {
    for (const { to } of edges) {
      const known = predecessors.get(to);
      if (known === undefined) predecessors.set(to, new Set([from]));
      else known.add(from);
    }
  }
  return predecessors;
}

function buildReaches(nodes: readonly ParsedNode[], links: Links): Plan['reaches'] {
  const numbers = new Map(nodes.map((node, index) => [node.id, index]));
  const reaches = computeReachability(
    nodes.map((node) =>
      (links.edges.get(node.id) ?? [])
        .map(({ to }) => numbers.get(to))
        .filter((number) => number !== undefined),
    ),
  );
  return (from, to) => {
    const [fromNumber, toNumber] = [numbers.get(from), numbers.get(to)];
    return fromNumber !== undefined && toNumber !== undefined && reaches(fromNumber, toNumber);
  };
}
