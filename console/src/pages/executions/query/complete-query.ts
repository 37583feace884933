import { FIELD_NAMES } from '../../../../../src/shared/domain/execution/query/fields.ts';
import { quoteText } from '../../../../../src/shared/domain/execution/query/quote-text.ts';
import { parseQuery } from '../../../../../src/shared/domain/execution/query/parse-query.ts';

export interface Completion {
  /** The word, as it stands in the query afterwards. */
  readonly word: string;
  /** The whole query with it, and where the caret stands then. */
  readonly query: string;
  readonly caret: number;
}

const PARTIAL = /[^\s(),=!~<>"']*$/;
const WORKFLOW_VALUE = /\bworkflow\s*(?:=|!=|in\s*\((?:[^)]*,)?)\s*$/i;

/**
 * The words that may stand at the caret. The parser says them: it reads the query up to the word
 * under the caret, and reports what is missing there. `workflows` are values that it cannot know.
 */
export function completeQuery(
  query: string,
  caret: number,
  workflows: readonly string[],
): readonly Completion[] {
  const before = query.slice(0, caret);
  const partial = PARTIAL.exec(before)?.[0] ?? '';
  const head = before.slice(0, before.length - partial.length);
  const words = WORKFLOW_VALUE.test(head) ? workflows.map(quote) : wordsAfter(head);
  const wanted = partial.toLowerCase();
  return words
    .filter((word) => word.toLowerCase().replace(/^"/, '').startsWith(wanted))
    .filter((word) => word !== partial)
    .slice(0, COMPLETIONS_MAX)
    .map((word) => {
      const start = head + (head === '' || /[\s(,]$/.test(head) ? '' : ' ') + word + ' ';
      return { word, query: start + query.slice(caret).trimStart(), caret: start.length };
    });
}

const COMPLETIONS_MAX = 8;

function wordsAfter(head: string): readonly string[] {
  if (head.trim() === '') return FIELD_NAMES;
  const missing = parseQuery(head).problems?.find(({ position }) => {
    return position >= head.trimEnd().length;
  });
  return missing?.expected ?? (parseQuery(head).problems === null ? ['and'] : []);
}

/** Ids may have characters that end a word. */
function quote(id: string): string {
  return /^[\w.:/-]+$/.test(id) ? id : quoteText(id);
}
