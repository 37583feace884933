import type { X509Certificate } from 'node:crypto';

/** The names of a verified client certificate's holder. */
export interface ClientCertificate {
  /** `CN=worker-1,O=Acme`: the parts in the order of the certificate. */
  readonly distinguishedName: string;
  /** Null when there is none, or more than one. */
  readonly commonName: string | null;
  /** Subject alternative names of type URI. */
  readonly uris: readonly string[];
  /** When it ends: a connection may outlive the certificate that it was opened with. */
  readonly validTo: Date;
}

export function readCertificate(
  certificate: Pick<X509Certificate, 'subject' | 'subjectAltName' | 'validTo'>,
): ClientCertificate {
  // One part a line; line breaks and other special characters within a part come escaped.
  const parts = (certificate.subject ?? '').split('\n').filter((part) => part !== '');
  const names = parts.filter((part) => part.startsWith('CN='));
  const [name] = names;
  return {
    distinguishedName: parts.join(','),
    commonName: name !== undefined && names.length === 1 ? name.slice('CN='.length) : null,
    uris: readUris(certificate.subjectAltName ?? ''),
    validTo: new Date(certificate.validTo),
  };
}

/**
 * `DNS:a, URI:spiffe://b, DNS:"c, URI:d"`: a value with special characters stands in quotes, as a
 * JSON string. The text is read from its beginning and to its end, so that nothing inside a quoted
 * value is ever taken for a name of its own; what does not fit leaves no URI at all.
 */
function readUris(text: string): readonly string[] {
  const uris: string[] = [];
  let rest = text;
  while (rest !== '') {
    const match = ALTERNATIVE_NAME.exec(rest);
    if (match === null) return [];
    const [whole, type, quoted, plain = ''] = match;
    if (type === 'URI') uris.push(quoted === undefined ? plain : (JSON.parse(quoted) as string));
    rest = rest.slice(whole.length);
  }
  return uris;
}

const ALTERNATIVE_NAME = /^([A-Za-z0-9 ]+):(?:("(?:[^"\\]|\\.)*")|([^",]*))(?:, |$)/;
