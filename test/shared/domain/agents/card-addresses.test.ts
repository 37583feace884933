import test from 'ava';

import { cardAddresses } from '../../../../src/shared/domain/agents/card-addresses.ts';

const BASES: readonly (readonly [given: string, base: string])[] = [
  ['https://a.example', 'https://a.example'],
  ['https://a.example/', 'https://a.example'],
  ['https://a.example//', 'https://a.example'],
  ['https://a.example/team/x/', 'https://a.example/team/x'],
  ['https://A.example:443/?q=1#part', 'https://a.example'],
  ['https://a.example/.well-known/agent.json', 'https://a.example'],
  ['https://a.example/x/.well-known/agent-card.json?v=2', 'https://a.example/x'],
];

for (const [given, base] of BASES) {
  test(`the card of ${given} is below ${base}`, (t) => {
    t.deepEqual(cardAddresses(given), {
      base,
      candidates: [`${base}/.well-known/agent.json`, `${base}/.well-known/agent-card.json`],
    });
  });
}

test('an invalid URL has no card', (t) => {
  for (const given of ['', 'a.example', '/x', 'http://']) t.is(cardAddresses(given), null);
});

test('an address with a long run of slashes takes no longer than others', (t) => {
  const before = process.cpuUsage();
  t.not(cardAddresses(`https://a.example/${'/'.repeat(200_000)}x`), null);
  // Takes milliseconds; a search for the end from every slash would take minutes.
  t.true(process.cpuUsage(before).user < 5_000_000);
});
