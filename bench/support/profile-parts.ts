import type { Profiler } from 'node:inspector';

/*
 * The parts of a request that its processor time goes to. A function counts for the part of its file;
 * a function of Node or of V8 counts for the nearest caller that has a part of its own.
 */

type Part = readonly [name: string, places: RegExp];

/** The part whose sockets are not those of requests. */
const DRIVER = 'PostgreSQL driver';
const HTTP = 'Node: HTTP';
const SOCKETS = 'Node: sockets, streams';
const SERVES_SOCKETS = /^node:(net|stream|internal\/(stream|streams))/;

const OWN: readonly Part[] = [
  [DRIVER, /node_modules\/(pg|pg-[^/]+|postgres-[^/]+|slonik|@slonik)\//],
  ['SDK', /\/sdk\/typescript\//],
  ['benchmark', /\/bench\//],
  ['store', /\/src\/shared\/store\/|node_modules\/(better-sqlite3|bindings)\//],
  ['authentication', /\/src\/shared\/security\/|\/api\/(admit-|authenticator|middleware\/auth)/],
  ['tenant, rate limit', /\/engine\/tenants\/|\/middleware\/limit-rate/],
  ['metrics, log', /\/src\/shared\/telemetry\/|\/middleware\/metrics|node_modules\/(prom|pino)/],
  ['decide, fold', /\/src\/shared\/(domain|nodes)\//],
  ['engine', /\/src\/(shared|runtime|scheduler)\//],
  [
    'schema',
    /node_modules\/zod\/|\/src\/api\/(decode|compile-reader|schemas\/|endpoints\/.*-(shapes?|fields)\.ts)/,
  ],
  [
    'body',
    /node_modules\/(koa-body|co-body|raw-body|iconv|@hapi|type-is|content-type)|body\.ts|json-bounds/,
  ],
  ['router', /node_modules\/(@koa|path-to-regexp|debug|koa-compose)\/|\/src\/api\/match-route/],
  ['endpoint, answer', /\/src\/api\//],
  ['koa', /node_modules\//],
];

const API = ['koa', 'router', 'body', 'schema', 'authentication', 'tenant, rate limit'];
const BELOW = ['engine', 'decide, fold', 'store', DRIVER, 'garbage collection', 'system'];

/** The parts of a process of the product. */
export const PARTS: readonly string[] = API.concat('metrics, log', 'endpoint, answer')
  .concat(HTTP, SOCKETS)
  .concat(BELOW);

/** The parts of the other processes of a workload, and of one that contains them. */
export const OUTSIDE_PARTS: readonly string[] = ['benchmark', 'SDK'];

/** Samples of each part; those of an idle process are left out. */
export function countParts({
  nodes,
}: Pick<Profiler.Profile, 'nodes'>): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const counts = new Map<string, number>();
  const visit = (node: Profiler.ProfileNode, above: string | null): void => {
    const part = partOf(node.callFrame, above);
    if (part !== null) counts.set(part, (counts.get(part) ?? 0) + (node.hitCount ?? 0));
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) visit(child, part);
    }
  };
  const [root] = nodes;
  if (root !== undefined) visit(root, null);
  return counts;
}

/** `above`: the part of the caller. Null: the process did nothing. */
function partOf({ functionName, url }: Frame, above: string | null): string | null {
  if (functionName === '(idle)' || functionName === '(root)') return null;
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'system';
  if (url === '') return above ?? 'system';
  if (!url.startsWith('node:')) return OWN.find(([, places]) => places.test(url))?.[0] ?? 'engine';
  if (above === DRIVER) return DRIVER;
  if (/^node:(_http|internal\/(http|deps\/undici))/.test(url)) return HTTP;
  return SERVES_SOCKETS.test(url) ? SOCKETS : (above ?? SOCKETS);
}

type Frame = Profiler.ProfileNode['callFrame'];
