import { spawnSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import test from 'ava';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';

import { type Block, readPage, readPages } from './support/pages.ts';

/* Code blocks are readable by the programs that they are for. */

const PARSERS: Readonly<Record<string, (text: string) => void>> = {
  json: (text) => void JSON.parse(text),
  jsonl: (text) =>
    text
      .trim()
      .split('\n')
      .forEach((line) => void JSON.parse(line)),
  toml: (text) => void parseToml(text),
  yaml: (text) => void parseYaml(text),
  sh: (text) => parseShell(text),
  ts: (text) => void stripTypeScriptTypes(text),
  // Other tests run them.
  java: () => {},
  python: () => {},
  xml: () => {},
  properties: () => {},
  go: () => {},
  fish: () => {},
  sql: () => {},
  http: () => {},
  // The site that shows the page draws them.
  mermaid: () => {},
  ini: () => {},
  text: () => {},
  // The output of a command, or its usage.
  '': () => {},
};

const blocks = readPages().flatMap((page) => page.blocks);

test('blocks of JSON, TOML, YAML, TypeScript and shell can be parsed', (t) => {
  t.deepEqual(blocks.flatMap(unreadable), []);
  for (const language of ['json', 'toml', 'yaml', 'sh', 'ts']) {
    t.true(
      blocks.some((block) => block.language === language),
      language,
    );
  }
});

test('a block that cannot be parsed is reported', (t) => {
  const wrong = { json: '{"a": }', toml: 'a = ', yaml: 'a: [', sh: 'if x; then', ts: 'const =' };
  const page = Object.entries({ ...wrong, ruby: 'x' })
    .map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\``)
    .join('\n');
  const told = readPage('docs/one.md', page).blocks.flatMap(unreadable);
  t.deepEqual(
    told.map((problem) => problem.split(': ')[1]),
    [...Object.keys(wrong), 'ruby'],
  );
});

function unreadable({ language, text, at }: Block): readonly string[] {
  const parse = PARSERS[language];
  if (parse === undefined) return [`${at}: ${language}: nothing here reads this language`];
  try {
    parse(text);
    return [];
  } catch (error) {
    return [`${at}: ${language}: ${String(error)}`];
  }
}

function parseShell(text: string): void {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim());
}
