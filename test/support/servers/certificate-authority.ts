import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/**
 * Certificates for tests (X.509 version 3, RFC 5280, in DER): Node makes keys, but no certificates.
 */
export interface CertificateAuthority {
  readonly certificate: string;
  issue(holder: Holder): { readonly certificate: string; readonly key: string };
}

export interface Holder {
  /** In the order of the certificate: `[['O', 'Acme'], ['CN', 'worker']]`. */
  readonly subject: readonly (readonly [keyof typeof NAMES, string])[];
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly (readonly [number, number, number, number])[];
  readonly uris?: readonly string[];
  /** The time until it expires; two days by default. */
  readonly expiresInMs?: number;
}

export function createAuthority(commonName: string): CertificateAuthority {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = nameOf([['CN', commonName]]);
  let issued = 1;

  function make(of: { subject: Buffer; publicKey: KeyObject; extensions: Buffer; endsAt: number }) {
    issued += 1;
    const content = sequence(
      der(0xa0, der(0x02, Buffer.from([2]))),
      der(0x02, Buffer.from([issued])),
      ECDSA_WITH_SHA256,
      name,
      sequence(time(Date.now() - 2 * DAY_MS), time(of.endsAt)),
      of.subject,
      of.publicKey.export({ type: 'spki', format: 'der' }),
      der(0xa3, of.extensions),
    );
    const signature = sign('sha256', content, pair.privateKey);
    const bits = der(0x03, Buffer.concat([Buffer.from([0]), signature]));
    return toPem('CERTIFICATE', sequence(content, ECDSA_WITH_SHA256, bits));
  }

  return {
    certificate: make({
      subject: name,
      publicKey: pair.publicKey,
      extensions: sequence(extension('551d13', sequence(der(0x01, Buffer.from([0xff]))))),
      endsAt: Date.now() + DAY_MS,
    }),
    issue(holder) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const names = alternativeNames(holder);
      const certificate = make({
        subject: nameOf(holder.subject),
        publicKey,
        extensions: sequence(
          extension('551d13', sequence()),
          ...(names.length > 0 ? [extension('551d11', sequence(...names))] : []),
        ),
        endsAt: Date.now() + (holder.expiresInMs ?? DAY_MS),
      });
      return { certificate, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

const DAY_MS = 24 * 3600 * 1000;
const NAMES = { CN: '550403', O: '55040a', OU: '55040b' } as const;
const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));

function nameOf(parts: Holder['subject']): Buffer {
  return sequence(
    ...parts.map(([type, text]) =>
      der(0x31, sequence(oid(NAMES[type]), der(0x0c, Buffer.from(text)))),
    ),
  );
}

function alternativeNames({ dnsNames = [], addresses = [], uris = [] }: Holder): Buffer[] {
  return [
    ...dnsNames.map((name) => der(0x82, Buffer.from(name))),
    ...uris.map((uri) => der(0x86, Buffer.from(uri))),
    ...addresses.map((address) => der(0x87, Buffer.from(address))),
  ];
}

function extension(id: string, content: Buffer): Buffer {
  return sequence(oid(id), der(0x04, content));
}

function der(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function oid(encoded: string): Buffer {
  return der(0x06, Buffer.from(encoded, 'hex'));
}

/** UTCTime: `261121101400Z`. */
function time(millis: number): Buffer {
  const digits = new Date(millis).toISOString().replaceAll(/[^0-9]/g, '');
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function toPem(label: string, content: Buffer): string {
  const lines = content.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
