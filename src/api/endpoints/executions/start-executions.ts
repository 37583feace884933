import { z } from 'zod';

import { badRequest, SvcError } from '../../../shared/domain/errors.ts';
import { isJsonObject, type JsonValue } from '../../../shared/domain/json.ts';
import type { StartExecution } from '../../../shared/engine/executions/start-execution.ts';
import { startMany, type StartVerdict } from '../../../shared/engine/executions/start-many.ts';
import { decode } from '../../decode.ts';
import type { ApiLog } from '../../deps.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { errorBody, translate } from '../../middleware/errors.ts';
import { checkJsonBody } from '../../middleware/json-bounds.ts';
import { executionId, ID_BYTES_MAX, omittable } from '../../schemas/text.ts';
import { unchecked } from '../../schemas/unchecked.ts';
import { readStart, readTraceparent, startFields } from './start-fields.ts';

const STARTS_MAX = 1_000;
/** 16 KiB for each of a thousand starts. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

const entryShape = z.strictObject({
  ...startFields,
  idempotency_key: omittable(
    z
      .string()
      .regex(
        new RegExp(`^[\\x20-\\x7e]{1,${ID_BYTES_MAX}}$`),
        `must be 1 to ${ID_BYTES_MAX} ASCII characters`,
      ),
  ).meta({ description: 'As the `Idempotency-Key` header of `POST /executions`.' }),
});

const verdictShape = z.looseObject({
  status: z.int().meta({
    description: '201, or the status of the error that `POST /executions` would answer.',
  }),
  execution_id: executionId.optional().meta({
    description: 'With 201; with a 409 for a key, the execution that has the key.',
  }),
  error: z.string().optional().meta({ description: 'Absent with 201.' }),
  retry_after_seconds: z
    .int()
    .optional()
    .meta({ description: 'The `Retry-After` of the error, if it has one.' }),
});

export const startExecutions = defineEndpoint({
  name: 'start-executions',
  method: 'POST',
  path: '/executions/batch',
  access: 'write',
  summary: 'Starts many executions, each with its own verdict',
  note:
    'Each entry is the body of `POST /executions`, and may have an `idempotency_key`. `results` has one ' +
    'verdict per entry, in the same order: an entry that is wrong or over a limit does not affect the ' +
    'others. The same key and entry start one execution, within a batch and within 24 hours. Give every ' +
    'entry a key, and you can repeat the whole request when its answer is lost. The body may have up to ' +
    '16 MiB, or `api.body_bytes_max` if that is more; each entry may have up to `api.body_bytes_max`. ' +
    'A batch counts as one request for `requests_per_second`. There is no `wait`. A `traceparent` header ' +
    'applies to every entry.',
  body: z.strictObject({
    executions: z.array(unchecked(entryShape)).min(1).max(STARTS_MAX),
  }),
  largeBody: { bytesMax: BODY_BYTES_MAX, checksEntries: true },
  replies: { 200: z.object({ results: z.array(verdictShape) }) },
  async handle(request, { engine, settings, log }) {
    const { body, caller, requestId } = request;
    if (request.header('Idempotency-Key') !== undefined) {
      throw badRequest('a batch has no Idempotency-Key: give each entry its own idempotency_key');
    }
    const common = {
      signal: request.gone(),
      // Together they would take more turns than one request may wait for.
      whenBusy: 'waits',
      ...readTraceparent(request),
    } as const;
    const declaredBytes = Number(request.header('Content-Length') ?? Infinity);
    const bytesMax = declaredBytes <= settings.bodyBytesMax ? null : settings.bodyBytesMax;
    const verdicts = await startMany(engine, caller, {
      starts: body.executions.map((entry) => () => ({ ...readEntry(entry, bytesMax), ...common })),
    });
    logErrors(verdicts, { log, requestId });
    return {
      status: 200,
      body: { results: verdicts.map((verdict) => shapeVerdict(verdict, requestId)) },
    };
  },
});

/** `bytesMax` null: the whole body is no larger than an entry may be. */
function readEntry(entry: JsonValue, bytesMax: number | null): StartExecution {
  if (!isJsonObject(entry)) throw badRequest('an entry of executions must be a JSON object');
  checkJsonBody(entry, { what: 'the entry' });
  if (bytesMax !== null && Buffer.byteLength(JSON.stringify(entry)) > bytesMax) {
    throw new SvcError('too_large', `the entry is larger than ${bytesMax} bytes`);
  }
  const start = decode(entryShape, entry) as z.output<typeof entryShape>;
  return { ...readStart(start), idempotencyKey: start.idempotency_key };
}

/** One line in the log for each kind of failure, however many entries met it. */
function logErrors(
  verdicts: readonly StartVerdict[],
  { log, requestId }: { readonly log: ApiLog; readonly requestId: string },
): void {
  const errors = verdicts.flatMap((verdict) =>
    'error' in verdict ? translate(verdict.error) : [],
  );
  const failures = Map.groupBy(errors, ({ status }) => status);
  for (const [status, [first, ...others]] of failures) {
    if (status < 500) continue;
    const fields = { request_id: requestId, status, entries: others.length + 1, err: first };
    log[status === 500 ? 'error' : 'warn'](fields, 'starts of a batch failed');
  }
}

function shapeVerdict(verdict: StartVerdict, requestId: string) {
  if ('executionId' in verdict) {
    return { status: 201, execution_id: verdict.executionId };
  }
  const error = translate(verdict.error);
  const retryAfter = error.headers['Retry-After'];
  return {
    ...errorBody(error, requestId),
    status: error.status,
    ...(retryAfter !== undefined && { retry_after_seconds: Number(retryAfter) }),
  };
}
