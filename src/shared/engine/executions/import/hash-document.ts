import { createDocumentDigest } from '../../../domain/execution/document/document-digest.ts';
import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import { inPieces } from '../../scheduling/in-pieces.ts';
import type { UseCaseDeps } from '../../use-case-deps.ts';

/** As `hashJson`, with pauses between the items of long lists. */
export async function hashDocument(
  deps: Pick<UseCaseDeps, 'timers'>,
  document: JsonObject,
): Promise<string> {
  const digest = createDocumentDigest();
  for (const name of Object.keys(document).toSorted(byCodeUnit)) {
    const value = document[name] as JsonValue;
    if (Array.isArray(value)) {
      digest.list(name);
      await inPieces(deps, value as readonly JsonValue[], digest.items);
      digest.endList();
    } else digest.member(name, value);
  }
  return digest.end();
}

function byCodeUnit(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
