import { isJsonObject } from '../json.ts';
import type { ModelPrice, PriceTable } from './price.ts';

export type ReadPrices =
  | { readonly ok: true; readonly prices: PriceTable }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a price table as an operator writes it: by `provider/model` or `provider/*`, US dollars for a
 * million tokens as `{input, output, cached_input?, cache_write?}`.
 */
export function readPrices(document: unknown): ReadPrices {
  if (!isJsonObject(document)) return { ok: false, problem: 'expected a table of prices' };
  const prices: Record<string, ModelPrice> = {};
  for (const [name, row] of Object.entries(document)) {
    if (!/^[a-z0-9][^/\s]*\/\S+$/.test(name)) return refuse(name, 'expected provider/model');
    if (!isJsonObject(row)) return refuse(name, FIELDS);
    const unknown = Object.keys(row).find((key) => !KEYS.includes(key));
    if (unknown !== undefined) return refuse(name, `unknown key ${unknown}; ${FIELDS}`);
    const [input, output, cachedInput, cacheWrite] = KEYS.map((key) => row[key] ?? null);
    if (!isPrice(input) || !isPrice(output)) return refuse(name, FIELDS);
    if (cachedInput !== null && !isPrice(cachedInput)) return refuse(name, FIELDS);
    if (cacheWrite !== null && !isPrice(cacheWrite)) return refuse(name, FIELDS);
    prices[name] = {
      input,
      output,
      ...(cachedInput !== null && { cachedInput }),
      ...(cacheWrite !== null && { cacheWrite }),
    };
  }
  return { ok: true, prices };
}

const KEYS = ['input', 'output', 'cached_input', 'cache_write'];
const FIELDS =
  'expected input and output, and perhaps cached_input and cache_write, in US dollars for a million tokens';

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function refuse(name: string, problem: string): ReadPrices {
  return { ok: false, problem: `${name}: ${problem}` };
}
