import { z } from 'zod';

import { BUILD_ID } from '../../shared/domain/work/build-queue.ts';

/** A build of workers, as claims name it. */
export const buildId = z
  .string()
  .regex(BUILD_ID, 'must be 1 to 64 letters, digits, ".", "+", "_" and "-", not with a mark first');
