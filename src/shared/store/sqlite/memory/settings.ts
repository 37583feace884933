import type { TenantId } from '../../../domain/ids.ts';
import type { MemorySettings, MemoryStore } from '../../memory.ts';
import { appendAudit } from '../audit/append.ts';
import type { Connection } from '../connection/connect.ts';

export function createMemorySettings(
  connection: Connection,
): Pick<
  MemoryStore,
  'readSettings' | 'saveSettings' | 'setEnabled' | 'listSealedKeys' | 'replaceKey'
> {
  return {
    readSettings: (tenantId) =>
      connection.read(() => {
        const row = connection.get<SettingsRecord>(
          `select provider, enabled, key_id, sealed_key
           from memory_settings
           where tenant_id = :tenant_id`,
          { tenant_id: tenantId },
        );
        return row === undefined ? null : decodeSettings(row);
      }),

    saveSettings: ({ tenantId, provider, key, enabled, actorId }) =>
      connection.write(() => {
        const row = connection.get<SettingsRecord>(
          `insert into memory_settings (
             tenant_id, provider, enabled, key_id, sealed_key, updated_at
           )
           values (:tenant_id, :provider, :enabled, :key_id, :sealed_key, :now)
           on conflict (tenant_id) do update
           set provider = excluded.provider,
             enabled = excluded.enabled,
             key_id = excluded.key_id,
             sealed_key = excluded.sealed_key,
             updated_at = excluded.updated_at
           returning provider, enabled, key_id, sealed_key`,
          {
            tenant_id: tenantId,
            provider,
            enabled: Number(enabled),
            key_id: key.keyId,
            sealed_key: key.box,
            now: connection.now(),
          },
        );
        appendAudit(connection, {
          tenantId,
          executionId: null,
          eventType: 'memory_settings_saved',
          actorId,
          payload: { provider, enabled },
        });
        return decodeSettings(row);
      }),

    setEnabled: ({ tenantId, enabled, actorId }) =>
      connection.write(() => {
        const row = connection.get<SettingsRecord>(
          `insert into memory_settings (tenant_id, enabled, updated_at)
           values (:tenant_id, :enabled, :now)
           on conflict (tenant_id) do update
           set enabled = excluded.enabled,
             updated_at = excluded.updated_at
           returning provider, enabled, key_id, sealed_key`,
          { tenant_id: tenantId, enabled: Number(enabled), now: connection.now() },
        );
        appendAudit(connection, {
          tenantId,
          executionId: null,
          eventType: 'memory_settings_changed',
          actorId,
          payload: { enabled },
        });
        return decodeSettings(row);
      }),

    listSealedKeys: ({ after, limit }) =>
      connection.read(() =>
        connection
          .all<SealedRecord>(
            `select tenant_id, key_id, sealed_key
             from memory_settings
             where tenant_id > :after
               and key_id is not null
             order by tenant_id
             limit :limit`,
            { after: after ?? '', limit },
          )
          .map(({ tenant_id, key_id, sealed_key }) => ({
            tenantId: tenant_id as TenantId,
            key: { keyId: key_id, box: sealed_key },
          })),
      ),

    replaceKey: ({ tenantId, from, to }) =>
      connection.write(() => {
        const replaced = connection.run(
          `update memory_settings
           set key_id = :to_id, sealed_key = :to_box, updated_at = :now
           where tenant_id = :tenant_id
             and key_id = :from_id
             and sealed_key = :from_box`,
          {
            tenant_id: tenantId,
            from_id: from.keyId,
            from_box: from.box,
            to_id: to.keyId,
            to_box: to.box,
            now: connection.now(),
          },
        );
        return replaced > 0;
      }),
  };
}

interface SettingsRecord {
  readonly provider: string | null;
  readonly enabled: number;
  readonly key_id: string | null;
  readonly sealed_key: string | null;
}

interface SealedRecord {
  readonly tenant_id: string;
  readonly key_id: string;
  readonly sealed_key: string;
}

function decodeSettings(row: SettingsRecord | undefined): MemorySettings {
  if (row === undefined) throw new Error('the settings that were written were not returned');
  const { provider, enabled, key_id, sealed_key } = row;
  const key = key_id === null || sealed_key === null ? null : { keyId: key_id, box: sealed_key };
  return { provider, enabled: enabled === 1, key };
}
