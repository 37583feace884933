import { z } from 'zod';

import {
  forkExecution as fork,
  previewFork,
  type ForkPreview,
} from '../../../../shared/engine/executions/fork/fork-execution.ts';
import type { ForkAt } from '../../../../shared/engine/executions/fork/find-fork-point.ts';
import type { NodeVisits } from '../../../../shared/engine/executions/fork/outline-fork.ts';
import { badRequest } from '../../../../shared/domain/errors.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { readIdempotencyKey } from '../../../schemas/idempotency-key.ts';
import { userObject } from '../../../schemas/json-values.ts';
import { executionParam } from '../../../schemas/params.ts';
import { executionId, idText, omittable } from '../../../schemas/text.ts';

const pointShape = {
  forked_from: executionId,
  sequence: z.int().meta({ description: 'The last event of the original that the fork carries.' }),
  node_id: z.string().nullable().meta({ description: 'The node that the request named.' }),
};
const visitsShape = z.array(z.object({ node_id: z.string(), visits: z.int() }));

const previewShape = z.object({
  ...pointShape,
  begins: z.array(z.string()).meta({ description: 'Nodes that begin at once.' }),
  kept: visitsShape.meta({ description: 'Completed visits, whose results the fork keeps.' }),
  left: visitsShape.meta({
    description:
      'Visits of the original that were in progress at the point or began after it. The fork ' +
      'runs their nodes again where it comes to them.',
  }),
  maps: z
    .array(z.object({ node_id: z.string(), kept_items: z.int() }))
    .meta({ description: 'Maps that begin again, with the items that do not run again.' }),
  approvals: visitsShape.meta({
    description: 'Approved visits: an approval stays valid for a call with the same hash.',
  }),
  waiting_events: z.int().meta({ description: 'External events that no node has taken.' }),
  undone: z.array(z.object({ node_id: z.string(), visit: z.int() })).meta({
    description:
      'Completed visits that the original has undone since: the fork keeps their results, ' +
      'although their effects were taken back.',
  }),
});

export const forkExecution = defineEndpoint({
  name: 'fork-execution',
  method: 'POST',
  path: '/executions/:id/fork',
  access: 'write',
  summary: 'Starts a new execution that carries another one up to a point',
  note:
    '`at` is a node, which then runs again, or the sequence of the last event to keep. The fork ' +
    'has the state, the results and the untaken external events of that point; what was in ' +
    'progress begins again, with the whole time of its timers. The original continues, or stays as ' +
    'it ended. The calls of a fork have idempotency keys of their own, so they have their effects ' +
    'again: to repeat a failed call under its key, retry the execution. With `dry_run`, the answer ' +
    'is 200 with what the fork would keep and run, and nothing starts. With an `Idempotency-Key` ' +
    'header, the same key and body within 24 hours give the same fork.',
  params: executionParam,
  body: z.strictObject({
    at: z.union([z.int().min(1), idText]).meta({
      description: 'A node id, or the sequence of an event from 1.',
    }),
    visit: omittable(z.int().min(0)).meta({
      description: 'Which visit of the node; the last one unless given.',
    }),
    items: omittable(z.enum(['all', 'failed'])).meta({
      description:
        'For a `map`: `failed` runs the items again that did not succeed, with the results of ' +
        'the others; `all` is the default.',
    }),
    patch: omittable(userObject).meta({
      description: 'JSON Merge Patch (RFC 7396) of the state that the fork begins with.',
    }),
    revision: omittable(z.enum(['same', 'latest'])).meta({
      description:
        '`latest`: use the latest registered definition, which must have the nodes that run ' +
        'next; `same`, the default: use that of the execution.',
    }),
    dry_run: omittable(z.boolean()),
  }),
  replies: {
    200: previewShape,
    201: z.object({ execution_id: executionId, ...pointShape }),
  },
  errors: [400, 404, 409, 429],
  async handle(request, { engine }) {
    const { params, body, caller } = request;
    const asked = {
      executionId: params.id,
      at: readAt(body),
      statePatch: body.patch,
      revision: body.revision ?? ('same' as const),
    };
    if (body.dry_run === true) {
      return { status: 200, body: shapePreview(await previewFork(engine, caller, asked)) };
    }
    const forked = await fork(engine, caller, {
      ...asked,
      idempotencyKey: readIdempotencyKey(request.header('Idempotency-Key')),
    });
    return {
      status: 201,
      body: {
        execution_id: forked.executionId,
        forked_from: forked.forkedFrom,
        sequence: forked.sequence,
        node_id: forked.nodeId,
      },
    };
  },
});

function readAt(body: {
  readonly at: number | string;
  readonly visit: number | null;
  readonly items: 'all' | 'failed' | null;
}): ForkAt {
  const { at, visit, items } = body;
  if (typeof at === 'string') return { nodeId: at, visit, items: items ?? 'all' };
  if (visit === null && items === null) return { sequence: at };
  throw badRequest('`visit` and `items` are for a node: `at` must be a node id');
}

function shapePreview(preview: ForkPreview): z.input<typeof previewShape> {
  const { outline } = preview;
  return {
    forked_from: preview.forkedFrom,
    sequence: preview.sequence,
    node_id: preview.nodeId,
    begins: [...outline.begins],
    kept: shapeVisits(outline.kept),
    left: shapeVisits(outline.left),
    maps: outline.maps.map((map) => ({ node_id: map.nodeId, kept_items: map.keptItems })),
    approvals: shapeVisits(outline.approvals),
    waiting_events: outline.waitingEvents,
    undone: outline.undone.map((one) => ({ node_id: one.nodeId, visit: one.visit })),
  };
}

function shapeVisits(visits: readonly NodeVisits[]): z.input<typeof visitsShape> {
  return visits.map((one) => ({ node_id: one.nodeId, visits: one.visits }));
}
