import test from 'ava';

import { createCpu } from '../../../src/scheduler/pool/pool.ts';
import type { TenantId } from '../../../src/shared/domain/ids.ts';
import type { CpuCaller } from '../../../src/shared/ports/cpu.ts';

const caller: CpuCaller = { tenantId: 'acme' as TenantId, signal: null, whenBusy: 'refused' };

test('small texts are read in place, large ones on a thread, with the same answer', async (t) => {
  const places: string[] = [];
  const cpu = createCpu({ threads: 2, onTask: ({ place }) => places.push(place) });
  t.teardown(() => cpu.close());
  const text = 'a:\n  b: [1, 2]\n';
  const of = { format: 'yaml', pointers: ['/a/b/1', '/a/none'], caller } as const;
  const small = await cpu.readDocument({ ...of, text });
  const large = await cpu.readDocument({ ...of, text: `${text}# ${'x'.repeat(5000)}\n` });
  t.deepEqual(places, ['inline', 'thread']);
  t.deepEqual(small, {
    ok: true,
    value: { a: { b: [1, 2] } },
    places: [
      { line: 2, column: 10 },
      { line: 2, column: 3 },
    ],
  });
  t.deepEqual(large, small);
});

test('a text that takes too long to read is cut off and is a fault', async (t) => {
  const cpu = createCpu({ threads: 2, taskMsMax: 200 });
  t.teardown(() => cpu.close());
  const text = '"'.repeat(262_144);
  const read = await cpu.readDocument({ text, format: 'yaml', pointers: [], caller });
  const fault = { message: 'reading it exceeds the time limit', place: null };
  t.deepEqual(read, { ok: false, fault });
});
