import { defineFunction } from 'svc-sdk/worker';

import { cars, flights, hotels, type Trip } from './bookings.ts';

export const bookTrip = defineFunction('book-trip', async (ctx, trip: Trip) => {
  ctx.onRollback('flight', () => flights.cancel(trip));
  const flight = await ctx.step('flight', () => flights.book(trip));

  ctx.onRollback('hotel', () => hotels.cancel(trip));
  const hotel = await ctx.step('hotel', () => hotels.book(trip));

  ctx.onRollback('car', () => cars.cancel(trip));
  const car = await ctx.step('car', () => cars.book(trip));

  return { flight, hotel, car };
});
