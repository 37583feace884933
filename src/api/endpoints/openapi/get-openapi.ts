import { anyObject } from '../../schemas/json-values.ts';
import { defineEndpoint } from '../../endpoint.ts';

export const getOpenApi = defineEndpoint({
  name: 'get-openapi',
  method: 'GET',
  path: '/openapi.json',
  access: 'read',
  summary: 'Describes this API as an OpenAPI 3.1 document',
  replies: { 200: anyObject },
  async handle(_request, deps) {
    return { status: 200, body: deps.openApi() };
  },
});
