import type { JsonValue } from './json.ts';

/** The text of a JSON or YAML document, as people and programs read it. */
export type DocumentFormat = 'json' | 'yaml';

/** A place in a text; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Why a text is no document. Without a place, the text as a whole cannot be read. */
export interface DocumentFault {
  readonly message: string;
  readonly place: Place | null;
}

export type ReadDocument =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** For each pointer asked for, the place of its value, or of the nearest ancestor of that. */
      readonly places: readonly Place[];
    }
  | { readonly ok: false; readonly fault: DocumentFault };

/** The format of a text without a telling name: a text that begins with a brace or a bracket is JSON. */
export function guessFormat(text: string): DocumentFormat {
  return /^\s*[{[]/.test(text) ? 'json' : 'yaml';
}
