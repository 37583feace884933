import { claimsOf } from '../invariants/checks/check-claims.ts';
import type { History } from '../invariants/history.ts';
import {
  askToCancel,
  askToComplete,
  askToDecide,
  askToDeliver,
  askToFail,
  askToRead,
} from './requests.ts';
import type { Network } from './network.ts';
import { TENANTS } from './workflows.ts';

/**
 * After the end, settles every lease of the history again, and has another tenant ask for every
 * execution. The service must refuse each request and change no table.
 */
export async function sendRefusable(
  network: Network,
  of: {
    readonly history: History;
    readonly known: readonly { readonly tenantId: string; readonly executionId: string }[];
  },
): Promise<void> {
  for (const claim of claimsOf(of.history)) {
    for (const tenantId of TENANTS) {
      const by = { client: 'latecomer', tenantId };
      await network.send(askToComplete(by, { ...claim, output: { token: 'too late' } }));
      await network.send(askToFail(by, claim));
    }
  }
  for (const { tenantId, executionId } of of.known) {
    for (const stranger of TENANTS.filter((name) => name !== tenantId)) {
      const by = { client: 'stranger', tenantId: stranger };
      await network.send(askToRead(by, { executionId }));
      await network.send(askToCancel(by, { executionId }));
      const token = `strange ${executionId}`;
      const asked = { executionId, decision: 'approved', token, patchesState: true } as const;
      await network.send(askToDecide(by, asked));
      await network.send(askToDeliver(by, { executionId, correlationKey: 'paid', token }));
    }
  }
}
