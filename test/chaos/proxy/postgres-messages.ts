const TYPED_HEADER_BYTES = 5;
const LENGTH_BYTES = 4;
const WRITES =
  /\b(insert\s+into|(?<!for (?:no key )?)update\s|delete\s+from|merge\s+into)|^\s*commit\b/i;

/**
 * Reads the messages of a PostgreSQL client, and detects when a statement that writes was sent
 * completely: from then on the server executes it, even when the connection breaks.
 */
export class PostgresMessages {
  #rest: Buffer = Buffer.alloc(0);
  #isStarted = false;
  readonly #writing = new Set<string>();
  #isWriting = false;

  /** Whether this part of the stream completes a statement that writes. */
  completesWrite(chunk: Buffer): boolean {
    let buffer = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let completes = false;
    for (;;) {
      const header = this.#isStarted ? TYPED_HEADER_BYTES : LENGTH_BYTES;
      if (buffer.length < header) break;
      const end = buffer.readInt32BE(header - LENGTH_BYTES) + header - LENGTH_BYTES;
      if (buffer.length < end) break;
      if (this.#isStarted) completes = this.#read(buffer.subarray(0, end)) || completes;
      this.#isStarted = true;
      buffer = buffer.subarray(end);
    }
    this.#rest = Buffer.from(buffer);
    return completes;
  }

  #read(message: Buffer): boolean {
    const body = message.subarray(TYPED_HEADER_BYTES);
    switch (String.fromCharCode(message[0] ?? 0)) {
      case 'P': {
        const [name = '', text = ''] = readStrings(body, 2);
        if (WRITES.test(text)) this.#writing.add(name);
        else this.#writing.delete(name);
        return false;
      }
      case 'B': {
        const [, name = ''] = readStrings(body, 2);
        this.#isWriting ||= this.#writing.has(name);
        return false;
      }
      case 'Q':
        return WRITES.test(readStrings(body, 1)[0] ?? '');
      case 'S': {
        const wasWriting = this.#isWriting;
        this.#isWriting = false;
        return wasWriting;
      }
      default:
        return false;
    }
  }
}

/** Reads texts that each end with a zero byte. */
function readStrings(body: Buffer, count: number): readonly string[] {
  const texts: string[] = [];
  let start = 0;
  for (let index = 0; index < count; index += 1) {
    const end = body.indexOf(0, start);
    texts.push(body.toString('utf8', start, end < 0 ? body.length : end));
    start = end + 1;
  }
  return texts;
}

/** The same for HTTP: a request begins here that may change something. */
export class HttpRequests {
  completesWrite(chunk: Buffer): boolean {
    return chunk.subarray(0, 5).toString('latin1') === 'POST ';
  }
}
