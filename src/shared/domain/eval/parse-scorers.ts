import { parseExpression } from '../expression/parse-expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { readModelPart } from '../models/read-model-part.ts';
import { parseDuration } from '../workflow/parse/parse-duration.ts';
import type { ModelPart } from '../workflow/parse/parts.ts';
import type { Check, Scorer, ScorerType } from './scorer.ts';

/** Receives the problems of scorers; pointers are relative to the list. */
export interface ScorerContext {
  problem(pointer: string, message: string): void;
  /** Names that checks may use beside those of every expression. */
  readonly variables: readonly string[];
  /** The names that an `llm_judge` may refer to. */
  readonly models: ReadonlyMap<string, ModelPart>;
}

const SCORERS_MAX = 50;
const CHECKS_MAX = 100;
const WEIGHT_MAX = 1_000_000;
const RUBRIC_CHARACTERS_MAX = 20_000;
const TYPES: readonly ScorerType[] = ['assertion', 'latency', 'cost', 'llm_judge'];

/** Reads the list of scorers of a node or an evaluation. Null: something was reported. */
export function parseScorers(raw: JsonValue, at: ScorerContext): readonly Scorer[] | null {
  if (!Array.isArray(raw) || raw.length === 0) {
    at.problem('', raw === null ? 'missing scorers' : 'must be a list of at least one scorer');
    return null;
  }
  if (raw.length > SCORERS_MAX) {
    at.problem('', `${raw.length} scorers, and ${SCORERS_MAX} are the most`);
    return null;
  }
  const names = new Set<string>();
  const scorers = raw.map((one: JsonValue, index) => parseScorer(one, { at, index, names }));
  const read = scorers.filter((scorer) => scorer !== null);
  if (read.length < scorers.length) return null;
  if (read.every(({ weight }) => weight === 0)) {
    at.problem('', 'at least one scorer must have a weight above 0');
    return null;
  }
  return read;
}

function parseScorer(
  raw: JsonValue,
  list: { readonly at: ScorerContext; readonly index: number; readonly names: Set<string> },
): Scorer | null {
  const fields = new ScorerFields(raw, `/${list.index}`, list.at);
  const type = fields.type();
  if (type === null) return null;
  const name = fields.name(`${type}_${list.index + 1}`);
  if (list.names.has(name)) fields.refuse('/name', `there is another scorer ${name}`);
  list.names.add(name);
  const weight = fields.number('weight', { least: 0, most: WEIGHT_MAX }) ?? 1;
  const threshold =
    fields.number('threshold', { least: 0, most: 1 }) ?? (type === 'llm_judge' ? 0.5 : 1);
  const scorer = readOwnFields(fields, type, { name, weight, threshold });
  return fields.isGood ? scorer : null;
}

type Common = Pick<Scorer, 'name' | 'weight' | 'threshold'>;

function readOwnFields(fields: ScorerFields, type: ScorerType, common: Common): Scorer | null {
  switch (type) {
    case 'assertion':
      return { type, ...common, checks: fields.checks() };
    case 'latency': {
      const maxMs = fields.maxMs();
      return maxMs === null ? null : { type, ...common, maxMs };
    }
    case 'cost': {
      const maxUsd = fields.number('max_usd', { least: 0, most: Number.MAX_SAFE_INTEGER });
      const maxTokens = fields.number('max_tokens', { least: 0, most: Number.MAX_SAFE_INTEGER });
      if (maxUsd === null && maxTokens === null && fields.isGood) {
        fields.refuse('', 'missing max_usd or max_tokens');
      }
      return { type, ...common, maxUsd, maxTokens };
    }
    case 'llm_judge': {
      const rubric = fields.rubric();
      const model = fields.model();
      return model === null ? null : { type, ...common, rubric, model };
    }
  }
}

/** The fields of one scorer, and whether all read so far were right. */
class ScorerFields {
  readonly #fields: JsonObject;
  readonly #pointer: string;
  readonly #at: ScorerContext;
  isGood = true;

  constructor(raw: JsonValue, pointer: string, at: ScorerContext) {
    this.#fields = isJsonObject(raw) ? raw : {};
    this.#pointer = pointer;
    this.#at = at;
    if (!isJsonObject(raw)) this.refuse('', 'a scorer must be an object {type, …}');
  }

