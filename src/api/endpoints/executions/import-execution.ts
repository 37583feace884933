import { importExecution as importDocument } from '../../../shared/engine/executions/import/import-execution.ts';
import { z } from 'zod';

import { artifactName } from '../../../shared/domain/artifact.ts';
import { TERMINAL_STATUSES } from '../../../shared/domain/execution/status.ts';
import type { ImportDocument } from '../../../shared/engine/executions/import/import-document.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { executionId } from '../../schemas/text.ts';
import { checkEvents, importedDocument } from './imported-document.ts';

/** Above what exports are made of: 16 MiB of artifacts, a third more as text, and the history. */
const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;

export const importExecution = defineEndpoint({
  name: 'import-execution',
  method: 'POST',
  path: '/executions/import',
  access: 'operate',
  summary: 'Takes in a whole execution that has ended, for reading',
  note:
    'The body is an export, or a line of an archive of retention: up to 32 MiB, or `api.body_bytes_max` where ' +
    "that is more. The execution keeps its id, its times and its actors, and comes into the caller's tenant. " +
    'Nothing starts, nothing is sent and nothing is counted as use. It shows `imported` for ever, and the audit ' +
    'log has the entry `execution_imported`, which vouches for its events. The same document again gives 200. ' +
    '400: it has not ended, hides data, or its events do not add up to what it says. 409: there is another ' +
    'execution, or another definition, under its id; or it was removed here with another history.',
  body: importedDocument,
  largeBody: { bytesMax: DOCUMENT_BYTES_MAX },
  replies: { 200: answer(), 201: answer() },
  errors: [409, 413],
  async handle({ body, caller }, { engine }) {
    await checkEvents(engine, body.events);
    const document = body as unknown as ImportDocument;
    const imported = await importDocument(engine, caller, { document });
    const told = {
      execution_id: imported.executionId,
      status: imported.status,
      events: imported.events,
      imported: imported.isNew,
      restored: imported.isRestored,
      missing_artifacts: imported.missing.map(artifactName),
    };
    return imported.isNew ? { status: 201, body: told } : { status: 200, body: told };
  },
});

function answer() {
  return z.object({
    execution_id: executionId,
    status: z.enum(TERMINAL_STATUSES),
    events: z.int(),
    imported: z
      .boolean()
      .meta({ description: 'False: it existed with the same history; nothing was written.' }),
    restored: z.boolean().meta({ description: 'It was removed here, and is back.' }),
    missing_artifacts: z.array(z.string()).meta({
      description:
        'Contents that its events refer to and that are missing from the document and from this ' +
        'runtime: upload them with `POST /artifacts`.',
    }),
  });
}
