import test from 'ava';

import { quoteText } from '../../../../../src/shared/domain/execution/query/quote-text.ts';
import { readTokens } from '../../../../../src/shared/domain/execution/query/tokens.ts';
import { completeQuery } from '../../../../../console/src/pages/executions/query/complete-query.ts';

const TEXTS = [
  '',
  'acme',
  'a "b" c',
  String.raw`a\b`,
  String.raw`ends with \ `.trim(),
  'a\nb\tc\u0000\u0007',
  "it's",
  'ü😀',
];

test('a quoted text is read back as it was', (t) => {
  for (const text of TEXTS) {
    const { tokens, problems } = readTokens(`labels.customer = ${quoteText(text)}`);
    t.deepEqual(problems, [], text);
    t.like(tokens.at(-2), { kind: 'text', value: text });
  }
});

test('the console completes a workflow of any name', (t) => {
  for (const name of TEXTS.filter((text) => text !== '')) {
    const [completion] = completeQuery('workflow = ', 'workflow = '.length, [name]);
    const { tokens, problems } = readTokens(completion?.query ?? '');
    t.deepEqual(problems, [], name);
    t.is(tokens.at(-2)?.value, name);
  }
});
