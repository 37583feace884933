import type { JsonObject } from '../../../domain/json.ts';
import type { ExportedExecution } from '../export-execution.ts';

/** An export, or a line of an archive, which has neither `ir` nor the last three. */
export type ImportDocument = Omit<
  ExportedExecution,
  'definition' | 'artifacts' | 'redacted' | 'sha256'
> & {
  readonly definition: Omit<ExportedExecution['definition'], 'ir'> & { readonly ir?: JsonObject };
} & Partial<Pick<ExportedExecution, 'artifacts' | 'redacted' | 'sha256'>>;
