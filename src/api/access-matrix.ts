import { missingRole, needsToken, ROLES, type Role } from '../shared/domain/access.ts';
import type { Endpoint, Method } from './endpoint.ts';

/** The callers that may use a route, unless the configuration opens it further. */
export interface RouteAccess {
  readonly method: Method;
  readonly path: string;
  readonly needsToken: boolean;
  readonly roles: readonly Role[];
}

/** `auth.open_ready` opens one route to anyone, `auth.reviewers_may_approve` one to reviewers. */
const RULES = { openReady: false, reviewersMayApprove: false };

/** In the order of the routes. `test/api/access-matrix.json` keeps it, so that a change is seen. */
export function accessMatrix(
  routes: readonly Pick<Endpoint, 'method' | 'path' | 'access'>[],
): readonly RouteAccess[] {
  return routes.map(({ method, path, access }) => ({
    method,
    path,
    needsToken: needsToken(access, RULES),
    roles: ROLES.filter((role) => missingRole({ access, role, rules: RULES }) === null),
  }));
}
