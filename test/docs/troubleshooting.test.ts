import { globSync, readFileSync } from 'node:fs';
import test from 'ava';

import { BLOCKER_CODES } from '../../src/shared/domain/execution/explain/blocker.ts';
import { CONFIG_KEY_NAMES } from '../../src/shared/config/keys.ts';
import { METRICS } from '../../src/shared/telemetry/metric-list.ts';
import { readPages, ROOT } from './support/pages.ts';

/* The service prints the messages that pages for operators quote. */

const pages = readPages();
const page = pages.find(({ path }) => path === 'docs/operate/troubleshooting.md');
const source = globSync(['{bin,src}/**/*.ts'], { cwd: ROOT })
  .map((path) => readFileSync(ROOT + path, 'utf8'))
  .join('\n')
  // Joins messages that span several lines of the source.
  .replaceAll(/['`] \+\n\s*['`]/g, '');

test('every message of a symptom is one that the service has', (t) => {
  const messages = (page?.prose ?? [])
    .filter(({ text }) => text.startsWith('|'))
    .flatMap(({ text, at }) =>
      [...text.matchAll(/`([^`]+)`/g)]
        .map(([, code = '']) => ({ code, at }))
        .filter(({ code }) => /^[a-z][\w ,"-]* [\w ,:."-]+$/i.test(code))
        .filter(({ code }) => !/^(svc|ss|create database|PUT|POST|GET) /.test(code)),
    );
  t.true(messages.length > 15);
  t.deepEqual(
    messages.filter(({ code }) => !source.includes(code)),
    [],
  );
});

test('every reason why an execution rests has its section', (t) => {
  const text = (page?.prose ?? []).map((line) => line.text).join('\n');
  t.deepEqual(
    BLOCKER_CODES.filter((code) => !text.includes(`\`${code}\``)),
    [],
  );
});

test('settings and metrics that pages name exist', (t) => {
  const sections = new Set(CONFIG_KEY_NAMES.map((name) => name.split('.')[0] ?? ''));
  const keys = new Set<string>(CONFIG_KEY_NAMES);
  const metrics = Object.values(METRICS).map(({ name }) => name);
  const wrong = pages
    // The changelog names removed settings. The other page names values of the chart, and has its
    // own test.
    .filter(({ path }) => !['CHANGELOG.md', 'docs/get-started/install.md'].includes(path))
    .flatMap(({ prose }) =>
      prose.flatMap(({ text, at }) =>
        [...text.matchAll(/`([^`]+)`/g)]
          .map(([, code = '']) => ({ code, at }))
          .filter(({ code }) => isWrong(code, { sections, keys, metrics })),
      ),
    );
  t.deepEqual(wrong, []);
});

function isWrong(
  code: string,
  known: {
    readonly sections: ReadonlySet<string>;
    readonly keys: ReadonlySet<string>;
    readonly metrics: readonly string[];
  },
): boolean {
  const [, metric] = /^(svc_[a-z_]+)(?:\{.*\})?$/.exec(code) ?? [];
  if (metric !== undefined) {
    const base = metric.replace(/_(bucket|sum|count)$/, '');
    return !known.metrics.some((name) => name === metric || name === base);
  }
  const [, section = ''] = /^([a-z]+)\.[a-z_.]+$/.exec(code) ?? [];
  if (code === 'auth.type') return false; // A member of agents.
  return SETTINGS.has(section) && known.sections.has(section) && !known.keys.has(code);
}

/** Section names that are used for nothing else. */
const SETTINGS = new Set([
  'database',
  'auth',
  'api',
  'scheduler',
  'telemetry',
  'logging',
  'runtime',
]);
