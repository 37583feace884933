/** Environment variables that runtime processes need for the clients' workflows. */
export const RUNTIME_SETTINGS = {
  SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true',
  /**
   * The runtime sends it to the outside system, whose answer repeats it; nobody else may see it.
   */
  SVC_SECRET_OUTSIDE: 'for-the-system-outside-alone-4711',
} as const;
