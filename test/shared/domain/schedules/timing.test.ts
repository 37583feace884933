import test from 'ava';

import {
  countFires,
  findTimingProblem,
  nextFire,
  nextFires,
  type ScheduleTiming,
} from '../../../../src/shared/domain/schedules/timing.ts';

test('fires of a cron expression are those of its time zone', (t) => {
  const nine = cron('0 9 * * mon-fri', 'Asia/Kolkata');
  t.deepEqual(nextFires(nine, { after: '2026-11-20T00:00:00.000Z', count: 3 }), [
    '2026-11-20T03:30:00.000Z',
    '2026-11-23T03:30:00.000Z',
    '2026-11-24T03:30:00.000Z',
  ]);
  t.is(nextFire(cron('0 0 29 2 *'), '2026-11-20T00:00:00.000Z'), '2028-02-29T00:00:00.000Z');
  t.is(nextFire(cron('*/20 * * * * *'), '2026-11-20T00:00:59.999Z'), '2026-11-20T00:01:00.000Z');
  t.is(nextFire(cron('@daily'), '2026-11-20T00:00:00.000Z'), '2026-11-21T00:00:00.000Z');
});

test('day of month and day of week are alternatives, as in crontab', (t) => {
  t.deepEqual(nextFires(cron('0 0 1 * mon'), { after: '2026-11-20T00:00:00.000Z', count: 3 }), [
    '2026-11-23T00:00:00.000Z',
    '2026-11-30T00:00:00.000Z',
    '2026-12-01T00:00:00.000Z',
  ]);
});

test('a fixed time in a gap of the clock fires once, right after the gap', (t) => {
  for (const [expression, timezone, after, fires] of [
    // The clock moves forward from 02:00 to 03:00.
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00.000Z',
      ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    ],
    [
      '0,30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00.000Z',
      ['2026-03-29T01:00:00.000Z', '2026-03-30T00:00:00.000Z'],
    ],
    [
      '30 2 * * *',
      'America/New_York',
      '2026-03-07T12:00:00.000Z',
      ['2026-03-08T07:00:00.000Z', '2026-03-09T06:30:00.000Z'],
    ],
    // The clock moves by half an hour.
    [
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T12:00:00.000Z',
      ['2026-10-03T15:30:00.000Z', '2026-10-04T15:15:00.000Z'],
    ],
    // The clock moves at midnight.
    [
      '0 0 * * *',
      'Africa/Cairo',
      '2026-04-23T12:00:00.000Z',
      ['2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
    ],
  ] as const) {
    t.deepEqual(nextFires(cron(expression, timezone), { after, count: 2 }), fires, expression);
  }
});

test('a fixed time that the clock shows twice fires the first time', (t) => {
  for (const [expression, timezone, after, fires] of [
    [
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00.000Z',
      ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ],
    [
      '0,30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00.000Z',
      ['2026-10-25T00:00:00.000Z', '2026-10-25T00:30:00.000Z'],
    ],
    [
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T12:00:00.000Z',
      ['2026-11-01T05:30:00.000Z', '2026-11-02T06:30:00.000Z'],
    ],
    [
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T12:00:00.000Z',
      ['2026-04-04T14:45:00.000Z', '2026-04-05T15:15:00.000Z'],
    ],
  ] as const) {
    t.deepEqual(nextFires(cron(expression, timezone), { after, count: 2 }), fires, expression);
  }
});

test('wildcards fire evenly through gap and repetition', (t) => {
  const half = cron('*/30 * * * *', 'Europe/Berlin');
  for (const after of ['2026-03-29T00:15:00.000Z', '2026-10-25T00:15:00.000Z']) {
    const fires = nextFires(half, { after, count: 6 }).map(Date.parse);
    t.deepEqual(
      fires.map((fire) => (fire - Date.parse(after)) / 60_000),
      [15, 45, 75, 105, 135, 165],
    );
  }
  const inTheGap = cron('*/30 2 * * *', 'Europe/Berlin');
  t.is(nextFire(inTheGap, '2026-03-28T12:00:00.000Z'), '2026-03-30T00:00:00.000Z');
});

