import type { TenantId } from '../../../domain/ids.ts';
import { newAuditId } from '../../rows/audit-ids.ts';
import type { MemorySettings, MemoryStore } from '../../memory.ts';
import { appendAudit } from '../audit/append.ts';
import type { PostgresPool, Statement } from '../connection/connect.ts';

export function createMemorySettings(
  pool: PostgresPool,
): Pick<
  MemoryStore,
  'readSettings' | 'saveSettings' | 'setEnabled' | 'listSealedKeys' | 'replaceKey'
> {
  return {
    async readSettings(tenantId) {
      const [row] = await pool.run<SettingsRecord>(READ, [tenantId]);
      return row === undefined ? null : decodeSettings(row);
    },

    async saveSettings({ tenantId, provider, key, enabled, actorId }) {
      const values = [tenantId, provider, enabled, key.keyId, key.box, newAuditId(), actorId];
      return decodeSettings(only(await pool.run<SettingsRecord>(SAVE, values)));
    },

    async setEnabled({ tenantId, enabled, actorId }) {
      const values = [tenantId, enabled, newAuditId(), actorId];
      return decodeSettings(only(await pool.run<SettingsRecord>(SET_ENABLED, values)));
    },

    async listSealedKeys({ after, limit }) {
      const rows = await pool.run<SealedRecord>(LIST_SEALED, [after ?? '', limit]);
      return rows.map(({ tenant_id, key_id, sealed_key }) => ({
        tenantId: tenant_id,
        key: { keyId: key_id, box: sealed_key },
      }));
    },

    async replaceKey({ tenantId, from, to }) {
      const values = [tenantId, from.keyId, from.box, to.keyId, to.box];
      return (await pool.run(REPLACE_KEY, values)).length > 0;
    },
  };
}

interface SettingsRecord {
  readonly provider: string | null;
  readonly enabled: boolean;
  readonly key_id: string | null;
  readonly sealed_key: string | null;
}

interface SealedRecord {
  readonly tenant_id: TenantId;
  readonly key_id: string;
  readonly sealed_key: string;
}

function decodeSettings({ provider, enabled, key_id, sealed_key }: SettingsRecord): MemorySettings {
  const key = key_id === null || sealed_key === null ? null : { keyId: key_id, box: sealed_key };
  return { provider, enabled, key };
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the settings that were written were not returned');
  return row;
}

const READ: Statement = {
  name: 'read-memory-settings',
  writes: false,
  text: `
    select s.provider, s.enabled, s.key_id, s.sealed_key
    from memory_settings s
    where s.tenant_id = $1`,
};

const SAVE: Statement = {
  name: 'save-memory-settings',
  writes: true,
  text: `
    with saved as (
      insert into memory_settings as s (
        tenant_id, provider, enabled, key_id, sealed_key, updated_at
      )
      values ($1, $2, $3, $4, $5, date_trunc('milliseconds', clock_timestamp()))
      on conflict (tenant_id) do update
      set provider = excluded.provider,
        enabled = excluded.enabled,
        key_id = excluded.key_id,
        sealed_key = excluded.sealed_key,
        updated_at = excluded.updated_at
      returning s.tenant_id, s.provider, s.enabled, s.key_id, s.sealed_key
    ),
    audited as (${appendAudit({
      auditId: '$6::uuid',
      tenantId: 's.tenant_id',
      eventType: `'memory_settings_saved'`,
      actorId: '$7::text',
      payload: `json_build_object('provider', s.provider, 'enabled', s.enabled)`,
      from: 'saved s',
    })})
    select s.provider, s.enabled, s.key_id, s.sealed_key
    from saved s`,
};

const SET_ENABLED: Statement = {
  name: 'set-memory-enabled',
  writes: true,
  text: `
    with saved as (
      insert into memory_settings as s (tenant_id, enabled, updated_at)
      values ($1, $2, date_trunc('milliseconds', clock_timestamp()))
      on conflict (tenant_id) do update
      set enabled = excluded.enabled,
        updated_at = excluded.updated_at
      returning s.tenant_id, s.provider, s.enabled, s.key_id, s.sealed_key
    ),
    audited as (${appendAudit({
      auditId: '$3::uuid',
      tenantId: 's.tenant_id',
      eventType: `'memory_settings_changed'`,
      actorId: '$4::text',
      payload: `json_build_object('enabled', s.enabled)`,
      from: 'saved s',
    })})
    select s.provider, s.enabled, s.key_id, s.sealed_key
    from saved s`,
};

const LIST_SEALED: Statement = {
  name: 'list-sealed-keys',
  writes: false,
  text: `
    select s.tenant_id, s.key_id, s.sealed_key
    from memory_settings s
    where s.tenant_id > $1
      and s.key_id is not null
    order by s.tenant_id
    limit $2`,
};

const REPLACE_KEY: Statement = {
  name: 'replace-sealed-key',
  writes: true,
  text: `
    update memory_settings s
    set key_id = $4,
      sealed_key = $5,
      updated_at = date_trunc('milliseconds', clock_timestamp())
    where s.tenant_id = $1
      and s.key_id = $2
      and s.sealed_key = $3
    returning s.tenant_id`,
};
