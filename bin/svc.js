#!/usr/bin/env node
import { launch, SERVER_OPTIONS } from './launch/launch.js';

const serves = process.argv[2] === 'serve' || process.argv[2] === 'dev';

launch({
  source: new URL('./svc.ts', import.meta.url),
  built: new URL('../dist/bin/svc.js', import.meta.url),
  nodeOptions: serves ? SERVER_OPTIONS : [],
});
