import { createContext, Script } from 'node:vm';
import fc from 'fast-check';

import type { SourceRegex } from './find-regexes.ts';

/** A text on which a regular expression is slow, and the time it took. */
export interface SlowText {
  readonly pump: string;
  readonly characters: number;
  readonly ms: number;
}

const LONG = 25_000;
const SAMPLES = 3;
const SEED = 4711;
/** Linear work over 25 kB takes a millisecond; quadratic work takes a second or more. */
const SLOW_MS = 150;

/**
 * Tries texts that make backtracking engines slow: a matching piece, repeated, then something that
 * doesn't match. Exponential time shows at any length, quadratic time at 25 kB.
 */
export function findSlowText(regex: Pick<SourceRegex, 'source' | 'flags'>): SlowText | null {
  for (const pump of pumpsOf(regex)) {
    for (const text of textsOf(pump)) {
      const ms = timeOf(regex, text);
      // A second measurement, because other work may have slowed down the first.
      if (ms > SLOW_MS && timeOf(regex, text) > SLOW_MS) {
        return { pump, characters: text.length, ms };
      }
    }
  }
  return null;
}

function textsOf(pump: string): readonly string[] {
  const repeat = (characters: number) => pump.repeat(Math.ceil(characters / pump.length));
  return [`${repeat(40)}\n!`, `${repeat(LONG)}\n\0!`, `x${repeat(LONG)}\0`];
}

/** Pieces of matching texts, and single characters. */
function pumpsOf({ source, flags }: Pick<SourceRegex, 'source' | 'flags'>): readonly string[] {
  const pumps = new Set([' ', 'a', '0', '/', '.']);
  for (const sample of samplesOf(source, flags)) {
    if (sample === '' || sample.length > 200) continue;
    pumps.add(sample);
    pumps.add(sample.slice(0, 1));
    pumps.add(sample.slice(-1));
    const middle = Math.floor(sample.length / 2);
    pumps.add(sample.slice(middle, middle + 2));
  }
  pumps.delete('');
  return [...pumps];
}

function samplesOf(source: string, flags: string): readonly string[] {
  try {
    const arbitrary = fc.stringMatching(new RegExp(source, flags.replaceAll(/[dgyv]/g, '')));
    return fc.sample(arbitrary, { seed: SEED, numRuns: SAMPLES });
  } catch {
    // fast-check doesn't support lookbehind, Unicode properties and some other features; the
    // characters above must do.
    return [];
  }
}

/** Runs in a separate context with a timeout, because nothing else can stop an endless match. */
function timeOf({ source, flags }: Pick<SourceRegex, 'source' | 'flags'>, text: string): number {
  beside['text'] = text;
  beside['regex'] = new RegExp(source, flags.replace('y', ''));
  const began = process.cpuUsage();
  try {
    SEARCH.runInContext(beside, { timeout: TIMEOUT_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  return process.cpuUsage(began).user / 1_000;
}

const beside = createContext({});
const SEARCH = new Script('text.search(regex)');
const TIMEOUT_MS = 1_000;
