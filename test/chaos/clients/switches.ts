import { askToPauseWorkflow, askToResumeWorkflow } from './requests.ts';
import { clientOf, type Stage, type TenantOf } from './stage.ts';
import { workflowsOf } from './workflows.ts';

/** Pauses a workflow of the tenant for a while, now and then. */
export async function runSwitch(stage: Stage, tenant: TenantOf): Promise<void> {
  const dice = stage.dice.fork(`${tenant.tenantId} switch`);
  const by = clientOf(tenant, 'switch');
  while (!stage.isOver()) {
    await stage.pause(dice.between(500, 5_000));
    const workflowId = dice.pick(workflowsOf(tenant));
    await stage.service.insist(by, askToPauseWorkflow(workflowId));
    await stage.pause(dice.between(0, 2_500));
    await stage.service.insist(by, askToResumeWorkflow(workflowId));
  }
}

/** A run may have ended between a pause and its end. */
export async function resumeWorkflows(stage: Stage): Promise<void> {
  for (const tenant of stage.tenants) {
    for (const workflowId of workflowsOf(tenant)) {
      await stage.service.insist(clientOf(tenant, 'finisher'), askToResumeWorkflow(workflowId));
    }
  }
}
