import type { Config } from './config.ts';
import { configValue } from './config.ts';
import type { ConfigValue, KeyRow } from './key-row.ts';
import type { ConfigKey } from './keys.ts';
import { CONFIG_KEY_NAMES, rowOf } from './keys.ts';
import type { ConfigOrigins } from './load.ts';
import { maskUrl } from './mask-url.ts';
import { describeMcpServer } from './read-mcp-servers.ts';

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

function describeItem(item: Extract<ConfigValue, readonly unknown[]>[number]): string {
  if (typeof item === 'string') return item;
  if ('name' in item) return describeMcpServer(item);
  return `${item.subject} → ${item.role} of ${item.tenantId}`;
}

function show(row: KeyRow, value: ConfigValue): string {
  if (value === null) return '';
  if (typeof value === 'object') {
    const items = value.map(describeItem);
    return (row.type === 'urls' ? items.map(maskUrl) : items).join('; ');
  }
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
