import type { WireEvent } from '../../src/shared/clients/svc/wire.ts';

/** One event as one line: `2026-11-21T10:14:00.123Z  #3 NodeCompleted reserve`. */
export function describeEvent(event: WireEvent): string {
  const node = event.node_id === null ? '' : ` ${event.node_id}`;
  return `${event.created_at}  #${event.sequence} ${event.kind}${node}`;
}
