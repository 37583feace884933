import { writeFileSync } from 'node:fs';
import { renderConfigDocs } from '../../src/shared/config/render-docs.ts';

// Writes the pages of docs/ that are rendered from tables in the source.
writeFileSync(new URL('../../docs/configuration.md', import.meta.url), renderConfigDocs());
