import test from 'ava';

import { translateError } from '../../../../../src/shared/store/postgres/connection/errors.ts';
import { StoreUnavailableError } from '../../../../../src/shared/store/store.ts';

test('a statement that a pooler has prepared elsewhere is not carried out, and no bug', (t) => {
  for (const code of ['26000', '42P05']) {
    const error = Object.assign(new Error('prepared statement'), { code });
    const translated = translateError(error, { mayBeCarriedOut: true });
    t.true(translated instanceof StoreUnavailableError, code);
    t.like(translated, { ambiguous: false });
  }
});
