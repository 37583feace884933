import { readEvents as read } from '../../../shared/engine/executions/read-execution.ts';
import { z } from 'zod';

import type { RecordedEvent } from '../../../shared/domain/execution/event.ts';
import { badRequest } from '../../../shared/domain/errors.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Caller, defineEndpoint } from '../../endpoint.ts';
import { executionParam } from '../../schemas/params.ts';
import { optionalQuery, queryInteger, queryWord } from '../../schemas/query.ts';
import { type JsonPieces, ROWS_AT_A_TIME, writeRows } from '../../whole-list.ts';
import { BRIEF_CHARS, eventShape, shapeBriefly, shapeEvent } from './event-shape.ts';
import { STREAM_PAGE_EVENTS, streamEvents } from './stream-events.ts';

/** Stands for "no limit" in the query, which has no null. */
const ALL = Number.MAX_SAFE_INTEGER;
/** Up to 40 names of kinds. */
const KINDS = /^[A-Za-z]{1,40}(?:,[A-Za-z]{1,40}){0,39}$/;

export const readEvents = defineEndpoint({
  name: 'read-events',
  method: 'GET',
  path: '/executions/:id/events',
  access: 'read',
  summary: 'Reads the events of an execution, or streams them live',
  note:
    'All events by default; `after`, `before`, `order` and `limit` page them, and `types` selects ' +
    'kinds. With `Accept: text/event-stream` ' +
    'the answer stays open: events arrive as they are recorded, with `id:` their sequence ' +
    'and `data:` the same object as in JSON, and the stream ends after the last event of the ' +
    'execution. A disconnected client sends `Last-Event-ID` and misses nothing; a 204 means ' +
    'that the execution has ended and the client has everything. A caller that loses access ' +
    'gets a last message of the type `error`, with `error` and `status`, within 5 seconds.',
  params: executionParam,
  query: z.object({
    after: queryInteger({
      min: 0,
      fallback: 0,
      description: 'Only events with a greater sequence.',
    }),
    before: queryInteger({
      min: 1,
      fallback: ALL,
      description: 'Only events with a smaller sequence. Not for a stream.',
    }).meta({ default: undefined }),
    limit: queryInteger({ min: 1, fallback: ALL }).meta({ default: undefined }),
    order: queryWord(['asc', 'desc'], 'By sequence. Not for a stream.'),
    types: optionalQuery(
      z
        .string()
        .regex(KINDS, 'must be kinds of events, such as NodeFailed,NodeCompleted')
        .meta({ description: 'Kinds of events, with commas between them. Not for a stream.' }),
    ),
    payload: queryWord(
      ['full', 'brief'],
      `\`brief\` leaves out members of payloads that are longer than ${BRIEF_CHARS} characters. It keeps the names, kinds and errors of longer \`entries\` and \`waits\`. Not for a stream.`,
    ),
  }),
  replies: { 200: z.object({ events: z.array(eventShape) }) },
  errors: [404],
  streams: 'Events as they are recorded, and a comment now and then while there are none.',
  async handle(request, deps) {
    const { params, query, caller } = request;
    const live = request.prefersEventStream();
    const lastEventId = live ? readLastEventId(request.header('Last-Event-ID')) : null;
    const after = lastEventId ?? query.after;
    if (!live) return answerEvents({ query, caller, executionId: params.id, after }, deps);
    const executionId = params.id;
    const page = await read(deps.engine, caller, {
      executionId,
      after,
      limit: STREAM_PAGE_EVENTS,
    });
    // To an EventSource, 204 means: do not come again.
    if (lastEventId !== null && page.ended && page.events.length === 0) return { status: 204 };
    return {
      status: 200,
      live: streamEvents({ request, deps, first: page, after }),
    };
  },
});

interface AskedEvents {
  readonly query: {
    readonly before: number;
    readonly limit: number;
    readonly order: 'asc' | 'desc';
    readonly types: string | null;
    readonly payload: 'full' | 'brief';
  };
  readonly caller: Caller;
  readonly executionId: string;
  readonly after: number;
}

/** All events of a long history are answered piece by piece, so that none of it is held as a whole. */
async function answerEvents(asked: AskedEvents, { engine }: ApiDeps): Promise<EventsAnswer> {
  const { query, caller, executionId } = asked;
  const { limit, order } = query;
  const shapeOne = query.payload === 'full' ? shapeEvent : shapeBriefly;
  const range = {
    executionId,
    order,
    after: asked.after,
    before: query.before === ALL ? null : query.before,
    kinds: query.types?.split(',') ?? null,
  };
  const isWhole = limit === ALL;
  const page = await read(engine, caller, { ...range, limit: isWhole ? ROWS_AT_A_TIME : limit });
  const shape = (event: RecordedEvent) => shapeOne(page.executionId, event);
  if (!isWhole || page.events.length < ROWS_AT_A_TIME) {
    return { status: 200, body: { events: page.events.map(shape) } };
  }
  const readOn = async (last: RecordedEvent | null, rows: number) => {
    const from = last?.sequence ?? 0;
    const rest = order === 'asc' ? { after: from } : { before: from };
    return (await read(engine, caller, { ...range, ...rest, limit: rows })).events;
  };
  const source = { read: readOn, shape };
  const written = { name: 'events', source, first: page.events, tail: () => '' };
  return { status: 200, pieces: writeRows(written) };
}

type EventsAnswer =
  | { readonly status: 200; readonly pieces: JsonPieces }
  | { readonly status: 200; readonly body: { readonly events: z.input<typeof eventShape>[] } };

function readLastEventId(header: string | undefined): number | null {
  if (header === undefined) return null;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw badRequest('the Last-Event-ID header must be a sequence, as in the id: of an event');
}
