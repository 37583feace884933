import test from 'ava';

import { normaliseError } from '../../../../src/shared/engine/overview/normalise-error.ts';

const ONE = '0197a1f2-7c3d-7abc-8def-0123456789ab';
const OTHER = 'c56a4180-65aa-42ec-a945-5fd21dec0538';

/** A cause, and messages that have it. */
const CAUSES: readonly (readonly [string, ...string[]])[] = [
  // Words alone.
  ['the card was refused', 'the card was refused', ' the card was refused\n  at pay (bank.js:12)'],
  ['', '', '  \n '],
  // Numbers.
  ['order … is unknown', 'order 17 is unknown', 'order 4711 is unknown', 'order -3 is unknown'],
  ['charged … of …', 'charged 1,000.50 of 20', 'charged 7 of 1e-9', 'charged +5 of 1.5E10'],
  [
    'timed out after …',
    'timed out after 900ms',
    'timed out after 1.2 s',
    'timed out after 2 minutes',
  ],
  [
    '… is over the limit of …',
    '70 MB is over the limit of 64MiB',
    '9 bytes is over the limit of 5',
  ],
  ['rows … are bad', 'rows 1, 2, 3 are bad', 'rows 4,5 are bad', 'rows 6 are bad'],
  [
    'connect ECONNREFUSED …',
    'connect ECONNREFUSED 10.0.0.1:5432',
    'connect ECONNREFUSED 10.0.7.12:80',
  ],
  // Times.
  [
    'the token expired at …',
    'the token expired at 2026-11-28',
    'the token expired at 2026-11-28T10:50:00Z',
    'the token expired at 2026-11-28 10:50:00.123+01:00',
    'the token expired at 10:50',
  ],
  // Ids.
  ['execution … ended', `execution ${ONE} ended`, `execution ${OTHER.toUpperCase()} ended`],
  ['execution … ended', `execution ${ONE.replaceAll('-', '')} ended`],
  [
    'exec_… ended',
    `exec_${ONE} ended`,
    `exec_${OTHER.replaceAll('-', '')} ended`,
    'exec_01a2 ended',
  ],
  ['ord-… is unknown', 'ord-1234 is unknown', 'ord-9 is unknown', 'ord-a1b2-c3 is unknown'],
  ['ORD-… is unknown', 'ORD-1234 is unknown', 'ORD-77 is unknown'],
  ['cus_… has no card', 'cus_NffrFeUfNV2Hib has no card', 'cus_9s6XKzkNRiz8i3 has no card'],
  ['line_item_… is gone', 'line_item_17 is gone', 'line_item_0042 is gone'],
  ['pod web-… died', 'pod web-7d9f8b6c4-x2x4z died', 'pod web-5c6d7-abcde died'],
  ['order #… is unknown', 'order #17 is unknown', 'order #4711 is unknown'],
  ['no row …', 'no row 01HZX3K5W8Y2QJ4N6P7R8S9T0V', 'no row 01JABCDEF0GHJKMNPQRSTVWXYZ'],
  ['no coupon …', 'no coupon K7XQ9P', 'no coupon A1B2C3'],
  // Hexadecimal numbers.
  ['bad pointer …', 'bad pointer 0x7ffee4', 'bad pointer 0xDEADBEEF'],
  ['commit … is missing', 'commit 9fceb02d is missing', 'commit 0197a1f27c3d is missing'],
  ['the facade is dead', 'the facade is dead'],
  // Quoted values, and apostrophes that quote nothing.
  ['unknown key …', 'unknown key "a"', `unknown key 'b c'`, 'unknown key `d`', 'unknown key “e”'],
  [
    'unknown key …',
    String.raw`unknown key "a \"b\" c"`,
    `unknown key 'user's card'`,
    `unknown key ''`,
  ],
  [
    "can't read …, and won't retry",
    "can't read 'a', and won't retry",
    `can't read "b", and won't retry`,
  ],
  ["the users' cards aren't valid", "the users' cards aren't valid"],
  ["key … isn't known", "key 'o'clock' isn't known", "key 'a' isn't known"],
  ['expected one of …', `expected one of 'a', 'b'`, `expected one of "c","d","e"`],
  // URLs.
  [
    'GET https://bank.example/… failed',
    'GET https://bank.example/orders/17?token=abc failed',
    'GET https://user:secret@bank.example/#top failed',
    'GET https://bank.example failed',
  ],
  ['cannot reach amqp://mq-…/….', 'cannot reach amqp://mq-17:5672/a.', 'cannot reach amqp://mq-3.'],
  [
    '(see https://bank.example/…)',
    '(see https://bank.example/help/7)',
    '(see https://bank.example/)',
  ],
  // E-mail addresses.
  ['… is no member', 'ada@example.com is no member', 'j.doe+x@mail.example.co.uk is no member'],
  // Steps of durable functions. Their occurrences and branches are one cause.
  ['step charge: no card', 'step charge: no card', 'step charge#2: no card'],
  [
    'node pay failed: step charge: no card',
    'node pay failed: step charge: no card',
    'node pay failed: step charge#2: no card',
  ],
  [
    'the rollback failed: step rollback:charge: no card',
    'the rollback failed: step rollback:charge: no card',
    'the rollback failed: step rollback:charge#2: no card',
  ],
  [
    'step items[…]/charge: no card',
    'step items[0]/charge#3: no card',
    'step items[17]/charge: no card',
  ],
  // Paths.
  [
    'open …: no such file',
    'open /data/in/report-2024.csv: no such file',
    'open /etc/passwd: no such file',
    'open ./a.txt: no such file',
    'open ../b/c: no such file',
    'open ~/d/e.f: no such file',
    String.raw`open C:\Users\ada\x.txt: no such file`,
    String.raw`open \\server\share\y: no such file`,
    'open "/tmp/a b": no such file',
  ],
  ['an input/output error', 'an input/output error'],
  ['expected application/json', 'expected application/json'],
  ['must be a string (at /items/…/price)', 'must be a string (at /items/0/price)'],
  // All in one.
  [
    "order ord-… of … was refused: can't read …",
    "order ord-17 of ada@example.com was refused: can't read /data/17.json",
    "order ord-4711 of lee@example.com was refused: can't read /data/4711.json",
  ],
  // Codes.
  ['the bank answered HTTP 503', 'the bank answered HTTP 503'],
  ['exit code 137 after …', 'exit code 137 after 5s', 'exit code 137 after 7s'],
];

