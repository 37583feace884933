import type { ErrorObject } from 'ajv';

/**
 * Violations as `<pointer>: <message>`, at most `VIOLATIONS_MAX` of them. The root is written `/`.
 * A message names what the schema asks for and which member is meant; it never quotes the value.
 */
export function describeViolations(errors: readonly ErrorObject[]): readonly string[] {
  const described = new Set<string>();
  for (const error of errors) {
    described.add(`${error.instancePath || '/'}: ${describe(error)}`);
    if (described.size > VIOLATIONS_MAX) break;
  }
  const violations = [...described];
  if (violations.length <= VIOLATIONS_MAX) return violations;
  return [...violations.slice(0, VIOLATIONS_MAX), '/: there are more violations than are shown'];
}

const VIOLATIONS_MAX = 100;
const DETAIL_CHARS_MAX = 200;

function describe({ keyword, params, message }: ErrorObject): string {
  const said = message ?? `breaks ${keyword}`;
  const detail = detailOf(keyword, params);
  if (detail === null) return said;
  const text = JSON.stringify(detail);
  return `${said}: ${text.length > DETAIL_CHARS_MAX ? `${text.slice(0, DETAIL_CHARS_MAX)}…` : text}`;
}

/** Details that ajv's own message omits. */
function detailOf(keyword: string, params: Readonly<Record<string, unknown>>): unknown {
  switch (keyword) {
    case 'additionalProperties':
      return params['additionalProperty'];
    case 'unevaluatedProperties':
      return params['unevaluatedProperty'];
    case 'propertyNames':
      return params['propertyName'];
    case 'enum':
      return params['allowedValues'];
    case 'const':
      return params['allowedValue'];
    default:
      return null;
  }
}
