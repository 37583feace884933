import { generateKeyPairSync, sign } from 'node:crypto';

/**
 * A self-signed certificate for one DNS name, valid for two days around `now`: X.509 version 3 (RFC
 * 5280) in DER, because Node makes keys but no certificates.
 */
export function createCertificate(
  name: string,
  now = Date.now(),
): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = sequence(set(sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(name)))));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    sequence(oid(ECDSA_WITH_SHA256)),
    issuer,
    sequence(time(now - DAY_MS), time(now + DAY_MS)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(oid(BASIC_CONSTRAINTS), octets(sequence(der(0x01, Buffer.from([0xff]))))),
        sequence(oid(SUBJECT_ALT_NAME), octets(sequence(der(0x82, Buffer.from(name))))),
      ),
    ),
  );
  const signature = sign('sha256', content, privateKey);
  const bits = der(0x03, Buffer.concat([Buffer.from([0]), signature]));
  const certificate = sequence(content, sequence(oid(ECDSA_WITH_SHA256)), bits);
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd();
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

const DAY_MS = 24 * 3600 * 1000;

/** Object identifiers in their encoded form. */
const COMMON_NAME = '550403';
const BASIC_CONSTRAINTS = '551d13';
const SUBJECT_ALT_NAME = '551d11';
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';

function der(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Uint8Array[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function octets(content: Uint8Array): Buffer {
  return der(0x04, content);
}

function oid(encoded: string): Buffer {
  return der(0x06, Buffer.from(encoded, 'hex'));
}

/** UTCTime: `261121101400Z`. */
function time(millis: number): Buffer {
  const digits = new Date(millis).toISOString().replaceAll(/[^0-9]/g, '');
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}
