import { parseTenantId, ROLES } from '../domain/access.ts';
import type { CertificateSubject } from '../security/authenticators/certificates.ts';

export const SUBJECTS_TYPE =
  'a table such as { "CN=worker-1" = { role = "worker", tenant = "default" } }, as JSON in the environment';

/** The rows of the table; undefined where it is not as it should be. */
export function readSubjects(value: unknown): readonly CertificateSubject[] | undefined {
  if (!isTable(value)) return undefined;
  const rows = Object.entries(value).map(([subject, row]) => readSubject(subject, row));
  const read = rows.filter((row) => row !== undefined);
  return read.length === rows.length && read.length > 0 ? read : undefined;
}

function readSubject(subject: string, row: unknown): CertificateSubject | undefined {
  if (!isTable(row) || !/^(?:URI:|[A-Za-z0-9.]+=)./.test(subject)) return undefined;
  const { role: roleName, tenant, ...others } = row;
  const role = ROLES.find((known) => known === roleName);
  const tenantId = typeof tenant === 'string' ? parseTenantId(tenant) : null;
  if (role === undefined || tenantId === null || Object.keys(others).length > 0) return undefined;
  return { subject, role, tenantId };
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}
