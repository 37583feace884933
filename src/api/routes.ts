import type { Endpoint } from './endpoint.ts';
import { getWorkflowCard } from './endpoints/a2a/get-workflow-card.ts';
import { activateAgent } from './endpoints/agents/activate-agent.ts';
import { deactivateAgent } from './endpoints/agents/deactivate-agent.ts';
import { discoverAgent } from './endpoints/agents/discover-agent.ts';
import { heartbeatAgent } from './endpoints/agents/heartbeat-agent.ts';
import { previewAgent } from './endpoints/agents/preview-agent.ts';
import { listAgents } from './endpoints/agents/list-agents.ts';
import { readAgent } from './endpoints/agents/read-agent.ts';
import { registerAgent } from './endpoints/agents/register-agent.ts';
import { decideApprovals } from './endpoints/approvals/decide-approvals.ts';
import { listAllApprovals } from './endpoints/approvals/list-all-approvals.ts';
import { downloadArtifact } from './endpoints/artifacts/download-artifact.ts';
import { uploadArtifact } from './endpoints/artifacts/upload-artifact.ts';
import { listAudit } from './endpoints/audit/list-audit.ts';
import { verifyAudit } from './endpoints/audit/verify-audit.ts';
import { approveExecution } from './endpoints/executions/approve-execution.ts';
import { bulkExecutions } from './endpoints/executions/finding/bulk-executions.ts';
import { cancelExecution } from './endpoints/executions/cancel-execution.ts';
import { deliverExternalEvent } from './endpoints/executions/deliver-external-event.ts';
import { explainExecution } from './endpoints/executions/explain-execution.ts';
import { moveExecution } from './endpoints/executions/move-execution.ts';
import { pauseExecution, resumeExecution } from './endpoints/executions/pause-execution.ts';
import { exportExecution } from './endpoints/executions/export-execution.ts';
import { importExecution } from './endpoints/executions/import-execution.ts';
import { listApprovals } from './endpoints/executions/list-approvals.ts';
import { countExecutions } from './endpoints/executions/finding/count-executions.ts';
import { listExecutions } from './endpoints/executions/finding/list-executions.ts';
import { readEvents } from './endpoints/executions/read-events.ts';
import { readExecution } from './endpoints/executions/read-execution.ts';
import { readResult } from './endpoints/executions/read-result.ts';
import { blameState } from './endpoints/executions/history/blame-state.ts';
import { compareState } from './endpoints/executions/history/compare-state.ts';
import { readState } from './endpoints/executions/history/read-state.ts';
import { readTimeline } from './endpoints/executions/history/read-timeline.ts';
import { forkExecution } from './endpoints/executions/fork/fork-execution.ts';
import { listForks } from './endpoints/executions/fork/list-forks.ts';
import { retryExecution } from './endpoints/executions/retry-execution.ts';
import { startExecution } from './endpoints/executions/start-execution.ts';
import { startExecutions } from './endpoints/executions/start-executions.ts';
import { listFailuresOfGroup } from './endpoints/failures/list-failures-of-group.ts';
import { listFailures } from './endpoints/failures/list-failures.ts';
import { getHealth } from './endpoints/health/get-health.ts';
import { getReady } from './endpoints/health/get-ready.ts';
import { getRoot } from './endpoints/health/get-root.ts';
import { addFact } from './endpoints/memory/add-fact.ts';
import { changeMemorySettings } from './endpoints/memory/change-memory-settings.ts';
import { forgetFacts } from './endpoints/memory/forget-facts.ts';
import { listFacts } from './endpoints/memory/list-facts.ts';
import { readMemorySettings } from './endpoints/memory/read-memory-settings.ts';
import { readMemoryStats } from './endpoints/memory/read-memory-stats.ts';
import { recallFacts } from './endpoints/memory/recall-facts.ts';
import { saveMemorySettings } from './endpoints/memory/save-memory-settings.ts';
import { testMemorySettings } from './endpoints/memory/test-memory-settings.ts';
import { getOpenApi } from './endpoints/openapi/get-openapi.ts';
import { getWorkflowSchema } from './endpoints/openapi/get-workflow-schema.ts';
import { examineSystem } from './endpoints/system/examine-system.ts';
import { listSettings } from './endpoints/system/list-settings.ts';
import { readSystem } from './endpoints/system/read-system.ts';
import { createTenant } from './endpoints/tenants/create-tenant.ts';
import { listTenants } from './endpoints/tenants/list-tenants.ts';
import { readTenant } from './endpoints/tenants/read-tenant.ts';
import { updateTenant } from './endpoints/tenants/update-tenant.ts';
import { backfillSchedule } from './endpoints/schedules/backfill-schedule.ts';
import { createSchedule } from './endpoints/schedules/create-schedule.ts';
import { deleteSchedule } from './endpoints/schedules/delete-schedule.ts';
import { previewSchedule } from './endpoints/schedules/preview-schedule.ts';
import { triggerSchedule } from './endpoints/schedules/trigger-schedule.ts';
import { listSchedules } from './endpoints/schedules/list-schedules.ts';
import { readSchedule } from './endpoints/schedules/read-schedule.ts';
import { SCHEDULE_PATHS } from './endpoints/schedules/schedule-shape.ts';
import { updateSchedule } from './endpoints/schedules/update-schedule.ts';
import { createToken } from './endpoints/tokens/create-token.ts';
import { listTokens } from './endpoints/tokens/list-tokens.ts';
import { revokeToken } from './endpoints/tokens/revoke-token.ts';
import { rotateToken } from './endpoints/tokens/rotate-token.ts';
import { getAgentCard, getRuntimeCard } from './endpoints/well-known/get-runtime-card.ts';
import { getDid } from './endpoints/well-known/get-did.ts';
import { createWebhook } from './endpoints/webhooks/create-webhook.ts';
import { deleteWebhook } from './endpoints/webhooks/delete-webhook.ts';
import { listDeliveries } from './endpoints/webhooks/list-deliveries.ts';
import { redeliverMessage } from './endpoints/webhooks/redeliver-message.ts';
import { listWebhooks } from './endpoints/webhooks/list-webhooks.ts';
import { claimWorkItem } from './endpoints/work-items/claim-work-item.ts';
import { completeWorkItem } from './endpoints/work-items/complete-work-item.ts';
import { failWorkItem } from './endpoints/work-items/fail-work-item.ts';
import { listDeadLetters } from './endpoints/work-items/list-dead-letters.ts';
import { releaseWorkItem } from './endpoints/work-items/release-work-item.ts';
import { readDeadLetter } from './endpoints/work-items/read-dead-letter.ts';
import { readJournal } from './endpoints/work-items/read-journal.ts';
import { recordSteps } from './endpoints/work-items/record-steps.ts';
import { renewLease } from './endpoints/work-items/renew-lease.ts';
import { reportWorkItems } from './endpoints/work-items/report-work-items.ts';
import { requeueWorkItem } from './endpoints/work-items/requeue-work-item.ts';
import { continueWorkItem } from './endpoints/work-items/continue-work-item.ts';
import { suspendWorkItem } from './endpoints/work-items/suspend-work-item.ts';
import { listLeases } from './endpoints/queues/list-leases.ts';
import { listQueues } from './endpoints/queues/list-queues.ts';
import { listRetentionPolicies } from './endpoints/retention/list-policies.ts';
import { previewRetention } from './endpoints/retention/preview-retention.ts';
import { removeRetentionPolicy } from './endpoints/retention/remove-policy.ts';
import { setRetentionPolicy } from './endpoints/retention/set-policy.ts';
import { listWorkers } from './endpoints/workers/list-workers.ts';
import { listWorkflows } from './endpoints/workflows/list-workflows.ts';
import { pauseWorkflow, resumeWorkflow } from './endpoints/workflows/pause-workflow.ts';
import { readWorkflow } from './endpoints/workflows/read-workflow.ts';
import { registerWorkflow } from './endpoints/workflows/register-workflow.ts';
import { simulateWorkflow } from './endpoints/workflows/simulate-workflow.ts';
import { validateWorkflow } from './endpoints/workflows/validate-workflow.ts';
import { whoAmI } from './endpoints/whoami/who-am-i.ts';

