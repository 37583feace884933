import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

import type { PriceTable } from '../shared/domain/models/price.ts';
import { readPrices } from '../shared/domain/models/read-prices.ts';
import { ConfigError } from '../shared/config/config-error.ts';

/** The file of `models.prices_file`: JSON by its name, else TOML. */
export function readPricesFile(path: string): PriceTable {
  let document: unknown;
  try {
    const text = readFileSync(path, 'utf8');
    document = path.endsWith('.json') ? JSON.parse(text) : parse(text);
  } catch (error) {
    throw unusable(
      path,
      error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '',
      error,
    );
  }
  const read = readPrices(document);
  if (!read.ok) throw unusable(path, read.problem);
  return read.prices;
}

function unusable(path: string, reason: string, cause?: unknown): ConfigError {
  return new ConfigError([`models.prices_file: ${path}: ${reason}`], { cause });
}
