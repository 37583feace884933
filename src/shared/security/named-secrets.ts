import type { NamedSecrets, SecretRules } from '../ports/named-secrets.ts';

/**
 * Secrets of the environment that workflows may name.
 *
 * The author of a workflow decides where a secret is sent. So a name must match a pattern of the
 * operator, and the service's own settings are never handed out, even if they match. A refused name
 * gives the same error whether or not it is set: only those who may use a variable learn whether it
 * exists.
 */
export function createNamedSecrets(options: {
  /** Names with `*` for any characters; `tenant:NAME` is for that tenant alone. */
  readonly patterns: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The service's own settings. */
  readonly reserved: readonly string[];
}): NamedSecrets & SecretRules {
  const rules = options.patterns.map(readPattern);
  const reserved = new Set(options.reserved);
  const refuse: SecretRules['refuse'] = ({ name, tenantId }) => {
    const isAllowed =
      !reserved.has(name) &&
      rules.some((rule) => (rule.tenant ?? tenantId) === tenantId && rule.names.test(name));
    return isAllowed ? null : refusal(name);
  };
  return {
    refuse,
    read({ name, tenantId }) {
      const problem = refuse({ name, tenantId });
      if (problem !== null) return { ok: false, problem };
      const value = options.env[name] ?? '';
      if (value !== '') return { ok: true, value };
      return { ok: false, problem: `the secret ${quote(name)} is not set: ${WHERE}` };
    },
  };
}

/** A pattern as the configuration takes it: letters, digits, `_` and `*`, behind an optional tenant. */
export const SECRET_PATTERN = /^(?:[a-z0-9][a-z0-9_-]{0,62}:)?[A-Za-z_*][A-Za-z0-9_*]{0,127}$/;

/** Whether the pattern is for this name, for any tenant. */
export function isNamedBy(pattern: string, name: string): boolean {
  return readPattern(pattern).names.test(name);
}

function readPattern(pattern: string): { readonly tenant: string | null; readonly names: RegExp } {
  const [name = '', tenant = null] = pattern.split(':').toReversed();
  return { tenant, names: new RegExp(`^${name.replaceAll('*', '[A-Za-z0-9_]*')}$`) };
}

function refusal(name: string): string {
  return (
    `the secret ${quote(name)} may not be used by workflows of this tenant: ` +
    'name one that tools.secrets allows, or have the operator allow it there'
  );
}

function quote(name: string): string {
  return JSON.stringify(name.length <= 80 ? name : `${name.slice(0, 80)}…`);
}

const WHERE = 'put it into the environment of the scheduler and start that again';
