import { createHash } from 'node:crypto';
import test from 'ava';

import { html, renderWords } from '../../../src/api/docs-page/html.ts';
import { renderPage } from '../../../src/api/docs-page/render-page.ts';
import { sampleOf } from '../../../src/api/docs-page/sample-body.ts';
import { buildOpenApi } from '../../../src/api/openapi/openapi.ts';
import { routes } from '../../../src/api/routes.ts';
import { startTestApi } from '../support/test-api.ts';

const page = renderPage(buildOpenApi({ routes, version: '1.2.3' }));

test('every endpoint can be read without the script', (t) => {
  const [, ...blocks] = page.html.split('<details id="');
  t.deepEqual(
    blocks.map((block) => block.slice(0, block.indexOf('"'))).toSorted(),
    routes.map(({ name }) => name).toSorted(),
  );
  for (const { name, method, path, summary } of routes) {
    const block = blocks.find((text) => text.startsWith(`${name}"`)) ?? '';
    t.true(block.includes(`>${method}</span> <code>${path.replaceAll(/:(\w+)/g, '{$1}')}</code>`));
    t.true(block.includes(summary), name);
  }
  t.regex(page.html, /^<!doctype html>\s*<html lang="en">/);
});

test('parts that need the script are hidden without it', (t) => {
  for (const form of page.html.matchAll(/<form[^>]*>/g)) {
    t.regex(form[0], /needs-script/);
    t.regex(form[0], /\bhidden\b/);
  }
});

test('every input has a label, and every link a target', (t) => {
  const inputs = [...page.html.matchAll(/<(input|textarea)\b/g)].length;
  const labelled = [...page.html.matchAll(/<label\s*>[^<]+<(input|textarea)\b/g)].length;
  t.is(labelled, inputs);
  for (const [, target = ''] of page.html.matchAll(/href="#([^"]*)"/g)) {
    t.true(page.html.includes(`id="${target}"`), target);
  }
});

test('the page asks for nothing from elsewhere, and its policy lets nothing in', (t) => {
  t.deepEqual(
    [...page.html.matchAll(/\b(?:src|href|action)="(?!#)([^"]*)"/g)].map(([, to]) => to),
    ['data:,'],
  );
  t.notRegex(page.html, /\son\w+="|\sstyle="|@import|url\(/);
  t.notRegex(page.policy, /unsafe/);
  t.regex(page.policy, /^default-src 'none'; /);
  for (const [tag, directive] of [
    ['style', 'style-src'],
    ['script', 'script-src'],
  ] as const) {
    const found = [...page.html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))];
    const hashes = found.map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
    t.is(hashes.length, 1);
    t.true(page.policy.includes(`${directive} ${hashes[0] ?? ''};`));
  }
});

test('the token is kept nowhere', (t) => {
  t.notRegex(page.html, /localStorage|sessionStorage|document\.cookie|indexedDB/);
  t.regex(page.html, /id="token"\s+type="password"\s+autocomplete="off"/);
});

test('texts are escaped, markup is not', (t) => {
  const hostile = `<img src=x onerror="alert('x')">&`;
  const escaped = '&lt;img src=x onerror=&quot;alert(&#39;x&#39;)&quot;&gt;&amp;';
  t.is(
    html`<b title="${hostile}">${[hostile, html`<i>${1}</i>`]}</b>`.text,
    `<b title="${escaped}">${escaped}<i>1</i></b>`,
  );
  t.regex(
    renderWords('a `<b>` c\n\nd').text,
    /<p>\s*a <code>&lt;b&gt;<\/code> c\s*<\/p><p>\s*d\s*<\/p>/,
  );
});

test('a sample has what is required, and nothing else', (t) => {
  const schema = {
    type: 'object',
    required: ['id', 'kind', 'tags', 'limits', 'either'],
    properties: {
      id: { type: 'string' },
      kind: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'integer' } },
      limits: { type: 'object', required: ['on'], properties: { on: { type: 'boolean' } } },
      either: { anyOf: [{ const: 'x' }, { type: 'null' }] },
      left_out: { type: 'string' },
    },
  };
  t.deepEqual(sampleOf(schema), {
    id: '',
    kind: 'a',
    tags: [0],
    limits: { on: false },
    either: 'x',
  });
});

test('200: GET /docs without a token where it is open', async (t) => {
  const api = await startTestApi({ settings: { openDocs: true } });
  const answer = await fetch(`${api.url}/docs`);
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  t.is(answer.headers.get('content-security-policy'), page.policy);
  t.true((await answer.text()).includes('1.2.3'));
  await api.close();
});

test('401: GET /docs without a token elsewhere; 200 with one of any role; 405 for the rest', async (t) => {
  const api = await startTestApi();
  const refused = await api.call({ path: '/docs', token: null });
  t.is(refused.status, 401);
  t.is(refused.error, 'invalid or expired token');
  const authorization = `Bearer ${await api.mint({ role: 'viewer' })}`;
  const answer = await fetch(`${api.url}/docs`, { headers: { authorization } });
  t.is(answer.status, 200);
  await answer.text();
  t.is((await api.call({ method: 'POST', path: '/docs', body: {} })).status, 405);
  await api.close();
});
