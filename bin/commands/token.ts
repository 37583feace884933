import { randomBytes } from 'node:crypto';

import { shapeToken } from '../../src/api/endpoints/tokens/token-shape.ts';
import { ids } from '../../src/runtime/ids.ts';
import { parseTenantId, type Role } from '../../src/shared/domain/access.ts';
import { SvcError } from '../../src/shared/domain/errors.ts';
import type { TenantId } from '../../src/shared/domain/ids.ts';
import { readTenant } from '../../src/shared/engine/tenants/tenants.ts';
import { createToken as create } from '../../src/shared/engine/tokens/create-token.ts';
import { listTokens as readPage } from '../../src/shared/engine/tokens/list-tokens.ts';
import { revokeToken as revoke } from '../../src/shared/engine/tokens/revoke-token.ts';
import {
  GRACE_SECONDS_MAX,
  rotateToken as rotate,
} from '../../src/shared/engine/tokens/rotate-token.ts';
import type { Wake } from '../../src/shared/ports/wake.ts';
import type { Store, TokenRow } from '../../src/shared/store/store.ts';
import { CliError, EXIT, usageError } from '../cli/exit-code.ts';
import { printJson, printLine, printNote, type OutputFormat } from '../cli/output.ts';
import { printList } from '../cli/lists/print-list.ts';
import type { ConfigOptions } from '../boot/read-config.ts';
import { withStore as openAndUse } from '../cli/with-store.ts';

type TokenOptions = ConfigOptions & { readonly tenant: string; readonly output: OutputFormat };

/** Direct access to the database needs no token. */
const CLI_ACTOR = 'system:cli';

/** The names that the API accepts. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@ -]{0,127}$/;

/** The plaintext stands alone on stdout, so that a script can take it from there. */
export async function createToken(
  options: TokenOptions & {
    readonly name: string;
    readonly role: Role;
    /** Milliseconds. */
    readonly expires?: number;
  },
): Promise<void> {
  if (!NAME.test(options.name)) {
    throw usageError('--name takes 1 to 128 letters, digits, dots, dashes, underscores or spaces');
  }
  const minted = await withStore(options, async (store, tenantId) => {
    await refuseUnknown(store, tenantId);
    const { name, role, expires: expiresInMs = null } = options;
    const caller = { tenantId, actorId: CLI_ACTOR };
    return create({ store, ids, randomBytes }, caller, { name, role, expiresInMs });
  });
  const { row, plaintext } = minted;
  if (options.output === 'json') return printJson({ ...shapeToken(row), token: plaintext });
  const until = row.expiresAt === null ? 'until it is revoked' : `until ${row.expiresAt}`;
  printNote(`token ${row.tokenId}: ${row.role} of tenant ${row.tenantId}, valid ${until}`);
  printNote('Copy it now: it cannot be shown again.');
  printLine(plaintext);
}

export async function listTokens(options: TokenOptions): Promise<void> {
  const rows = await withStore({ ...options, onlyReads: true }, readAll);
  if (options.output === 'json') return printJson({ tokens: rows.map(shapeToken) });
  printList({
    member: 'tokens',
    head: ['TOKEN', 'NAME', 'ROLE', 'STATUS', 'CREATED', 'EXPIRES', 'LAST USED'],
    rows: rows.map((row) => [
      row.tokenId,
      row.name,
      row.role,
      statusOf(row),
      row.createdAt,
      row.expiresAt,
      row.lastUsedAt,
    ]),
  });
}

export async function revokeToken(tokenId: string, options: TokenOptions): Promise<void> {
  const row = await withStore(options, (store, tenantId) =>
    tellingProcesses(store, (wake) =>
      revoke({ store, wake }, { tenantId, actorId: CLI_ACTOR }, { tokenId }),
    ),
  ).catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.code !== 'not_found') throw error;
    throw new CliError(
      `tenant ${options.tenant} has no token ${tokenId}: see "svc token list --tenant ${options.tenant}"`,
      { exitCode: EXIT.notFound },
    );
  });
  if (options.output === 'json') printJson(shapeToken(row));
  else printLine(`revoked ${row.tokenId} (${row.name})`);
}

/** Like `createToken`, the new plaintext stands alone on stdout. */
export async function rotateToken(
  tokenId: string,
  options: TokenOptions & {
    /** Milliseconds. */
    readonly grace?: number;
  },
): Promise<void> {
  const graceMs = options.grace ?? 0;
  if (graceMs > GRACE_SECONDS_MAX * 1000) throw usageError('--grace takes at most 30d');
  const { row, old, plaintext } = await withStore(options, (store, tenantId) =>
    tellingProcesses(store, (wake) => {
      const deps = { store, ids, randomBytes, wake };
      return rotate(deps, { tenantId, actorId: CLI_ACTOR }, { tokenId, graceMs });
    }),
  ).catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error;
    const exitCode = error.status === 404 ? EXIT.notFound : EXIT.failure;
    throw new CliError(error.message, { exitCode });
  });
  if (options.output === 'json') return printJson({ ...shapeToken(row), token: plaintext });
  const ends = old.revokedAt === null ? `ends ${old.expiresAt}` : 'is revoked';
  printNote(`token ${row.tokenId} replaces ${old.tokenId}, which ${ends}`);
  printNote('Copy it now: it cannot be shown again.');
  printLine(plaintext);
}

async function withStore<Result>(
  options: TokenOptions & { readonly onlyReads?: boolean },
  work: (store: Store, tenantId: TenantId) => Promise<Result>,
): Promise<Result> {
  const tenantId = parseTenantId(options.tenant);
  if (tenantId === null) {
    throw usageError(
      `"${options.tenant}" is not a tenant id: expected a-z, 0-9, - and _, up to 63`,
    );
  }
  return openAndUse({ ...options, applicationName: 'svc-token' }, (store) => work(store, tenantId));
}

/** Running processes remember tokens: they learn of the change before the command ends. */
async function tellingProcesses<Result>(
  { wake }: Store,
  change: (wake: Pick<Wake, 'notify'>) => Promise<Result>,
): Promise<Result> {
  const result = await change({ notify: (topics) => wake.send(topics) });
  await wake.flush();
  return result;
}

async function refuseUnknown(store: Store, tenantId: TenantId): Promise<void> {
  await readTenant({ store }, { tenantId }).catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.code !== 'not_found') throw error;
    const { message } = new SvcError('tenant_unknown', tenantId);
    throw new CliError(message, { exitCode: EXIT.notFound });
  });
}

const PAGE = 500;

async function readAll(store: Store, tenantId: TenantId): Promise<readonly TokenRow[]> {
  const rows: TokenRow[] = [];
  for (;;) {
    const page = await readPage({ store }, { tenantId }, { limit: PAGE, offset: rows.length });
    rows.push(...page);
    if (page.length < PAGE) return rows;
  }
}

function statusOf(row: TokenRow): string {
  if (row.revokedAt !== null) return 'revoked';
  return row.expired ? 'expired' : 'active';
}
