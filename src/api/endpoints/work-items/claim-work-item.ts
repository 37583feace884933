import { claimWork } from '../../../shared/engine/work/claim-work.ts';
import { z } from 'zod';

import { QUEUE_NAME } from '../../../shared/domain/work/claim-filter.ts';
import { WORKER_QUEUES, type WorkerQueue } from '../../../shared/domain/work/work-item.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { buildId } from '../../schemas/build-id.ts';
import { idText, omittable } from '../../schemas/text.ts';
import type { EndpointDeps } from '../../deps.ts';
import { type Report, type ReportResult, reports, results, serveReports } from './serve-reports.ts';
import { releaseUnanswered } from './release-unanswered.ts';
import { shapeClaimed, workItemShape } from './work-item-shape.ts';

const WAIT_MS_MAX = 20_000;
const ITEMS_MAX = 100;
const QUEUE_TYPES_MAX = 32;

/** Unknown names are left out, so that a worker may name queues of a newer engine. */
const queueTypes = z
  .array(idText)
  .min(1, 'must name at least one queue type')
  .max(QUEUE_TYPES_MAX, `must name at most ${QUEUE_TYPES_MAX} queue types`)
  .transform((names, context): WorkerQueue[] => {
    const known = WORKER_QUEUES.filter((queue) => names.includes(queue));
    if (known.length === 0) {
      context.addIssue({ code: 'custom', message: `must name ${WORKER_QUEUES.join(' or ')}` });
    }
    return known;
  })
  .meta({ contains: { enum: [...WORKER_QUEUES] } });

const claimId = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID')
  .transform((id) => id.toLowerCase());

/** Bounded, as each costs a look-up. */
function names(what: string, lengthMax: number) {
  return z
    .array(
      z
        .string()
        .min(1, `must not name an empty ${what}`)
        .max(lengthMax, `must be at most ${lengthMax} characters`)
        .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must have no control characters'),
    )
    .min(1, `must name at least one ${what}, or be left out`)
    .max(NAMES_MAX, `must name at most ${NAMES_MAX} ${what}s`);
}

const NAMES_MAX = 100;
const TOOL_TEXT_MAX = 200;
const QUEUE_NAME_RULE =
  'must be names of queues: 1 to 64 letters, digits, ".", "_" and "-", not with a mark first';

function areQueueNames(queues: readonly string[]): boolean {
  return queues.every((name) => QUEUE_NAME.test(name));
}

export const claimWorkItem = defineEndpoint({
  name: 'claim-work-item',
  method: 'POST',
  path: '/work-items/claim',
  access: 'work',
  summary: 'Claims the next work item under a lease',
  body: z.object({
    worker_id: idText,
    queue_types: queueTypes,
    tools: omittable(names('tool', TOOL_TEXT_MAX)).meta({
      description:
        'Only items of these tools: globs over `module.function` and `class.method`, like ' +
        '`payment.*`. Absent: of every tool.',
    }),
    queues: omittable(names('queue', TOOL_TEXT_MAX).refine(areQueueNames, QUEUE_NAME_RULE)).meta({
      description:
        'Only items of these named queues; `default` is the one of nodes that name none. Absent: ' +
        'only that one.',
    }),
    build_id: omittable(buildId).meta({
      description:
        'The build of the worker: 1 to 64 letters, digits, ".", "+", "_" and "-". The claim also gets ' +
        'the turns of functions that are pinned to it, and pins those that it begins.',
    }),
    wait_ms: omittable(z.int().min(0, 'must not be negative')).meta({
      description: `Long poll: how long to wait for an item; at most ${WAIT_MS_MAX}.`,
    }),
    claim_id: omittable(claimId).meta({
      description:
        'A UUID that names this claim, so that `repeated` can ask again when the answer is lost.',
    }),
    repeated: omittable(z.boolean()).meta({
      description:
        'True: the claim was sent before and its answer was lost. The answer then has the items ' +
        'that `claim_id` leased and still holds, under the same fences, before anything else is ' +
        'claimed.',
    }),
    last: omittable(z.boolean()).meta({
      description:
        'True: the worker stops. The claim leases nothing; with `repeated`, the answer has the items that ' +
        '`claim_id` leased and still holds, to give back. The worker no longer counts among those that claim.',
    }),
    max_items: omittable(z.int().min(1, 'must be at least 1')).meta({
      description: `Claims up to this many, at most ${ITEMS_MAX}; the answer then has \`work_items\`.`,
    }),
    reports: omittable(reports).meta({
      description:
        'Calls for items that the worker has, as in `POST /work-items/report`; they are served first. ' +
        'With reports and no `wait_ms`, the claim answers at once, and looks at its queues only if ' +
        'something may have come since they were empty.',
    }),
    host: omittable(idText).meta({ description: 'For `GET /workers`; default: the address.' }),
    version: omittable(idText).meta({ description: 'For `GET /workers`.' }),
  }),
  replies: {
    200: z.object({
      claimed: z.boolean(),
      work_item: workItemShape.optional(),
      work_items: z.array(workItemShape).optional(),
      results: results
        .optional()
        .meta({ description: 'One for each of `reports`, in their order.' }),
    }),
  },
  async handle(request, deps) {
    const { engine, traceparentOf } = deps;
    const { body, caller } = request;
    const reported = reporting(request, deps, body.reports);
    const claimed = await claimWork(engine, caller, {
      workerId: body.worker_id,
      queues: body.queue_types,
      filter: { tools: body.tools, queueNames: body.queues, buildId: body.build_id },
      maxItems: Math.min(body.max_items ?? 1, ITEMS_MAX),
      waitMs: Math.min(body.wait_ms ?? 0, WAIT_MS_MAX),
      signal: request.abandoned(),
      claimId: body.claim_id,
      isRepeated: body.repeated === true,
      isLast: body.last === true,
      ...(reported !== null && { carries: reported.serve }),
      host: body.host ?? request.remoteAddress,
      version: body.version ?? 'unknown',
    });
    if (body.claim_id === null) {
      releaseUnanswered({ engine, caller, claimed, gone: request.gone() });
    }
    const items = await Promise.all(
      claimed.map(async (item) => {
        const { attempt, record } = item;
        const traceparent = await traceparentOf?.({ ...record, attempt });
        return { ...shapeClaimed(item), ...(typeof traceparent === 'string' && { traceparent }) };
      }),
    );
    const several = {
      ...(body.max_items !== null && { work_items: items }),
      ...(reported !== null && { results: reported.results() }),
    };
    const [first] = items;
    return {
      status: 200,
      body:
        first === undefined
          ? { claimed: false, ...several }
          : { claimed: true, work_item: first, ...several },
    };
  },
});

/** Null: the claim carries no reports. */
function reporting(
  request: Parameters<typeof serveReports>[0],
  deps: EndpointDeps,
  given: readonly Report[] | null,
): { readonly serve: () => Promise<void>; readonly results: () => ReportResult[] } | null {
  if (given === null) return null;
  let results: ReportResult[] = [];
  return {
    serve: async () => {
      results = await serveReports(request, deps, given);
    },
    results: () => results,
  };
}
