import test from 'ava';

import { nameProgram } from '../../bin/cli/as-typed.ts';

const cwd = '/home/ann/shop';

for (const [how, script, env, typed] of [
  ['in the source tree', '/home/ann/shop/bin/svc.js', {}, 'node bin/svc.js'],
  ['in a folder beside it', '/home/ann/svc/bin/svc.js', {}, 'node ../svc/bin/svc.js'],
  ['from its source', '/home/ann/shop/bin/svc.ts', {}, 'node bin/svc.js'],
  ['far away', '/opt/svc/bin/svc.js', {}, 'node /opt/svc/bin/svc.js'],
  ['below a folder with a space', '/home/ann/shop/a b/svc.js', {}, "node 'a b/svc.js'"],
  ['by npx in a project', '/home/ann/shop/node_modules/.bin/svc', {}, 'npx svc'],
  [
    'by npx without one',
    '/home/ann/.npm/_npx/1f/node_modules/.bin/svc',
    {},
    'npx --package svc-runtime svc',
  ],
  ['from the search path', '/usr/local/bin/svc', { PATH: '/bin:/usr/local/bin' }, 'svc'],
  ['by a link elsewhere', '/home/ann/shop/svc', { PATH: '/bin' }, './svc'],
  ['as a program of one role', '/home/ann/shop/bin/svc-api.js', {}, 'node bin/svc.js'],
] as const) {
  test(`${how}: commands read as ${typed}`, (t) => {
    t.is(nameProgram({ script, env, cwd }), typed);
  });
}
