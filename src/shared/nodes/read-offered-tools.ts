import { isJsonObject, type JsonValue } from '../domain/json.ts';
import { pointerTo } from '../domain/workflow/problem.ts';
import type { ParseContext } from '../domain/workflow/plan.ts';
import type { ModelTool } from '../ports/models.ts';

/**
 * What a model may ask to be called: names of the workflow's `tools`, or tools described in place.
 * What is wrong is reported.
 */
export function readOfferedTools(value: JsonValue, at: ParseContext): readonly ModelTool[] {
  if (!Array.isArray(value)) {
    at.problem(
      '/tools',
      'must be a list of tools: names of tools, or {name, description, input_schema}',
    );
    return [];
  }
  const tools: ModelTool[] = [];
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

/** What all the providers take. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const TOOL_NAME_RULE =
  'models take names of up to 64 letters, digits, underscores and hyphens only';
const NO_ARGUMENTS = { type: 'object' };

function findTool(ref: string, pointer: string, at: ParseContext): ModelTool | null {
  const part = at.parts.tools.get(ref);
  if (part === undefined) {
    at.problem(pointer, `no tool ${JSON.stringify(ref)} is in tools`);
    return null;
  }
  const { description, inputSchema } = part;
  return { name: ref, description, inputSchema: inputSchema ?? NO_ARGUMENTS };
}

function readTool(item: JsonValue, pointer: string, at: ParseContext): ModelTool | null {
  if (!isJsonObject(item) || typeof item['name'] !== 'string') {
    at.problem(pointer, 'must be the name of a tool, or {name, description, input_schema}');
    return null;
  }
  const { name, description = null, input_schema: schema = null } = item;
  if (description !== null && typeof description !== 'string') {
    at.problem(`${pointer}/description`, 'must be a string');
    return null;
  }
  if (schema !== null && !isJsonObject(schema)) {
    at.problem(`${pointer}/input_schema`, 'must be a JSON Schema object');
    return null;
  }
  return { name, description, inputSchema: schema ?? NO_ARGUMENTS };
}
