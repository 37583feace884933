#!/usr/bin/env node
import { launch, SERVER_OPTIONS } from './launch/launch.js';

launch({
  source: new URL('./svc-api.ts', import.meta.url),
  built: new URL('../dist/bundle/svc-api.js', import.meta.url),
  clone: new URL('../', import.meta.url),
  nodeOptions: SERVER_OPTIONS,
});
