import type { JsonValue } from '../../src/shared/domain/json.ts';
import type { FuzzOperation } from './operations.ts';

/** A request in parts that mutations can change, before it becomes bytes. */
export interface Draft {
  readonly operation: FuzzOperation;
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  /** Both sides percent-encoded. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: DraftBody;
}

export type DraftBody =
  | { readonly is: 'none' }
  | {
      readonly is: 'json';
      readonly value: JsonValue;
      /**
       * JSON texts that no JavaScript value can express; each replaces the string that marks its
       * place.
       */
      readonly texts?: readonly (readonly [mark: string, text: string])[];
    }
  /** A body that is not JSON. */
  | { readonly is: 'bytes'; readonly bytes: Buffer };

/** How the request gives the length of its body. */
export type Framing = 'length' | 'chunks';

export function renderDraft(draft: Draft, framing: Framing = 'length'): Buffer {
  const body = bodyBytes(draft.body);
  const search = draft.query.map(([name, value]) => `${name}=${value}`).join('&');
  const target = search === '' ? draft.path : `${draft.path}?${search}`;
  const sendsBody = draft.body.is !== 'none';
  const length =
    framing === 'chunks' ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const lines = [
    `${draft.method} ${target} HTTP/1.1`,
    ...draft.headers.map(([name, value]) => `${name}: ${value}`),
    ...(sendsBody ? [length] : []),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (!sendsBody) return head;
  return Buffer.concat([head, framing === 'chunks' ? inChunks(body) : body]);
}

export function bodyBytes(body: DraftBody): Buffer {
  switch (body.is) {
    case 'none':
      return Buffer.alloc(0);
    case 'json':
      return Buffer.from(
        (body.texts ?? []).reduce(
          (whole, [mark, text]) => whole.replace(JSON.stringify(mark), () => text),
          JSON.stringify(body.value),
        ),
      );
    case 'bytes':
      return body.bytes;
  }
}

/** The body as text, for changes that no JSON value can express; null without a body. */
export function bodyText(body: DraftBody): string | null {
  return body.is === 'none' ? null : bodyBytes(body).toString();
}

export function withHeader(draft: Draft, name: string, value: string | null): Draft {
  const others = draft.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...draft, headers: value === null ? others : [...others, [name, value]] };
}

const CHUNK_BYTES = 65_536;

function inChunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
