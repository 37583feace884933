import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { checkJson } from '../workflow/parse/check-json.ts';
import { ProblemList } from '../workflow/problem.ts';
import type { AgentAuth, AgentCapabilities, AgentCard, AgentSkill } from './agent-card.ts';
import { AUTH_TYPES, AUTONOMIES } from './agent-card.ts';
import type { CardPart } from './card-fields.ts';
import { complain, readChoice, readList, readObject, readText, readTexts } from './card-fields.ts';
import { isA2aCard, mapA2aCard } from './map-a2a-card.ts';

export type ReadCard =
  | {
      readonly ok: true;
      readonly card: AgentCard;
      /** Null: the card leaves it to us. */
      readonly id: string | null;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads an Agent Card, ours or one of A2A, and fills in missing fields (decisions, "Agents").
 * Unknown fields stay. A refusal names the place: `capabilities.skills.0.name is required`.
 */
export function readAgentCard(document: unknown): ReadCard {
  if (!isJsonObject(document)) return refuse(['the agent card must be an object']);
  const found = new ProblemList();
  if (!checkJson(document, found) || found.count > 0) return refuse(tellPlaces(found));
  if (Buffer.byteLength(JSON.stringify(document)) > CARD_BYTES_MAX) {
    return refuse([`the agent card must be at most ${CARD_BYTES_MAX} bytes`]);
  }
  const source = isA2aCard(document) ? mapA2aCard(document) : document;
  const part: CardPart = { source, path: '', problems: [] };
  const { id: _, ...unknown } = source;
  const id = (source['id'] ?? null) === null ? null : readText(part, 'id', { fallback: null });
  const card: AgentCard = {
    ...unknown,
    name: readText(part, 'name', { fallback: null }),
    uri: readUri(part),
    description: readText(part, 'description', { fallback: '', bytesMax: DESCRIPTION_BYTES_MAX }),
    version: readText(part, 'version', { fallback: '1.0.0' }),
    capabilities: readCapabilities(part),
    autonomy: readChoice(part, 'autonomy', { choices: AUTONOMIES, fallback: 'guided' }),
    auth: readAuth(part),
  };
  return part.problems.length > 0 ? refuse(part.problems) : { ok: true, card, id };
}

function readUri(part: CardPart): string | null {
  if ((part.source['uri'] ?? null) === null) return null;
  const uri = readText(part, 'uri', { fallback: null, bytesMax: URI_BYTES_MAX });
  // Cards are shown to every reader, and addresses of active agents to everyone.
  return holdsCredentials(uri)
    ? complain(part, 'uri', { problem: 'must not hold credentials', instead: null })
    : uri;
}

/** In other schemes than those of HTTP, what stands before the `@` may be a plain name. */
function holdsCredentials(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, username, password } = new URL(uri);
  return password !== '' || (username !== '' && /^https?:$/.test(protocol));
}

function readCapabilities(part: CardPart): AgentCapabilities {
  const source = readObject(part, 'capabilities');
  const nested: CardPart = { ...part, source, path: `${part.path}capabilities.` };
  const protocols = readTexts(nested, 'protocols', PROTOCOLS_MAX);
  return {
    ...source,
    skills: readList(nested, 'skills', SKILLS_MAX).map((skill, index) =>
      readSkill(skill, { ...nested, path: `${nested.path}skills.` }, index),
    ),
    protocols: [...new Set(protocols.map((protocol) => protocol.toLowerCase()))],
    tools_provided: readTexts(nested, 'tools_provided', TOOLS_MAX),
    tools_consumed: readTexts(nested, 'tools_consumed', TOOLS_MAX),
  };
}

/** A skill may be its name alone. */
function readSkill(given: JsonValue, list: CardPart, index: number): AgentSkill {
  const skill = typeof given === 'string' ? { name: given } : given;
  const source = isJsonObject(skill)
    ? skill
    : complain(list, String(index), { problem: 'must be an object', instead: { name: '-' } });
  const part: CardPart = { ...list, source, path: `${list.path}${index}.` };
  return {
    ...source,
    name: readText(part, 'name', { fallback: null }),
    description: readText(part, 'description', { fallback: '', bytesMax: DESCRIPTION_BYTES_MAX }),
    input_schema: readSchema(part, 'input_schema'),
    output_schema: readSchema(part, 'output_schema'),
  };
}

function readSchema(part: CardPart, key: string): JsonObject | string {
  const value = part.source[key] ?? {};
  if (typeof value === 'string' || isJsonObject(value)) return value;
  return complain(part, key, { problem: 'must be an object or a string', instead: {} });
}

/** The type alone stands for an object with nothing but the type. */
function readAuth(part: CardPart): AgentAuth {
  const { auth } = part.source;
  const source: JsonObject = typeof auth === 'string' ? { type: auth } : readObject(part, 'auth');
  const nested: CardPart = { ...part, source, path: `${part.path}auth.` };
  return { ...source, type: readChoice(nested, 'type', { choices: AUTH_TYPES, fallback: 'none' }) };
}

function tellPlaces(found: ProblemList): readonly string[] {
  return found.toArray().map(({ pointer, message }) => `${message} (at ${pointer})`);
}

function refuse(problems: readonly string[]): ReadCard {
  return { ok: false, problems };
}

export const CARD_BYTES_MAX = 256 * 1024;
const DESCRIPTION_BYTES_MAX = 64 * 1024;
const URI_BYTES_MAX = 2048;
const SKILLS_MAX = 1000;
const PROTOCOLS_MAX = 64;
const TOOLS_MAX = 1000;
