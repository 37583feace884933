import { CALL_QUOTA, type CallQuota } from '../parts/call-quota.ts';
import { readSchema, type Schema } from '../schema.ts';
import type { AnyShape, Shape } from '../shape.ts';
import {
  createStep,
  type AnyInput,
  type Gives,
  type InputFor,
  type Own,
  type Step,
  type StepOptions,
} from './step.ts';
import type { OptionsOf } from './worker-steps.ts';

type ToolName<S extends Shape> = keyof S['names']['tools'] & string;

type TypesOf<S extends Shape, Name> = Name extends keyof S['names']['tools']
  ? NonNullable<S['names']['tools'][Name]['~types']>
  : never;

/** An own schema types the output, else that of the tool. */
type OutputOf<S extends Shape, Name, Own> = unknown extends Own ? TypesOf<S, Name>['output'] : Own;

interface CallOptions<
  S extends Shape,
  Output,
  Key extends string,
  Fallback extends string,
> extends StepOptions<S, Key, Fallback> {
  /** Checked in addition to the tool's own. */
  readonly outputSchema?: Schema<Output>;
}

interface McpToolOptions<S extends Shape, Output, Key extends string, Fallback extends string>
  extends CallOptions<S, Output, Key, Fallback>, CallQuota, AnyInput {
  /** One of `mcpServers`, or `{ operator: name }`: a server that the operator configures. */
  readonly server: S['names']['mcpServers'] | { readonly operator: string };
  readonly tool: string;
}

/** Steps that call tools. */
export interface ToolSteps<S extends Shape> {
  /** Calls one of `tools`. */
  readonly tool: <
    Name extends ToolName<S>,
    Output = unknown,
    Key extends string = never,
    Fallback extends string = never,
  >(
    name: Name,
    ...options: OptionsOf<
      CallOptions<S, Output, Key, Fallback> & InputFor<S, TypesOf<S, Name>['input']>
    >
  ) => Step<Gives<OutputOf<S, Name, Output>, Key, Fallback>>;

  /** Calls a tool of an MCP server. */
  readonly mcpTool: <Output = unknown, Key extends string = never, Fallback extends string = never>(
    options: McpToolOptions<S, Output, Key, Fallback>,
  ) => Step<Gives<Output, Key, Fallback>>;
}

/** When the execution ends: that outcome lets it run. */
export type RunOn = 'success' | 'failure' | 'always';

/** The one step of a finalizer. */
export interface FinalizerSteps<S extends Shape> {
  /** Calls one of `tools` when the execution ends. */
  readonly finalizer: <Name extends ToolName<S>, Output = unknown, Key extends string = never>(
    name: Name,
    ...options: OptionsOf<
      CallOptions<S, Output, Key, never> &
        InputFor<S, TypesOf<S, Name>['input']> & {
          /** Default `always`. */
          readonly runOn?: RunOn;
        }
    >
  ) => Step<Gives<OutputOf<S, Name, Output>, Key>>;
}

const CALL: Own<CallOptions<AnyShape, unknown, string, string>> = { outputSchema: true };
const MCP_TOOL: Own<McpToolOptions<AnyShape, unknown, string, string>> = {
  ...CALL,
  ...CALL_QUOTA,
  server: true,
  tool: true,
};
const FINALIZER = { ...CALL, runOn: true } as const;

export const toolSteps: ToolSteps<AnyShape> = {
  tool(name, ...[options]) {
    const { outputSchema, ...rest } = options ?? {};
    const output_schema = readSchema(outputSchema, `the tool ${name}`);
    return createStep({ type: 'tool', tool_ref: name, output_schema }, rest, { own: CALL });
  },

  mcpTool({ server, tool, outputSchema, concurrency, rate, ...options }) {
    const name = typeof server === 'object' ? server.operator : server;
    const output_schema = readSchema(outputSchema, `${name}.${tool}`);
    const kind = { type: 'mcp_tool', server: name, tool, output_schema, concurrency, rate };
    return createStep(kind, options, { own: MCP_TOOL });
  },
};

export const finalizerSteps: FinalizerSteps<AnyShape> = {
  finalizer(name, ...[options]) {
    const { outputSchema, runOn, ...rest } = options ?? {};
    const output_schema = readSchema(outputSchema, `the tool ${name}`);
    const kind = { type: 'finalizer', tool_ref: name, output_schema, run_on: runOn };
    return createStep(kind, rest, { own: FINALIZER });
  },
};
