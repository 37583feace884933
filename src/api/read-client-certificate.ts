import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { readCertificate, type ClientCertificate } from '../shared/security/client-certificate.ts';

/** Null without TLS, without a certificate, and with one that the authority does not vouch for. */
export function readClientCertificate(socket: Socket): ClientCertificate | null {
  if (!isEncrypted(socket) || !socket.authorized) return null;
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? null : readCertificate(certificate);
}

/** Without the class itself, which would bring all of TLS to processes that serve plain HTTP. */
function isEncrypted(socket: Socket): socket is TLSSocket {
  return 'encrypted' in socket && socket.encrypted === true;
}
