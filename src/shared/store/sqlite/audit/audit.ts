import type { AuditStore } from '../../audit.ts';
import type { Seal, Window } from '../../../domain/audit/seal.ts';
import { appendAudit } from './append.ts';
import { createExporter } from './export.ts';
import { provideSha256, readHistories, readSealable } from './items.ts';
import { listAudit } from './list.ts';
import { listRetired, listRetirements } from './retired.ts';
import { listRegistrations, listStoredDefinitions, listStoredExecutions } from './rows.ts';
import { createSealer } from './seal.ts';
import type { Connection } from '../connection/connect.ts';
import { listImports } from '../executions/imports.ts';
import { toIso } from '../rows.ts';

export function createAuditStore(connection: Connection): AuditStore {
  provideSha256(connection);
  return {
    append: (entry) => connection.write(() => appendAudit(connection, entry)),
    list: (params) => connection.read(() => listAudit(connection, params)),
    export: createExporter(connection),
    seal: createSealer(connection),
    windows: (params) => connection.read(() => listWindows(connection, params)),
    seals: (params) => connection.read(() => listSeals(connection, params)),
    sealable: ({ coversFrom, coversTo, tenantId }) =>
      connection.read(() =>
        readSealable(connection, {
          from: Date.parse(coversFrom),
          to: Date.parse(coversTo),
          tenantId,
        }),
      ),
    retired: ({ executionIds }) => connection.read(() => listRetired(connection, executionIds)),
    retirements: (params) => connection.read(() => listRetirements(connection, params)),
    imports: (params) => connection.read(() => listImports(connection, params)),
    storedDefinitions: (params) => connection.read(() => listStoredDefinitions(connection, params)),
    registrations: (params) => connection.read(() => listRegistrations(connection, params)),
    storedExecutions: (params) => connection.read(() => listStoredExecutions(connection, params)),
    histories: (ids) => connection.read(() => readHistories(connection, ids)),
  };
}

interface WindowRecord {
  readonly window_number: number;
  readonly covers_from: number;
  readonly covers_to: number;
  readonly previous_hash: string;
  readonly hash: string;
  readonly sealed_at: number;
}

function listWindows(
  connection: Connection,
  params: { readonly after: number; readonly limit: number },
): readonly Window[] {
  return connection
    .all<WindowRecord>(
      `select window_number, covers_from, covers_to, previous_hash, hash, sealed_at
       from audit_windows
       where window_number > :after
       order by window_number
       limit :limit`,
      { after: params.after, limit: params.limit },
    )
    .map((row) => ({
      windowNumber: row.window_number,
      coversFrom: toIso(row.covers_from),
      coversTo: toIso(row.covers_to),
      previousHash: row.previous_hash,
      hash: row.hash,
      sealedAt: toIso(row.sealed_at),
    }));
}

interface SealRecord {
  readonly tenant_id: string;
  readonly seal_number: number;
  readonly window_number: number;
  readonly covers_from: number;
  readonly covers_to: number;
  readonly item_count: number;
  readonly members: string;
  readonly previous_hash: string;
  readonly hash: string;
}

function listSeals(
  connection: Connection,
  params: { readonly windowNumber: number },
): readonly Seal[] {
  return connection
    .all<SealRecord>(
      `select tenant_id, seal_number, window_number, covers_from, covers_to, item_count, members,
         previous_hash, hash
       from audit_seals
       where window_number = :window_number
       order by tenant_id, seal_number`,
      { window_number: params.windowNumber },
    )
    .map((row) => ({
      tenantId: row.tenant_id,
      sealNumber: row.seal_number,
      windowNumber: row.window_number,
      coversFrom: toIso(row.covers_from),
      coversTo: toIso(row.covers_to),
      itemCount: row.item_count,
      members: row.members,
      previousHash: row.previous_hash,
      hash: row.hash,
    }));
}
