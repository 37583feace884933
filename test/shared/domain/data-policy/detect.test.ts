import test from 'ava';

import { DETECTORS } from '../../../../src/shared/domain/data-policy/data-policy.ts';
import { replaceDetected } from '../../../../src/shared/domain/data-policy/detect.ts';

const told = (text: string) => replaceDetected(text, DETECTORS, (_, name) => `[${name}]`);

const FOUND: readonly (readonly [string, string])[] = [
  ['write to ann.b+x@mail.example.org, please', 'write to [email], please'],
  ['pay with 4111 1111 1111 1111 now', 'pay with [credit_card] now'],
  ['pay with 5500-0000-0000-0004', 'pay with [credit_card]'],
  ['SSN 078-05-1120.', 'SSN [ssn].'],
  ['to DE89 3704 0044 0532 0130 00', 'to [iban]'],
  ['to GB29NWBK60161331926819', 'to [iban]'],
  ['from 192.168.10.1', 'from [ip_address]'],
  ['from 2001:0db8:0000:0000:0000:ff00:0042:8329', 'from [ip_address]'],
  ['call +49 30 1234567', 'call [phone]'],
  ['call (030) 123 4567', 'call [phone]'],
  ['call +4930123456789', 'call [phone]'],
];

for (const [text, expected] of FOUND) {
  test(`found: ${text}`, (t) => {
    t.is(told(text), expected);
  });
}

const LEFT = [
  'order 4111 1111 1111 1112 is no card',
  '2026-11-21 is a day',
  '2026-11-21T10:14:00.123Z is an instant',
  'version 1.2.3',
  '999.1.1.1 is no address',
  'DE00 3704 0044 0532 0130 00 is no account',
  'exec_0197f2a4c1d27c3e8b8f2f9a6d1e4c55',
  'ab@',
  '12 apples and 34 pears',
];

for (const text of LEFT) {
  test(`left: ${text}`, (t) => {
    t.is(told(text), text);
  });
}

test('only what is asked for is looked for', (t) => {
  const text = 'a@b.example 192.168.10.1';
  t.is(
    replaceDetected(text, ['email'], () => ''),
    ' 192.168.10.1',
  );
});

test('long hostile texts take linear time', (t) => {
  const began = process.cpuUsage();
  for (const text of ['a@'.repeat(200_000), '1 '.repeat(200_000), 'a.'.repeat(200_000) + '@']) {
    told(text);
  }
  told(`${'a-'.repeat(100_000)}@${'b.'.repeat(100_000)}`);
  told('DE89 '.repeat(80_000));
  t.true(process.cpuUsage(began).user < 5_000_000);
});
