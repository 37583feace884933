import { registerHooks } from 'node:module';

/*
 * The process of each test file loads this first. A test file loads up to a thousand of our modules, by
 * many times as many imports. For each import, Node asks whether the file exists, whether it is a link,
 * and which package.json says how to read it. That takes a quarter of the processor time of a load. Our
 * sources name each other in full, so the name of a module already says all of this.
 */

const REPOSITORY = new URL('../../../', import.meta.url).href;
const SOURCE = /^\.{1,2}\/.*\.ts$/;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL } = context;
    if (!isOurs(parentURL) || !SOURCE.test(specifier)) return nextResolve(specifier, context);
    const { href } = new URL(specifier, parentURL);
    return { url: href, format: 'module-typescript', shortCircuit: true };
  },
});

// ava enables them. Node strips types in place, so a stack names the right lines without them.
process.setSourceMapsEnabled(false);

function isOurs(module: string | undefined): module is string {
  return module?.startsWith(REPOSITORY) === true && !module.includes('/node_modules/');
}
