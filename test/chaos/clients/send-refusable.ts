import { isDeepStrictEqual } from 'node:util';

import type { Dump } from '../../invariants/dump.ts';
import { claimsOf } from '../../invariants/checks/check-claims.ts';
import type { Violation } from '../../invariants/violation.ts';
import { createDice } from '../../simulation/dice.ts';
import type { ClientsParams, Operation } from '../types.ts';
import { connectTo, type Client, type Request } from './ask-service.ts';
import { openBook } from './book.ts';
import {
  askToCancel,
  askToComplete,
  askToDecide,
  askToFail,
  askToRead,
  askToRenew,
} from './requests.ts';
import { provideTenants } from './tenants.ts';

const ITEMS = 20;

/**
 * Sends requests that the service must refuse, once everything has ended: settles under expired
 * fences, decisions without an open question, cancellations of completed executions, and requests
 * for objects of other tenants. None of them may change a table.
 */
export async function sendRefusable(
  params: ClientsParams & {
    readonly deeds: readonly Operation[];
    readonly readDump: () => Promise<Dump>;
  },
): Promise<readonly Violation[]> {
  const { urls, apiKey, seed, deeds, readDump } = params;
  const dice = createDice(seed).fork('refusable');
  const tenants = await provideTenants({ urls, apiKey, dice });
  const service = connectTo({ urls, dice, book: openBook(params) });
  const before = await readDump();
  const clients = new Map<string, Client>(
    tenants.map((tenant) => [tenant.tenantId, { client: 'refused', ...tenant }]),
  );
  const requests: { readonly by: string; readonly request: Request; readonly isRefusal: Judge }[] =
    [];
  for (const { deed, workItemId, fence, key } of claimsOf({ deeds }).slice(-ITEMS)) {
    const held = { workItemId, fence, key };
    const output = { token: `${workItemId}:${fence}:refused` };
    for (const request of [
      askToComplete({ ...held, output }),
      askToFail(held),
      askToRenew('refused', held),
    ]) {
      requests.push({ by: deed.tenantId, request, isRefusal: ({ status }) => status === 409 });
    }
  }
  for (const { id, tenant_id: owner, status } of before.executions.slice(-ITEMS)) {
    const token = `${owner}~refused`;
    const stranger = owner === 'amber' ? 'birch' : 'amber';
    requests.push(
      {
        by: owner,
        request: askToDecide({ executionId: id, decision: 'approved', token }),
        isRefusal: ({ body }) => body['accepted'] === false,
      },
      { by: stranger, request: askToCancel(id), isRefusal: ({ status: is }) => is === 404 },
      { by: stranger, request: askToRead(id), isRefusal: ({ status: is }) => is === 404 },
    );
    if (status === 'completed') {
      requests.push({ by: owner, request: askToCancel(id), isRefusal: (of) => of.status === 400 });
    }
  }
  const violations: Violation[] = [];
  for (const { by, request, isRefusal } of requests) {
    const client = clients.get(by);
    const answer = client === undefined ? null : await service.insist(client, request);
    if (answer === null || isRefusal(answer)) continue;
    violations.push({
      rule: 'what is over is refused',
      about: { tenant: by, path: request.http.path },
      saw: `answered ${answer.status}: ${JSON.stringify(answer.body)}`,
    });
  }
  const after = await readDump();
  for (const [table, rows] of Object.entries(before)) {
    // Sealing continues independently of requests.
    if (table === 'takenAt' || table === 'sealed') continue;
    if (isDeepStrictEqual(inOrder(rows), inOrder(after[table as keyof Dump]))) continue;
    violations.push({
      rule: 'a request that is refused changes no table',
      about: { table },
      saw: `its rows have changed after ${requests.length} requests`,
    });
  }
  return violations;
}

/** Tables have no order: an update that only records a use moves the row. */
function inOrder(rows: Dump[keyof Dump]): readonly string[] {
  return (rows as readonly object[]).map((row) => JSON.stringify(row)).toSorted();
}

type Judge = (answer: {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}) => boolean;
