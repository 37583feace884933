import { gzipSync } from 'node:zlib';

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/shared/domain/json.ts';
import type { Dice } from '../simulation/dice.ts';
import { bodyBytes, bodyText, withHeader, type Draft } from './draft.ts';
import { drawJson } from './draw-value.ts';
import {
  EXPRESSIONS,
  fillPort,
  INSTANTS,
  JSON_TEXTS,
  PATTERNS,
  TOKENS,
  URLS,
  valuesFor,
} from './hostile-values.ts';

/**
 * One change of a request. It contains everything that was drawn, so that the same request can be
 * built with fewer changes.
 */
export interface Mutation {
  readonly name: string;
  /** The order of changes: values, then their text, then its bytes, then headers and the path. */
  readonly stage: 0 | 1 | 2 | 3;
  readonly apply: (draft: Draft) => Draft;
}

export function applyMutations(draft: Draft, mutations: readonly Mutation[]): Draft {
  return mutations
    .toSorted((one, other) => one.stage - other.stage)
    .reduce((changed, { apply }) => apply(changed), draft);
}

/** Draws one to three changes that fit the request. */
export function drawMutations(params: {
  readonly dice: Dice;
  readonly draft: Draft;
  /** The port of the server that no request may reach. */
  readonly trapPort: number;
}): readonly Mutation[] {
  const { dice, draft, trapPort } = params;
  const kinds: (() => Mutation)[] = [
    () => changePath(dice),
    () => changeQuery(dice, draft),
    () => changeHeader(dice),
    () => changeHeader(dice),
  ];
  if (draft.body.is === 'json') {
    kinds.push(
      ...Array.from({ length: 12 }, () => () => changeValue({ dice, draft, trapPort })),
      () => changeText(dice),
      () => changeText(dice),
      () => changeBytes(dice),
      () => changeType(dice),
    );
  } else if (draft.body.is === 'bytes')
    kinds.push(
      () => changeBytes(dice),
      () => changeType(dice),
    );
  else kinds.push(() => addBody(dice));
  const count = dice.pick([1, 1, 1, 2, 2, 3]);
  return Array.from({ length: count }, () => dice.pick(kinds)());
}

type Pointer = readonly (string | number)[];

function changeValue(given: {
  readonly dice: Dice;
  readonly draft: Draft;
  readonly trapPort: number;
}): Mutation {
  const { dice, draft, trapPort } = given;
  const root = draft.body.is === 'json' ? draft.body.value : {};
  // A longer wait makes the answer slow, and is valid.
  const places = listPlaces(root).filter((place) => place.at(-1) !== 'wait_ms');
  const place = dice.pick(places);
  const member = String(place.at(-1) ?? '');
  const at = `/${place.join('/')}`;
  switch (dice.pick(['text', 'text', 'hint', 'hint', 'remove', 'add', 'any'])) {
    case 'hint': {
      const hinted =
        valuesFor(member) ?? dice.pick([TOKENS, EXPRESSIONS, URLS, PATTERNS, INSTANTS]);
      const value = fillPort(dice.pick(hinted), trapPort);
      return inText(`${at} = ${shorten(value)}`, place, JSON.stringify(value));
    }
    case 'remove':
      return {
        name: `without ${at}`,
        stage: 0,
        apply: (one) => withBody(one, (value) => putAt(value, place, undefined)),
      };
    case 'add': {
      const [name, value] = dice.pick<readonly [string, JsonValue]>([
        ['unknown', drawJson(dice)],
        ['id', dice.pick(TOKENS)],
        ['tenant_id', 'default'],
        ['role', 'operator'],
        ['lease_fence', dice.between(1, 1_000_000)],
        ['priority', dice.between(-1, 12)],
        ['$ref', '#/'],
        ['', ''],
      ]);
      return {
        name: `${at} with a member "${name}"`,
        stage: 0,
        apply: (one) =>
          withBody(one, (body) => {
            const parent = valueAt(body, place);
            return isJsonObject(parent) ? putAt(body, [...place, name], value) : body;
          }),
      };
    }
    case 'any': {
      const value = drawJson(dice);
      return {
        name: `${at} = ${shorten(JSON.stringify(value))}`,
        stage: 0,
        apply: (one) => withBody(one, (body) => putAt(body, place, value)),
      };
    }
    default: {
      const text = dice.pick(JSON_TEXTS);
      return inText(`${at} = ${shorten(text)}`, place, text);
    }
  }
}

