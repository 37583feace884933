/** For programs. */
export const NOT_BUILT = 'the console is not built: run npm run console:build';

/** For browsers: loads again until the console is built. `svc dev` builds it beside the API. */
export function renderNotBuilt(): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="refresh" content="3" />
    <title>The console is not built</title>
  </head>
  <body>
    <main>
      <h1>The console is not built</h1>
      <p>Run <code>npm run console:build</code> in the clone of svc. <code>svc dev</code> runs it for you.</p>
      <p>This page loads again every 3 seconds. The API is not affected.</p>
    </main>
  </body>
</html>
`;
}
