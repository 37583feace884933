import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';

import type { JsonValue } from '../../../src/shared/domain/json.ts';
import { usageError } from '../../cli/exit-code.ts';
import type { CaseResult } from '../../../src/shared/evaluation/case-result.ts';

/*
 * A report is one JSON document: `{"report": …, "cases": […], …summary}`. It is written as it comes,
 * each case on a line of its own, so that neither writing it nor reading it again for a comparison
 * takes all of it into memory. A file appears under its name when it is whole.
 */

export interface ReportWriter {
  add(result: CaseResult): Promise<void>;
  /** Writes what stands behind the cases, and ends the report. */
  finish(rest: Readonly<Record<string, unknown>>): Promise<void>;
  /** Nothing is left of it. */
  discard(): Promise<void>;
}

export const CASES_OPEN = '"cases": [';

/** Writes to all that are given; with neither a file nor stdout to nothing. */
export async function createReport(params: {
  readonly file: string | null;
  readonly stdout: boolean;
  readonly about: Readonly<Record<string, JsonValue>>;
}): Promise<ReportWriter> {
  const { file, stdout, about } = params;
  const part = file === null ? null : `${file}.part`;
  const sinks: Writable[] = [];
  if (part !== null) sinks.push(await openFile(part));
  if (stdout) sinks.push(process.stdout);
  let separator = '\n';

  async function write(text: string): Promise<void> {
    for (const sink of sinks) {
      if (!sink.write(text)) await once(sink, 'drain');
    }
  }

  async function closeFile(): Promise<void> {
    const [sink] = sinks;
    if (part === null || sink === undefined) return;
    sink.end();
    await once(sink, 'close');
  }

  const fields = Object.entries(about).map((field) => `${showField(field)},\n`);
  await write(`{\n${fields.join('')}${CASES_OPEN}`);
  return {
    async add(result) {
      await write(`${separator}${JSON.stringify(result)}`);
      separator = ',\n';
    },
    async finish(rest) {
      const shown = Object.entries(rest).map((field) => `,\n${showField(field)}`);
      await write(`\n]${shown.join('')}\n}\n`);
      await closeFile();
      if (part !== null && file !== null) await rename(part, file);
    },
    async discard() {
      await closeFile();
      if (part !== null) await rm(part, { force: true });
    },
  };
}

async function openFile(path: string): Promise<Writable> {
  const stream = createWriteStream(path);
  try {
    await once(stream, 'open');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw usageError(`the report cannot be written to "${path}": ${reason}`, error);
  }
  return stream;
}

function showField([name, value]: readonly [string, unknown]): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(value, null, 2)}`;
}
