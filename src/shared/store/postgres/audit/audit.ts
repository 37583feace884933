import { sql } from 'slonik';
import { z } from 'zod';

import type { ExecutionId } from '../../../domain/ids.ts';
import type { AuditStore } from '../../audit.ts';
import { appendAuditEntry } from './append.ts';
import { createExporter } from './export.ts';
import { readHistories, readSealable } from './items.ts';
import { listAudit } from './list.ts';
import { listRegistrations, listStoredDefinitions, listStoredExecutions } from './rows.ts';
import { createSealer } from './seal.ts';
import { listRetired, listRetirements } from './retired.ts';
import { listImports } from '../executions/imports.ts';
import type { Management } from '../connection/management.ts';
import { toUuid } from '../rows.ts';

const WindowRecord = z.object({
  window_number: z.int(),
  covers_from: z.string(),
  covers_to: z.string(),
  previous_hash: z.string(),
  hash: z.string(),
  sealed_at: z.string(),
});

const SealRecord = z.object({
  tenant_id: z.string(),
  seal_number: z.int(),
  window_number: z.int(),
  covers_from: z.string(),
  covers_to: z.string(),
  item_count: z.int(),
  members: z.string(),
  previous_hash: z.string(),
  hash: z.string(),
});

export function createAuditStore(
  management: Management,
  options: { readonly finalMs?: number } = {},
): AuditStore {
  return {
    async append(entry) {
      const one = sql.fragment`(select) one`;
      const { tenantId: tenant } = entry;
      const statement = sql.type(z.object({}))`${appendAuditEntry(entry, one)}`;
      await management.any(statement, { writes: true, tenant });
    },
    list: (params) => listAudit(management, params),
    export: createExporter(management),
    seal: createSealer(management, options),

    storedDefinitions: (params) => listStoredDefinitions(management, params),
    registrations: (params) => listRegistrations(management, params),
    storedExecutions: (params) => listStoredExecutions(management, params),

    async windows({ after, limit }) {
      const rows = await management.any(sql.type(WindowRecord)`
        select w.window_number, w.covers_from, w.covers_to, w.previous_hash, w.hash, w.sealed_at
        from audit_windows w
        where w.window_number > ${after}
        order by w.window_number
        limit ${limit}`);
      return rows.map((row) => ({
        windowNumber: row.window_number,
        coversFrom: row.covers_from,
        coversTo: row.covers_to,
        previousHash: row.previous_hash,
        hash: row.hash,
        sealedAt: row.sealed_at,
      }));
    },

    async seals({ windowNumber }) {
      const rows = await management.any(sql.type(SealRecord)`
        select s.tenant_id, s.seal_number, s.window_number, s.covers_from, s.covers_to,
          s.item_count, s.members, s.previous_hash, s.hash
        from audit_seals s
        where s.window_number = ${windowNumber}
        order by s.tenant_id, s.seal_number`);
      return rows.map((row) => ({
        tenantId: row.tenant_id,
        sealNumber: row.seal_number,
        windowNumber: row.window_number,
        coversFrom: row.covers_from,
        coversTo: row.covers_to,
        itemCount: row.item_count,
        members: row.members,
        previousHash: row.previous_hash,
        hash: row.hash,
      }));
    },

    sealable: ({ coversFrom, coversTo, tenantId }) =>
      readSealable(management, { from: coversFrom, to: coversTo, tenantId, limit: null }),

    retired: ({ executionIds }) => listRetired(management, executionIds),
    retirements: (params) => listRetirements(management, params),
    imports: (params) => listImports(management, params),
    histories: (ids) => readHistories(management, (ids as readonly ExecutionId[]).map(toUuid)),
  };
}
