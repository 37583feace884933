import { revokeToken as revoke } from '../../../shared/engine/tokens/revoke-token.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { idParam } from '../../schemas/params.ts';
import { shapeToken, tokenShape } from './token-shape.ts';

export const revokeToken = defineEndpoint({
  name: 'revoke-token',
  method: 'DELETE',
  path: '/tokens/:id',
  access: 'operate',
  summary: 'Revokes a token',
  note:
    'Takes effect at once in the process that answers, and within seconds in all others. A ' +
    'second revocation changes nothing.',
  params: idParam('Token id.'),
  replies: { 200: tokenShape },
  errors: [404],
  async handle({ params, caller }, { engine, authenticator }) {
    const row = await revoke(engine, caller, { tokenId: params.id });
    authenticator.forget();
    return { status: 200, body: shapeToken(row) };
  },
});
