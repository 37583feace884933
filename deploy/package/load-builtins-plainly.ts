import { createRequire, isBuiltin } from 'node:module';

import type { Plugin } from 'rolldown';

/**
 * Takes Node's own modules without `import`. An import reads every export of a module for its
 * namespace, also getters that load what few programs need: `WebSocket` of `node:http` loads Node's
 * whole HTTP client, `ReadStream` of `node:fs` all its streams. That is a tenth of a start.
 */
export const loadBuiltinsPlainly: Plugin = {
  name: 'load-builtins-plainly',
  resolveId: (id, importer, { kind }) =>
    kind === 'import-statement' && isBuiltin(id) && importer?.startsWith('\0') !== true
      ? PREFIX + id.replace(/^node:/, '')
      : null,
  load: (id) => (id.startsWith(PREFIX) ? writeModule(id.slice(PREFIX.length)) : null),
};

const PREFIX = '\0builtin:';
const require = createRequire(import.meta.url);

function writeModule(name: string): string {
  const exported = Object.getOwnPropertyNames(require(name)).filter((one) => IDENTIFIER.test(one));
  return [
    `const builtin = process.getBuiltinModule('node:${name}');`,
    'export default builtin;',
    'const read = (name) => builtin[name];',
    // Marked as pure, so that the bundler keeps those that something imports.
    ...exported.map((one, index) => `const e${index} = /*#__PURE__*/ read('${one}');`),
    `export { ${exported.map((one, index) => `e${index} as ${one}`).join(', ')} };`,
  ].join('\n');
}

const IDENTIFIER = /^(?!default$)[a-zA-Z_$][\w$]*$/;