/** Replaces a value by a text when the body becomes text. */
function inText(name: string, place: Pointer, text: string): Mutation {
  const mark = `the value at ${place.join('/')}`;
  return {
    name,
    stage: 0,
    apply: (draft) => {
      const { body } = draft;
      if (body.is !== 'json') return draft;
      const texts = [...(body.texts ?? []), [mark, text] as const];
      return { ...draft, body: { is: 'json', value: putAt(body.value, place, mark), texts } };
    },
  };
}

const TEXT_CHANGES: Readonly<Record<string, (text: string) => string>> = {
  'cut short': (text) => text.slice(0, Math.floor(text.length / 2)),
  'cut by its last character': (text) => text.slice(0, -1),
  'with more behind': (text) => `${text}{}`,
  'with a comma too many': (text) => text.replace('}', ',}'),
  'with a comment': (text) => `/* */${text}`,
  'in an array': (text) => `[${text}]`,
  'as a text': (text) => JSON.stringify(text),
  'with a byte order mark': (text) => `\ufeff${text}`,
  'with U+0000 behind': (text) => `${text}\0`,
  'with every member twice': (text) => text.replaceAll(/("[^"]{1,40}":)/g, '$1null,$1'),
  'with __proto__': (text) => text.replace('{', '{"__proto__":{"admin":true},'),
  'with constructor': (text) => text.replace('{', '{"constructor":{"prototype":{}},'),
  'with a deep member': (text) =>
    text.replace('{', () => `{"deep":${'['.repeat(100)}${']'.repeat(100)},`),
  'with a million spaces': (text) => `${' '.repeat(1_000_000)}${text}`,
  'with a long number': (text) => text.replace('{', () => `{"n":${'9'.repeat(100_000)},`),
  'with NaN': (text) => text.replace('{', '{"n":NaN,'),
  empty: () => '',
  'white space': () => ' \r\n\t',
  null: () => 'null',
  'with 5 MB behind': (text) => text.replace('{', () => `{"pad":"${'x'.repeat(5_000_000)}",`),
  'with 3 MB in it': (text) => text.replace('{', () => `{"pad":"${'x'.repeat(3_000_000)}",`),
};

function changeText(dice: Dice): Mutation {
  const [name, change] = dice.pick(Object.entries(TEXT_CHANGES));
  return {
    name: `body ${name}`,
    stage: 1,
    apply: (draft) => asBytes(draft, Buffer.from(change(bodyText(draft.body) ?? ''))),
  };
}

/** Bytes that are not UTF-8: overlong forms, surrogates, beyond Unicode, a lone continuation. */
const NOT_UTF8: Readonly<Record<string, readonly number[]>> = {
  'an overlong U+0000': [0xc0, 0x80],
  'an overlong slash': [0xe0, 0x80, 0xaf],
  'a surrogate': [0xed, 0xa0, 0x80],
  'a code point beyond Unicode': [0xf4, 0x90, 0x80, 0x80],
  'a byte 0xff': [0xff],
  'a continuation alone': [0x80],
  'a sequence cut short': [0xe2, 0x82],
};

function changeBytes(dice: Dice): Mutation {
  const at = dice.fraction();
  const [name, bytes] = dice.pick<[string, (body: Buffer) => Buffer]>([
    ...Object.entries(NOT_UTF8).map(([title, inserted]): [string, (body: Buffer) => Buffer] => [
      title,
      (body) => insert(body, body.indexOf('"') + 1, Buffer.from(inserted)),
    ]),
    ['in UTF-16', (body) => Buffer.from(body.toString(), 'utf16le')],
    [
      'a random byte',
      (body) => insert(body, Math.floor(at * body.length), Buffer.from(dice.bytes(1))),
    ],
    ['random bytes', () => Buffer.from(dice.bytes(200))],
  ]);
  const noise = Buffer.from(dice.bytes(1));
  return {
    name: `body with ${name}`,
    stage: 2,
    apply: (draft) => {
      const body = bodyBytes(draft.body);
      if (name === 'a random byte') {
        return asBytes(draft, insert(body, Math.floor(at * body.length), noise));
      }
      return asBytes(draft, bytes(body));
    },
  };
}

const TYPES: readonly (string | null)[] = [
  null,
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json;charset="UTF-8"',
  'application/json; charset=',
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'application/json, text/plain',
  'application/json-patch+json',
  'application/',
  '/',
  ';;;',
  `application/json; ${'a=b; '.repeat(500)}`,
  `application/${'j'.repeat(5_000)}`,
];

function changeType(dice: Dice): Mutation {
  if (dice.chance(0.4)) {
    const encoding = dice.pick([
      'gzip',
      'deflate',
      'br',
      'zstd',
      'identity',
      'gzip, gzip',
      'x',
      '',
    ]);
    const isBomb = dice.chance(0.5);
    return {
      name: `content encoding ${encoding}${isBomb ? ', 200 MB packed' : ''}`,
      stage: 3,
      apply: (draft) => {
        const packed = isBomb ? bomb() : gzipSync(bodyBytes(draft.body));
        return withHeader(asBytes(draft, packed), 'Content-Encoding', encoding);
      },
    };
  }
  const type = dice.pick(TYPES);
  return {
    name: `content type ${type === null ? 'left out' : shorten(type)}`,
    stage: 3,
    apply: (draft) => withHeader(draft, 'Content-Type', type),
  };
}

let packed: Buffer | null = null;

function bomb(): Buffer {
  return (packed ??= gzipSync(Buffer.alloc(200_000_000, 0x20), { level: 9 }));
}

function addBody(dice: Dice): Mutation {
  const body = dice.pick(['{}', '{"a":1}', 'x', '[', ' ']);
  return {
    name: `a body ${body} where none is taken`,
    stage: 2,
    apply: (draft) => asBytes(draft, Buffer.from(body)),
  };
}

const PATH_PARTS: readonly string[] = [
  '%00',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..',
  '.',
  '%252e%252e',
  '%2f',
  '%5c',
  '%c0%af',
  '%ed%a0%80',
  '%ff',
  '%',
  '%z1',
  '%u0041',
  '*',
  ';a=b',
  '~',
  '__proto__',
  'constructor',
  '%0d%0aX-Injected:%201',
  '%F0%9F%92%A5',
  'a'.repeat(6_000),
  '%41'.repeat(2_000),
  "'%20or%201=1--",
  '00000000-0000-0000-0000-000000000000',
  'exec_00000000000000000000000000000000',
  '%20',
  ':id',
  '{id}',
];

function changePath(dice: Dice): Mutation {
  const part = dice.pick(PATH_PARTS);
  const change = dice.pick([
    'replace',
    'replace',
    'replace',
    'append',
    'slash',
    'double',
    'case',
    'method',
  ]);
  const method = dice.pick([
    'HEAD',
    'OPTIONS',
    'PUT',
    'PATCH',
    'DELETE',
    'POST',
    'GET',
    'TRACE',
    'PROPFIND',
  ]);
  const which = dice.fraction();
  const apply = (draft: Draft): Draft => {
    const parts = draft.path.split('/');
    const index = 1 + Math.floor(which * (parts.length - 1));
    switch (change) {
      case 'replace':
        return { ...draft, path: parts.with(index, part).join('/') };
      case 'append':
        return { ...draft, path: `${draft.path}/${part}` };
      case 'slash':
        return { ...draft, path: `${draft.path}/` };
      case 'double':
        return { ...draft, path: `/${draft.path}` };
      case 'case':
        return { ...draft, path: draft.path.toUpperCase() };
      default:
        return { ...draft, method };
    }
  };
  const what = change === 'method' ? method : shorten(part);
  return { name: `path: ${change} ${what}`, stage: 3, apply };
}

function changeQuery(dice: Dice, draft: Draft): Mutation {
  const known = draft.operation.parameters.filter(({ in: place }) => place === 'query');
  const name = known.length > 0 && dice.chance(0.8) ? dice.pick(known).name : 'unknown';
  const hinted = valuesFor(name) ?? ['-1', '0', '1.5', '1e3', '99999999999999999999', ...TOKENS];
  const value = dice.chance(0.7) ? encode(dice.pick(hinted)) : dice.pick(PATH_PARTS);
  const [what, added] = dice.pick<[string, readonly (readonly [string, string])[]]>([
    ['with', [[name, value]]],
    ['with', [[name, value]]],
    ['with', [[name, value]]],
    [
      'twice',
      [
        [name, value],
        [name, '1'],
      ],
    ],
    [
      'in brackets',
      [
        [`${name}[]`, value],
        [`${name}[a]`, value],
      ],
    ],
    ['a thousand of', Array.from({ length: 1_000 }, (_, n): [string, string] => [`q${n}`, ''])],
  ]);
  return {
    name: `query ${what} ${name}=${shorten(value)}`,
    stage: 3,
    apply: (one) => ({
      ...one,
      query: [...one.query.filter(([other]) => what === 'twice' || other !== name), ...added],
    }),
  };
}

function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80';
}

