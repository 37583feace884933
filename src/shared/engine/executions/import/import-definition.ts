import { badRequest, conflict } from '../../../domain/errors.ts';
import type { DefinitionId, TenantId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { Plan } from '../../../domain/workflow/plan/plan.ts';
import { readWorkflow } from '../../../domain/workflow/parse/read-workflow.ts';
import type { ArrivingDefinition } from '../../../store/imports.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';
import type { ImportDocument } from './import-document.ts';

export interface KnownDefinition extends ArrivingDefinition {
  readonly plan: Plan;
}

/**
 * The definition that a document's execution ran on: the one that has its id here, else the one in the
 * document, else the same content registered here under another id, for archives leave it out.
 */
export async function findDefinition(
  deps: UseCaseDeps,
  { tenantId, document }: { readonly tenantId: TenantId; readonly document: ImportDocument },
): Promise<KnownDefinition> {
  const { definition, execution } = document;
  const { definition_id: id, ir_hash: irHash, revision } = definition;
  if (id !== execution.definition_id) {
    throw badRequest('the document cannot be imported: its definition is not the one it ran on');
  }
  const definitionId = id as DefinitionId;
  const { definitions } = deps.store;
  const stored = await definitions.find(definitionId);
  if (stored !== null && (stored.tenantId !== tenantId || stored.irHash !== irHash)) {
    throw conflict(`another definition has the id ${id} that ${execution.execution_id} ran on`);
  }
  const named = {
    tenantId,
    workflowId: execution.workflow_id,
    version: execution.workflow_version,
  };
  const ir = stored?.ir ?? definition.ir ?? (await findSame(deps, named, irHash));
  if (ir === null) {
    throw badRequest(
      `the document cannot be imported: the definition it ran on is neither in it nor here: register ${execution.workflow_id} ${execution.workflow_version} with the content ${irHash} first, or import an export of an execution of it`,
    );
  }
  const read = readWorkflow({ ir, kinds: deps.kinds });
  if (!read.ok) {
    const [problem] = read.problems;
    throw badRequest(
      `the document cannot be imported: its definition is no workflow here: ${problem?.message ?? 'unknown'}`,
    );
  }
  // A stored definition is identified by its id; the result of reading it may have changed since.
  if (stored === null && read.irHash !== irHash) {
    throw badRequest('the document cannot be imported: the ir_hash is not that of its definition');
  }
  const { workflowId, version } = read.plan;
  // A new one is kept as it is hashed.
  const kept = stored?.ir ?? read.ir;
  return { definitionId, workflowId, version, revision, irHash, ir: kept, plan: read.plan };
}

async function findSame(
  { store }: UseCaseDeps,
  named: {
    readonly tenantId: TenantId;
    readonly workflowId: string;
    readonly version: string;
  },
  irHash: string,
): Promise<JsonObject | null> {
  const newest = await store.definitions.findLatest(named);
  return newest?.irHash === irHash ? newest.ir : null;
}
