import type { Identity, Role } from '../../domain/access.ts';
import type { TenantId } from '../../domain/ids.ts';
import type { ClientCertificate } from '../client-certificate.ts';

/** A row of the table `auth.mtls.subjects`. */
export interface CertificateSubject {
  /** `CN=<name>`, a whole distinguished name, or `URI:<subject alternative name>`. */
  readonly subject: string;
  readonly role: Role;
  readonly tenantId: TenantId;
}

/**
 * Identifies the holder of a verified certificate by the table. The most specific name decides: a
 * URI, then the whole distinguished name, then the common name. Null: the table does not know it,
 * two of its URIs are in the table, or it has expired since its connection was opened.
 */
export function createCertificates(params: {
  readonly subjects: readonly CertificateSubject[];
  readonly currentDate: () => Date;
}): (certificate: ClientCertificate) => Identity | null {
  const { subjects, currentDate } = params;
  const table = new Map(subjects.map((row) => [row.subject, row]));
  return ({ uris, distinguishedName, commonName, validTo }) => {
    // A date that cannot be read is not later than any.
    if (!(validTo > currentDate())) return null;
    const byUri = uris.flatMap((uri) => table.get(`URI:${uri}`) ?? []);
    if (byUri.length > 1) return null;
    const row =
      byUri[0] ??
      table.get(distinguishedName) ??
      (commonName === null ? undefined : table.get(`CN=${commonName}`));
    if (row === undefined) return null;
    return { tenantId: row.tenantId, role: row.role, tokenName: row.subject };
  };
}
