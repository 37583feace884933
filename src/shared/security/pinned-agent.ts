import { isIPv4, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';

import { addressKey } from './address-rules.ts';

const HEADER_BYTES_MAX = 16 * 1024;

/**
 * An agent for one exchange that connects only to these addresses, even if the name in the URL
 * resolves to others by then. The TLS certificate is still checked against the name.
 *
 * A `lookup` hook is not called for hosts that are IP addresses, so the agent checks the address of
 * every connection again before it sends a byte.
 */
export function createPinnedAgent(params: {
  readonly addresses: readonly string[];
  readonly connectTimeoutMs: number;
}): Agent {
  const { addresses, connectTimeoutMs } = params;
  const allowed = new Set(addresses.map(addressKey));
  const connectSomewhere = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    maxCachedSessions: 0,
    lookup: lookupAmong(addresses),
  });
  const connect: buildConnector.connector = (options, callback) => {
    connectSomewhere(options, (...outcome) => {
      const [error, socket] = outcome;
      if (error === null && !allowed.has(addressKey(socket.remoteAddress ?? ''))) {
        socket.destroy();
        callback(new Error('connected to another address than the one checked'), null);
        return;
      }
      callback(...outcome);
    });
  };
  return new Agent({ connect, pipelining: 0, maxHeaderSize: HEADER_BYTES_MAX });
}

/** Answers in both forms that Node asks in: all addresses for a race between them, or one. */
function lookupAmong(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (options.all === true) callback(null, [...found]);
    else if (first !== undefined) callback(null, first.address, first.family);
    else callback(new Error('no address'), '', 0);
  };
}
