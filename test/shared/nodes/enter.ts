import type { ExecutionId } from '../../../src/shared/domain/ids.ts';
import type { JsonObject, JsonValue } from '../../../src/shared/domain/json.ts';
import { readWorkflow } from '../../../src/shared/domain/workflow/ir.ts';
import type { EnterContext, Entry, Plan } from '../../../src/shared/domain/workflow/plan/plan.ts';
import { builtInKinds } from '../../../src/shared/nodes/index.ts';

/** The plan of a valid definition. */
export function planOf(ir: object): Plan {
  const read = readWorkflow({ ir: { workflow_id: 'w', ...ir }, kinds: builtInKinds });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.plan;
}

/** Problems of a definition as `pointer: message`. */
export function problemsOf(ir: unknown): readonly string[] {
  const read = readWorkflow({ ir, kinds: builtInKinds });
  return read.ok ? [] : read.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
}

/** Problems of one node, by pointers below it. */
export function nodeProblems(node: JsonObject): readonly string[] {
  const nodes = { n: node, other: {} };
  const ir = { workflow_id: 'w', start_node: 'n', nodes };
  return problemsOf(ir).map((problem) => problem.replace(/^\/nodes\/n/, ''));
}

export interface Surroundings {
  readonly state?: JsonObject;
  readonly output?: JsonValue;
  readonly input?: JsonObject;
  readonly item?: NonNullable<EnterContext['item']>;
  readonly arrivals?: EnterContext['arrivals'];
  readonly edges?: readonly JsonObject[];
  readonly timeouts?: JsonObject;
  readonly visit?: number;
}

/** Enters node `n`, which has the neighbours `a`, `b` and `c`. */
export function enter(node: JsonObject, around: Surroundings = {}): Entry {
  const { edges = [], timeouts = {}, state = {}, input = {}, item = null } = around;
  const nodes = { n: node, a: {}, b: {}, c: {} };
  const planNode = planOf({ start_node: 'n', nodes, edges, timeouts }).nodes.get('n');
  if (planNode === undefined) throw new Error('the plan has no node n');
  return planNode.kind.enter(planNode.spec, {
    node: planNode,
    executionId: 'exec_0190a0b0c0d07000800000000000000f' as ExecutionId,
    workflowId: 'w',
    workflowVersion: '1.0.0',
    visit: around.visit ?? 0,
    scope: {
      state,
      output: around.output ?? null,
      input: item === null ? input : { ...input, [item.key]: item.value },
      execution: {},
    },
    arrivals: around.arrivals ?? [],
    item,
  });
}
