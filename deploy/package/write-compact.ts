import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';

/*
 * node write-compact.ts FROM TO
 * Writes a JSON document without white space.
 */

const [from = '', to = ''] = argv.slice(2);
writeFileSync(to, JSON.stringify(JSON.parse(readFileSync(from, 'utf8'))));
