import { isIPv4, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';

import { addressKey } from './address-rules.ts';

const HEADER_BYTES_MAX = 16 * 1024;

/**
 * An agent for one exchange that connects to these addresses and to no other, whatever the name in
 * the URL would resolve to by then. The name stays what the TLS certificate is checked against.
 *
 * A `lookup` hook is not asked for hosts that are IP addresses, so the address of every connection
 * is looked at once more before a byte is sent over it.
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
