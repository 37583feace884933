import { sendJson } from '../send-json.ts';

export type Trip = {
  /** Names the bookings of the trip: to book again, or to cancel nothing, changes nothing. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** As `2026-12-24`. */
  readonly date: string;
};

export type Booking = {
  readonly reference: string;
};

export const flights = bookingsOf('flights');
export const hotels = bookingsOf('hotels');
export const cars = bookingsOf('cars');

function bookingsOf(kind: string) {
  const at = ({ id }: Trip) => {
    const { BOOKINGS_URL = 'http://127.0.0.1:8080' } = process.env;
    return `${BOOKINGS_URL}/${kind}/${encodeURIComponent(id)}`;
  };
  return {
    book: (trip: Trip) => sendJson<Booking>('PUT', at(trip), trip),
    cancel: (trip: Trip) => sendJson<unknown>('DELETE', at(trip)),
  };
}
