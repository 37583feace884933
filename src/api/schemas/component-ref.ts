const PREFIX = '#/components/schemas/';

/** A reference to one of the named schemas of the OpenAPI document, as `$ref` in `meta`. */
export function componentRef(name: string): string {
  return PREFIX + name;
}

/** The name that a reference leads to. */
export function componentName(reference: string): string {
  return reference.slice(PREFIX.length);
}
