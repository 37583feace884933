#!/usr/bin/env node
import { launch } from './support/launch.js';

launch({
  source: new URL('./svc-scheduler.ts', import.meta.url),
  built: new URL('../dist/bin/svc-scheduler.js', import.meta.url),
});
