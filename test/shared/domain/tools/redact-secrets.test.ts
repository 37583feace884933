import test from 'ava';

import { redactSecrets } from '../../../../src/shared/domain/tools/redact-secrets.ts';

const SECRET = 'a/b+c "d"=';
const SECRETS = new Map([['SVC_SECRET_SHOP', SECRET]]);

for (const [where, text] of [
  ['as it is', SECRET],
  ['in a path', encodeURIComponent(SECRET)],
  ['in a form', new URLSearchParams({ key: SECRET }).toString().slice('key='.length)],
  ['in JSON inside a text', JSON.stringify(SECRET).slice(1, -1)],
] as const) {
  test(`a secret that is repeated ${where} is taken out`, (t) => {
    const answer = { url: `https://shop.example/?key=${text}&n=1`, list: [text], [text]: 1 };
    t.deepEqual(redactSecrets(answer, SECRETS), {
      url: 'https://shop.example/?key=[secret SVC_SECRET_SHOP]&n=1',
      list: ['[secret SVC_SECRET_SHOP]'],
      '[secret SVC_SECRET_SHOP]': 1,
    });
  });
}

test('text too short to be distinguished is left', (t) => {
  t.is(redactSecrets('12345', new Map([['PIN', '12345']])), '12345');
});
