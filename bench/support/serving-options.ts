import { OLD_GENERATION_OPTION } from '../../bin/boot/bound-old-generation.ts';
import { SERVER_OPTIONS } from '../../bin/launch/launch.js';

/** The options of V8 with which the product serves; it sets the last one itself once it has started. */
export const SERVING_OPTIONS: readonly string[] = [...SERVER_OPTIONS, OLD_GENERATION_OPTION];
