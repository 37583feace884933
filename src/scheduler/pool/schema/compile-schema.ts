import { Ajv } from 'ajv';
import type { Options, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../../shared/domain/json.ts';
import { addLinearFormats } from './add-linear-formats.ts';
import { describeViolations } from './describe-violations.ts';
import { findPatterns } from './find-patterns.ts';
import { linearPattern, type TextPattern } from './linear-pattern.ts';

/** A schema that refers to itself without going deeper into the value. */
export const ENDLESS = 'schema /: refers to itself without end';

export type CompiledSchema =
  | { readonly ok: true; readonly validate: ValidateFunction }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Compiles a user's JSON Schema: draft 2020-12, or draft 7 and earlier where `$schema` says so.
 *
 * Every schema gets an instance of its own. A shared one would keep the `$id`s it has seen, and one
 * tenant's `$ref` would resolve to another tenant's schema. Nothing is ever fetched: a reference
 * that leads out of the schema is a problem to report. The meta-schema is not checked beforehand
 * (40 ms for the first instance, and the compiler finds what matters); it is asked where the fault
 * is when compiling has failed.
 *
 * Patterns are matched in linear time. `patterns` says what becomes of those that cannot be: with
 * `linear` they are problems, with `any` V8 matches them. So a schema that was stored before patterns
 * had to be linear still works; the time limit of its task bounds it.
 */
export function compileSchema(schema: JsonObject, patterns: 'linear' | 'any'): CompiledSchema {
  if (schema['$async'] === true) return failed(['schema /$async: is not supported']);
  const declared = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  const slow = new Map<string, string>();
  const options: Options = { ...OPTIONS, code: { regExp: engineNoting(slow) } };
  const ajv = OLDER_DRAFT.test(declared) ? new Ajv(options) : new Ajv2020(options);
  addLinearFormats(ajv);
  try {
    const validate = ajv.compile(schema);
    if (patterns === 'any' || slow.size === 0) return { ok: true, validate };
    return failed([...slow].flatMap((pattern) => tellSlow(schema, pattern)));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return failed(explain({ error, schema, declared }));
  }
}

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  meta: false,
  validateSchema: false,
};
/** The engine that the compiler makes patterns with; `slow` gets those that are not linear. */
function engineNoting(slow: Map<string, string>) {
  const make = (source: string): TextPattern => {
    const linear = linearPattern(source);
    if (linear.ok) return linear.pattern;
    slow.set(source, linear.why);
    return new RegExp(source, 'u');
  };
  return Object.assign(make, { code: 'linearPattern' });
}

function tellSlow(schema: JsonObject, [source, why]: readonly [string, string]): readonly string[] {
  const shown =
    source.length > PATTERN_CHARS_MAX ? `${source.slice(0, PATTERN_CHARS_MAX)}…` : source;
  return findPatterns(schema, source).map(
    (pointer) =>
      `schema ${pointer}: the pattern ${shown} ${why}, so the time to match it has no linear bound; ${ADVICE}`,
  );
}

const PATTERN_CHARS_MAX = 200;
const ADVICE =
  'write it without look-ahead, look-behind and references back, and say lengths with minLength and maxLength';
const OLDER_DRAFT = /\/draft-0[1-7]\//;

function failed(problems: readonly string[]): CompiledSchema {
  return { ok: false, problems };
}

function explain(params: {
  readonly error: Error;
  readonly schema: JsonObject;
  readonly declared: string;
}): readonly string[] {
  const { error, schema, declared } = params;
  if ('missingRef' in error) {
    const reference = String(error.missingRef);
    const advice = reference.startsWith('#')
      ? 'there is nothing at that place'
      : 'schemas are not fetched; put it into $defs';
    return [`schema /: cannot resolve the reference ${reference}: ${advice}`];
  }
  if (error instanceof RangeError) return [ENDLESS];
  const faults = findFaults({ schema, declared });
  return faults.length > 0 ? faults : [`schema /: ${error.message}`];
}

/** By the meta-schema; its branches say little that helps, so only what stands at a leaf. */
function findFaults(params: {
  readonly schema: JsonObject;
  readonly declared: string;
}): readonly string[] {
  const ajv = OLDER_DRAFT.test(params.declared)
    ? new Ajv({ allErrors: true, logger: false, strict: false })
    : new Ajv2020({ allErrors: true, logger: false, strict: false });
  const validate = ajv.getSchema(
    OLDER_DRAFT.test(params.declared)
      ? 'http://json-schema.org/draft-07/schema'
      : 'https://json-schema.org/draft/2020-12/schema',
  );
  if (validate === undefined || validate(params.schema) === true) return [];
  const leaves = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'anyOf');
  return describeViolations(leaves).map((violation) => `schema ${violation}`);
}
