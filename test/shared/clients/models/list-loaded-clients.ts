import { registerHooks } from 'node:module';

/**
 * Loads the modules that every process loads, then calls a model, and prints what each step loaded.
 */
const loaded = new Set<string>();
registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.startsWith('@ai-sdk/')) loaded.add(specifier);
    return next(specifier, context);
  },
});
await import('../../../../src/runtime/boot.ts');
const atStart = [...loaded];
const { openModelClient } = await import('./open-client.ts');
const { baseUrl, provider } = JSON.parse(process.argv[2] ?? '') as {
  readonly baseUrl: string;
  readonly provider: string;
};
const { call, close } = openModelClient({ baseUrls: { [provider]: baseUrl } });
const { ok } = await call({ provider, model: 'lazy' });
await close();
const atCall = [...loaded].filter((name) => !name.startsWith('@ai-sdk/provider'));
process.stdout.write(JSON.stringify({ atStart, ok, atCall }));
