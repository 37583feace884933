import test from 'ava';

import { translateError } from '../../../../../src/shared/store/postgres/connection/errors.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';

test('a full disk is named, and what did not fit is not written', (t) => {
  const error = Object.assign(new Error('could not extend file'), { code: '53100' });
  const translated = translateError(error, { mayBeCarriedOut: true });
  t.true(translated instanceof StoreUnavailableError);
  t.like(translated, { ambiguous: false, isDiskFull: true });
  const other = Object.assign(new Error('too many connections'), { code: '53300' });
  t.like(translateError(other, { mayBeCarriedOut: true }), { isDiskFull: false });
});

test('a statement that a pooler has prepared elsewhere is not carried out, and no bug', (t) => {
  for (const code of ['26000', '42P05']) {
    const error = Object.assign(new Error('prepared statement'), { code });
    const translated = translateError(error, { mayBeCarriedOut: true });
    t.true(translated instanceof StoreUnavailableError, code);
    t.like(translated, { ambiguous: false });
  }
});
