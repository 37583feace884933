/** The price of a model, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had in its cache; absent: as other input. */
  readonly cachedInput?: number;
  /** Input that the provider put into its cache; absent: as other input. */
  readonly cacheWrite?: number;
  /** Holds for all tokens of a call whose input is longer. */
  readonly long?: { readonly aboveTokens: number; readonly price: ModelPrice };
}

/** Prices by `provider/model`; `provider/*` is for all models of a provider that have no row. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** All input counts in `input`; the cached parts are parts of it. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
}

/**
 * The price of a model. A name with a date or `latest` at its end is priced like the name without;
 * other names that only begin alike are other models. Null: not known.
 */
export function findPrice(
  table: PriceTable,
  of: { readonly provider: string; readonly model: string },
): ModelPrice | null {
  const plain = of.model.replace(/-(latest|\d{8}|\d{4}-\d{2}-\d{2}|\d{3})$/, '');
  for (const name of [of.model, plain, '*']) {
    const key = `${of.provider}/${name}`;
    if (Object.hasOwn(table, key)) return table[key] ?? null;
  }
  return null;
}

/**
 * The price of a model as a worker names it: `provider/model`, or the model alone where only one
 * provider has one of that name. Null: not known.
 */
export function findPriceByName(table: PriceTable, name: string): ModelPrice | null {
  const [provider = '', ...rest] = name.split('/');
  if (rest.length > 0) {
    const price = findPrice(table, { provider, model: rest.join('/') });
    if (price !== null) return price;
  }
  const providers = new Set(Object.keys(table).map((key) => key.slice(0, key.indexOf('/'))));
  // A price for all models of a provider doesn't say that the model is one of them.
  const ofModels = withoutStars(table);
  const found = [...providers].flatMap(
    (known) => findPrice(ofModels, { provider: known, model: name }) ?? [],
  );
  return found.length === 1 ? (found[0] ?? null) : null;
}

function withoutStars(table: PriceTable): PriceTable {
  return Object.fromEntries(Object.entries(table).filter(([key]) => !key.endsWith('/*')));
}

/** US dollars, to a billionth, so that sums of many stay readable. */
export function costOf(price: ModelPrice, tokens: TokenCounts): number {
  const { long } = price;
  if (long !== undefined && tokens.input > long.aboveTokens) {
    return costOf(long.price, tokens);
  }
  const plainInput = Math.max(tokens.input - tokens.cachedInput - tokens.cacheWrite, 0);
  const dollars =
    plainInput * price.input +
    tokens.cachedInput * (price.cachedInput ?? price.input) +
    tokens.cacheWrite * (price.cacheWrite ?? price.input) +
    tokens.output * price.output;
  return Math.round((dollars / 1_000_000) * 1e9) / 1e9;
}