/** Every endpoint there is, in the order of the interface document; additions follow their area. */
export const routes: readonly Endpoint[] = [
  getRoot,
  getHealth,
  getReady,
  whoAmI,
  getDid,
  getRuntimeCard,
  getAgentCard,

  registerWorkflow,
  validateWorkflow,
  simulateWorkflow,
  listWorkflows,
  readWorkflow,
  pauseWorkflow,
  resumeWorkflow,

  startExecution,
  startExecutions,
  listExecutions,
  countExecutions,
  readExecution,
  readResult,
  explainExecution,
  readEvents,
  readState,
  compareState,
  blameState,
  readTimeline,
  exportExecution,
  importExecution,
  cancelExecution,
  pauseExecution,
  resumeExecution,
  moveExecution,
  retryExecution,
  forkExecution,
  listForks,
  bulkExecutions,
  approveExecution,
  listApprovals,
  deliverExternalEvent,

  listAllApprovals,
  decideApprovals,

  registerAgent,
  listAgents,
  readAgent,
  discoverAgent,
  previewAgent,
  activateAgent,
  deactivateAgent,
  heartbeatAgent,

  getWorkflowCard,

  listAudit,
  verifyAudit,

  createTenant,
  listTenants,
  readTenant,
  updateTenant,

  listWorkers,
  listQueues,
  listLeases,
  listFailures,
  listFailuresOfGroup,

  readSystem,
  examineSystem,
  listSettings,

  claimWorkItem,
  reportWorkItems,
  renewLease,
  recordSteps,
  suspendWorkItem,
  continueWorkItem,
  readJournal,
  completeWorkItem,
  failWorkItem,
  releaseWorkItem,
  listDeadLetters,
  readDeadLetter,
  requeueWorkItem,

  uploadArtifact,
  downloadArtifact,

  saveMemorySettings,
  readMemorySettings,
  changeMemorySettings,
  testMemorySettings,
  addFact,
  recallFacts,
  forgetFacts,
  listFacts,
  readMemoryStats,

  createWebhook,
  listWebhooks,
  deleteWebhook,
  listDeliveries,
  redeliverMessage,

  ...SCHEDULE_PATHS.flatMap((path) => [
    createSchedule(path),
    listSchedules(path),
    readSchedule(path),
    updateSchedule(path),
    deleteSchedule(path),
  ]),
  previewSchedule,
  triggerSchedule,
  backfillSchedule,

  listRetentionPolicies,
  setRetentionPolicy,
  removeRetentionPolicy,
  previewRetention,

  createToken,
  listTokens,
  revokeToken,
  rotateToken,

  getOpenApi,
  getWorkflowSchema,
];