for (const [cause, ...messages] of CAUSES) {
  for (const message of messages) {
    test(`${JSON.stringify(message)} has the cause ${JSON.stringify(cause)}`, (t) => {
      t.is(normaliseError(message), cause);
    });
  }
}

for (const [one, other] of [
  ['GET https://bank.example/a failed', 'GET https://shop.example/a failed'],
  ['HTTP 404', 'HTTP 500'],
  ['Request failed with status code 404', 'Request failed with status code 500'],
  ['status=429', 'status=503'],
  ['exit code 1', 'exit code 137'],
  ['errno 13', 'errno 2'],
  ['ord-17 is unknown', 'inv-17 is unknown'],
  ['missing (at /order_id)', 'missing (at /customer_id)'],
  ["can't read the card", "can't write the card"],
  ["don't know 'a'", "don't like 'a'"],
] as const) {
  test(`${JSON.stringify(one)} and ${JSON.stringify(other)} have different causes`, (t) => {
    t.not(normaliseError(one), normaliseError(other));
  });
}

test('a message of any length is read in bounded time, to a cause of at most 300 characters', (t) => {
  for (const part of [
    'a',
    '1',
    '-',
    "'",
    '"',
    '\\',
    '/',
    'a-',
    'a1',
    'a@',
    'a.',
    ' ',
    '…',
    'http://',
  ]) {
    t.true(normaliseError(part.repeat(1_000_000)).length <= 300, part);
  }
});
