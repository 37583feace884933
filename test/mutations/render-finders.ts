/** The check that found a bug, and the time it took. */
export interface Found {
  readonly bug: string;
  /** Null: no check found it. */
  readonly by: 'simulation' | 'contract' | null;
  /** The check gave no verdict, so that nothing is known. */
  readonly isUndecided?: boolean;
  /** The rule that was violated, or the test that failed; or why there is no verdict. */
  readonly check: string;
  /** Histories of the simulation, including the one that found the bug. */
  readonly histories?: number;
  /** Seconds of one core, without the startup. */
  readonly seconds: number;
}

/** Renders a text for a terminal, a table for a page, or JSON. */
export function renderFinders(
  found: readonly Found[],
  form: { readonly markdown?: boolean; readonly json?: boolean },
): string {
  if (form.json === true) return JSON.stringify(found);
  const total = `${found.filter(({ by }) => by !== null).length} of ${found.length} bugs found`;
  if (form.markdown !== true) return [...found.map(asLine), total].join('\n');
  return [
    '| bug put in | found by | check | histories | seconds of one core |',
    '| --- | --- | --- | ---: | ---: |',
    ...found.map(
      ({ bug, by, check, histories = '', seconds }) =>
        `| ${bug} | ${by ?? '**nothing**'} | ${check} | ${histories} | ${seconds.toFixed(1)} |`,
    ),
    '',
    `${total}.`,
  ].join('\n');
}

function asLine({ bug, histories, seconds, ...of }: Found): string {
  const soon = histories === undefined ? '' : ` in history ${histories},`;
  const finder =
    of.by === null ? missOf(of) : `${of.by}:${soon} ${seconds.toFixed(1)} s, ${of.check}`;
  return `${bug.padEnd(72)} ${finder}`;
}

function missOf({ isUndecided, check }: Pick<Found, 'isUndecided' | 'check'>): string {
  return isUndecided === true ? `UNDECIDED: ${check}` : 'FOUND BY NOTHING';
}
