export { openEmbedded, type Embedded, type EmbeddedOptions } from './open-embedded.ts';
