import { isJsonObject, type JsonValue } from '../json.ts';

/** A file may hold the definition itself, or the whole body of `POST /workflows` around it. */
export function unwrapIr(document: JsonValue): {
  readonly ir: JsonValue;
  /** JSON pointer of the definition within the document. */
  readonly at: string;
} {
  const isWrapped =
    isJsonObject(document) && isJsonObject(document['ir']) && !('nodes' in document);
  return isWrapped ? { ir: document['ir'] as JsonValue, at: '/ir' } : { ir: document, at: '' };
}
