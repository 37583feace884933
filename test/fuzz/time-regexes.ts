import { findRegexes } from './find-regexes.ts';
import { findSlowText } from './time-regex.ts';

/*
 * node test/fuzz/time-regexes.ts
 *
 * Times every regular expression of `src/` on texts that make backtracking engines slow, and names
 * those that take more than linear time. Takes some minutes; exits with 1 if it finds any.
 */

const seen = new Set<string>();
for (const { where, source, flags } of findRegexes()) {
  if (seen.has(`/${source}/${flags}`)) continue;
  seen.add(`/${source}/${flags}`);
  const slow = findSlowText({ source, flags });
  if (slow === null) continue;
  process.exitCode = 1;
  process.stdout.write(`${where}: /${source}/${flags} is slow on ${JSON.stringify(slow)}\n`);
}
process.stdout.write(`${seen.size} expressions\n`);
