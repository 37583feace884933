import { createHash } from 'node:crypto';

import { canonicalJson } from '../../canonical-json.ts';
import type { JsonValue } from '../../json.ts';

/**
 * The hash of a document's canonical JSON, as `hashJson` has it, of a document that is never held as
 * one text. The caller gives its members in the order of their names.
 */
export interface DocumentDigest {
  /** A member that is small. */
  readonly member: (name: string, value: JsonValue) => void;
  /** Begins a member that is a list; its items follow. */
  readonly list: (name: string) => void;
  readonly items: (some: readonly JsonValue[]) => void;
  readonly endList: () => void;
  /** Hex SHA-256; to be called once. */
  readonly end: () => string;
}

export function createDocumentDigest(): DocumentDigest {
  const digest = createHash('sha256');
  let separator = '{';
  let itemSeparator = '';
  const begin = (name: string): void => {
    digest.update(`${separator}${JSON.stringify(name)}:`);
    separator = ',';
  };
  return {
    member(name, value) {
      begin(name);
      digest.update(canonicalJson(value));
    },
    list(name) {
      begin(name);
      digest.update('[');
      itemSeparator = '';
    },
    items(some) {
      if (some.length === 0) return;
      digest.update(itemSeparator + some.map(canonicalJson).join(','));
      itemSeparator = ',';
    },
    endList() {
      digest.update(']');
    },
    end() {
      digest.update(separator === '{' ? '{}' : '}');
      return digest.digest('hex');
    },
  };
}
