/*
 * Shows the stacks of a build as those of its sources. Node can do that itself, but then searches every
 * file that it loads for the end of its lines, which is a twentieth of a start. This reads a map
 * when a stack of its file is shown.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** @typedef {NodeJS.CallSite & { toString(): string }} Frame */

/** @type {Map<string, SourceMap | null>} by file */
const maps = new Map();

/**
 * For `Error.prepareStackTrace`.
 *
 * @param {Error} error
 * @param {Frame[]} frames
 * @returns {string}
 */
export function showStack(error, frames) {
  return [Error.prototype.toString.call(error), ...frames.map(showFrame)].join('\n    at ');
}

/** @param {Frame} frame */
function showFrame(frame) {
  const file = frame.getFileName() ?? '';
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  if (!file.startsWith('file:') || line === null || column === null) return frame.toString();
  const origin = mapOf(file)?.findOrigin(line, column);
  if (origin === undefined || !('fileName' in origin)) return frame.toString();
  const source = fileURLToPath(new URL(origin.fileName, file));
  const place = `${source}:${origin.lineNumber}:${origin.columnNumber}`;
  return frame.toString().replace(`${file}:${line}:${column}`, () => place);
}

/** @param {string} file */
function mapOf(file) {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const path = `${fileURLToPath(file)}.map`;
  const map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null;
  maps.set(file, map);
  return map;
}
