import test from 'ava';
import { parse as parseYaml } from 'yaml';

import { AFTER_FAILOVER } from '../chaos/cluster/pgbouncer.ts';
import { readPages } from '../docs/support/pages.ts';

const PAGE = 'docs/operate/high-availability.md';

interface Pooler {
  readonly spec: { readonly pgbouncer: { readonly parameters: Readonly<Record<string, string>> } };
}

test('the runs have the settings of a pooler that the page for operators names', (t) => {
  const blocks = readPages().flatMap((page) => (page.path === PAGE ? page.blocks : []));
  const textWith = (part: string) => blocks.find(({ text }) => text.includes(part))?.text ?? '';
  const isOurs = (setting: string) => setting.startsWith('server_');
  t.deepEqual(textWith('[pgbouncer]').split('\n').filter(isOurs), [...AFTER_FAILOVER]);
  const { parameters } = (parseYaml(textWith('kind: Pooler')) as Pooler).spec.pgbouncer;
  const ofOperator = Object.entries(parameters).map(([name, value]) => `${name} = ${value}`);
  t.deepEqual(ofOperator.filter(isOurs), [...AFTER_FAILOVER]);
});
