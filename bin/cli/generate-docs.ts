import { writeFileSync } from 'node:fs';
import { renderConfigDocs } from '../../src/shared/config/render-docs.ts';
import { renderConfigSample } from '../../src/shared/config/render-sample.ts';

// Writes what is rendered from tables in the source: a page of docs/, and the sample configuration.
const root = new URL('../../', import.meta.url);
writeFileSync(new URL('docs/reference/configuration.md', root), renderConfigDocs());
writeFileSync(new URL('deploy/svc.example.toml', root), renderConfigSample());
