import test from 'ava';

import { addressKey, judgeAddress } from '../../../src/shared/security/address-rules.ts';

const CASES: readonly (readonly [ReturnType<typeof judgeAddress>, readonly string[]])[] = [
  [
    'public',
    [
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.0',
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2606:4700:4700::1111',
      '2001:200::1',
      '2001:4860:4860::8888',
      '::ffff:8.8.8.8',
      '64:ff9b::8.8.8.8',
    ],
  ],
  [
    'private',
    [
      '10.255.255.255',
      '100.64.0.0',
      '127.0.0.1',
      '169.254.0.1',
      '172.16.0.0',
      '172.31.255.255',
      '192.168.255.255',
      '198.19.255.255',
      '::1',
      'fd12:3456::1',
      'fe80::1',
      'fe80::1%eth0',
      '::ffff:127.0.0.1',
      '64:ff9b::10.0.0.1',
      '64:ff9b:1::1',
    ],
  ],
  [
    'forbidden',
    [
      '0.0.0.0',
      '169.254.169.254',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::ffff:0.0.0.0',
      '::ffff:169.254.169.254',
      '::8.8.8.8',
      'fd00:ec2::254',
      'ff02::1',
      '2001::1',
      '2002:808:808::1',
      '4000::1',
      'example.com',
      '',
      '1.2.3',
    ],
  ],
];

for (const [judgement, addresses] of CASES) {
  test(`${judgement}: ${addresses.length} addresses at the edges of their ranges`, (t) => {
    for (const address of addresses) t.is(judgeAddress(address), judgement, address);
  });
}

test('an address has one key, however it is written', (t) => {
  t.is(addressKey('127.0.0.1'), addressKey('::ffff:7f00:1'));
  t.is(addressKey('fe80::1%eth0'), addressKey('FE80:0:0:0:0:0:0:1'));
  t.not(addressKey('127.0.0.1'), addressKey('127.0.0.2'));
  t.not(addressKey('127.0.0.1'), addressKey('::7f00:1'));
  t.is(addressKey('nonsense'), null);
});
