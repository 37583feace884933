import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The text between fences. */
export interface Block {
  /** Empty: the fence names none. */
  readonly language: string;
  readonly text: string;
  readonly at: string;
}

export interface Page {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly blocks: readonly Block[];
  /** Lines outside fences, each with its location. */
  readonly prose: readonly { readonly text: string; readonly at: string }[];
  readonly anchors: ReadonlySet<string>;
}

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Every page of the repository. */
export function readPages(): readonly Page[] {
  return globSync(['*.md', '{docs,examples,deploy,bench}/**/*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  })
    .toSorted()
    .map((path) => readPage(path, readFileSync(ROOT + path, 'utf8')));
}

export function readPage(path: string, text: string): Page {
  const blocks: { language: string; text: string; at: string }[] = [];
  const prose: { text: string; at: string }[] = [];
  let [open, fence]: [(typeof blocks)[number] | null, string] = [null, ''];
  for (const [index, line] of text.split('\n').entries()) {
    const at = `${path}:${index + 1}`;
    const [, mark = '', language = ''] = /^\s*(`{3,})([\w-]*)/.exec(line) ?? [];
    if (open !== null && mark !== '' && mark.length >= fence.length && language === '') open = null;
    else if (open !== null) open.text += `${line}\n`;
    else if (mark === '') prose.push({ text: line, at });
    else {
      fence = mark;
      open = { language, text: '', at };
      blocks.push(open);
    }
  }
  if (open !== null) throw new Error(`${open.at}: the fence is not closed`);
  return { path, blocks, prose, anchors: anchorsOf(prose.map((line) => line.text)) };
}

/** The anchors that GitHub derives from headings: a repeated heading gets a number. */
function anchorsOf(lines: readonly string[]): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const line of lines) {
    const [, heading] = /^#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? [];
    if (heading === undefined) continue;
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
