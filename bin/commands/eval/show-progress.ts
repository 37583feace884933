import { createLiveLine } from '../../cli/live-line.ts';
import { printNote } from '../../cli/output.ts';
import type { CaseResult } from '../../../src/shared/evaluation/case-result.ts';

export interface EvalProgress {
  readonly show: (result: CaseResult) => void;
  /** A line that stays. */
  readonly note: (text: string) => void;
  readonly end: () => void;
}

/**
 * How far an evaluation is, on stderr: a bar on a terminal, elsewhere a line for each tenth of the
 * way.
 */
export function showProgress(cases: number): EvalProgress {
  return process.stderr.isTTY ? createBar(cases) : createPlainLines(cases);
}

const BAR_CHARACTERS = 24;

function createBar(cases: number): EvalProgress {
  let done = 0;
  let passed = 0;
  const line = createLiveLine((seconds) => {
    const filled = Math.round((done / cases) * BAR_CHARACTERS);
    const bar = '#'.repeat(filled).padEnd(BAR_CHARACTERS, '.');
    return `[${bar}] ${done}/${cases}  ${passed} passed  ${done - passed} failed  ${seconds} s`;
  });
  line.draw();
  return {
    show(result) {
      done += 1;
      if (result.passed) passed += 1;
    },
    note(text) {
      line.clear();
      printNote(text);
      line.draw();
    },
    end: () => line.end(),
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
    note: printNote,
    end: () => undefined,
  };
}
