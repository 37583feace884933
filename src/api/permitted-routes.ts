import { managesTenants, missingRole, type Identity } from '../shared/domain/access.ts';
import type { ApiSettings } from './deps.ts';
import type { Endpoint, Method } from './endpoint.ts';

export interface PermittedRoute {
  readonly method: Method;
  /** Parameters as `:id`. */
  readonly path: string;
}

/** These refuse operators of other tenants than the default one, see `refuseOthers`. */
const FOR_MANAGERS = [
  'POST /tenants',
  'PUT /tenants/:id',
  'GET /settings',
  'GET /system',
  'GET /system/doctor',
];

/** The routes that a caller may use under the configured rules, in the order of the routes. */
export function listPermitted(params: {
  readonly routes: readonly Pick<Endpoint, 'method' | 'path' | 'access'>[];
  readonly identity: Identity;
  readonly rules: ApiSettings['auth'];
}): PermittedRoute[] {
  const { routes, identity, rules } = params;
  return routes
    .filter(({ access }) => missingRole({ access, role: identity.role, rules }) === null)
    .filter(
      ({ method, path }) => managesTenants(identity) || !FOR_MANAGERS.includes(`${method} ${path}`),
    )
    .map(({ method, path }) => ({ method, path }));
}
