import { tellDuration } from '../../domain/execution/explain/scene.ts';
import type { LockHolder } from '../../store/installation.ts';
import { type Check, fail, ok, skipped, warn } from './check.ts';

const VERSION_MIN = 15;

const database: Check = {
  name: 'database',
  needs: 'server',
  judge({ server }) {
    if (server.dialect === 'sqlite') return ok(`SQLite ${server.version}, ${server.path}`);
    const seen = `PostgreSQL ${server.version}`;
    if (server.isStandby) return fail(`${seen}, a standby`, 'name the primary server');
    return Number.parseInt(server.version, 10) < VERSION_MIN
      ? fail(seen, `PostgreSQL ${VERSION_MIN} or later is needed`)
      : ok(seen);
  },
};

const migrations: Check = {
  name: 'migrations',
  needs: 'server',
  judge({ server, migrations: { current, latest, pending, trouble } }) {
    const migrating = server.dialect === 'postgres' && server.lockHolders.find(isMigrating);
    if (migrating) {
      const seen = `session ${migrating.pid} (${migrating.applicationName}) is migrating`;
      return warn(seen, 'look again when it is done');
    }
    if (trouble !== null) return fail('the schema does not fit this program', trouble);
    if (current > latest) {
      return warn(
        `version ${current}, of a newer program; this one knows ${latest}, and works on it`,
        'bring every process to the newer version',
      );
    }
    if (pending.length === 0) return ok(`all ${latest} applied`);
    const titles = pending.map(({ number, title }) => `${number} ${title}`).join(', ');
    return fail(`version ${current} of ${latest}, pending: ${titles}`, 'run "svc db migrate"');
  },
};

function isMigrating(holder: LockHolder): boolean {
  return holder.isMigrating;
}

/** Nothing here trusts the clocks of processes; logs, tokens and schedules are read by them. */
const clock: Check = {
  name: 'clock',
  needs: 'server',
  judge({ skew: { aheadMs, uncertainMs } }, { clockSkewMs }) {
    const off = Math.max(0, Math.abs(aheadMs) - uncertainMs);
    const side = aheadMs > 0 ? 'ahead of' : 'behind';
    const seen =
      off === 0
        ? `as this process's, to ${Math.ceil(uncertainMs)} ms`
        : `the database is ${Math.abs(Math.round(aheadMs))} ms ${side} this process`;
    const advice = 'let both machines take their time from the same source (NTP)';
    if (off >= clockSkewMs.fail) return fail(seen, advice);
    return off >= clockSkewMs.warn ? warn(seen, advice) : ok(seen);
  },
};

const encryptionKeys: Check = {
  name: 'encryption keys',
  needs: 'tables',
  judge({ tables, setup }) {
    if (tables === null) return null;
    const missing = tables.sealedWith.filter((id) => !setup.keyIds.includes(id));
    if (missing.length > 0) {
      return fail(
        `provider keys are sealed with ${missing.join(', ')}, which is not configured here`,
        'put the key back as memory.encryption_key or among memory.previous_encryption_keys',
      );
    }
    return ok(
      tables.sealedWith.length === 0
        ? 'nothing is sealed'
        : `${tables.sealedWith.length} in use, all of them here`,
    );
  },
};

const tokens: Check = {
  name: 'tokens',
  needs: 'tables',
  judge({ tables }) {
    if (tables === null) return null;
    const { valid, expired, endingSoon } = tables.tokens;
    const seen = `${valid} valid, ${expired} expired, ${endingSoon} ending within a week`;
    return endingSoon > 0
      ? warn(seen, 'put new ones in their place in time: svc token rotate')
      : ok(seen);
  },
};

const auditSealing: Check = {
  name: 'audit sealing',
  needs: 'tables',
  judge({ tables }, { unsealedMs }) {
    if (tables === null) return null;
    const { now, sealedUntil, unsealedSince } = tables;
    const until = sealedUntil === null ? 'nothing is sealed yet' : `sealed up to ${sealedUntil}`;
    if (unsealedSince === null) return ok(until);
    const behindMs = Date.parse(now) - Date.parse(unsealedSince);
    const seen = `${until}, the oldest entry after that is ${tellDuration(behindMs)} old`;
    const advice = 'see that a scheduler runs, and what its log says of the loop seal-audit';
    if (behindMs >= unsealedMs.fail) return fail(seen, advice);
    return behindMs >= unsealedMs.warn ? warn(seen, advice) : ok(seen);
  },
};

const auditChain: Check = {
  name: 'audit chain',
  needs: 'tables',
  judge: () =>
    skipped('it takes a reading of the whole log, and is kept nowhere', 'run "svc audit verify"'),
};

export const DATABASE_CHECKS = [database, migrations, clock];
export const UPKEEP_CHECKS = [encryptionKeys, tokens, auditSealing, auditChain];
