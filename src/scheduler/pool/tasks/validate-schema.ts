import { BoundedMap } from '../../../shared/domain/bounded-map.ts';
import type { JsonObject, JsonValue } from '../../../shared/domain/json.ts';
import { compileSchema, ENDLESS } from '../schema/compile-schema.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import { describeViolations } from '../schema/describe-violations.ts';
import { announceStart } from './announce-start.ts';

/** JSON text: one string crosses to a thread faster than the object it stands for. */
export interface ValidateSchemaTask {
  /** Hash of the schema's text. */
  readonly key: string;
  readonly schema: string;
  readonly value: string;
  /** See `compileSchema`. */
  readonly patterns: 'linear' | 'any';
}

/** The task as a pool thread gets it. */
export const validateSchema = announceStart((task: ValidateSchemaTask): readonly string[] => {
  const { key, patterns } = task;
  const schema = () => JSON.parse(task.schema) as JsonObject;
  const compiled = compileOnce({ key, schema, patterns });
  return check(compiled, JSON.parse(task.value) as JsonValue);
});

/** The same in the calling thread, for what is small and has no patterns. */
export function validateSchemaHere(params: {
  readonly key: string;
  readonly schema: JsonObject;
  readonly value: JsonValue;
}): readonly string[] {
  const { key, schema, value } = params;
  return check(compileOnce({ key, schema: () => schema, patterns: 'any' }), value);
}

/** Compiling costs a thousand times what checking a small value does. */
const COMPILED_MAX = 200;
const compiledByKey = new BoundedMap<string, CompiledSchema>(COMPILED_MAX);

function compileOnce(params: {
  readonly key: string;
  readonly schema: () => JsonObject;
  readonly patterns: 'linear' | 'any';
}): CompiledSchema {
  const { patterns } = params;
  const key = `${patterns} ${params.key}`;
  const compiled = compiledByKey.get(key) ?? compileSchema(params.schema(), patterns);
  // Last used, last out.
  compiledByKey.set(key, compiled);
  return compiled;
}

function check(compiled: CompiledSchema, value: JsonValue): readonly string[] {
  if (!compiled.ok) return compiled.problems;
  try {
    return compiled.validate(value) ? [] : describeViolations(compiled.validate.errors ?? []);
  } catch (error) {
    if (error instanceof RangeError) return [ENDLESS];
    throw error;
  }
}
