import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import { readCertificate, type ClientCertificate } from '../shared/security/client-certificate.ts';

/** Null without TLS, without a certificate, and with one that the authority does not vouch for. */
export function readClientCertificate(socket: Socket): ClientCertificate | null {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return null;
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? null : readCertificate(certificate);
}
