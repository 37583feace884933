import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { readPage } from '../docs/support/pages.ts';
import { GET_STARTED_PROJECT } from './pairs.ts';

const PAGE = 'docs/get-started/spring.md';
const FILES: Readonly<Record<string, string>> = {
  xml: 'pom.xml',
  properties: 'src/main/resources/application.properties',
  java: 'src/main/java/com/example/Assistant.java',
};

/** Writes the project that the page shows, as its reader does. */
export function writeGetStarted(repository: string): void {
  const { blocks } = readPage(PAGE, readFileSync(join(repository, PAGE), 'utf8'));
  rmSync(GET_STARTED_PROJECT, { recursive: true, force: true });
  for (const [language, file] of Object.entries(FILES)) {
    const found = blocks.filter((block) => block.language === language);
    const [block] = found;
    if (block === undefined || found.length > 1) throw new Error(`${PAGE}: one ${language} block`);
    const path = join(GET_STARTED_PROJECT, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${block.text}\n`);
  }
}
