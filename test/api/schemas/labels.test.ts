import test from 'ava';

import { givenLabels, recordedLabels } from '../../../src/api/schemas/labels.ts';
import { LABEL_LENGTH_MAX } from '../../../src/shared/domain/execution/labels/labels.ts';

const emojis = (count: number) => ({ tier: '🥇'.repeat(count) });

test('a given label counts an emoji as two characters', (t) => {
  t.true(givenLabels.safeParse(emojis(LABEL_LENGTH_MAX / 2)).success);
  t.false(givenLabels.safeParse(emojis(LABEL_LENGTH_MAX / 2 + 1)).success);
});

test('a recorded label may be of a version that counted an emoji once', (t) => {
  t.true(recordedLabels.safeParse(emojis(LABEL_LENGTH_MAX)).success);
  t.false(recordedLabels.safeParse(emojis(LABEL_LENGTH_MAX + 1)).success);
});
