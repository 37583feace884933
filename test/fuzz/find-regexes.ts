import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A regular expression literal of the sources. */
export interface SourceRegex {
  /** `src/api/schemas/text.ts:38` */
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The position where an expression may begin, so that a slash after it is no division. */
const LITERAL =
  /(?<=(?:^|[=(,:[!&|?;{}>+]|=>|\breturn|\bcase)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/g;

/** All regex literals in the sources of the service, without expressions built from strings. */
export function findRegexes(): readonly SourceRegex[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .toSorted()
    .flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          isComment(line)
            ? []
            : findInLine(line).map((found) => ({ ...found, where: `${path}:${index + 1}` })),
        ),
    );
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\*|\/\*)/.test(line);
}

function findInLine(line: string): readonly Omit<SourceRegex, 'where'>[] {
  return [...line.matchAll(LITERAL)].flatMap(([, source = '', flags = '']) => {
    try {
      return [{ source: new RegExp(source, flags).source, flags }];
    } catch {
      return [];
    }
  });
}
