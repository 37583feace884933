import type { Method } from './endpoint.ts';

/** A path is served by the first route that matches it and has its method. */
export interface Route<Served> {
  readonly method: Method;
  /** Parameters as `:id`: one segment that is not empty, and percent-decoded when it is read. */
  readonly path: string;
  readonly served: Served;
}

export interface FoundRoute<Served> {
  readonly served: Served;
  readonly params: Readonly<Record<string, string>>;
}

export interface RouteTable<Served> {
  /** Null: no route has this path and this method. The path is known to be percent-encoded UTF-8. */
  find(method: string, path: string): FoundRoute<Served> | null;
  /** Whether a route without parameters has the path: with another method, no parameter takes it. */
  hasFixed(path: string): boolean;
}

interface Pattern<Served> extends Route<Served> {
  readonly segments: readonly string[];
  /** The positions of parameters, with their names. */
  readonly parameters: readonly (readonly [at: number, name: string])[];
}

/**
 * A path without parameters is looked up; another is compared, segment by segment, with the routes of
 * the same method and length.
 */
export function createRouteTable<Served>(routes: readonly Route<Served>[]): RouteTable<Served> {
  const patterns = routes.map(toPattern);
  const byShape = Map.groupBy(patterns, ({ method, segments }) => shapeOf(method, segments));
  const fixed = new Map<string, FoundRoute<Served>>();
  const fixedPaths = new Set(
    patterns.filter(({ parameters }) => parameters.length === 0).map(({ path }) => path),
  );
  for (const { method, path, parameters } of patterns) {
    // A route with parameters that comes before it in the list has the path.
    const found = parameters.length === 0 ? search(method, path) : null;
    if (found !== null) fixed.set(`${method} ${path}`, found);
  }

  function search(method: string, path: string): FoundRoute<Served> | null {
    const segments = path.split('/');
    const pattern = byShape.get(shapeOf(method, segments))?.find((one) => matches(one, segments));
    if (pattern === undefined) return null;
    return { served: pattern.served, params: readParams(pattern, segments) };
  }

  return {
    find(given, path) {
      // RFC 9110, section 9.3.2: HEAD is GET without the content of its answer.
      const method = given === 'HEAD' ? 'GET' : given;
      const found = fixed.get(`${method} ${path}`);
      return found ?? (fixedPaths.has(path) ? null : search(method, path));
    },
    hasFixed: (path) => fixedPaths.has(path),
  };
}

function toPattern<Served>(route: Route<Served>): Pattern<Served> {
  const segments = route.path.split('/');
  const parameters = segments.flatMap((segment, at) =>
    segment.startsWith(':') ? [[at, segment.slice(1)] as const] : [],
  );
  return { ...route, segments, parameters };
}

function shapeOf(method: string, segments: readonly string[]): string {
  return `${method} ${segments.length}`;
}

function matches<Served>(pattern: Pattern<Served>, segments: readonly string[]): boolean {
  const { segments: expected } = pattern;
  if (expected.length !== segments.length) return false;
  for (let at = 0; at < expected.length; at += 1) {
    const segment = segments[at];
    if (expected[at] === segment) continue;
    if (segment === '' || expected[at]?.startsWith(':') !== true) return false;
  }
  return true;
}

function readParams<Served>(
  { parameters }: Pattern<Served>,
  segments: readonly string[],
): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const [at, name] of parameters) {
    const segment = segments[at] ?? '';
    params[name] = segment.includes('%') ? decodeURIComponent(segment) : segment;
  }
  return params;
}
