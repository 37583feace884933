import test from 'ava';

import type { TenantId } from '../../../src/shared/domain/ids.ts';
import { createCertificates } from '../../../src/shared/security/authenticators/certificates.ts';
import { readCertificate } from '../../../src/shared/security/client-certificate.ts';

const validTo = 'Jan  1 00:00:00 2030 GMT';
const NOW = new Date('2026-01-01T00:00:00Z');

test('the parts of a subject make its distinguished name', (t) => {
  t.deepEqual(
    readCertificate({ subject: 'O=Acme\nCN=worker-1', subjectAltName: undefined, validTo }),
    {
      distinguishedName: 'O=Acme,CN=worker-1',
      commonName: 'worker-1',
      uris: [],
      validTo: new Date('2030-01-01T00:00:00Z'),
    },
  );
});

test('two common names give none', (t) => {
  t.is(
    readCertificate({ subject: 'CN=a\nCN=b', subjectAltName: undefined, validTo }).commonName,
    null,
  );
});

for (const [title, text, uris] of [
  ['a URI among others', 'DNS:a.example, URI:spiffe://a/b, IP Address:10.0.0.1', ['spiffe://a/b']],
  ['two URIs', 'URI:spiffe://a, URI:spiffe://b', ['spiffe://a', 'spiffe://b']],
  ['a URI in quotes', 'URI:"spiffe://a, b"', ['spiffe://a, b']],
  ['a URI inside another name', 'DNS:"x, URI:spiffe://admin, y"', []],
  ['a quote inside another name', String.raw`DNS:"x\", URI:spiffe://admin, DNS:\"y"`, []],
  ['text that does not fit', 'DNS:x", URI:spiffe://admin', []],
  ['nothing', '', []],
] as const) {
  test(`alternative names: ${title}`, (t) => {
    t.deepEqual(readCertificate({ subject: 'CN=x', subjectAltName: text, validTo }).uris, uris);
  });
}

const SUBJECTS = [
  { subject: 'CN=worker', role: 'developer' as const, tenantId: 'acme' as TenantId },
  { subject: 'O=Acme,CN=worker', role: 'reviewer' as const, tenantId: 'acme' as TenantId },
  { subject: 'URI:spiffe://acme/ci', role: 'operator' as const, tenantId: 'acme' as TenantId },
  { subject: 'URI:spiffe://acme/cd', role: 'viewer' as const, tenantId: 'acme' as TenantId },
];
const identify = createCertificates({ subjects: SUBJECTS, currentDate: () => NOW });

function roleOf(subject: string, subjectAltName?: string): string | null {
  return identify(readCertificate({ subject, subjectAltName, validTo }))?.role ?? null;
}

test('the most telling name of a certificate decides', (t) => {
  t.is(roleOf('CN=worker'), 'developer');
  t.is(roleOf('O=Other\nCN=worker'), 'developer');
  t.is(roleOf('O=Acme\nCN=worker'), 'reviewer');
  t.is(roleOf('O=Acme\nCN=worker', 'URI:spiffe://acme/ci'), 'operator');
  t.is(roleOf('CN=worker', 'URI:spiffe://unknown'), 'developer');
});

test('a certificate that the table does not know is nobody', (t) => {
  t.is(roleOf('CN=Worker'), null);
  t.is(roleOf('CN=worker\nCN=worker'), null);
  t.is(roleOf('O=CN=worker'), null);
  t.is(roleOf(''), null);
  t.is(roleOf('CN=x', 'DNS:spiffe://acme/ci'), null);
  t.is(roleOf('CN=worker', 'URI:spiffe://acme/ci, URI:spiffe://acme/cd'), null);
});

test('a certificate that has expired is nobody, and so is one without a date', (t) => {
  const shown = (ends: string) =>
    identify(readCertificate({ subject: 'CN=worker', subjectAltName: undefined, validTo: ends }));
  t.is(shown('Jan  1 00:00:01 2026 GMT')?.role, 'developer');
  t.is(shown('Jan  1 00:00:00 2026 GMT'), null);
  t.is(shown(''), null);
});
