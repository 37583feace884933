/**
 * Variables of the environment that are no settings of the service, each with its meaning. `null`:
 * for the project's own use, so it has no place in the documentation.
 */
export const OTHER_VARIABLES = {
  SVC_URL: 'Address of the runtime, for the `svc` commands that call it, and for workers.',
  SVC_TOKEN: 'Token sent by the `svc` commands that call a running service, and by workers.',
  SVC_CONTEXT: 'Context that these commands use in place of the current one.',
  SVC_REQUEST_TIMEOUT:
    'Longest wait of these commands for an answer, such as `10s`; default `60s`.',
  SVC_BIN: 'Command that starts svc, for the test kits of the Python and the Java SDK.',
  SVC_IMAGE: 'Image that `deploy/compose.yaml` runs.',
  SVC_WORKER_TOKEN: 'Token of the worker in `deploy/compose.yaml`.',
  SVC_LAUNCHED_CHILD: null,
  SVC_TEST_BROWSER: null,
} as const satisfies Readonly<Record<string, string | null>>;
