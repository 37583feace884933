import type { ModelStreamPart } from './durable-model.ts';

/**
 * Reads a stream to its end. Deltas that follow each other become one, so that the record has the size
 * of the answer. Rejects with the first error in the stream.
 */
export async function collectParts(
  stream: ReadableStream<ModelStreamPart>,
): Promise<readonly ModelStreamPart[]> {
  const parts: ModelStreamPart[] = [];
  for await (const part of stream) {
    if (part.type === 'error') throw errorIn(part);
    // It only keeps the connection open.
    if (part.type === 'ping') continue;
    const last = parts.at(-1);
    const joined = last === undefined ? null : joinDeltas(last, part);
    if (joined === null) parts.push(part);
    else parts[parts.length - 1] = joined;
  }
  return parts;
}

/** A stream that has all of its parts already. */
export function streamOf<Part>(parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream<Part>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

function errorIn(part: ModelStreamPart): Error {
  const error = 'error' in part ? part.error : undefined;
  if (error instanceof Error) return error;
  return new Error(typeof error === 'string' ? error : JSON.stringify(error ?? 'the stream broke'));
}

interface Delta extends ModelStreamPart {
  readonly id: string;
  readonly delta: string;
}

/** Null unless both belong to the same block and have nothing but text. */
function joinDeltas(first: ModelStreamPart, second: ModelStreamPart): ModelStreamPart | null {
  if (first.type !== second.type || !isPlainDelta(first) || !isPlainDelta(second)) return null;
  if (first.id !== second.id) return null;
  const joined: Delta = { ...first, delta: first.delta + second.delta };
  return joined;
}

function isPlainDelta(part: ModelStreamPart): part is Delta {
  return (
    part.type.endsWith('-delta') &&
    'id' in part &&
    typeof part.id === 'string' &&
    'delta' in part &&
    typeof part.delta === 'string' &&
    Object.entries(part).every(
      ([key, value]) => ['type', 'id', 'delta'].includes(key) || value === undefined,
    )
  );
}
