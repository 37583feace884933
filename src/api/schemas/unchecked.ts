import { z } from 'zod';

import type { JsonValue } from '../../shared/domain/json.ts';

/** Any JSON here, described as `schema`: the endpoint decodes each such value on its own. */
export function unchecked(schema: z.ZodType) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  return z.custom<JsonValue>((value) => value !== undefined).meta(described);
}
