import { BlockList, isIP } from 'node:net';
import { findKeyWeakness } from '../security/find-key-weakness.ts';
import type { Config } from './config.ts';
import { metricsPort, type ProcessRole } from './listeners.ts';

/**
 * Rules that hold between keys. Empty when the configuration can run; otherwise one line for each
 * rule broken, saying which keys to change. The role decides on the default port of metrics.
 */
export function checkConfig(config: Config, role: ProcessRole = 'all'): readonly string[] {
  const problems: string[] = [];
  const { runtime, auth } = config;
  if (!auth.enabled && !auth.allowInsecure && !isLoopback(runtime.bind)) {
    problems.push(
      `runtime.bind: ${runtime.bind} can be reached by others while auth.enabled is false; ` +
        'turn authentication on, bind 127.0.0.1, or set auth.allow_insecure = true',
    );
  }
  if (role !== 'scheduler' && runtime.port !== 0 && metricsPort(config, role) === runtime.port) {
    problems.push(
      `telemetry.metrics_port: ${runtime.port} is runtime.port; give metrics a port of their own`,
    );
  }
  return [...problems, ...checkTls(config), ...checkAuthMethod(config)];
}

function checkTls({ api, runtime }: Config): string[] {
  const { certFile, keyFile, clientCaFile } = api.tls;
  const problems: string[] = [];
  if ((certFile === null) !== (keyFile === null)) {
    problems.push('api.tls: cert_file and key_file go together; set both or neither');
  }
  if (clientCaFile !== null && certFile === null) {
    problems.push('api.tls.client_ca_file: needs api.tls.cert_file and api.tls.key_file');
  }
  if (certFile !== null && runtime.publicUrl?.startsWith('http://') === true) {
    problems.push('runtime.public_url: begins with http:// while the API speaks HTTPS');
  }
  return problems;
}

function checkAuthMethod({ auth, api }: Config): string[] {
  const { method, jwt, mtls } = auth;
  if (!auth.enabled) return [];
  const problems: string[] = [];
  if (method === 'jwt') {
    for (const [key, value] of [
      ['issuer', jwt.issuer],
      ['audience', jwt.audience],
    ] as const) {
      if (value === null) problems.push(`auth.jwt.${key}: must be set while auth.method is jwt`);
    }
    if ((jwt.jwksUrl === null) === (jwt.publicKeyFile === null)) {
      problems.push(
        'auth.jwt: set one of jwks_url and public_key_file while auth.method is jwt, and not both',
      );
    }
    if (jwt.jwksUrl !== null && !isTrustworthy(jwt.jwksUrl)) {
      problems.push('auth.jwt.jwks_url: keys are trusted, so they must come over https://');
    }
  }
  if (method === 'mtls') {
    if (api.tls.certFile === null || api.tls.clientCaFile === null) {
      problems.push(
        'auth.method: mtls needs api.tls.cert_file, api.tls.key_file and api.tls.client_ca_file',
      );
    }
    if (mtls.subjects === null) {
      problems.push('auth.mtls.subjects: must be set while auth.method is mtls');
    }
  }
  if (method !== 'api_key' && auth.apiKey !== null && !auth.acceptTokens) {
    problems.push(
      `auth.api_key: is not accepted while auth.method is ${method}; unset it, or set ` +
        'auth.accept_tokens = true',
    );
  }
  const weakness = auth.apiKey === null ? null : findKeyWeakness(auth.apiKey);
  if (weakness !== null) {
    problems.push(
      `auth.api_key: ${weakness}; make one with "openssl rand -hex 32", or unset it and make a token ` +
        'with "svc token create --name NAME --role ROLE"',
    );
  }
  return problems;
}

/** Over TLS, or from this machine. */
function isTrustworthy(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can reach an address. `localhost` is the only trusted name. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