const HEADERS: readonly (readonly [name: string, value: string | null])[] = [
  ['Authorization', null],
  ['Authorization', ''],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Bearer '],
  ['Authorization', 'Bearer x'],
  ['Authorization', 'Bearer null, Bearer null'],
  ['Authorization', 'Basic YTpi'],
  ['Authorization', `Bearer ${'a'.repeat(8_000)}`],
  ['Authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJyb2xlIjoib3BlcmF0b3IifQ.'],
  ['Authorization', 'Bearer \u00e9\u00ff'],
  ['Authorization', 'Negotiate ='],
  ['X-Tenant-Id', 'default\u00e9'],
  ['X-Tenant-Id', '../x'],
  ['X-Tenant-Id', 'A'],
  ['X-Tenant-Id', 'a'.repeat(64)],
  ['X-Tenant-Id', '__proto__'],
  ['X-Tenant-Id', 'nobody-has-made-this'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'k'.repeat(513)],
  ['Idempotency-Key', 'k'.repeat(8_000)],
  ['Idempotency-Key', '\u00e9\u00ff'],
  ['Idempotency-Key', 'a, b'],
  ['Idempotency-Key', '"quoted"'],
  ['X-Request-Id', 'x'.repeat(5_000)],
  ['X-Request-Id', '\u00ff{"a":1}'],
  ['X-Request-Id', '"><script>'],
  ['traceparent', '00-00000000000000000000000000000000-0000000000000000-00'],
  ['traceparent', '00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-ff'],
  ['traceparent', 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  ['traceparent', '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01-x'],
  ['traceparent', 'x'.repeat(5_000)],
  ['tracestate', 'a=b,'.repeat(1_000)],
  ['Accept', 'text/event-stream'],
  ['Accept', 'text/event-stream'],
  ['Accept', 'text/html'],
  ['Accept', ''],
  ['Accept', '*/*;q=9, ;;, a/b;q=x'],
  ['Accept', 'a/b,'.repeat(2_000)],
  ['Accept-Encoding', 'gzip;q=0, *;q=0'],
  ['Accept-Charset', 'utf-16'],
  ['Host', ''],
  ['Host', 'a b'],
  ['Host', '[::1'],
  ['Host', '169.254.169.254'],
  ['Host', 'a'.repeat(5_000)],
  ['X-Forwarded-For', "127.0.0.1' or 1=1"],
  ['X-Forwarded-Host', 'evil.invalid'],
  ['X-Forwarded-Proto', 'javascript'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Forwarded', 'for="'],
  ['Origin', 'null'],
  ['Origin', 'http://evil.invalid'],
  ['Cookie', 'a=b; '.repeat(1_000)],
  ['Range', 'bytes=0-18446744073709551615'],
  ['Range', 'bytes=-1,0-,9-1'],
  ['If-None-Match', '"'.repeat(1_000)],
  ['If-None-Match', '*'],
  ['If-Modified-Since', 'never'],
  ['If-Match', '"x"'],
  ['Last-Event-ID', '-1'],
  ['Last-Event-ID', '99999999999999999999'],
  ['Last-Event-ID', 'x'],
  ['A2A-Version', '9.9'],
  ['A2A-Version', '1.0'],
  ['A2A-Version', '0.3'],
  ['A2A-Version', '\u00ff'],
  ['MCP-Protocol-Version', '1999-01-01'],
  ['MCP-Protocol-Version', '2026-07-28'],
  ['Mcp-Session-Id', 'x'.repeat(5_000)],
  ['Mcp-Method', 'tools/call'],
  ['Expect', 'a-pony'],
  ['Upgrade', 'websocket'],
  ['Upgrade', 'h2c'],
  ['TE', 'trailers, gzip'],
  ['Trailer', 'Content-Length'],
  ['Max-Forwards', '0'],
  ['Prefer', 'respond-async'],
  ['Content-MD5', 'x'],
  ['Content-Range', 'bytes 0-1/2'],
  ['Content-Disposition', 'attachment; filename="../../x"'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
];

function changeHeader(dice: Dice): Mutation {
  const [name, value] = dice.pick(HEADERS);
  const added = dice.chance(0.1);
  return {
    name: `header ${name}: ${value === null ? 'left out' : shorten(value)}${added ? ', twice' : ''}`,
    stage: 3,
    apply: (draft) =>
      added && value !== null
        ? { ...draft, headers: [...draft.headers, [name, value], [name, `${value}2`]] }
        : withHeader(draft, name, value),
  };
}

function withBody(draft: Draft, change: (value: JsonValue) => JsonValue): Draft {
  const { body } = draft;
  return body.is === 'json' ? { ...draft, body: { ...body, value: change(body.value) } } : draft;
}

function asBytes(draft: Draft, bytes: Buffer): Draft {
  return { ...draft, body: { is: 'bytes', bytes } };
}

function insert(body: Buffer, at: number, inserted: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, at), inserted, body.subarray(at)]);
}

