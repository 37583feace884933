import type { CallToolResult } from '@modelcontextprotocol/client';

import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { redactSecrets } from '../../domain/tools/redact-secrets.ts';
import type { McpAnswer } from '../../ports/mcp.ts';

/** What a tool answered, within bounds. The SDK has checked its shape. */
export function readResult(
  result: CallToolResult,
  params: { readonly bytesMax: number; readonly secrets: ReadonlyMap<string, string> },
): McpAnswer {
  const { bytesMax, secrets } = params;
  // Plain JSON by its origin: it came over the wire.
  const clean = (value: unknown) => redactSecrets(value as JsonValue, secrets);
  const content = clean(result.content ?? []) as readonly JsonObject[];
  const given = result.structuredContent;
  const structured = given === undefined ? undefined : clean(given);
  const size = Buffer.byteLength(JSON.stringify(structured ?? content));
  if (size > bytesMax) {
    const error = `its result has more than ${bytesMax} bytes`;
    return { ok: false, error, errorClass: 'too_large', final: true };
  }
  return { ok: true, isError: result.isError === true, structured, content };
}
