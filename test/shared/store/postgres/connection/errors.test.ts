import test from 'ava';

import { translateError } from '../../../../../src/shared/store/postgres/connection/errors.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';

test('a shortage of the server is named, and the statement has changed nothing', (t) => {
  const shortages = { 53100: 'disk', 53200: 'memory', 53300: 'connections', 53000: null };
  for (const [code, shortOf] of Object.entries(shortages)) {
    const error = Object.assign(new Error('insufficient resources'), { code });
    const translated = translateError(error, { mayBeCarriedOut: true });
    t.true(translated instanceof StoreUnavailableError, code);
    t.like(translated, { ambiguous: false, shortOf }, code);
  }
});

test('a statement that a pooler has prepared elsewhere is not carried out, and no bug', (t) => {
  for (const code of ['26000', '42P05']) {
    const error = Object.assign(new Error('prepared statement'), { code });
    const translated = translateError(error, { mayBeCarriedOut: true });
    t.true(translated instanceof StoreUnavailableError, code);
    t.like(translated, { ambiguous: false });
  }
});
