import test from 'ava';

import type { Measurement } from '../../bench/support/measurement.ts';
import { addReport, renderReport, type Report } from '../../bench/support/report.ts';
import { exampleMeasurement } from './support/example-measurement.ts';

const MEASUREMENT = exampleMeasurement(1, { extra: { last_to_first_tenth: 0.95 } });

const reportOf = (began: string, ids: readonly string[], empty: readonly string[] = []): Report => {
  const resultOf = (id: string, rounds: readonly Measurement[]) => {
    return { id, subject: 'svc', what: id, unit: 'steps', rounds, failures: [] };
  };
  return {
    began,
    rounds: 5,
    seconds: 2,
    machine: `the machine of ${began}`,
    gates: [],
    results: [
      ...ids.map((id) => resultOf(id, [MEASUREMENT])),
      ...empty.map((id) => resultOf(id, [])),
    ],
  };
};

test('a separate measurement is added, judged, and marked as separate', (t) => {
  const whole = reportOf('2026-01-01T00:00:00.000Z', ['B/16'], ['G/16']);
  const added = addReport(whole, reportOf('2026-01-02T00:00:00.000Z', ['G/16']));
  t.deepEqual(
    added.results.map(({ id }) => id),
    ['B/16', 'G/16'],
  );
  const gate = added.gates.find(({ workload }) => workload === 'G/16');
  t.like(gate, { figure: 0.95, verdict: 'pass' });
  t.regex(
    renderReport(added),
    /Measured separately, 2026-01-02: `G\/16` \(the machine of 2026-01-02/,
  );
});

test('a figure that the page already has is refused', (t) => {
  const whole = reportOf('2026-01-01T00:00:00.000Z', ['B/16']);
  t.throws(() => addReport(whole, reportOf('2026-01-02T00:00:00.000Z', ['B/16'])), {
    message: /svc B\/16 already/,
  });
});