/** The root first, then every value in it. */
function listPlaces(value: JsonValue, at: Pointer = []): readonly Pointer[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Array.isArray(value)
    ? value.flatMap((item: JsonValue, index) => listPlaces(item, [...at, index]))
    : Object.entries(value as JsonObject).flatMap(([name, member]) =>
        listPlaces(member, [...at, name]),
      );
  return [at, ...inner];
}

function valueAt(value: JsonValue, place: Pointer): JsonValue | undefined {
  return place.reduce<JsonValue | undefined>((at, step) => {
    if (typeof at !== 'object' || at === null) return undefined;
    return (at as JsonObject)[step];
  }, value);
}

function putAt(value: JsonValue, place: Pointer, put: JsonValue | undefined): JsonValue {
  const [step, ...rest] = place;
  if (step === undefined) return put ?? {};
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const index = Number(step);
    if (rest.length === 0 && put === undefined) return list.toSpliced(index, 1);
    return index < list.length ? list.with(index, putAt(list[index] ?? null, rest, put)) : list;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== String(step));
  if (rest.length === 0 && put === undefined) return Object.fromEntries(entries);
  const member = putAt(value[step] ?? {}, rest, put);
  return Object.fromEntries([...entries, [String(step), member]]);
}

export function shorten(text: string): string {
  const printable = JSON.stringify(text).slice(1, -1);
  return printable.length <= 60
    ? printable
    : `${printable.slice(0, 40)}… (${text.length} characters)`;
}
