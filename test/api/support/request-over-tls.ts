import { request, type Agent } from 'node:https';
import type { SecureVersion } from 'node:tls';

export type Shown = { readonly certificate: string; readonly key: string } | undefined;

export interface TlsRequest {
  readonly port: number;
  /** The authority that signed the server's certificate. */
  readonly authority: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's certificate. */
  readonly shown?: Shown;
  readonly maxVersion?: SecureVersion;
  /** Sent as JSON. */
  readonly body?: object;
  /** Absent: a new connection for this request alone. */
  readonly agent?: Agent;
  /** Called when the first part of the answer's body arrives. */
  readonly onOpen?: () => void;
}

/** One HTTPS request with options that `fetch` lacks: certificates, `Host`, an agent. */
export function requestOverTls(
  given: TlsRequest,
): Promise<{ readonly status: number; readonly body: string }> {
  const { port, path, method = 'GET', shown, maxVersion, body: sentBody, agent = false } = given;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: {
          ...(sentBody !== undefined && { 'content-type': 'application/json' }),
          ...given.headers,
        },
        ca: given.authority,
        agent,
        ...(shown !== undefined && { cert: shown.certificate, key: shown.key }),
        ...(maxVersion !== undefined && { maxVersion, minVersion: 'TLSv1' }),
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        if (given.onOpen) response.once('data', given.onOpen);
        response.on('data', (text: string) => (body += text));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      },
    );
    sent.on('error', reject);
    sent.end(sentBody === undefined ? undefined : JSON.stringify(sentBody));
  });
}
