import test from 'ava';
import { maskUrl } from '../../../src/shared/config/mask-url.ts';

const masked: readonly (readonly [string, string])[] = [
  ['postgres://db/svc', 'postgres://db/svc'],
  ['postgres://ann@db/svc', 'postgres://ann@db/svc'],
  ['postgres://ann:secret@db/svc', 'postgres://ann:***@db/svc'],
  ['postgres://ann:se/c#r@e?t@db/svc', 'postgres://ann:***@db/svc'],
  ['postgres://:secret@db/svc', 'postgres://:***@db/svc'],
  ['postgres://db/svc?a=1&password=secret&b=2', 'postgres://db/svc?a=1&password=***&b=2'],
  ['https://collector:4318/v1', 'https://collector:4318/v1'],
  ['/var/lib/svc/data.db', '/var/lib/svc/data.db'],
];

for (const [text, expected] of masked) {
  test(`${text} is shown as ${expected}`, (t) => t.is(maskUrl(text), expected));
}
