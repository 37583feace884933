import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { AuthType } from './agent-card.ts';

/**
 * Maps an Agent Card of the Agent2Agent protocol to our fields. Its versions differ in where the
 * address is and in the form of security schemes:
 *
 * - 0.1 to 0.3: `url`; schemes by `type`, required ones in `security` (0.1: `authentication`).
 * - 1.0: `supportedInterfaces`, the preferred one first; schemes by the name of their one field,
 *   required ones in `securityRequirements`.
 *
 * Every field of the card stays beside ours, because callers of the agent need them: interfaces and
 * transports, schemes, input and output modes. The card is unchecked: values that violate the
 * protocol are passed on for the reader to refuse, or omitted.
 */
export function mapA2aCard(card: JsonObject): JsonObject {
  const capabilities = isJsonObject(card['capabilities']) ? card['capabilities'] : {};
  return {
    ...card,
    uri: findAddress(card),
    capabilities: {
      ...capabilities,
      skills: listOf(card['skills']).map(mapSkill),
      protocols: ['a2a'],
    },
    auth: isJsonObject(card['auth']) ? card['auth'] : { type: findAuthType(card) },
  };
}

/** A card with one of our own fields counts as ours. */
export function isA2aCard(card: JsonObject): boolean {
  const { capabilities, uri } = card;
  if (typeof uri === 'string') return false;
  if (isJsonObject(capabilities) && OWN_CAPABILITIES.some((key) => key in capabilities)) {
    return false;
  }
  return (
    Array.isArray(card['supportedInterfaces']) ||
    Array.isArray(card['skills']) ||
    typeof card['protocolVersion'] === 'string' ||
    typeof card['url'] === 'string'
  );
}

function findAddress(card: JsonObject): JsonValue {
  const [preferred] = listOf(card['supportedInterfaces']);
  return (isJsonObject(preferred) ? preferred['url'] : card['url']) ?? null;
}

function mapSkill(skill: JsonValue): JsonValue {
  if (!isJsonObject(skill)) return skill;
  return { ...skill, name: skill['name'] ?? skill['id'] ?? null };
}

/** The first scheme that is required, or the first declared: a card may leave the former out. */
function findAuthType(card: JsonObject): AuthType {
  const schemes = isJsonObject(card['securitySchemes']) ? card['securitySchemes'] : {};
  const required = [...listOf(card['securityRequirements']), ...listOf(card['security'])]
    .map((requirement) => (isJsonObject(requirement) ? requirement : {}))
    .flatMap((requirement) =>
      Object.keys(isJsonObject(requirement['schemes']) ? requirement['schemes'] : requirement),
    );
  const declared = [...required, ...Object.keys(schemes)].map((name) => schemes[name] ?? null);
  const oldest = isJsonObject(card['authentication']) ? card['authentication']['schemes'] : null;
  const types = [...declared, ...listOf(oldest).map((scheme) => ({ type: 'http', scheme }))]
    .map(typeOfScheme)
    .filter((type) => type !== null);
  return types[0] ?? 'none';
}

/** Null: a scheme that has no counterpart, such as HTTP Basic. */
function typeOfScheme(scheme: JsonValue): AuthType | null {
  if (!isJsonObject(scheme)) return null;
  const [[name, fields] = ['', null]] = Object.entries(scheme).filter(([key]) =>
    key.endsWith('SecurityScheme'),
  );
  const type = typeof scheme['type'] === 'string' ? scheme['type'] : name;
  const details = isJsonObject(fields) ? fields : scheme;
  switch (type.replace(/SecurityScheme$/, '').toLowerCase()) {
    case 'apikey':
      return 'api_key';
    case 'http':
    case 'httpauth':
      return isBearer(details['scheme']) ? 'bearer_token' : null;
    case 'oauth2':
      return 'oauth2';
    case 'openidconnect':
      return 'oidc';
    case 'mutualtls':
    case 'mtls':
      return 'mtls';
    default:
      return null;
  }
}

/** Names of HTTP schemes are the same in either case (RFC 9110, section 11.1). */
function isBearer(scheme: JsonValue | undefined): boolean {
  return typeof scheme === 'string' && scheme.toLowerCase() === 'bearer';
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

const OWN_CAPABILITIES = ['skills', 'protocols', 'tools_provided', 'tools_consumed'];
