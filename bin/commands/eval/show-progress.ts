import { printNote } from '../../cli/output.ts';
import type { CaseResult } from '../../../src/shared/evaluation/case-result.ts';

export interface EvalProgress {
  readonly show: (result: CaseResult) => void;
  readonly end: () => void;
}

/**
 * How far an evaluation is, on stderr: a bar on a terminal, elsewhere a line for each tenth of the
 * way.
 */
export function showProgress(cases: number): EvalProgress {
  return process.stderr.isTTY ? createBar(cases) : createPlainLines(cases);
}

const CLEAR_LINE = '\r\u001b[2K';
const REFRESH_MS = 100;
const BAR_CHARACTERS = 24;

function createBar(cases: number): EvalProgress {
  const startedAt = performance.now();
  let done = 0;
  let passed = 0;

  function draw(): void {
    const filled = Math.round((done / cases) * BAR_CHARACTERS);
    const bar = '#'.repeat(filled).padEnd(BAR_CHARACTERS, '.');
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const line = `[${bar}] ${done}/${cases}  ${passed} passed  ${done - passed} failed  ${seconds} s`;
    // A line that wraps could not be cleared again.
    process.stderr.write(CLEAR_LINE + line.slice(0, (process.stderr.columns || 80) - 1));
  }

  const timer = setInterval(draw, REFRESH_MS);
  draw();
  return {
    show(result) {
      done += 1;
      if (result.passed) passed += 1;
    },
    end() {
      clearInterval(timer);
      process.stderr.write(CLEAR_LINE);
    },
  };
}

function createPlainLines(cases: number): EvalProgress {
  const step = Math.ceil(cases / 10);
  let done = 0;
  let passed = 0;
  return {
    show(result) {
      done += 1;
      if (result.passed) passed += 1;
      if (done % step === 0 || done === cases) {
        printNote(`${done} of ${cases} cases done, ${passed} passed`);
      }
    },
    end: () => undefined,
  };
}
