/** One message of a `text/event-stream` body (WHATWG HTML, "Server-sent events"). */
export interface StreamMessage {
  readonly id: string | null;
  /** Kind of the message; `message` if the stream does not name it. */
  readonly type: string;
  readonly data: string;
}

/** The messages of a stream as they arrive. Comments and messages without data are left out. */
export async function* readEventStream(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamMessage> {
  let id: string | null = null;
  let type = 'message';
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line === '') {
      // A blank line ends a message; what the end of the body cuts off is dropped.
      if (data.length > 0) yield { id, type, data: data.join('\n') };
      type = 'message';
      data = [];
      continue;
    }
    const [field, value] = splitField(line);
    if (field === 'data') data.push(value);
    if (field === 'event') type = value;
    if (field === 'id') id = value;
  }
}

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const text = rest + decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line end.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '') + text.slice(whole.length);
    yield* lines;
  }
}

function splitField(line: string): [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
