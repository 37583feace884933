import type { components, operations } from './openapi-types.ts';

/** An operation of the HTTP API, by its `operationId` in `openapi.json`. */
export type OperationName = keyof operations;

/** Query parameters of an operation, under their names in the HTTP API. */
export type QueryOf<Name extends OperationName> = operations[Name] extends {
  readonly parameters: { readonly query?: infer Query };
}
  ? NonNullable<Query>
  : never;

/** Body of a request, under its names in the HTTP API. */
export type BodyOf<Name extends OperationName> = operations[Name] extends {
  readonly requestBody?: { readonly content: { readonly 'application/json': infer Body } };
}
  ? Body
  : never;

/** Body of an answer that is no error, under its names in the HTTP API. */
export type ReplyOf<Name extends OperationName> = JsonOf<
  operations[Name]['responses'][keyof operations[Name]['responses']]
>;

type JsonOf<Response> = Response extends {
  readonly content: { readonly 'application/json': infer Body };
}
  ? Body
  : never;

/** A workflow definition, as `docs/reference/ir.md` describes it. */
export type WorkflowDefinition = components['schemas']['Workflow'];
export type Execution = ReplyOf<'read-execution'>;
export type ExecutionStatus = Execution['status'];
export type ExecutionSummary = ReplyOf<'list-executions'>['executions'][number];
export type ExecutionEvent = ReplyOf<'read-events'>['events'][number];
export type ExecutionResult = Extract<ReplyOf<'read-result'>, { readonly error: unknown }>;
