import { BlockList, isIP } from 'node:net';
import type { Config } from './config.ts';

/**
 * Rules that hold between keys. Empty when the configuration can run; otherwise one line for each
 * rule broken, saying which keys to change.
 */
export function checkConfig(config: Config): readonly string[] {
  const problems: string[] = [];
  const { runtime, auth, telemetry } = config;
  if (!auth.enabled && !auth.allowInsecure && !isLoopback(runtime.bind)) {
    problems.push(
      `runtime.bind: ${runtime.bind} can be reached by others while auth.enabled is false; ` +
        'turn authentication on, bind 127.0.0.1, or set auth.allow_insecure = true',
    );
  }
  if (telemetry.enabled && runtime.port !== 0 && telemetry.metricsPort === runtime.port) {
    problems.push(
      `telemetry.metrics_port: ${runtime.port} is runtime.port; give metrics a port of their own`,
    );
  }
  return problems;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can reach an address. Of names, `localhost` alone is trusted. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
