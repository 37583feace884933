import test from 'ava';

import type { Session } from '../../../../src/shared/clients/mcp/open-session.ts';
import { HttpError } from '../../../../src/shared/domain/http-error.ts';
import { createSessions } from '../../../../src/shared/clients/mcp/sessions.ts';

test('a session that breaks while no call uses it is closed', async (t) => {
  const sessions = createSessions({});
  let closed = 0;
  const session = { close: async () => void (closed += 1) } as unknown as Session;
  const { signal } = new AbortController();
  let breaks: (error: unknown) => void = () => undefined;
  const held = await sessions.hold('key', signal, async ({ onError }) => {
    breaks = onError;
    return session;
  });
  held.release();
  breaks(new HttpError('too_large', 'the server'));
  await sessions.close();
  t.is(closed, 1);
});

test('a session that was dropped while another call uses it is closed with the others', async (t) => {
  const sessions = createSessions({});
  let closed = 0;
  const session = { close: async () => void (closed += 1) } as unknown as Session;
  const { signal } = new AbortController();
  const hold = () => sessions.hold('key', signal, async () => session);
  const [first, second] = [await hold(), await hold()];
  first.drop();
  first.release();
  t.is(closed, 0);
  await sessions.close();
  t.is(closed, 1);
  t.true(second.broken.aborted);
  second.release();
  await sessions.close();
  t.is(closed, 1);
});
