/**
 * The runtime's DID document: W3C DID Core 1.0, method `did:web`. It names one service for each
 * active agent. There are no keys in it: the runtime signs nothing.
 */
export function buildDidDocument(params: {
  readonly publicUrl: string;
  readonly agents: readonly { readonly agentId: string; readonly uri: string | null }[];
}): DidDocument {
  const { publicUrl, agents } = params;
  const did = didOf(publicUrl);
  return {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: did,
    service: agents.map(({ agentId, uri }) => ({
      id: `${did}#agent-${encode(agentId)}`,
      type: 'AgentService',
      // An endpoint must be a URI; an agent without one is found where its card is.
      serviceEndpoint: uri !== null && isUri(uri) ? uri : `${publicUrl}/agents/${encode(agentId)}`,
    })),
  };
}

export interface DidDocument {
  readonly '@context': string[];
  readonly id: string;
  readonly service: {
    readonly id: string;
    readonly type: string;
    readonly serviceEndpoint: string;
  }[];
}

/**
 * The DID of a runtime with this public URL. It must lead back to the document, which every runtime
 * serves at `/.well-known/did.json`: for a bare host that is what the method says, and behind a
 * path the well-known folder is the last part of that path.
 */
export function didOf(publicUrl: string): string {
  const url = new URL(publicUrl);
  const port = url.port === '' ? '' : `%3A${url.port}`;
  const path = url.pathname.split('/').filter(Boolean).map(encodeRest);
  const folder = path.length === 0 ? [] : [...path, '.well-known'];
  return ['did:web', `${encode(url.hostname)}${port}`, ...folder].join(':');
}

/** Percent-encodes all that an identifier of a DID may not hold (DID Core, section 3.1). */
function encode(text: string): string {
  return encodeRest(encodeURIComponent(text));
}

/** The same for ASCII that is percent-encoded already, as a URL's path is. */
function encodeRest(text: string): string {
  return text.replaceAll(
    /[^A-Za-z0-9._%-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function isUri(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text) && URL.canParse(text);
}