  refuse(below: string, message: string): void {
    this.isGood = false;
    this.#at.problem(this.#pointer + below, message);
  }

  type(): ScorerType | null {
    if (!this.isGood) return null;
    const type = TYPES.find((known) => known === this.#fields['type']);
    if (type === undefined) this.refuse('/type', `must be one of ${TYPES.join(', ')}`);
    return type ?? null;
  }

  name(otherwise: string): string {
    const name = this.#fields['name'] ?? otherwise;
    if (typeof name === 'string' && name.trim() !== '') return name;
    this.refuse('/name', 'must be a string that is not empty');
    return otherwise;
  }

  number(
    field: string,
    { least, most }: { readonly least: number; readonly most: number },
  ): number | null {
    const value = this.#fields[field] ?? null;
    if (value === null) return null;
    if (typeof value === 'number' && value >= least && value <= most) return value;
    this.refuse(`/${field}`, `must be a number from ${least} to ${most}`);
    return null;
  }

  maxMs(): number | null {
    if ((this.#fields['max_ms'] ?? null) !== null) {
      return this.number('max_ms', { least: 1, most: Number.MAX_SAFE_INTEGER });
    }
    const value = this.#fields['max_secs'] ?? null;
    const ms = value === null ? null : parseDuration(value);
    if (ms !== null && ms > 0) return ms;
    this.refuse(
      value === null ? '/max_ms' : '/max_secs',
      value === null ? 'missing max_ms' : 'must be a duration of more than 0',
    );
    return null;
  }

  rubric(): string {
    const rubric = this.#fields['rubric'] ?? this.#fields['prompt'] ?? '';
    if (typeof rubric !== 'string') this.refuse('/rubric', 'must be a string');
    else if (rubric.trim() === '') this.refuse('/rubric', 'missing rubric');
    else if (rubric.length > RUBRIC_CHARACTERS_MAX) {
      this.refuse('/rubric', `longer than ${RUBRIC_CHARACTERS_MAX} characters`);
    } else return rubric;
    return '';
  }

  model(): ModelPart | null {
    const { models } = this.#at;
    return readModelPart(this.#fields, {
      models,
      problem: (below, message) => this.refuse(below, message),
    });
  }

  checks(): readonly Check[] {
    const many = this.#fields['checks'] ?? null;
    const one = this.#fields['check'] ?? null;
    if (many === null && one !== null) return this.#check(one, '/check');
    if (!Array.isArray(many) || many.length === 0) {
      const message = 'must be a list of at least one expression';
      this.refuse('/checks', many === null ? `missing checks: ${message}` : message);
      return [];
    }
    if (many.length > CHECKS_MAX) {
      this.refuse('/checks', `${many.length} checks, and ${CHECKS_MAX} are the most`);
      return [];
    }
    const checks = many.flatMap((check: JsonValue, at) => this.#check(check, `/checks/${at}`));
    if (this.isGood && checks.every(({ weight }) => weight === 0)) {
      this.refuse('/checks', 'at least one check must have a weight above 0');
    }
    return checks;
  }

  /** Text, or `{check, name?, weight?}`. */
  #check(raw: JsonValue, below: string): readonly Check[] {
    const fields = isJsonObject(raw) ? raw : { check: raw };
    const source = fields['check'] ?? null;
    const { name = null, weight = null } = fields;
    if (typeof source !== 'string') {
      this.refuse(below, 'must be an expression, or {check, name, weight}');
      return [];
    }
    if (name !== null && typeof name !== 'string') {
      this.refuse(`${below}/name`, 'must be a string');
      return [];
    }
    const share = weight ?? 1;
    if (typeof share !== 'number' || share < 0 || share > WEIGHT_MAX) {
      this.refuse(`${below}/weight`, `must be a number from 0 to ${WEIGHT_MAX}`);
      return [];
    }
    const parsed = parseExpression(source, this.#at.variables);
    if (parsed.ok) return [{ name, expression: parsed.expression, weight: share }];
    this.refuse(isJsonObject(raw) ? `${below}/check` : below, parsed.message);
    return [];
  }
}
