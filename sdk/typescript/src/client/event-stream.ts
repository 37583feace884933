/** One message of a `text/event-stream` body (WHATWG HTML, "Server-sent events"). */
export interface StreamMessage {
  /** The kind of message; `message` if the stream names none. */
  readonly type: string;
  readonly data: string;
}

/** The messages of a stream as they arrive; `onBytes` is called with every piece, comments too. */
export async function* readEventStream(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<StreamMessage> {
  let type = 'message';
  let data: string[] = [];
  for await (const line of readLines(body, onBytes)) {
    if (line === '') {
      // A blank line ends a message; what the end of the body cuts off is dropped.
      if (data.length > 0) yield { type, data: data.join('\n') };
      type = 'message';
      data = [];
    } else {
      const [field, value] = splitField(line);
      if (field === 'data') data.push(value);
      if (field === 'event') type = value;
    }
  }
}

async function* readLines(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Not every browser can iterate over a stream.
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const text = rest + decoder.decode(value, { stream: true });
      // A carriage return at the end may be the first half of a line end.
      const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
      const lines = whole.split(/\r\n|\r|\n/);
      rest = (lines.pop() ?? '') + text.slice(whole.length);
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function splitField(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
