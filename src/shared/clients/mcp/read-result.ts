import type { CallToolResult } from '@modelcontextprotocol/client';

import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { findKeepProblem } from '../../domain/keepable-json.ts';
import { redactSecrets } from '../../domain/tools/redact-secrets.ts';
import type { McpAnswer } from '../../ports/mcp.ts';

/** Reads a tool's answer, within bounds. The SDK has checked its shape. */
export function readResult(
  result: CallToolResult,
  params: { readonly bytesMax: number; readonly secrets: ReadonlyMap<string, string> },
): McpAnswer {
  const { bytesMax, secrets } = params;
  // Before anything walks through it: it may be nested as deep as it is long.
  const given = (result.structuredContent ?? null) as JsonValue;
  const problem = findKeepProblem([given, (result.content ?? []) as unknown as JsonValue]);
  if (problem !== null) {
    return { ok: false, error: `its result holds ${problem}`, errorClass: 'invalid_response' };
  }
  // Plain JSON by its origin: it came over the wire.
  const clean = (value: unknown) => redactSecrets(value as JsonValue, secrets);
  const content = clean(result.content ?? []) as readonly JsonObject[];
  const structured = result.structuredContent === undefined ? undefined : clean(given);
  const size = Buffer.byteLength(JSON.stringify(structured ?? content));
  if (size > bytesMax) {
    const error = `its result has more than ${bytesMax} bytes`;
    return { ok: false, error, errorClass: 'too_large', final: true };
  }
  return { ok: true, isError: result.isError === true, structured, content };
}
