import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';

import type { Access, Identity } from '../shared/domain/access.ts';
import type { JsonObject } from '../shared/domain/json.ts';
import type { Caller as UseCaseCaller } from '../shared/engine/caller.ts';
import type { EndpointDeps } from './deps.ts';
import type { RequestContent } from './middleware/content.ts';
import type { LongAnswer } from './watch-callers.ts';
import type { JsonPieces } from './whole-list.ts';

/**
 * Declares one endpoint. The same schemas check requests, type `handle` and its answer, and make
 * the OpenAPI document, so the three cannot disagree.
 */
export function defineEndpoint<
  Params extends z.ZodType = z.ZodType<NoFields>,
  Query extends z.ZodObject = z.ZodObject<NoFields>,
  Body extends z.ZodType = z.ZodType<NoFields>,
  const Replies extends ReplySchemas = ReplySchemas,
  const Given extends AnswerOf<Replies> = AnswerOf<Replies>,
>(
  declaration: Declaration<Params, Query, Body, Replies, Given>,
): Endpoint & { readonly replies: Replies } {
  const {
    params,
    query,
    body,
    inspectBody,
    bodyMayBeAbsent,
    largeBody,
    errors,
    streams,
    uploads,
    downloads,
    note,
    readsMayLag,
    handle,
    ...rest
  } = declaration;
  return {
    ...rest,
    params: params ?? null,
    query: query ?? null,
    body: body ?? null,
    inspectBody: inspectBody ?? null,
    bodyMayBeAbsent: bodyMayBeAbsent ?? false,
    largeBody: largeBody ?? null,
    errors: errors ?? [],
    streams: streams ?? null,
    uploads: uploads ?? null,
    downloads: downloads ?? null,
    note: note ?? null,
    readsMayLag: readsMayLag ?? false,
    // The caller has put what it passes here through the three schemas above.
    handle: handle as Endpoint['handle'],
  };
}

interface Declaration<
  Params extends z.ZodType,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Replies extends ReplySchemas,
  Given extends AnswerOf<Replies>,
> {
  /** Kebab-case verb and noun, like the file; the OpenAPI operation id. */
  readonly name: string;
  readonly method: Method;
  /** Parameters as `:id`. */
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  /** More than a line, in Markdown. */
  readonly note?: string;
  readonly params?: Params;
  readonly query?: Query;
  /** Absent: a body is not read, even if a client sends one. */
  readonly body?: Body;
  /** Looks at a body as it came, with the members that its schema leaves out; throws what is wrong. */
  readonly inspectBody?: (body: JsonObject) => void;
  /** No body at all is taken for an empty object. */
  readonly bodyMayBeAbsent?: true;
  /** More than `api.body_bytes_max`, where that is less. */
  readonly largeBody?: LargeBody;
  /** The answers that are not errors, by status. */
  readonly replies: Replies;
  /** Statuses of errors beyond those that follow from access, query and body. */
  readonly errors?: readonly ErrorStatus[];
  /** The content of the answer's `text/event-stream` form, if it has one. */
  readonly streams?: string;
  /** Description of a body of any type, for routes that accept one instead of JSON. */
  readonly uploads?: string;
  /** Description of a 200 of any type, for answers other than JSON. */
  readonly downloads?: string;
  /** A list in one piece, which a replica may answer: see `lagging-reads.ts`. */
  readonly readsMayLag?: true;
  readonly handle: (
    request: ApiRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
    deps: EndpointDeps,
  ) => Promise<Given>;
}

/** An endpoint as the route list keeps it. */
export interface Endpoint {
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly note: string | null;
  readonly params: z.ZodType | null;
  readonly query: z.ZodObject | null;
  readonly body: z.ZodType | null;
  readonly inspectBody: ((body: JsonObject) => void) | null;
  readonly bodyMayBeAbsent: boolean;
  readonly largeBody: LargeBody | null;
  readonly replies: ReplySchemas;
  readonly errors: readonly ErrorStatus[];
  readonly streams: string | null;
  readonly uploads: string | null;
  readonly downloads: string | null;
  readonly readsMayLag: boolean;
  readonly handle: (
    request: ApiRequest<unknown, unknown, unknown>,
    deps: EndpointDeps,
  ) => Promise<Answer>;
}

/** A body that holds what many requests have brought: it may be larger, and nests deeper by their own depth. */
export interface LargeBody {
  readonly bytesMax: number;
  /** The endpoint puts each entry of the body through `checkJsonBody`; absent: nothing is left to it. */
  readonly checksEntries?: true;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** 400 beside that of what cannot be read: where the state of things refuses the request. */
export type ErrorStatus = 400 | 402 | 404 | 409 | 413 | 429 | 502;
export type ReplySchemas = Readonly<Record<number, z.ZodType>>;
export type NoFields = Readonly<Record<never, never>>;

/** A request that may be served: its caller is allowed to, its parts have the declared shapes. */
export interface ApiRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly requestId: string;
  readonly remoteAddress: string;
  header(name: string): string | undefined;
  /** The body as it is, for an endpoint that declares `uploads`. */
  content(): RequestContent;
  /** Whether the caller would rather have `text/event-stream` than JSON. */
  prefersEventStream(): boolean;
  /**
   * For answers that take long: aborted when the caller goes away or would no longer be let in, and
   * when the server begins to close. See `CallerWatches`.
   */
  abandoned(): AbortSignal;
  /** The same without a signal, for answers of which a process has thousands. */
  watch(long: LongAnswer): void;
  /**
   * Like `abandoned`, for an answer that waits for the end of an execution. Throws the 429 when too
   * many answers of the caller do.
   */
  waitForResult(): AbortSignal;
  /** Aborted when the caller goes away. A server that closes still answers what it has begun. */
  gone(): AbortSignal;
}

/** Its tenant is that of the identity, or the one named in X-Tenant-Id. */
export interface Caller extends UseCaseCaller {
  readonly identity: Identity;
}

/** An event stream, which writes and ends its answer itself. */
export interface LiveAnswer {
  /** Called when the head of the answer is written. */
  open(response: ServerResponse): void;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent in place of a body, as `text/event-stream`. */
  readonly live?: LiveAnswer;
  /** Sent in place of a body, as JSON, piece by piece. */
  readonly pieces?: JsonPieces;
  /** Sent in place of a body, as it is. */
  readonly file?: {
    readonly contentType: string;
    readonly bytes: number;
    readonly content: Readable;
  };
}

type AnswerOf<Replies extends ReplySchemas> =
  | {
      [Status in keyof Replies & number]: {
        readonly status: Status;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body: z.input<Replies[Status]>;
      };
    }[keyof Replies & number]
  | { readonly status: 200; readonly live: LiveAnswer }
  | { readonly status: 200; readonly pieces: JsonPieces }
  | (Pick<Answer, 'headers'> & { readonly status: 200; readonly file: Answer['file'] & {} })
  | (Pick<Answer, 'headers'> & { readonly status: 304 })
  | { readonly status: 204 };