test('fires from one to the next are the fires of one go', (t) => {
  for (const expression of ['30 2 * * *', '*/7 * * * *', '0 */5 * * *', '15,45 1-3 * * *']) {
    for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
      for (const start of ['2026-03-07', '2026-03-28', '2026-04-04', '2026-10-24', '2026-10-31']) {
        const timing = cron(expression, timezone);
        let at = `${start}T09:00:00.000Z`;
        const all = nextFires(timing, { after: at, count: 40 });
        t.is(new Set(all).size, 40);
        t.deepEqual(all, all.toSorted());
        for (const fire of all) {
          at = nextFire(timing, at) ?? '';
          if (at !== fire) t.fail(`${expression} ${timezone}: ${at} is not ${fire}`);
        }
      }
    }
  }
});

test('intervals are counted from the beginning of 1970', (t) => {
  t.deepEqual(nextFires(every('15m'), { after: '2026-11-20T10:07:00.000Z', count: 2 }), [
    '2026-11-20T10:15:00.000Z',
    '2026-11-20T10:30:00.000Z',
  ]);
  t.is(nextFire(every('15m'), '2026-11-20T10:15:00.000Z'), '2026-11-20T10:30:00.000Z');
  t.is(nextFire(every('15m'), '2026-11-20T10:14:59.999Z'), '2026-11-20T10:15:00.000Z');
});

test('fires of a stretch of time are counted, its end among them', (t) => {
  for (const timing of [cron('*/15 * * * *'), every('15m')]) {
    const after = '2026-11-20T10:00:00.000Z';
    const count = (through: string, max = 100) => countFires(timing, { after, through, max });
    t.is(count('2026-11-20T10:14:59.999Z'), 0);
    t.is(count('2026-11-20T10:15:00.000Z'), 1);
    t.is(count('2026-11-20T12:00:00.000Z'), 8);
    t.is(count('2026-11-20T12:00:00.000Z', 3), 3);
    t.is(count('2025-11-20T12:00:00.000Z'), 0);
  }
});

test('an invalid timing is reported', (t) => {
  for (const [timing, problem] of [
    [{ ...cron(''), cronExpression: null }, /^one of cron_expression and every is required/],
    [{ ...cron('* * * * *'), every: '1m' }, /^one of cron_expression and every is required/],
    [cron(''), /five fields/],
    [cron('* * * *'), /five fields/],
    [cron('* * * * * * *'), /five fields/],
    [cron('2030-01-01T00:00:00'), /five fields/],
    [cron('61 * * * *'), /^cron_expression "61 \* \* \* \*" cannot be read: Invalid value/],
    [cron('5-1 * * * *'), /cannot be read/],
    [cron('*/0 * * * *'), /cannot be read/],
    [cron('@reboot'), /cannot be read/],
    [cron('@sometimes'), /cannot be read/],
    [cron('0 0 30 2 *'), /^cron_expression never fires$/],
    [cron(`${'1,'.repeat(200)}1 * * * *`), /at most 256 characters/],
    [cron('* * * * *', 'Mars/Base'), /^timezone "Mars\/Base" is not an IANA time zone/],
    [cron('* * * * *', ''), /is not an IANA time zone/],
    [every('soon'), /^every must be/],
    [every('500ms'), /^every must be/],
    [every('1.5s'), /^every must be/],
    [every('0s'), /^every must be/],
    [every('367d'), /^every must be/],
  ] as const) {
    t.regex(findTimingProblem(timing) ?? 'none', problem, JSON.stringify(timing));
  }
  for (const timing of [
    cron('* * * * *'),
    cron('0 30 9 * * 1-5', 'America/New_York'),
    cron('@hourly'),
    cron('0 0 l * *'),
    cron('0 9 * * mon#1'),
    every('1s'),
    every('366d'),
  ]) {
    t.is(findTimingProblem(timing), null, JSON.stringify(timing));
  }
});

function cron(cronExpression: string, timezone = 'UTC'): ScheduleTiming {
  return { cronExpression, every: null, timezone };
}

function every(interval: string): ScheduleTiming {
  return { cronExpression: null, every: interval, timezone: 'UTC' };
}
