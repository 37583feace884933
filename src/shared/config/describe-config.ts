import type { Config } from './config.ts';
import { configValue } from './config.ts';
import type { ConfigValue, KeyRow } from './key-row.ts';
import type { ConfigKey } from './keys.ts';
import { CONFIG_KEY_NAMES, rowOf } from './keys.ts';
import type { ConfigOrigins } from './load.ts';
import { maskUrl } from './mask-url.ts';

/** One line of `svc config show --origin`. An unset value is shown as an empty string. */
export interface ConfigLine {
  readonly key: ConfigKey;
  readonly value: string;
  readonly origin: string;
}

/** Every key with its value and where it came from. Secrets and passwords in URLs are masked. */
export function describeConfig(config: Config, origins: ConfigOrigins): readonly ConfigLine[] {
  return CONFIG_KEY_NAMES.map((key) => ({
    key,
    value: show(rowOf(key), configValue(config, key)),
    origin: origins.get(key) ?? 'default',
  }));
}

function describeSubjects(subjects: Extract<ConfigValue, readonly unknown[]>): string {
  return subjects
    .map(({ subject, role, tenantId }) => `${subject} → ${role} of ${tenantId}`)
    .join('; ');
}

function show(row: KeyRow, value: ConfigValue): string {
  if (value === null) return '';
  if (typeof value === 'object') return describeSubjects(value);
  switch (row.type) {
    case 'secret':
    case 'secret_key':
      return '***';
    case 'url':
    case 'database_url':
      return maskUrl(String(value));
    default:
      return String(value);
  }
}
