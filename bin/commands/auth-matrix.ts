import { accessMatrix } from '../../src/api/access-matrix.ts';
import { routes } from '../../src/api/routes.ts';
import { ROLES } from '../../src/shared/domain/access.ts';
import { printJson, type OutputFormat } from '../cli/output.ts';
import { printTable } from '../cli/print-table.ts';

/**
 * Prints which roles may use each route of the API. It calls no runtime: the table is the same for
 * every runtime of this version.
 */
export function showMatrix(options: { readonly output: OutputFormat }): void {
  const rows = accessMatrix(routes);
  if (options.output === 'json') {
    return printJson({
      routes: rows.map(({ method, path, needsToken, roles }) => ({
        method,
        path,
        needs_token: needsToken,
        roles,
      })),
    });
  }
  printTable({
    head: ['METHOD', 'PATH', 'NO TOKEN', ...ROLES.map((role) => role.toUpperCase())],
    rows: rows.map(({ method, path, needsToken, roles }) => [
      method,
      path,
      needsToken ? '-' : 'yes',
      ...ROLES.map((role) => (roles.includes(role) ? 'yes' : '-')),
    ]),
  });
}
