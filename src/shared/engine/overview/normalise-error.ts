const CAUSE_MAX = 300;

/**
 * The cause in a message: what differs between two failures of one cause is replaced by `…`. The
 * rules apply in their order, as paths and ids contain numbers. A host stays: it says which system
 * failed. So do a prefix of an id, a field of an input and the codes of HTTP and processes.
 */
export function normaliseError(error: string): string {
  const [line = ''] = error.trim().split('\n', 1);
  let cause = line.slice(0, READ_MAX);
  for (const [pattern, replacement, needed] of RULES) {
    if (needed.some((sign) => cause.includes(sign))) cause = cause.replaceAll(pattern, replacement);
  }
  return cause.slice(0, CAUSE_MAX);
}

/** Bounds the work for a message. Values are longer than their `…`, so it is more than a cause has. */
const READ_MAX = 4 * CAUSE_MAX;

const STATUS = String.raw`(?<=\b(?:HTTP(?:\/\d(?:\.\d)?)?|status(?: code)?)[ :=]{0,2})[1-5]\d\d\b`;
const EXIT = String.raw`(?<=\b(?:exit (?:code|status)|errno)[ :=]{0,2})\d{1,3}\b`;
const SIGN = String.raw`(?:(?<!\w)[-+])?`;
const NUMBER = String.raw`(?<!\d)(?!${STATUS}|${EXIT})\d+(?:[.,:]\d+)*(?:e[-+]?\d+)?`;
const UNIT = String.raw`(?: ?(?:ns|µs|us|ms|s|m|h|seconds?|minutes?|hours?|bytes?|[kmg]i?b)\b)?`;

/** In every text. */
const ALWAYS = [''];

/** A rule is skipped for texts with none of the signs that it needs: most texts need few of them. */
const RULES: readonly (readonly [
  pattern: RegExp,
  replacement: string,
  needed: readonly string[],
])[] = [
  // The occurrence of a step of a durable function, as in: node pay failed: step charge#2: declined.
  [/(?<=^|: )(step (?:rollback:)?[^:]+)#\d+(?=: )/g, '$1', ['step ']],
  // Quoted values. An apostrophe between letters, as in can't, is no quote.
  [
    /"(?:[^"\\]|\\.)*"|`[^`]*`|“[^”]*”|(?<!\w)'(?:[^']|'(?=\w))*'(?!\w)/g,
    '…',
    ['"', '`', '“', "'"],
  ],
  // URLs. The host stays, without the user.
  [
    /\b([a-z][a-z0-9+.-]{0,20}:\/\/)(?:[^\s/@]*@)?([^\s/?#:,;)\]}>]+)[^\s,;)\]}>]*(?<![.:!?])/gi,
    '$1$2/…',
    ['://'],
  ],
  [/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, '…', ['@']],
  // Paths. One behind "(at" is a field of an input, as in this runtime's own messages, and one behind "]"
  // belongs to the name of a step: items[3]/charge.
  [/(?<![\w./:…\]]|\(at )(?:~|\.{1,2})?\/[\w.@%+~=-]+(?:\/[\w.@%+~=-]+)*\/?(?<![.])/g, '…', ['/']],
  [/(?<!\w)(?:[a-z]:|\\)\\[^\s:*?"<>|,;)]+/gi, '…', ['\\']],
  // Times, and UUIDs with or without hyphens.
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?\b/g, '…', ['-']],
  [/(?<![0-9a-z])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?![0-9a-z])/gi, '…', ALWAYS],
  // Ids with a prefix, such as ord-1234 and pod-7d9f-x2: all behind the words of the prefix.
  [
    /(?<![0-9a-z])((?:[a-z]+[_-]){1,4})(?=[a-z]*\d)[0-9a-z]+(?:[_-][0-9a-z]+)*/gi,
    '$1…',
    ['_', '-'],
  ],
  // Hexadecimal numbers, and words of letters and digits in turn, as random ids are.
  [/\b0x[0-9a-f]+\b|(?<![0-9a-z])(?=[a-f]*\d)[0-9a-f]{8,}(?![0-9a-z])/gi, '…', ALWAYS],
  [/(?<![0-9a-z])(?=[0-9a-z]{6})[a-z]*\d+[a-z]+\d[0-9a-z]*/gi, '…', ALWAYS],
  [new RegExp(`${SIGN}${NUMBER}${UNIT}`, 'gi'), '…', ALWAYS],
  // Lists of such values may have any length.
  [/…(?:(?:, ?| )?…)+/g, '…', ['…']],
  [/\s{2,}|[^\S ]/g, ' ', ALWAYS],
];
