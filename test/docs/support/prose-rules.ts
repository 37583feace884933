import type { Page } from './pages.ts';

/** A phrase that a native editor replaces, and the replacement. */
interface Tic {
  readonly pattern: RegExp;
  readonly write: string;
}

export const WORDS_MAX = 40;

const TICS: readonly Tic[] = [
  { pattern: /\b(?:who|what|which)ever\b/i, write: 'name the actor, or write "any"' },
  { pattern: /^(?:What|Who) .*[.:;]$/, write: 'name the subject' },
  { pattern: /\banew\b|\bonce more\b/i, write: '"again"' },
  { pattern: /\b(?:go|goes|going|gone|went) on\b/i, write: '"continue", "continues"' },
  { pattern: /\b(?:comes?|came) to rest\b|\bat rest, /i, write: '"stops"' },
  {
    pattern: /\b(?:is|are|was|were|be) told\b|\btells? of\b|\btold of\b/i,
    write: '"learns", "reports"',
  },
  { pattern: /\bas (?:it|they) stands?\b|\bas is\b|\bas it were\b/i, write: '"unchanged"' },
  { pattern: /\ball the same\b/i, write: 'nothing, or "still"' },
  { pattern: /\bby (?:itself|themselves)\b/i, write: '"alone", "automatically"' },
  { pattern: /\bin vain\b/i, write: '"needlessly"' },
  { pattern: /\b(?:at|in) hand\b/i, write: '"available"' },
  { pattern: /\bfor good\b/i, write: '"permanently", "forever"' },
  { pattern: /\b(?:is|are|was|were) (?:not |no longer |still )?there\b/i, write: '"exists"' },
  { pattern: /\bthat (?:stands?|there (?:is|are))\b/i, write: '"is", "exists"' },
  { pattern: /\bin the place of\b|\b(?:takes?|took) the place of\b/i, write: '"replaces"' },
  { pattern: /\b(?:is|are|was|were) to be (?!\d)/i, write: 'an imperative, or "must"' },
  { pattern: /\b(?:is|are) held against\b/i, write: '"is checked against"' },
  { pattern: /\bso long after\b/i, write: 'a number of days' },
  { pattern: /\blooks? after\b/i, write: '"manages"' },
  { pattern: /\b(?:come|comes|came) of it\b/i, write: '"results"' },
  { pattern: /^Of (?!course)/, write: 'subject first' },
  { pattern: /^(?:By|For|From|To|With) (?:which|whom|what)\b/, write: 'subject first' },
  { pattern: /^(?:Nor|Neither|Never) (?:is|are|does|do|was|can)\b/, write: 'subject first' },
  { pattern: /^(?:Besides|Hence|Thereby|Thereupon)\b/, write: '"also", "therefore"' },
  {
    pattern: /\b(?:outright|sightings?|whereupon|thereby|of theirs|of yours)\b/i,
    write: 'plain words',
  },
];

export interface Sentence {
  readonly text: string;
  readonly at: string;
}

/** Findings in these sentences: long ones, and phrases of the list. */
export function stumbles(sentences: readonly Sentence[]): readonly string[] {
  return sentences.flatMap(({ text, at }) => {
    const words = text.split(/\s+/).filter((word) => /\w/.test(word)).length;
    return [
      ...(words > WORDS_MAX ? [`${at}: ${words} words: ${text.slice(0, 60)} …`] : []),
      ...TICS.flatMap(({ pattern, write }) => {
        const found = pattern.exec(text)?.[0];
        return found === undefined ? [] : [`${at}: "${found.trim()}": write ${write}`];
      }),
    ];
  });
}

/** The sentences of a page, without code, link targets and generated parts. */
export function sentencesOf(page: Page): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let [block, at, isGenerated]: [string[], string, boolean] = [[], '', false];
  const flush = () => {
    sentences.push(...splitSentences(block.join(' '), at));
    block = [];
  };
  for (const line of page.prose) {
    if (/^<!-- .*: begin -->$/.test(line.text)) isGenerated = true;
    if (/^<!-- .*: end -->$/.test(line.text)) isGenerated = false;
    if (isGenerated) continue;
    if (/^\s*(?:$|<!--)/.test(line.text)) flush();
    else if (line.text.startsWith('|')) {
      flush();
      for (const cell of line.text.split(/(?<!\\)\|/))
        sentences.push(...splitSentences(cell, line.at));
    } else {
      if (/^\s*(?:#|[-*] |\d+\. |> )/.test(line.text)) flush();
      if (block.length === 0) at = line.at;
      block.push(line.text.replace(/^\s*(?:#+|[-*]|\d+\.|>) /, ''));
      if (line.text.startsWith('#')) flush();
    }
  }
  flush();
  return sentences;
}

export function splitSentences(markdown: string, at: string): readonly Sentence[] {
  return markdown
    .replaceAll(/`[^`]*`/g, '`code`')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/[[\]*_]/g, '')
    .replaceAll(/`code`/g, 'Code')
    .split(/(?<=[.!?:;]["”)]*) +(?=[\w"“(`])/)
    .map((text) => ({ text: text.trim(), at }))
    .filter(({ text }) => text !== '');
}
