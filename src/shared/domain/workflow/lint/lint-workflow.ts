import type { JsonObject } from '../../json.ts';
import type { KindRegistry } from '../kind-registry.ts';
import type { Plan } from '../plan/plan.ts';
import { WarningList, type Warning } from '../problem.ts';
import { createPathChecker } from './check-state-path.ts';
import { pathsInValue } from './paths-in-value.ts';
import { tellUnknownField } from './tell-unknown-field.ts';
import { walkDefinition } from './walk-definition.ts';

/**
 * Warns of names in a definition that nothing reads and of paths that the state will not have: slips
 * that let a workflow run, and do something else than its author meant. `ir` is as the author wrote
 * it; its paths are checked once there is a plan.
 */
export function lintWorkflow(params: {
  readonly ir: JsonObject;
  readonly plan: Plan | null;
  readonly kinds: KindRegistry;
}): readonly Warning[] {
  const { ir, plan, kinds } = params;
  const warnings = new WarningList();
  const checkPath = plan === null ? null : createPathChecker(plan);
  walkDefinition({
    ir,
    definitions: kinds.definitions(),
    kindOf: (type) => kinds.lookUp(type),
    visitor: {
      unknownField(found) {
        const message = warnings.isFull ? '' : tellUnknownField(found);
        warnings.add('unknown_field', found.pointer, message);
      },
      value({ pointer, name, value, nodeId }) {
        if (checkPath === null || warnings.isFull) return;
        const place = { nodeId, seesInput: seesInput(plan, nodeId, pointer) };
        const told = new Set<string>();
        for (const path of pathsInValue(name, value)) {
          const message = checkPath(path, place);
          const at = pointer + path.pointer;
          if (message === null || told.has(at + message)) continue;
          told.add(at + message);
          warnings.add('unknown_state_path', at, message);
        }
      },
    },
  });
  return warnings.toArray();
}

/** Tools and prompts see the input of their node, which its `input_mapping` may have made. */
function seesInput(plan: Plan | null, nodeId: string | null, pointer: string): boolean {
  if (nodeId === null)
    return pointer.startsWith('/edges') || pointer.startsWith('/continue_as_new');
  const node = plan?.nodes.get(nodeId);
  return node !== undefined && (node.inputMapping === null || node.kind.type !== 'model');
}
