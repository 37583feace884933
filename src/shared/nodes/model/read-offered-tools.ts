import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { toolNames } from '../../domain/tools/tool-names.ts';
import { pointerTo } from '../../domain/workflow/problem.ts';
import type { ParseContext } from '../../domain/workflow/plan/plan.ts';
import type { ModelTool } from '../../ports/models.ts';

/** A tool that a model may ask to be called, and every name that policies may give it. */
export interface OfferedTool extends ModelTool {
  readonly names: readonly [string, ...string[]];
}

/**
 * Reads the tools that a model may request: names of the workflow's `tools`, or tools described in
 * place, as `{name, description, input_schema}` or in the shapes of OpenAI's APIs. Reports errors.
 */
export function readOfferedTools(value: JsonValue, at: ParseContext): readonly OfferedTool[] {
  if (!Array.isArray(value)) {
    at.problem('/tools', `must be a list of tools: ${SHAPES}`);
    return [];
  }
  const tools: OfferedTool[] = [];
  for (const [index, item] of value.entries()) {
    const pointer = pointerTo('tools', index);
    const tool =
      typeof item === 'string' ? findTool(item, pointer, at) : readTool(item, pointer, at);
    if (tool === null) continue;
    if (!TOOL_NAME.test(tool.name)) at.problem(pointer, TOOL_NAME_RULE);
    if (tools.some(({ name }) => name === tool.name)) {
      at.problem(pointer, `a second tool ${tool.name}`);
    }
    tools.push(tool);
  }
  return tools;
}

const SHAPES =
  'names of tools, {name, description, input_schema}, or {type: "function", function: {name, description, parameters}}';
/** The names that all providers accept. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const TOOL_NAME_RULE =
  'models take names of up to 64 letters, digits, underscores and hyphens only';
const NO_ARGUMENTS = { type: 'object' };

function findTool(ref: string, pointer: string, at: ParseContext): OfferedTool | null {
  const part = at.parts.tools.get(ref);
  if (part === undefined) {
    at.problem(pointer, `no tool ${JSON.stringify(ref)} is in tools`);
    return null;
  }
  const { description, inputSchema } = part;
  const names = toolNames(ref, part.target);
  return { name: ref, names, description, inputSchema: inputSchema ?? NO_ARGUMENTS };
}

function readTool(item: JsonValue, pointer: string, at: ParseContext): OfferedTool | null {
  const shape = isJsonObject(item) ? readShape(item) : null;
  const name = shape?.fields['name'];
  if (shape === null || typeof name !== 'string') {
    at.problem(pointer, `must be one of ${SHAPES}`);
    return null;
  }
  const { fields, schemaField } = shape;
  const { description = null } = fields;
  if (description !== null && typeof description !== 'string') {
    at.problem(`${pointer}${shape.at}/description`, 'must be a string');
    return null;
  }
  const schema = fields[schemaField] ?? null;
  if (schema !== null && !isJsonObject(schema)) {
    at.problem(`${pointer}${shape.at}/${schemaField}`, 'must be a JSON Schema object');
    return null;
  }
  const part = at.parts.tools.get(name);
  const names = part === undefined ? ([name] as const) : toolNames(name, part.target);
  return { name, names, description, inputSchema: schema ?? NO_ARGUMENTS };
}

interface ToolShape {
  readonly fields: JsonObject;
  /** Pointer of the fields below the item. */
  readonly at: string;
  readonly schemaField: 'input_schema' | 'parameters';
}

/** OpenAI's Chat Completions put the tool under `function`, its Responses beside the type. */
function readShape(item: JsonObject): ToolShape | null {
  const { type = null, function: inner = null } = item;
  if (isJsonObject(inner)) return { fields: inner, at: '/function', schemaField: 'parameters' };
  if (type !== null && type !== 'function') return null;
  const schemaField = 'parameters' in item ? 'parameters' : 'input_schema';
  return { fields: item, at: '', schemaField };
}
