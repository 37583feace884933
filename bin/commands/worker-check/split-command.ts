import { usageError } from '../../cli/exit-code.ts';

/**
 * The words of a command line, with quotes and backslashes as in a shell. No shell runs: the worker is
 * the process that gets the signals, and its exit code is the one that counts.
 */
export function splitCommand(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '\\' && quote !== "'") {
      at += 1;
      word = (word ?? '') + line.charAt(at);
    } else if (quote === null && (character === "'" || character === '"')) {
      quote = character;
      word ??= '';
    } else if (character === quote) quote = null;
    else if (quote === null && /\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + character;
  }
  if (quote !== null) throw usageError(`--cmd has a ${quote} without its end: ${line}`);
  if (word !== null) words.push(word);
  if (words.length === 0) throw usageError('--cmd names no program');
  return words;
}
