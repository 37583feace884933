import test from 'ava';

import { checkConfig } from '../../../src/shared/config/check-config.ts';
import { loadConfig } from '../../../src/shared/config/load.ts';

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  const loaded = loadConfig({ flags: {}, env, cwd: '/nowhere', mode: 'serve' });
  return loaded.ok ? checkConfig(loaded.config) : loaded.problems;
}

const JWT = {
  SVC_AUTH_METHOD: 'jwt',
  SVC_AUTH_JWT_ISSUER: 'https://issuer.example',
  SVC_AUTH_JWT_AUDIENCE: 'svc',
};
const TLS = { SVC_API_TLS_CERT_FILE: 'c.pem', SVC_API_TLS_KEY_FILE: 'k.pem' };
const MTLS = {
  ...TLS,
  SVC_AUTH_METHOD: 'mtls',
  SVC_API_TLS_CLIENT_CA_FILE: 'ca.pem',
  SVC_AUTH_MTLS_SUBJECTS: '{"CN=w": {"role": "developer", "tenant": "acme"}}',
};

for (const [title, env, problems] of [
  ['keys by URL', { ...JWT, SVC_AUTH_JWT_JWKS_URL: 'https://issuer.example/jwks' }, []],
  ['keys from this machine', { ...JWT, SVC_AUTH_JWT_JWKS_URL: 'http://[::1]:9000/jwks' }, []],
  ['a key in a file', { ...JWT, SVC_AUTH_JWT_PUBLIC_KEY_FILE: 'key.pem' }, []],
  ['certificates', MTLS, []],
  ['TLS alone', TLS, []],
  [
    'no keys',
    JWT,
    ['auth.jwt: set one of jwks_url and public_key_file while auth.method is jwt, and not both'],
  ],
  [
    'two kinds of keys',
    { ...JWT, SVC_AUTH_JWT_JWKS_URL: 'https://i/jwks', SVC_AUTH_JWT_PUBLIC_KEY_FILE: 'key.pem' },
    ['auth.jwt: set one of jwks_url and public_key_file while auth.method is jwt, and not both'],
  ],
  [
    'keys in plain text',
    { ...JWT, SVC_AUTH_JWT_JWKS_URL: 'http://issuer.example/jwks' },
    ['auth.jwt.jwks_url: keys are trusted, so they must come over https://'],
  ],
  [
    'nobody and nothing named',
    { SVC_AUTH_METHOD: 'jwt', SVC_AUTH_JWT_PUBLIC_KEY_FILE: 'key.pem' },
    [
      'auth.jwt.issuer: must be set while auth.method is jwt',
      'auth.jwt.audience: must be set while auth.method is jwt',
    ],
  ],
  [
    'an API key that would be ignored',
    { ...MTLS, SVC_AUTH_API_KEY: 'a-key-that-is-of-some-length' },
    [
      'auth.api_key: is not accepted while auth.method is mtls; unset it, or set auth.accept_tokens = true',
    ],
  ],
  [
    'an API key that is accepted',
    { ...MTLS, SVC_AUTH_API_KEY: 'a-key-that-is-of-some-length', SVC_AUTH_ACCEPT_TOKENS: 'true' },
    [],
  ],
  [
    'an API key that is guessed at once',
    { SVC_AUTH_API_KEY: 'a' },
    [
      'auth.api_key: is shorter than 24 characters; make one with "openssl rand -hex 32", or unset it and make a token with "svc token create --name NAME --role ROLE"',
    ],
  ],
  ['an API key that nothing asks for', { SVC_AUTH_API_KEY: 'a', SVC_AUTH_ENABLED: 'false' }, []],
  [
    'certificates without TLS',
    { SVC_AUTH_METHOD: 'mtls', SVC_AUTH_MTLS_SUBJECTS: MTLS.SVC_AUTH_MTLS_SUBJECTS },
    ['auth.method: mtls needs api.tls.cert_file, api.tls.key_file and api.tls.client_ca_file'],
  ],
  [
    'half of TLS',
    { SVC_API_TLS_CERT_FILE: 'c.pem' },
    ['api.tls: cert_file and key_file go together; set both or neither'],
  ],
  [
    'a public URL that is not true',
    { ...TLS, SVC_PUBLIC_URL: 'http://svc.example' },
    ['runtime.public_url: begins with http:// while the API speaks HTTPS'],
  ],
] as const) {
  test(`${problems.length === 0 ? 'starts' : 'refused'}: ${title}`, (t) => {
    t.deepEqual(problemsOf(env), problems);
  });
}

for (const subjects of [
  'CN=w',
  '{}',
  '[]',
  '{"CN=w": "developer"}',
  '{"CN=w": {"role": "developer"}}',
  '{"CN=w": {"role": "admin", "tenant": "acme"}}',
  '{"CN=w": {"role": "developer", "tenant": "Acme Inc"}}',
  '{"CN=w": {"role": "developer", "tenant": "acme", "more": 1}}',
  '{"w": {"role": "developer", "tenant": "acme"}}',
  '{"CN=": {"role": "developer", "tenant": "acme"}}',
]) {
  test(`refused: the subjects ${subjects}`, (t) => {
    const [problem, ...others] = problemsOf({ ...MTLS, SVC_AUTH_MTLS_SUBJECTS: subjects });
    t.regex(
      problem ?? '',
      /^env SVC_AUTH_MTLS_SUBJECTS: auth.mtls.subjects: found .*, expected a table/,
    );
    t.deepEqual(others, []);
  });
}
