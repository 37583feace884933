import { randomBytes } from 'node:crypto';

import { resealKeys } from '../../src/shared/engine/memory/reseal-keys.ts';
import { resealWebhooks } from '../../src/shared/engine/webhooks/reseal-webhooks.ts';
import { addKeyToFile } from '../../src/shared/security/key-file.ts';
import { createSecretBox } from '../../src/shared/security/secret-box.ts';
import { keyFileOf, readEncryptionKeys } from '../../src/runtime/encryption-keys.ts';
import { CliError, usageError } from '../cli/exit-code.ts';
import { printJson, printLine, type OutputFormat } from '../cli/output.ts';
import { withCheckedStore } from '../cli/with-store.ts';
import type { ConfigOptions } from '../boot/read-config.ts';
import { takeDatabase } from '../boot/take-database.ts';

/**
 * Seals all provider keys and webhook secrets with the newest encryption key. Where keys are kept in a file, a new one is
 * made first; else the new one is configured already, with the one before among the previous ones.
 */
export async function rotateKey(
  options: ConfigOptions & { readonly output: OutputFormat },
): Promise<void> {
  const read = takeDatabase(options);
  const { config, database } = read;
  const path = keyFileOf(database);
  const { encryptionKey } = config.memory;
  if (encryptionKey === null && path === null) throw usageError(NO_KEY);
  const keys = readEncryptionKeys({ config, database });
  await withCheckedStore({ ...read, applicationName: 'svc-memory' }, async (store) => {
    if (encryptionKey === null && path !== null) addKeyToFile({ path, randomBytes });
    const secrets = createSecretBox({ keys, randomBytes });
    const provider = await resealKeys({ store: store.memory, secrets });
    const webhooks = await resealWebhooks({ store: store.webhooks, secrets });
    report({ ...provider, webhooks }, options.output);
  });
}

interface Resealed {
  readonly resealed: number;
  readonly current: number;
  readonly unreadable: readonly string[];
}

/** @throws CliError when a secret is left with an unknown key */
function report(
  { resealed, current, unreadable, webhooks }: Resealed & { readonly webhooks: Resealed },
  output: OutputFormat,
): void {
  if (output === 'json') printJson({ resealed, current, unreadable, webhooks });
  else {
    printLine(`provider keys: ${resealed} encrypted again, ${current} already used this key`);
    printLine(
      `webhook secrets: ${webhooks.resealed} encrypted again, ${webhooks.current} already used this key`,
    );
  }
  const advice = [
    ...(unreadable.length > 0 ? [adviseUnreadable(unreadable)] : []),
    ...(webhooks.unreadable.length > 0 ? [adviseWebhooks(webhooks.unreadable)] : []),
  ];
  if (advice.length > 0) throw new CliError(advice.join('\n'));
}

const NO_KEY =
  'no encryption key: set SVC_ENCRYPTION_KEY to 32 random bytes in base64 ' +
  '(openssl rand -base64 32), and SVC_MEMORY_PREVIOUS_ENCRYPTION_KEYS to the previous key';

function adviseWebhooks(webhooks: readonly string[]): string {
  return (
    `no known key decrypts the secrets of webhooks ${webhooks.join(', ')}: add their ` +
    'encryption key to SVC_MEMORY_PREVIOUS_ENCRYPTION_KEYS, or delete and create those webhooks again'
  );
}

function adviseUnreadable(tenants: readonly string[]): string {
  return (
    `no known key decrypts the provider keys of ${tenants.join(', ')}: add their encryption ` +
    'key to SVC_MEMORY_PREVIOUS_ENCRYPTION_KEYS, or save those provider keys again'
  );
}
