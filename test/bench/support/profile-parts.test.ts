import test from 'ava';

import { countParts } from '../../../bench/support/profile-parts.ts';

interface Frame {
  readonly name?: string;
  readonly url?: string;
  readonly hits?: number;
  readonly calls?: readonly Frame[];
}

function profileOf(root: Frame) {
  const nodes: Parameters<typeof countParts>[0]['nodes'] = [];
  const add = ({ name = 'f', url = '', hits = 0, calls = [] }: Frame): number => {
    const id = nodes.length + 1;
    const callFrame = { functionName: name, url, scriptId: '', lineNumber: 0, columnNumber: 0 };
    const node = { id, callFrame, hitCount: hits, children: [] as number[] };
    nodes.push(node);
    node.children = calls.map(add);
    return id;
  };
  add(root);
  return { nodes };
}

const SCHEMA = 'file:///app/node_modules/zod/v4/core/parse.js';
const DRIVER = 'file:///app/node_modules/pg/lib/client.js';

test('a function counts for the part of its file, and an idle process for none', (t) => {
  const counts = countParts(
    profileOf({
      name: '(root)',
      calls: [
        { name: '(idle)', hits: 90 },
        { name: '(garbage collector)', hits: 2 },
        { url: SCHEMA, hits: 3, calls: [{ url: 'file:///app/src/api/send.ts', hits: 4 }] },
      ],
    }),
  );
  t.deepEqual(
    [...counts].filter(([, count]) => count > 0),
    [
      ['garbage collection', 2],
      ['schema', 3],
      ['endpoint, answer', 4],
    ],
  );
});

test('a function of V8 counts for its caller', (t) => {
  const counts = countParts(profileOf({ url: SCHEMA, calls: [{ name: 'test', hits: 5 }] }));
  t.is(counts.get('schema'), 5);
});

test('a socket counts for the driver when the driver writes to it', (t) => {
  const written = (by: string) => {
    const calls = [{ url: 'node:net', calls: [{ name: 'writev', hits: 1 }] }];
    return countParts(profileOf({ url: by, calls }));
  };
  t.is(written(DRIVER).get('PostgreSQL driver'), 1);
  t.is(written('node:_http_outgoing').get('Node: sockets, streams'), 1);
});
