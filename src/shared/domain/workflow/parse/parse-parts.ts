import type { JsonObject, JsonValue } from '../../json.ts';
import { isJsonObject } from '../../json.ts';
import { type CallQuota, readCallQuota } from '../flow/call-quota.ts';
import { parseDuration } from './parse-duration.ts';
import { parseRules, type PolicyRule } from '../../policy/parse-rules.ts';
import type { McpServerPart, ModelPart, RemoteAgentPart, ToolPart } from './parts.ts';
import type { WorkflowParts } from './parts.ts';
import { parseToolTarget } from './parse-tool-target.ts';
import type { Findings, WarningCode } from '../problem.ts';
import { pointerTo } from '../problem.ts';
import { readAddress, readAuth } from './read-auth.ts';

/** Reads the models, tools, servers and agents a definition names; what is wrong is reported. */
export function parseParts(ir: JsonObject, findings: Findings): WorkflowParts {
  const read = <Part>(key: string, parse: (entry: Entry) => Part | null) =>
    readMap({ key, raw: ir[key] ?? {}, findings }, parse);
  const mcpServers = read('mcp_servers', parseMcpServer);
  return {
    models: parseModels(ir['models'] ?? {}, findings),
    prompts: readPrompts(ir, findings),
    tools: read('tools', (entry) => parseTool(entry, mcpServers)),
    mcpServers,
    remoteAgents: read('remote_agents', parseRemoteAgent),
    policies: read('policies', parseRulesOf),
  };
}

/** `alone`: no other fields stand beside those of the models, such as those of a node. */
export function parseModels(
  raw: JsonValue,
  findings: Findings,
  { alone = true }: { readonly alone?: boolean } = {},
): WorkflowParts['models'] {
  return readMap({ key: 'models', raw, findings }, (entry) => {
    const model = parseModel(entry);
    if (!alone) return model;
    const quota = readQuota(entry);
    return model && { ...model, quota };
  });
}

/** Texts by name; also `{text}`, where somebody wants to say more about one. */
function readPrompts(ir: JsonObject, { problems }: Findings): ReadonlyMap<string, string> {
  const prompts = new Map<string, string>();
  const raw = ir['prompts'] ?? {};
  if (!isJsonObject(raw)) problems.add('/prompts', 'must be an object');
  for (const [name, value] of Object.entries(isJsonObject(raw) ? raw : {})) {
    const text = isJsonObject(value) ? value['text'] : value;
    if (typeof text === 'string' && text !== '') prompts.set(name, text);
    else problems.add(pointerTo('prompts', name), 'must be text that is not empty, or {text}');
  }
  return prompts;
}

/** One entry of such a map, with what reads its fields and reports to their places. */
interface Entry {
  readonly name: string;
  readonly fields: JsonObject;
  readonly pointer: string;
  problem(field: string, message: string): void;
  /** For values deeper than a field. */
  problemAt(below: string, message: string): void;
  warn(code: WarningCode, field: string, message: string): void;
  warnAt(code: WarningCode, below: string, message: string): void;
  text(field: string): string | null;
  needed(field: string): string | null;
  word<Word extends string>(field: string, words: readonly Word[]): Word | null;
}

function readMap<Part>(
  of: { readonly key: string; readonly raw: JsonValue; readonly findings: Findings },
  parse: (entry: Entry) => Part | null,
): ReadonlyMap<string, Part> {
  const { key, raw, findings } = of;
  const parts = new Map<string, Part>();
  // Not an object: reported with the other optional keys.
  if (!isJsonObject(raw)) return parts;
  for (const [name, value] of Object.entries(raw)) {
    const pointer = pointerTo(key, name);
    if (!isJsonObject(value)) {
      findings.problems.add(pointer, 'must be an object');
      continue;
    }
    const part = parse(entryOf({ name, fields: value, pointer }, findings));
    if (part !== null) parts.set(name, part);
  }
  return parts;
}

function entryOf(
  { name, fields, pointer }: Pick<Entry, 'name' | 'fields' | 'pointer'>,
  findings: Findings,
): Entry {
  const problem = (field: string, message: string) =>
    findings.problems.add(pointer + pointerTo(field), message);
  const text = (field: string): string | null => {
    const value = fields[field] ?? null;
    if (value === null || typeof value === 'string') return value === '' ? null : value;
    problem(field, 'must be a string');
    return null;
  };
  return {
    name,
    fields,
    pointer,
    problem,
    problemAt: (below, message) => findings.problems.add(pointer + below, message),
    warn: (code, field, message) =>
      findings.warnings.add(code, pointer + pointerTo(field), message),
    warnAt: (code, below, message) => findings.warnings.add(code, pointer + below, message),
    text,
    needed(field) {
      const value = text(field);
      const isMissing = (fields[field] ?? '') === '';
      if (value === null && isMissing) problem(field, `missing ${field}`);
      return value;
    },
    word(field, words) {
      const value = text(field);
      const known = words.find((word) => word === value) ?? null;
      if (value !== null && known === null) problem(field, `must be one of ${words.join(', ')}`);
      return known;
    },
  };
}

