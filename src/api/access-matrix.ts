import type { Role } from '../shared/domain/access.ts';

/**
 * Who may use which route, written down a second time: routes say what access they ask for, this
 * table says for whom that is. A test holds the two together, so a route without an entry, or one
 * that lets in somebody else than this says, does not pass.
 */
export type Grant = 'anyone' | readonly Role[];

const ANYONE: Grant = 'anyone';
/** All but workers, which read no more than their items. */
const ALL_ROLES = ['operator', 'developer', 'reviewer', 'viewer'] as const satisfies Grant;
const WRITERS: Grant = ['operator', 'developer'];
const OPERATORS: Grant = ['operator'];
const WORKERS: Grant = ['operator', 'developer', 'worker'];

export const ACCESS_MATRIX: Readonly<Record<string, Grant>> = {
  'GET /': ANYONE,
  'GET /health': ANYONE,
  // Anyone, where auth.open_ready is set.
  'GET /ready': ALL_ROLES,
  'GET /.well-known/did.json': ANYONE,
  'GET /.well-known/agent.json': ANYONE,
  'GET /.well-known/agent-card.json': ANYONE,

  'POST /workflows': WRITERS,
  'GET /workflows': ALL_ROLES,
  'GET /workflows/:id': ALL_ROLES,
  'POST /workflows/:id/pause': WRITERS,
  'POST /workflows/:id/resume': WRITERS,

  'POST /executions': WRITERS,
  'GET /executions': ALL_ROLES,
  'GET /executions/:id': ALL_ROLES,
  'GET /executions/:id/explain': ALL_ROLES,
  'GET /executions/:id/events': ALL_ROLES,
  'GET /executions/:id/export': ALL_ROLES,
  'POST /executions/import': OPERATORS,
  'POST /executions/:id/cancel': WRITERS,
  'POST /executions/:id/pause': WRITERS,
  'POST /executions/:id/resume': WRITERS,
  'POST /executions/:id/retry': WRITERS,
  'POST /executions/bulk': WRITERS,
  // Reviewers too, where auth.reviewers_may_approve is set.
  'POST /executions/:id/approve': WRITERS,
  'GET /executions/:id/approvals': ALL_ROLES,
  'POST /executions/:id/external-event': WRITERS,

  'POST /agents': WRITERS,
  'GET /agents': ALL_ROLES,
  'GET /agents/:id': ALL_ROLES,
  'POST /agents/discover': WRITERS,
  'POST /agents/:id/activate': WRITERS,
  'POST /agents/:id/deactivate': WRITERS,
  'POST /agents/:id/heartbeat': WRITERS,

  'GET /a2a/:workflow_id/.well-known/agent-card.json': ALL_ROLES,

  // Operators of the tenant `default`; others read their own tenant.
  'POST /tenants': OPERATORS,
  'GET /tenants': OPERATORS,
  'GET /tenants/:id': OPERATORS,
  'PUT /tenants/:id': OPERATORS,

  'GET /workers': ALL_ROLES,
  'GET /audit': ALL_ROLES,

  'POST /work-items/claim': WORKERS,
  'POST /work-items/:id/heartbeat': WORKERS,
  'POST /work-items/:id/complete': WORKERS,
  'POST /work-items/:id/fail': WORKERS,
  'POST /work-items/:id/release': WORKERS,
  'GET /work-items': WRITERS,
  'POST /work-items/:id/requeue': WRITERS,

  'POST /artifacts': WORKERS,
  // Workers: those of items that are out.
  'GET /artifacts/:hash': [...ALL_ROLES, 'worker'],

  'POST /webhooks': WRITERS,
  'GET /webhooks': WRITERS,
  'DELETE /webhooks/:id': WRITERS,
  'GET /webhooks/:id/deliveries': WRITERS,

  'POST /schedules': WRITERS,
  'GET /schedules': ALL_ROLES,
  'GET /schedules/:id': ALL_ROLES,
  'PUT /schedules/:id': WRITERS,
  'DELETE /schedules/:id': WRITERS,
  'POST /cron': WRITERS,
  'GET /cron': ALL_ROLES,
  'GET /cron/:id': ALL_ROLES,
  'PUT /cron/:id': WRITERS,
  'DELETE /cron/:id': WRITERS,

  'GET /retention/policies': OPERATORS,
  'PUT /retention/policies': OPERATORS,
  'DELETE /retention/policies': OPERATORS,

  'POST /tokens': OPERATORS,
  'GET /tokens': OPERATORS,
  'DELETE /tokens/:id': OPERATORS,
  'POST /tokens/:id/rotate': OPERATORS,

  'GET /openapi.json': ALL_ROLES,
  'GET /workflow.schema.json': ALL_ROLES,

  'POST /v1/memory/settings': WRITERS,
  'GET /v1/memory/settings': ALL_ROLES,
  'PATCH /v1/memory/settings': WRITERS,
  'POST /v1/memory/settings/test': WRITERS,
  'POST /v1/memory/add': WRITERS,
  'POST /v1/memory/recall': WRITERS,
  'POST /v1/memory/forget': WRITERS,
  'GET /v1/memory/facts': ALL_ROLES,
  'GET /v1/memory/stats': ALL_ROLES,
};
