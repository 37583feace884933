/** Environment variables that runtime processes need for the clients' workflows. */
export const RUNTIME_SETTINGS = {
  SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true',
  SVC_WEBHOOKS_ALLOW_PRIVATE_NETWORKS: 'true',
  /** For the secrets of webhooks: 32 bytes in base64. */
  SVC_ENCRYPTION_KEY: Buffer.alloc(32, 'chaos').toString('base64'),
  /**
   * The runtime sends it to the outside system, whose answer repeats it; nobody else may see it.
   */
  SVC_SECRET_OUTSIDE: 'for-the-system-outside-alone-4711',
} as const;
