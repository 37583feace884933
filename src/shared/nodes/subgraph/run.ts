import { labelExecution } from '../../domain/execution/labels/label-execution.ts';
import { executionIdFromUuid, type DefinitionId, type TenantId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { tellViolations } from '../../domain/tell-violations.ts';
import type { LabelMappings } from '../../domain/workflow/plan/plan.ts';
import type { CpuCaller } from '../../ports/cpu.ts';
import type { SubgraphSpec } from './spec.ts';
import type { NodeOutcome, NodeRunner } from '../run.ts';

export interface SubgraphDeps {
  readonly workflows: ChildWorkflows;
}

/** The engine's reads of workflows that may run as children. */
export interface ChildWorkflows {
  find(of: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    /** Null: the version registered last. */
    readonly version: string | null;
  }): Promise<FoundDefinition | null>;
  /** The violations of the value. */
  validate(of: {
    readonly schema: JsonObject;
    readonly value: JsonObject;
    readonly caller: CpuCaller;
  }): Promise<readonly string[]>;
  newId(): string;
}

/**
 * Finds the workflow that a `subgraph` names and checks the input. Nothing starts here: the child
 * begins with the commit that settles this item, so there is one child however often this runs.
 */
export function createSubgraphRunner({ workflows }: SubgraphDeps): NodeRunner<SubgraphSpec> {
  return {
    async run({ spec, input, tenantId, signal }) {
      const { workflowId, version } = spec;
      if (!isJsonObject(input)) {
        return refuse(`the input of workflow ${workflowId} must be an object`, 'invalid_input');
      }
      const definition = await workflows.find({ tenantId, workflowId, version });
      if (definition === null) {
        const which = version === null ? '' : ` version ${version}`;
        return refuse(`there is no workflow ${workflowId}${which}`, 'not_found');
      }
      const schema = definition.stateSchema;
      const caller: CpuCaller = { tenantId, signal, whenBusy: 'waits' };
      const violations =
        schema === null ? [] : await workflows.validate({ schema, value: input, caller });
      if (violations.length > 0) {
        const told = tellViolations(violations, 'child').join('; ');
        const error = `input does not satisfy the state schema of ${workflowId}: ${told}`;
        return refuse(error, 'invalid_input');
      }
      const labelled = labelExecution(definition.executionLabels, input);
      if (!labelled.ok)
        return refuse(`workflow ${workflowId}: ${labelled.message}`, 'invalid_input');
      return {
        ok: 'child',
        child: {
          executionId: executionIdFromUuid(workflows.newId()),
          definitionId: definition.definitionId,
          workflowId: definition.workflowId,
          workflowVersion: definition.version,
          input,
          labels: labelled.labels,
        },
      };
    },
  };
}

interface FoundDefinition {
  readonly definitionId: DefinitionId;
  readonly workflowId: string;
  readonly version: string;
  readonly stateSchema: JsonObject | null;
  readonly executionLabels: LabelMappings;
}

/** The same attempt would end the same way. */
function refuse(error: string, errorClass: string): NodeOutcome {
  return { ok: false, error, errorClass, final: true };
}
