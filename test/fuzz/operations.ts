import { listOperations, type Operation } from '../../src/api/openapi/reading.ts';
import type { JsonObject } from '../../src/shared/domain/json.ts';

/** A route, with the data for building its requests and judging its answers. */
export interface FuzzOperation {
  /** `POST /executions/{id}/cancel` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The schema of the JSON body; null: the route takes none. */
  readonly body: JsonObject | null;
  /** Whether the route takes a body of any type. */
  readonly uploads: boolean;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: JsonObject;
  }[];
  /** The documented statuses, with the schemas of those that are no errors. */
  readonly replies: ReadonlyMap<number, JsonObject | null>;
  /** `json-rpc`: an answer with status 200 may contain a JSON-RPC error. */
  readonly protocol: 'rest' | 'json-rpc' | 'page';
}

/** All operations of the served document, and the routes outside it. */
export function readOperations(document: JsonObject): readonly FuzzOperation[] {
  const listed = listOperations(document).map(({ method, path, operation }): FuzzOperation => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    ...bodyOf(operation),
    parameters: (operation.parameters ?? []) as unknown as FuzzOperation['parameters'],
    replies: repliesOf(operation),
    protocol: 'rest',
  }));
  return [...listed, ...BESIDE];
}

function bodyOf({ requestBody }: Operation): Pick<FuzzOperation, 'body' | 'uploads'> {
  const json = requestBody?.content['application/json']?.schema;
  return {
    body: (json as unknown as JsonObject | undefined) ?? null,
    uploads: requestBody !== undefined && json === undefined,
  };
}

function repliesOf(operation: Operation): FuzzOperation['replies'] {
  return new Map(
    Object.entries(operation.responses).map(([status, { content }]) => {
      const schema = content['application/json']?.schema;
      const isAnswer = Number(status) < 300 && schema !== undefined;
      return [Number(status), isAnswer ? (schema as unknown as JsonObject) : null];
    }),
  );
}

const ANYTHING: JsonObject = { type: 'object' };
const ERRORS = [400, 401, 403, 404, 413, 415, 429];

const BESIDE: readonly FuzzOperation[] = [
  {
    name: 'POST /mcp',
    method: 'POST',
    path: '/mcp',
    body: ANYTHING,
    uploads: false,
    parameters: [],
    // 202 answers a notification, and 406 a client that doesn't accept JSON.
    replies: new Map([200, 202, 406, ...ERRORS].map((status) => [status, null])),
    protocol: 'json-rpc',
  },
  {
    name: 'POST /a2a/{workflow_id}',
    method: 'POST',
    path: '/a2a/{workflow_id}',
    body: ANYTHING,
    uploads: false,
    parameters: [{ name: 'workflow_id', in: 'path', required: true, schema: { type: 'string' } }],
    replies: new Map([200, ...ERRORS].map((status) => [status, null])),
    protocol: 'json-rpc',
  },
  {
    name: 'GET /docs',
    method: 'GET',
    path: '/docs',
    body: null,
    uploads: false,
    parameters: [],
    replies: new Map([200, 401, 403, 429].map((status) => [status, null])),
    protocol: 'page',
  },
];
