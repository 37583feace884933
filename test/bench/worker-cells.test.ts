import test from 'ava';

import { workerCells } from '../../bench/worker-cells.ts';

test('workloads W are measured on both stores, and apart where processes share a database', (t) => {
  const named = (cells: ReturnType<typeof workerCells>) => cells.map(({ id }) => id);
  const onServer = named(workerCells('postgres', 'svc'));
  const inFile = named(workerCells('sqlite', 'svc on SQLite'));
  for (const name of ['W1', 'W10', 'WF', 'WE']) {
    t.true(onServer.includes(`${name}/16`));
    t.true(inFile.includes(`${name}/16`));
    // An embedded runtime has only one process.
    t.is(onServer.includes(`${name}/16 apart`), name !== 'WE');
  }
  t.deepEqual(
    inFile.filter((id) => /apart|×/.test(id)),
    [],
  );
  t.is(new Set(onServer).size, onServer.length);
});
