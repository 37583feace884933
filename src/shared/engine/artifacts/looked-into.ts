import { parseMappingPath } from '../../domain/expression/mapping-path.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';

/** Which values a workflow looks into by its expressions, as far as their text tells. */
export interface LookedInto {
  /** Keys that stand in an expression or on the way of a path, whatever they are keys of. */
  readonly keys: ReadonlySet<string>;
  /** Whether an expression has `output` itself, and not just members of it by their names. */
  readonly outputItself: boolean;
}

/**
 * Read from the text of the definition, so that no kind can forget to say what it looks into. It
 * finds too much rather than too little: a word of a prompt counts like a key, and keeps a value
 * where expressions see it. A path in an `input_mapping` hands on what is at its end.
 */
export function lookedInto(ir: JsonObject): LookedInto {
  let found = known.get(ir);
  if (found === undefined) {
    const keys = new Set<string>();
    const seen = { keys, outputItself: false };
    for (const part of LOOKING_PARTS) note(ir[part] ?? null, false, seen);
    known.set(ir, (found = seen));
  }
  return found;
}

/** Definitions never change, and are few in a process. */
const known = new WeakMap<JsonObject, LookedInto>();

const LOOKING_PARTS = ['nodes', 'edges', 'tools', 'continue_as_new'];
const WORDS = new Set(['description', 'labels']);
const HANDING_ON = new Set(['input_mapping', 'output_mapping']);
const KEY = /\.\s*([\p{L}_][\p{L}\p{N}_-]*)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\]/gu;
/** A call on it, or an index that is no name, looks into it as a whole; `output.a` does not. */
const OUTPUT_ITSELF =
  /(?<![\p{L}\p{N}_.])\$?output(?![\p{L}\p{N}_]|\s*\.\s*[\p{L}_][\p{L}\p{N}_-]*(?![\p{L}\p{N}_-]|\s*\()|\s*\[\s*["'])/u;

function note(
  value: JsonValue,
  handsOn: boolean,
  seen: { readonly keys: Set<string>; outputItself: boolean },
): void {
  if (typeof value === 'string') {
    const path = handsOn ? parseMappingPath(value) : null;
    if (path !== null) for (const key of path.keys.slice(0, -1)) seen.keys.add(String(key));
    else {
      for (const [, name, double, single] of value.matchAll(KEY)) {
        seen.keys.add(name ?? double ?? single ?? '');
      }
      if (OUTPUT_ITSELF.test(value)) seen.outputItself = true;
    }
  } else if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) note(item, handsOn, seen);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (WORDS.has(key)) continue;
      note(member, key !== 'expr' && (handsOn || HANDING_ON.has(key)), seen);
    }
  }
}
