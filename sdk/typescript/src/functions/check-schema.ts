import type { StandardSchemaV1 } from '@standard-schema/spec';

import { NonRetryableError } from '../worker/errors.ts';

/**
 * Gives the value as the schema reads it.
 * @throws NonRetryableError when the schema refuses it: the same value comes with each attempt
 */
export async function checkSchema<Value>(
  schema: StandardSchemaV1<unknown, Value> | undefined,
  given: { readonly value: unknown; readonly what: string },
): Promise<Value> {
  if (schema === undefined) return given.value as Value;
  const result = await schema['~standard'].validate(given.value);
  if (result.issues === undefined) return result.value;
  const [issue] = result.issues;
  const path = (issue?.path ?? [])
    .map((part) => String(typeof part === 'object' ? part.key : part))
    .join('.');
  const at = path === '' ? '' : ` at ${path}`;
  throw new NonRetryableError(
    `The ${given.what} is refused${at}: ${issue?.message ?? 'no reason'}`,
  );
}
