/** One event of a `text/event-stream`, WHATWG HTML, "Server-sent events". */
export interface StreamedEvent {
  readonly id: string;
  readonly data: string;
}

/** Yields the events of a stream until the other side ends it, and skips comments. */
export async function* readEventStream(response: Response): AsyncGenerator<StreamedEvent> {
  if (response.body === null) throw new Error('the answer has no body');
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => {
          const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
          return [name, value] as const;
        }),
      );
      const data = fields.get('data');
      if (data !== undefined) yield { id: fields.get('id') ?? '', data };
    }
  }
  if (rest !== '') throw new Error(`the stream broke off in ${rest}`);
}

/** Collects all events of a stream until the other side ends it. */
export async function collectEvents(response: Response): Promise<readonly StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of readEventStream(response)) events.push(event);
  return events;
}