function parseModel(entry: Entry): ModelPart | null {
  const provider = entry.needed('provider');
  const model = entry.needed('model');
  const baseUrl = readUrl(entry, 'base_url');
  const temperature = readNumber(entry, 'temperature', { min: 0, max: 2, whole: false });
  const maxTokens = readNumber(entry, 'max_tokens', { min: 1, max: 10_000_000, whole: true });
  const timeoutMs = readDuration(entry, 'timeout_secs');
  if (provider === null || model === null) return null;
  const value = entry.fields['retry_policy'] ?? null;
  return {
    ref: entry.name,
    provider,
    model,
    baseUrl,
    temperature,
    maxTokens,
    timeoutMs,
    ...(value !== null && { retryPolicy: { value, pointer: `${entry.pointer}/retry_policy` } }),
  };
}

const TOOL_KINDS = ['http', 'python', 'mcp'] as const;

function parseTool(entry: Entry, mcpServers: WorkflowParts['mcpServers']): ToolPart | null {
  const kind = entry.word('kind', TOOL_KINDS) ?? entry.word('type', TOOL_KINDS);
  const reference = entry.text('reference') ?? entry.text('url');
  const inputSchema = readSchema(entry, 'input_schema');
  const outputSchema = readSchema(entry, 'output_schema');
  if (kind === null && !('kind' in entry.fields) && !('type' in entry.fields)) {
    entry.problem('kind', `missing kind: one of ${TOOL_KINDS.join(', ')}`);
  }
  if (reference === null) entry.problem('reference', 'missing reference');
  if (kind === null || reference === null) return null;
  const { name: ref, fields, pointer } = entry;
  const description = entry.text('description');
  const target = parseToolTarget({ kind, reference, entry, mcpServers });
  const quota = readQuota(entry);
  if (target === null) return null;
  const read = { description, inputSchema, outputSchema, quota };
  return { ref, kind, reference, ...read, fields, pointer, target };
}

function readQuota(entry: Entry): CallQuota {
  return readCallQuota(entry.fields, {
    problem: (below, message) => entry.problemAt(below, message),
    warn: (code, below, message) => entry.warnAt(code, below, message),
  });
}

const TRANSPORTS = ['streamable_http', 'http_sse', 'stdio'] as const;

function parseMcpServer(entry: Entry): McpServerPart | null {
  const transport = entry.word('transport', TRANSPORTS) ?? 'streamable_http';
  const url = transport === 'stdio' ? null : readAddress(entry, 'url');
  const command = entry.text('command');
  const args = readTexts(entry, 'args');
  const auth = readAuth(entry);
  if (transport === 'stdio' && command === null) entry.problem('command', 'missing command');
  return { name: entry.name, transport, url, command, args, auth };
}

function parseRemoteAgent(entry: Entry): RemoteAgentPart | null {
  const url = readAddress(entry, 'url');
  const agentCardPath = entry.text('agent_card_path');
  const auth = readAuth(entry);
  if (url === null) return null;
  const card = agentCardPath === null ? null : URL.parse(agentCardPath, url);
  if (agentCardPath !== null && !/^https?:$/.test(card?.protocol ?? '')) {
    entry.problem('agent_card_path', 'must be a path, or an http or https URL');
  }
  return { name: entry.name, url, agentCardPath, auth };
}

function parseRulesOf(entry: Entry): readonly PolicyRule[] | null {
  const { fields } = entry;
  return parseRules(fields['rules'] ?? null, (below, message) => {
    entry.problemAt(`/rules${below}`, message);
  });
}

function readUrl(entry: Entry, field: string): string | null {
  const value = entry.text(field);
  if (value === null) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return value;
  entry.problem(field, 'must be an absolute http or https URL');
  return null;
}

function readNumber(
  entry: Entry,
  field: string,
  bounds: { readonly min: number; readonly max: number; readonly whole: boolean },
): number | null {
  const value = entry.fields[field] ?? null;
  if (value === null) return null;
  const { min, max, whole } = bounds;
  const fits = typeof value === 'number' && value >= min && value <= max;
  if (fits && (!whole || Number.isInteger(value))) return value;
  entry.problem(field, `must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
  return null;
}

function readDuration(entry: Entry, field: string): number | null {
  const value: JsonValue = entry.fields[field] ?? null;
  if (value === null) return null;
  const ms = parseDuration(value);
  if (ms === null || ms === 0) entry.problem(field, 'must be seconds above 0, or text like "30s"');
  return ms;
}

function readSchema(entry: Entry, field: string): JsonObject | null {
  const value = entry.fields[field] ?? null;
  if (value === null || isJsonObject(value)) return value;
  entry.problem(field, 'must be a JSON Schema object');
  return null;
}

function readTexts(entry: Entry, field: string): readonly string[] {
  const value = entry.fields[field] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  entry.problem(field, 'must be an array of strings');
  return [];
}
