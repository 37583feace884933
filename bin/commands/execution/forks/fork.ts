import type { WireForkPreview } from '../../../../src/shared/clients/svc/wire.ts';
import { connectClient, type ClientOptions } from '../../../cli/client.ts';
import { readObjectOption } from '../../../cli/json-option.ts';
import { nameVisit } from '../../../cli/formats/name-visit.ts';
import { printFields, printJson, printLine } from '../../../cli/output.ts';

export interface ForkOptions extends ClientOptions {
  readonly at: string;
  readonly visit?: number;
  readonly failedItems?: boolean;
  readonly patch?: string;
  readonly latest?: boolean;
  readonly dryRun?: boolean;
}

/** Prints the id of the fork, or what it would keep and run. */
export async function forkExecution(executionId: string, options: ForkOptions): Promise<void> {
  const client = connectClient(options);
  const isJson = options.output === 'json';
  const request = {
    at: readPoint(options.at),
    ...(options.visit !== undefined && { visit: options.visit }),
    ...(options.failedItems === true && { items: 'failed' }),
    ...(options.patch !== undefined && {
      patch: await readObjectOption('--patch', options.patch),
    }),
    ...(options.latest === true && { revision: 'latest' }),
  };
  if (options.dryRun === true) {
    const preview = await client.previewFork(executionId, request);
    if (isJson) printJson(preview);
    else printPreview(preview);
    return;
  }
  const forked = await client.forkExecution(executionId, request);
  if (isJson) printJson(forked);
  else printLine(forked.execution_id);
}

/** `12` is an event, `charge` a node, and `node:12` a node that is called as an event. */
function readPoint(at: string): number | string {
  if (/^\d+$/.test(at)) return Number(at);
  return at.startsWith('node:') ? at.slice('node:'.length) : at;
}

function printPreview(preview: WireForkPreview): void {
  const { maps, approvals, waiting_events: events, undone } = preview;
  printFields({
    'after event': preview.sequence,
    'begins at': preview.begins.join(', '),
    keeps: tellVisits(preview.kept),
    'runs again': tellVisits(preview.left),
    ...(maps.length > 0 && {
      'map items kept': maps.map((map) => `${map.node_id} ${map.kept_items}`).join(', '),
    }),
    ...(approvals.length > 0 && { 'approvals kept': tellVisits(approvals) }),
    ...(events > 0 && { 'events waiting': events }),
    ...(undone.length > 0 && { 'kept but undone': tellUndone(undone) }),
  });
}

function tellUndone(undone: WireForkPreview['undone']): string {
  return undone.map(nameVisit).join(', ');
}

function tellVisits(visits: WireForkPreview['kept']): string {
  if (visits.length === 0) return 'nothing';
  return visits
    .map((one) => (one.visits === 1 ? one.node_id : `${one.node_id} × ${one.visits}`))
    .join(', ');
}
