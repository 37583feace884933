import test, { type ExecutionContext } from 'ava';
import { ExecutionCancelledError, ExecutionFailedError } from 'svc-sdk/client';
import { createTestRuntime } from 'svc-sdk/testing';

import { bookTrip } from '../../../examples/typescript/book-trip/book-trip.ts';
import { eventually } from '../../support/eventually.ts';
import { startPartner, type Answer } from './support/partner.ts';

const TRIP = { id: 'trip-1', from: 'Berlin', to: 'Lisbon', date: '2026-12-24' };

test.serial('a trip books a flight, a hotel and a car', async (t) => {
  const { book, asked } = await open(t, (what) => ({ status: 200, body: { reference: what } }));
  t.deepEqual(await book(), {
    flight: { reference: 'PUT /flights/trip-1' },
    hotel: { reference: 'PUT /hotels/trip-1' },
    car: { reference: 'PUT /cars/trip-1' },
  });
  t.is(asked.length, 3);
});

test.serial('a trip without a car is undone in reverse order, and fails', async (t) => {
  const { book, asked } = await open(t, (what) => {
    if (what === 'PUT /cars/trip-1') return { status: 409, body: { error: 'sold out' } };
    return { status: 200, body: { reference: what } };
  });
  await t.throwsAsync(book(), { instanceOf: ExecutionFailedError, message: /sold out/ });
  t.deepEqual(
    asked.map(({ what }) => what),
    [
      'PUT /flights/trip-1',
      'PUT /hotels/trip-1',
      'PUT /cars/trip-1',
      'DELETE /cars/trip-1',
      'DELETE /hotels/trip-1',
      'DELETE /flights/trip-1',
    ],
  );
});

test.serial('a hotel that does not answer is asked again', async (t) => {
  let hotels = 0;
  const { book, asked } = await open(t, (what) => {
    if (what === 'PUT /hotels/trip-1' && (hotels += 1) === 1) return { status: 503 };
    return { status: 200, body: { reference: what } };
  });
  await t.notThrowsAsync(book());
  t.is(asked.filter(({ what }) => what.startsWith('PUT /hotels')).length, 2);
  t.is(asked.filter(({ what }) => what.startsWith('PUT /flights')).length, 1);
});

test.serial('a trip that is cancelled is undone as far as it went', async (t) => {
  const { start, asked } = await open(t, (what) =>
    what === 'PUT /hotels/trip-1' ? null : { status: 200, body: { reference: what } },
  );
  const trip = await start();
  await eventually(() => {
    if (asked.length < 2) throw new Error('the hotel is not asked');
  });
  await trip.handle.cancel();
  await t.throwsAsync(trip.handle.result({ timeout: '30s' }), {
    instanceOf: ExecutionCancelledError,
  });
  t.deepEqual(
    asked.slice(2).map(({ what }) => what),
    ['DELETE /hotels/trip-1', 'DELETE /flights/trip-1'],
  );
});

async function open(t: ExecutionContext, answer: (what: string) => Answer | null) {
  const { url, asked } = await startPartner(t, ({ what }) => answer(what));
  process.env['BOOKINGS_URL'] = url;
  const settings = { 'scheduler.lease_seconds': 3 };
  const runtime = await createTestRuntime({ functions: [bookTrip], settings });
  t.teardown(() => runtime.stop());
  const start = () => runtime.start(bookTrip, TRIP);
  const book = async () => (await start()).handle.result({ timeout: '30s' });
  return { asked, start, book };
}
