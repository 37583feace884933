import { refuseUnknown, type Known } from '../../known-options.ts';
import { dropAbsent, type JsonObject, type JsonValue } from '../json.ts';
import { writeOptionalMapping, type AnyMapping } from '../mapping.ts';
import { readSchema, type Schema } from '../schema.ts';
import { CALL_QUOTA, type CallQuota } from './call-quota.ts';
import type { Duration } from './limits.ts';

/** A tool of a definition, with the types of its input and output. */
export interface Tool<Input = unknown, Output = unknown> {
  readonly '~tool': JsonObject;
  /** Absent at run time. */
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}

interface ToolOptions<Input, Output> extends CallQuota {
  /** Its description for models. */
  readonly description?: string;
  /** Checked before the call. */
  readonly inputSchema?: Schema<Input>;
  /** Checked after the call. */
  readonly outputSchema?: Schema<Output>;
  /** Kept, and without effect. */
  readonly permissions?: JsonValue;
  readonly labels?: JsonValue;
}

export interface HttpToolOptions<Input, Output> extends ToolOptions<Input, Output> {
  /** `{order.id}` is a path below the input, `{{expression}}` is CEL, `${secret:NAME}` a secret. */
  readonly url: string;
  /** Default `GET`, with a body `POST`. */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  /** An object is sent as JSON, text as text. Its texts are written as the definition has them: paths and templates work. */
  readonly body?: JsonValue;
  /** The output of the tool; `output` is the answer, `{status, headers, body}`. Default: the body. */
  readonly responseMapping?: AnyMapping;
  /** Default 30 s, at most an hour. */
  readonly timeout?: Duration;
  /** Largest answer in bytes. Default 1 MiB, at most 4 MiB. */
  readonly responseBytesMax?: number;
}

const TOOL: Known<ToolOptions<unknown, unknown>> = {
  ...CALL_QUOTA,
  description: true,
  inputSchema: true,
  outputSchema: true,
  permissions: true,
  labels: true,
};
const HTTP_TOOL: Known<HttpToolOptions<unknown, unknown>> = {
  ...TOOL,
  url: true,
  method: true,
  headers: true,
  body: true,
  responseMapping: true,
  timeout: true,
  responseBytesMax: true,
};

/** A tool that svc calls over HTTP. */
export function httpTool<Input = unknown, Output = unknown>(
  options: HttpToolOptions<Input, Output>,
): Tool<Input, Output> {
  refuseUnknown(options, HTTP_TOOL, 'httpTool()');
  const { url, method, headers, body, timeout, responseBytesMax } = options;
  const response_mapping = writeOptionalMapping(options.responseMapping);
  const call = { method, headers, body, response_mapping, timeout_secs: timeout };
  const rest = { ...call, response_bytes_max: responseBytesMax };
  return createTool({ kind: 'http', reference: url, call: rest }, options);
}

export interface McpToolOptions<Input, Output> extends ToolOptions<Input, Output> {
  /** One of `mcpServers`, or a server that the operator configures. */
  readonly server: string;
  readonly tool: string;
  readonly timeout?: Duration;
}

/** A tool of an MCP server. */
export function mcpTool<Input = unknown, Output = unknown>(
  options: McpToolOptions<Input, Output>,
): Tool<Input, Output> {
  refuseUnknown(options, { ...TOOL, server: true, tool: true, timeout: true }, 'mcpTool()');
  const reference = `${options.server}/${options.tool}`;
  const call = { timeout_secs: options.timeout };
  return createTool({ kind: 'mcp', reference, call }, options);
}

export interface PythonToolOptions<Input, Output> extends ToolOptions<Input, Output> {
  readonly module: string;
  readonly function: string;
}

/** A function of a Python worker. svc does not check its input: `inputSchema` types the call only. */
export function pythonTool<Input = unknown, Output = unknown>(
  options: PythonToolOptions<Input, Output>,
): Tool<Input, Output> {
  refuseUnknown(options, { ...TOOL, module: true, function: true }, 'pythonTool()');
  const { inputSchema: _, ...rest } = options;
  const reference = `${options.module}:${options.function}`;
  return createTool({ kind: 'python', reference, call: {} }, rest);
}

function createTool(
  target: {
    readonly kind: 'http' | 'mcp' | 'python';
    readonly reference: string;
    readonly call: JsonObject;
  },
  options: ToolOptions<unknown, unknown>,
): Tool<never, never> {
  const { kind, reference, call } = target;
  const place = `the tool ${reference}`;
  return {
    '~tool': dropAbsent({
      kind,
      reference,
      description: options.description,
      input_schema: readSchema(options.inputSchema, place),
      output_schema: readSchema(options.outputSchema, place),
      ...call,
      concurrency: options.concurrency,
      rate: options.rate,
      permissions: options.permissions,
      labels: options.labels,
    }),
  };
}
