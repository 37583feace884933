import { z } from 'zod';

import type { JsonValue } from '../../shared/domain/json.ts';

/** The descriptions, by the schemas that check nothing. */
const described = new WeakMap<object, z.ZodType>();

/** Any JSON here, described as `schema`: the endpoint decodes each such value on its own. */
export function unchecked(schema: z.ZodType) {
  const any = z.custom<JsonValue>((value) => value !== undefined);
  described.set(any, schema);
  return any;
}

/** The schema that describes what is not checked; undefined: this schema checks. */
export function describedBy(any: object): z.ZodType | undefined {
  return described.get(any);
}
