import { z } from 'zod';

import type { JsonObject } from '../../../shared/domain/json.ts';
import { errorBody, logError, translate } from '../../middleware/errors.ts';
import { decode } from '../../decode.ts';
import type { EndpointDeps } from '../../deps.ts';
import type { ApiRequest, Endpoint } from '../../endpoint.ts';
import { completeWorkItem } from './complete-work-item.ts';
import { continueWorkItem } from './continue-work-item.ts';
import { failWorkItem } from './fail-work-item.ts';
import { recordSteps } from './record-steps.ts';
import { releaseWorkItem } from './release-work-item.ts';
import { renewLease } from './renew-lease.ts';
import { leaseFence } from './settle-fields.ts';
import { suspendWorkItem } from './suspend-work-item.ts';

/*
 * Several of a worker's calls in one request. Each is served by the endpoint of its kind, as if it had
 * come alone, and has a verdict of its own.
 */

const ENDPOINTS = {
  heartbeat: renewLease,
  steps: recordSteps,
  suspend: suspendWorkItem,
  continue: continueWorkItem,
  complete: completeWorkItem,
  fail: failWorkItem,
  release: releaseWorkItem,
} satisfies Readonly<Record<string, Endpoint>>;

type Kind = keyof typeof ENDPOINTS;

const KINDS = Object.keys(ENDPOINTS) as [Kind, ...Kind[]];

export const REPORTS_MAX = 100;

const report = z
  .looseObject({
    kind: z.enum(KINDS),
    work_item_id: z.string(),
    lease_fence: leaseFence,
  })
  .meta({
    description:
      'The call of this kind for this item: `kind` is the last part of its path, and the other ' +
      'members are those of its body.',
  });

export type Report = z.output<typeof report>;

export const reports = z
  .array(report)
  .min(1, 'must be at least one report')
  .max(REPORTS_MAX, `must be at most ${REPORTS_MAX} reports`);

const result = z.object({
  work_item_id: z.string(),
  status: z.int().meta({ description: 'The status that the call alone would have.' }),
  body: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The body that the call alone would have.' }),
});

/** In the order of the reports. */
export const results = z.array(result);

export type ReportResult = z.input<typeof result>;

type ReportingRequest = ApiRequest<unknown, unknown, { readonly worker_id: string }>;

/** Reports on different items at once, reports on one item in their order. It never rejects. */
export async function serveReports(
  request: ReportingRequest,
  deps: EndpointDeps,
  given: readonly Report[],
): Promise<ReportResult[]> {
  const before = new Map<string, Promise<ReportResult>>();
  const all = given.map((one) => {
    const previous = before.get(one.work_item_id);
    const serve = () => serveReport(request, deps, one);
    const served = previous === undefined ? serve() : previous.then(serve);
    before.set(one.work_item_id, served);
    return served;
  });
  return Promise.all(all);
}

/** A report as a request of its own, whose caller and connection are those of all. */
function partOf(
  request: ReportingRequest,
  own: { readonly params: { readonly id: string }; readonly body: unknown },
): ApiRequest<unknown, unknown, unknown> {
  return {
    ...own,
    query: request.query,
    caller: request.caller,
    requestId: request.requestId,
    remoteAddress: request.remoteAddress,
    header: (name) => request.header(name),
    content: () => request.content(),
    prefersEventStream: () => request.prefersEventStream(),
    abandoned: () => request.abandoned(),
    watch: (long) => request.watch(long),
    waitForResult: () => request.waitForResult(),
    gone: () => request.gone(),
  };
}

async function serveReport(
  request: ReportingRequest,
  deps: EndpointDeps,
  { kind, work_item_id: id, ...members }: Report,
): Promise<ReportResult> {
  const endpoint: Endpoint = ENDPOINTS[kind];
  try {
    const given = { worker_id: request.body.worker_id, ...members };
    const body = endpoint.body === null ? {} : decode(endpoint.body, given);
    const answer = await endpoint.handle(partOf(request, { params: { id }, body }), deps);
    return { work_item_id: id, status: answer.status, body: answer.body as JsonObject };
  } catch (thrown) {
    const { requestId } = request;
    const { method, path: route } = endpoint;
    const refusal = translate(thrown);
    const { status } = refusal;
    logError(deps.log, { error: thrown, status, requestId, method, route });
    return { work_item_id: id, status, body: errorBody(refusal, requestId) };
  }
}
