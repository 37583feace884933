import {
  anyOf,
  anything,
  object,
  ref,
  text,
  type FieldSchema,
  type FieldSchemas,
} from './fields.ts';

/** A length of time, in the forms that definitions may write. */
export function duration(description: string): FieldSchema {
  return ref('Duration', description);
}

/** Where a branch leads that is none of the edges. */
export const BRANCH_TARGET: FieldSchema = anyOf('Continues there, and nowhere else.', [
  { $ref: '#/$defs/Target' },
  object('The same.', { target: ref('Target', 'The node.') }, ['target']),
]);

/** Which model is asked. */
export function modelFields(): FieldSchemas {
  return {
    model_ref: anyOf('One of `models` by name, provider/model, or a model.', [
      { type: 'string' },
      { $ref: '#/$defs/Model' },
    ]),
    model: anyOf('A model, or its name beside `provider`.', [
      { type: 'string' },
      { $ref: '#/$defs/Model' },
    ]),
    provider: text('The provider of `model`.'),
  };
}

export function retryPolicy(description: string): FieldSchema {
  return anyOf(description, [{ type: 'string' }, { $ref: '#/$defs/RetryPolicy' }]);
}

/** Fields of parts for readers; the runtime does not read them. */
export function kept(): FieldSchemas {
  return {
    description: anything('For readers.'),
    labels: anything('For your own readers and programs.'),
  };
}
