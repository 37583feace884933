import type { DocumentFormat, ReadDocument } from '../../../shared/domain/document.ts';
import { parseDocument } from '../../../shared/documents/parse-document.ts';
import { announceStart } from './announce-start.ts';

export interface ReadDocumentTask {
  readonly text: string;
  readonly format: DocumentFormat;
  readonly pointers: readonly string[];
}

/** Some texts take the parser of YAML far longer than their length suggests. */
export const readDocument = announceStart(readDocumentHere);

export function readDocumentHere({ text, format, pointers }: ReadDocumentTask): ReadDocument {
  const read = parseDocument(text, format);
  // The cause stays on its thread: it may be an object that cannot cross.
  if (!read.ok)
    return { ok: false, fault: { message: read.fault.message, place: read.fault.place } };
  return { ok: true, value: read.value, places: pointers.map((pointer) => read.placeOf(pointer)) };
}
