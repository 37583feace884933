import type { Entry } from '../domain/workflow/plan/plan.ts';

export type FailEntry = Extract<Entry, { do: 'fail' }>;

/** An expression or mapping that could not be evaluated; `message` quotes it. */
export function failExpression(message: string): FailEntry {
  return { do: 'fail', error: message, errorClass: 'expression_error' };
}

/** A field that evaluated to something the node cannot use; `error` names the field. */
export function failValue(error: string): FailEntry {
  return { do: 'fail', error, errorClass: 'invalid_value' };
}
