import { Part } from '@a2a-js/sdk';

import { isReference } from '../../shared/domain/artifact-reference.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/domain/json.ts';

export function textPart(value: string): Part {
  const content = { $case: 'text', value } as const;
  return { content, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

export function dataPart(value: JsonValue): Part {
  const content = { $case: 'data', value } as const;
  return { content, metadata: undefined, filename: '', mediaType: 'application/json' };
}

/**
 * Turns a workflow's result into parts. A string becomes text, the reference of an artifact a file,
 * an object in the shape of a part that part, and any other value data. A list of parts becomes
 * several parts.
 */
export function toParts(value: JsonValue, publicUrl: string): Part[] {
  const isList = Array.isArray(value) && value.length > 0 && value.every(isSpecial);
  return (isList ? value : [value]).map((one) => toPart(one, publicUrl));
}

function isSpecial(value: JsonValue): boolean {
  return typeof value === 'string' || isReference(value) || readPart(value) !== null;
}

function toPart(value: JsonValue, publicUrl: string): Part {
  if (typeof value === 'string') return textPart(value);
  if (!isReference(value)) return readPart(value) ?? dataPart(value);
  const { content_type: mediaType, filename } = value;
  const url = `${publicUrl}/artifacts/${encodeURIComponent(value.$artifact)}`;
  return {
    content: { $case: 'url', value: url },
    metadata: undefined,
    filename: typeof filename === 'string' ? filename : '',
    mediaType: typeof mediaType === 'string' ? mediaType : '',
  };
}

const CONTENTS = ['text', 'url', 'raw', 'data'] as const;
const MEMBERS: readonly string[] = [...CONTENTS, 'filename', 'mediaType', 'metadata'];

/** Null: not the JSON of a part in 1.0, though it may look a little like one. */
function readPart(value: JsonValue): Part | null {
  if (!isJsonObject(value) || Object.keys(value).some((key) => !MEMBERS.includes(key))) return null;
  const [content, second] = CONTENTS.filter((name) => Object.hasOwn(value, name));
  if (content === undefined || second !== undefined || !isSound(value, content)) return null;
  const mediaType = content === 'text' ? 'text/plain' : 'application/json';
  const isFile = content === 'raw' || content === 'url';
  return Part.fromJSON(isFile ? value : { mediaType, ...value });
}

function isSound(value: JsonObject, content: (typeof CONTENTS)[number]): boolean {
  const texts = ['filename', 'mediaType', ...(content === 'data' ? [] : [content])];
  if (texts.some((name) => typeof (value[name] ?? '') !== 'string')) return false;
  return isJsonObject(value['metadata'] ?? {});
}
