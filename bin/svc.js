#!/usr/bin/env node
import { launch } from './support/launch.js';

launch({
  source: new URL('./svc.ts', import.meta.url),
  built: new URL('../dist/bin/svc.js', import.meta.url),
});
