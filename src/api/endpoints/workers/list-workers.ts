import { listWorkers as list } from '../../../shared/engine/work/list-workers.ts';
import { z } from 'zod';

import { readQueueName } from '../../../shared/domain/work/build-queue.ts';
import { type ClaimFilter, queueNamesOf } from '../../../shared/domain/work/claim-filter.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { timestamp } from '../../schemas/text.ts';

export const listWorkers = defineEndpoint({
  name: 'list-workers',
  method: 'GET',
  path: '/workers',
  access: 'read',
  summary: 'Lists workers seen in the last 60 seconds',
  note: 'Scheduler processes (`runtime`) and the tool workers of the tenant (`tool`).',
  replies: {
    200: z.object({
      workers: z.array(
        z.object({
          worker_id: z.string(),
          kind: z.enum(['runtime', 'tool']),
          role: z.string().nullable(),
          queue_types: z.array(z.string()),
          tools: z.array(z.string()).nullable().optional().meta({
            description: 'For tool workers: the globs it claims; null: every tool.',
          }),
          queues: z.array(z.string()).optional().meta({
            description: 'For tool workers: the named queues it claims.',
          }),
          build_ids: z.array(z.string()).optional().meta({
            description: 'For tool workers: the builds that it claims for.',
          }),
          version: z.string(),
          host: z.string(),
          started_at: timestamp,
          last_heartbeat: timestamp,
          active_items: z.int(),
        }),
      ),
      active_items_are_exact: z.boolean().meta({
        description: 'False: more is at work than was counted; `active_items` is a lower bound.',
      }),
    }),
  },
  async handle({ caller }, { engine }) {
    const { workers, isExact } = await list(engine, caller);
    return {
      status: 200,
      body: {
        workers: workers.map((worker) => ({
          worker_id: worker.workerId,
          kind: worker.kind,
          role: worker.role,
          queue_types: [...worker.queueTypes],
          ...(worker.kind === 'tool' && servedBy(worker.filter)),
          version: worker.version,
          host: worker.host,
          started_at: worker.startedAt,
          last_heartbeat: worker.lastHeartbeat,
          active_items: worker.activeItems,
        })),
        active_items_are_exact: isExact,
      },
    };
  },
});

function servedBy(filter: ClaimFilter) {
  const named = queueNamesOf(filter).map(readQueueName);
  const builds = new Set(named.flatMap(({ buildId }) => buildId ?? []));
  return {
    tools: filter.tools ? [...filter.tools] : null,
    queues: named.flatMap(({ queueName, buildId }) => (buildId === null ? queueName : [])),
    build_ids: [...builds],
  };
}
