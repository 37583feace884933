/**
 * Checks a name of a provider or a model. Returns the error, or null. Some providers take the model
 * from the path of the request, where a crafted name would call another path with the operator's
 * key.
 */
export function findModelNameProblem(of: {
  readonly provider: string;
  readonly model: string;
}): { readonly field: 'provider' | 'model'; readonly message: string } | null {
  if (!PROVIDER.test(of.provider)) return { field: 'provider', message: PROVIDER_RULE };
  const isPath = of.model.split('/').some((part) => part === '' || /^\.+$/.test(part));
  if (!MODEL.test(of.model) || isPath) return { field: 'model', message: MODEL_RULE };
  return null;
}

/** The canonical name of a provider with aliases. */
export function canonicalProvider(provider: string): string {
  const name = provider.toLowerCase();
  return name === 'gemini' ? 'google' : name;
}

const PROVIDER = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
const PROVIDER_RULE = 'must be a name of letters, digits, hyphens and underscores';
const MODEL = /^[A-Za-z0-9@][A-Za-z0-9._:@/+-]{0,199}$/;
const MODEL_RULE = 'must be the name of a model: letters, digits and any of . _ : @ / + -';
