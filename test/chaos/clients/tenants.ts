import { eventually } from '../../support/eventually.ts';
import { sendRequest, type HttpRequest } from '../../support/http.ts';
import { expectStatus } from '../../support/tenant.ts';
import type { Dice } from '../../simulation/dice.ts';
import type { TenantOf } from './stage.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';
import { definitionsFor, FUNCTION_NAME } from './workflows.ts';

/** The real workers belong to the first tenant. The last one has a low limit of executions. */
export const TENANTS = [
  { tenantId: 'default', executionsMax: null },
  { tenantId: 'amber', executionsMax: null },
  { tenantId: 'birch', executionsMax: null },
  { tenantId: 'cedar', executionsMax: 3 },
] as const;

const SETUP_MS_MAX = 60_000;

interface At {
  readonly urls: readonly string[];
  readonly apiKey: string;
  readonly dice: Dice;
}

/** Creates the missing tenants, and a new token for each. */
export async function provideTenants(at: At): Promise<readonly TenantOf[]> {
  const tenants: TenantOf[] = [];
  for (const { tenantId, executionsMax } of TENANTS) {
    if (tenantId !== 'default') {
      await send(at, { path: '/tenants', body: { id: tenantId, name: tenantId } }, 201, 409);
    }
    if (executionsMax !== null) {
      const limits = { max_concurrent_executions: executionsMax };
      await send(at, { method: 'PUT', path: `/tenants/${tenantId}`, body: { limits } }, 200);
    }
    const minted = await send<{ token: string }>(
      at,
      { path: '/tokens', tenantId, body: { name: 'chaos', role: 'developer' } },
      201,
    );
    tenants.push({ tenantId, token: minted.token, executionsMax });
  }
  return tenants;
}

export async function registerWorkflows(
  at: At & { readonly tenants: readonly TenantOf[]; readonly outsideUrl: string },
): Promise<void> {
  for (const { token } of at.tenants) {
    for (const ir of definitionsFor(at.outsideUrl)) {
      await send(at, { path: '/workflows', token, body: { ir } }, 201);
    }
  }
  await send(at, { path: `/workflows/${FUNCTION_NAME}` }, 200);
}

/** Creates a webhook of each tenant, for all events. */
export async function provideWebhooks(
  at: At & { readonly tenants: readonly TenantOf[]; readonly receiver: WebhookReceiver },
): Promise<void> {
  const { tenants, receiver } = at;
  for (const { tenantId, token } of tenants) {
    const body = { url: receiver.urlOf(tenantId) };
    const made = await send<{ secret: string }>(at, { path: '/webhooks', token, body }, 201);
    receiver.expect(tenantId, made.secret);
  }
}

/** Sends until the expected answer comes. */
function send<Body>(
  { urls, apiKey, dice }: At,
  request: HttpRequest,
  ...statuses: readonly number[]
): Promise<Body> {
  return eventually(
    async () => {
      const signal = AbortSignal.timeout(5_000);
      const url = dice.pick(urls);
      const reply = await sendRequest<Body>(url, { token: apiKey, signal, ...request });
      return statuses.includes(reply.status) ? reply.body : expectStatus(reply, statuses[0] ?? 0);
    },
    { withinMs: SETUP_MS_MAX },
  );
}
