import { parseMappingPath } from '../../domain/expression/mapping-path.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';

/** Which values a workflow looks into by its expressions, as far as their text tells. */
export interface LookedInto {
  /** Keys that occur in an expression or on a path, of any object. */
  readonly keys: ReadonlySet<string>;
  /** Those of them at which a way ends: what they hold is seen with all that is in it. */
  readonly ends: ReadonlySet<string>;
  /** Whether an expression has `output` itself, and not just members of it by their names. */
  readonly outputItself: boolean;
  readonly stateItself: boolean;
}

/**
 * Read from the text of the definition, so that no kind can forget to say what it looks into. It
 * finds too much rather than too little: a word of a prompt counts like a key, and keeps a value
 * where expressions see it. A path in an `input_mapping` hands on what is at its end.
 */
export function lookedInto(ir: JsonObject): LookedInto {
  let found = known.get(ir);
  if (found === undefined) {
    const seen: Seen = {
      keys: new Set(),
      ends: new Set(),
      outputItself: false,
      stateItself: false,
    };
    for (const part of LOOKING_PARTS) note(ir[part] ?? null, false, seen);
    known.set(ir, (found = seen));
  }
  return found;
}

/** Definitions never change, and are few in a process. */
const known = new WeakMap<JsonObject, LookedInto>();

const LOOKING_PARTS = ['nodes', 'edges', 'tools', 'prompts', 'policies', 'continue_as_new'];
const WORDS = new Set(['description', 'labels']);
const HANDING_ON = new Set(['input_mapping', 'output_mapping']);
const KEY = /\.\s*([\p{L}_][\p{L}\p{N}_-]*)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\]/gu;
/** Follows a name; a call, or an index other than a name, uses the whole value. */
const ON = String.raw`\s*\.\s*[\p{L}_][\p{L}\p{N}_-]*(?![\p{L}\p{N}_-]|\s*\()|\s*\[\s*["']`;
const GOES_ON = new RegExp(`^(?:${ON})`, 'u');
const itself = (name: string) =>
  new RegExp(String.raw`(?<![\p{L}\p{N}_.])\$?${name}(?![\p{L}\p{N}_]|${ON})`, 'u');
const OUTPUT_ITSELF = itself('output');
const STATE_ITSELF = itself('state');
/** By its name, or in a prompt defined elsewhere. */
const INPUT = /(?<![\p{L}\p{N}_.])\$?input(?![\p{L}\p{N}_])|"prompt_ref":"/u;
/** The text in braces is evaluated, and so is a text without braces, unless it is prose. */
const BRACED = /\{([^{}]*)\}/gu;
/** From the beginning of a word: tried within it, a long word would take the square of its length. */
const PROSE = /(?<!\p{L})(?:\p{L}{2,}[\s,]+){3}\p{L}{2,}/u;

interface Seen {
  readonly keys: Set<string>;
  readonly ends: Set<string>;
  outputItself: boolean;
  stateItself: boolean;
}

function note(value: JsonValue, handsOn: boolean, seen: Seen): void {
  if (typeof value === 'string') {
    const path = handsOn ? parseMappingPath(value) : null;
    if (path === null) noteText(value, seen);
    else for (const key of path.keys.slice(0, -1)) seen.keys.add(String(key));
  } else if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) note(item, handsOn, seen);
  } else if (isJsonObject(value)) {
    const members = Object.entries(value);
    const mapsInput = (value['input_mapping'] ?? null) !== null;
    const asks = asksWithInput(value['kind'] ?? null);
    if (asks && !mapsInput) seen.stateItself = true;
    // A node's own texts see the value passed to it as their input.
    const seesInput =
      asks ||
      (mapsInput &&
        members.some(
          ([key, member]) =>
            !HANDING_ON.has(key) && !WORDS.has(key) && INPUT.test(JSON.stringify(member)),
        ));
    for (const [key, member] of members) {
      if (WORDS.has(key)) continue;
      const hands = handsOn || (HANDING_ON.has(key) && !seesInput);
      note(member, key !== 'expr' && hands, seen);
    }
  }
}

/** A model that is given no prompt of its own is asked with its input, as text. */
function asksWithInput(kind: JsonValue): boolean {
  if (!isJsonObject(kind) || kind['type'] !== 'model') return false;
  return ['prompt', 'prompt_ref', 'messages'].every((field) => (kind[field] ?? '') === '');
}

function noteText(text: string, seen: Seen): void {
  for (const { key } of keysIn(text)) seen.keys.add(key);
  for (const source of sourcesIn(text)) {
    for (const { key, isEnd } of keysIn(source)) if (isEnd) seen.ends.add(key);
    if (OUTPUT_ITSELF.test(source)) seen.outputItself = true;
    if (STATE_ITSELF.test(source) || source.trim() === '$') seen.stateItself = true;
  }
}

function keysIn(text: string): readonly { readonly key: string; readonly isEnd: boolean }[] {
  return [...text.matchAll(KEY)].map((match) => {
    const [whole, name, double, single] = match;
    const isEnd = !GOES_ON.test(text.slice(match.index + whole.length));
    return { key: name ?? double ?? single ?? '', isEnd };
  });
}

function sourcesIn(text: string): readonly string[] {
  const braced = [...text.matchAll(BRACED)].map(([, source = '']) => source);
  if (braced.length > 0) return braced;
  return PROSE.test(text) ? [] : [text];
}
