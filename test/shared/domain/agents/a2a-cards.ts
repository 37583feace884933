import type { JsonObject } from '../../../../src/shared/domain/json.ts';

/** One agent's card in the form of each A2A version. */

const skill = {
  id: 'route-optimizer',
  name: 'Route Optimizer',
  description: 'Finds the shortest route.',
  tags: ['maps'],
  examples: ['from A to B'],
};

const common = {
  name: 'Router',
  description: 'Plans routes.',
  version: '1.2.0',
  defaultInputModes: ['application/json'],
  defaultOutputModes: ['application/json'],
  skills: [skill],
};

export const ADDRESS = 'https://router.example.com/a2a/v1';

export const A2A_CARDS: Readonly<Record<'0.1' | '0.2' | '0.3' | '1.0', JsonObject>> = {
  '0.1': {
    ...common,
    url: ADDRESS,
    capabilities: { streaming: true },
    authentication: { schemes: ['Bearer'] },
  },
  '0.2': {
    ...common,
    url: ADDRESS,
    capabilities: { streaming: true, stateTransitionHistory: false },
    securitySchemes: {
      google: { type: 'openIdConnect', openIdConnectUrl: 'https://accounts.example.com/' },
      bearer: { type: 'http', scheme: 'bearer' },
    },
    security: [{ bearer: [] }],
    supportsAuthenticatedExtendedCard: true,
  },
  '0.3': {
    ...common,
    protocolVersion: '0.3.0',
    url: ADDRESS,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url: 'https://router.example.com/grpc', transport: 'GRPC' }],
    capabilities: { streaming: true, pushNotifications: true },
    securitySchemes: { bearer: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' } },
    security: [{ bearer: [] }],
  },
  '1.0': {
    ...common,
    supportedInterfaces: [
      { url: ADDRESS, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      {
        url: 'https://router.example.com/rest',
        protocolBinding: 'HTTP+JSON',
        protocolVersion: '1.0',
      },
    ],
    capabilities: { streaming: true, extendedAgentCard: true },
    securitySchemes: {
      key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
      bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  },
};
