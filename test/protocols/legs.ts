import { a2aTck } from './a2a/tck-leg.ts';
import type { Leg } from './leg.ts';
import { mcpConformance } from './mcp/conformance-leg.ts';
import { pythonSdks } from './python/python-leg.ts';
import { schemathesis } from './schemathesis/run-schemathesis.ts';

/** All legs of `npm run test:protocols`, in the order in which they run. */
export const LEGS: readonly Leg[] = [a2aTck, mcpConformance, pythonSdks, schemathesis];
