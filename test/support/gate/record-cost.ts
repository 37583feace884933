import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import type * as ava from 'ava';

import { addCost, COSTS_FILE, childSecondsOf } from './costs.ts';

/* The process of each test file loads this, and notes at its end what the file has cost. */

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const require = createRequire(import.meta.url);

process.once('exit', () => {
  const notes = process.env[COSTS_FILE];
  if (notes === undefined) return;
  // Not imported above: ava reports a test file that does not import it.
  const { default: test } = require('ava') as typeof ava;
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  addCost(notes, {
    file: relative(repository, fileURLToPath(test.meta.file)),
    wall: process.uptime(),
    own: (userCPUTime + systemCPUTime) / 1e6,
    children: childSecondsOf(readFileSync('/proc/self/stat', 'utf8')),
  });
});
