/** What processes of the runtime need for the workflows of the clients, as environment. */
export const RUNTIME_SETTINGS = {
  SVC_TOOLS_ALLOW_PRIVATE_NETWORKS: 'true',
  /** Sent to the system outside, which repeats it in its answer; nobody else may ever see it. */
  SVC_SECRET_OUTSIDE: 'for-the-system-outside-alone-4711',
} as const;
