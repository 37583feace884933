#!/usr/bin/env node
import { launch, SERVER_OPTIONS } from './launch/launch.js';

const serves = process.argv[2] === 'serve' || process.argv[2] === 'dev';

launch({
  source: new URL('./svc.ts', import.meta.url),
  built: new URL('../dist/bundle/svc.js', import.meta.url),
  // Other commands load little: to compare the sources with the build would take longer.
  clone: serves ? new URL('../', import.meta.url) : undefined,
  nodeOptions: serves ? SERVER_OPTIONS : [],
});
