import { openDatabases } from '../support/databases.ts';
import { type Experiment, measureChains, rounded, type Row } from './experiment.ts';

const IN_FLIGHT = 64;

/**
 * Tenants on separate database servers share nothing, so only the machine limits their sum. On a
 * machine with few cores the sum of rates cannot grow; the cost of a step shows what separate
 * machines would reach.
 */
export const servers: Experiment = {
  name: 'servers',
  what: `B/${IN_FLIGHT} on one server, and on two at the same time`,
  async run({ seconds, progress }) {
    const both = [await openDatabases(), await openDatabases()];
    try {
      const rows: Row[] = [];
      for (const count of [1, 2]) {
        progress(`${count} at a time`);
        const used = await Promise.all(both.slice(0, count).map((one) => one.create('postgres')));
        const measured = await Promise.all(
          used.map((database) => measureChains(database, { inFlight: IN_FLIGHT, seconds })),
        );
        const sum = (pick: (one: (typeof measured)[number]) => number | null): number =>
          measured.reduce((total, one) => total + (pick(one) ?? 0), 0);
        rows.push({
          servers: count,
          'steps /s in all': rounded(sum(({ perSecond }) => perSecond)),
          'commits /s in all': rounded(
            sum(({ perSecond, writeTransactions }) => perSecond * (writeTransactions ?? 0)),
          ),
          'client CPU µs a step': rounded(sum(({ clientCpuMicros }) => clientCpuMicros) / count),
          'database CPU µs a step': rounded(
            sum(({ databaseCpuMicros }) => databaseCpuMicros) / count,
          ),
          'cores used': rounded(
            sum(
              ({ perSecond, clientCpuMicros, databaseCpuMicros }) =>
                (perSecond * (clientCpuMicros + (databaseCpuMicros ?? 0))) / 1e6,
            ),
            2,
          ),
        });
        await Promise.all(used.map((database) => database.drop()));
      }
      return rows;
    } finally {
      await Promise.all(both.map((one) => one.close()));
    }
  },
};
