import type { KeyRow } from './key-row.ts';
import type { ReadValue } from './read-value.ts';
import { readValue } from './read-value.ts';

export interface EnvReading {
  readonly found: { readonly origin: string; readonly read: ReadValue } | null;
  readonly problems: readonly string[];
}

/**
 * Reads one setting from the environment. An empty variable counts as unset, because compose
 * files pass unset ones on as empty. Names of the same setting must agree; a fallback, which other
 * programs read too, is consulted only when none of them is set.
 */
export function readEnv(
  env: Readonly<Record<string, string | undefined>>,
  row: KeyRow,
  names: readonly string[],
): EnvReading {
  const set = names.filter((name) => (env[name] ?? '') !== '');
  const [first, ...others] = set;
  const different = others.find((name) => env[name] !== env[first ?? '']);
  if (first !== undefined && different !== undefined) {
    const problem = `env ${first} and env ${different} are one setting and hold different values; set one of them`;
    return { found: null, problems: [problem] };
  }
  if (first !== undefined) return found(row, first, env[first] ?? '');
  for (const name of row.fallbackEnv ?? []) {
    const text = name === 'RUST_LOG' ? levelOf(env[name] ?? '') : (env[name] ?? '');
    if (text !== '') return found(row, name, text);
  }
  return { found: null, problems: [] };
}

function found(row: KeyRow, name: string, text: string): EnvReading {
  const read = readValue(row, text, 'text');
  // Kubernetes announces a service called "svc" to its pods under the name of our port.
  if (!read.ok && name === 'SVC_PORT' && text.startsWith('tcp://')) {
    const problem = `${read.problem}; Kubernetes sets it for a service named svc: set enableServiceLinks: false`;
    return { found: { origin: `env ${name}`, read: { ok: false, problem } }, problems: [] };
  }
  return { found: { origin: `env ${name}`, read }, problems: [] };
}

const LEVELS: ReadonlyMap<string, string> = new Map([
  ['trace', 'trace'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warn'],
  ['error', 'error'],
  ['off', 'silent'],
]);

/** The level for everything in `RUST_LOG` (`info,some_module=debug`); empty when it names none. */
function levelOf(directives: string): string {
  const levels = directives.split(',').map((one) => LEVELS.get(one.trim().toLowerCase()));
  return levels.find((level) => level !== undefined) ?? '';
}
