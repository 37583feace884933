import { z } from 'zod';

import {
  GRACE_SECONDS_MAX,
  rotateToken as rotate,
} from '../../../shared/engine/tokens/rotate-token.ts';
import { defineEndpoint } from '../../endpoint.ts';
import { idParam } from '../../schemas/params.ts';
import { queryInteger } from '../../schemas/query.ts';
import { shapeToken, tokenShape } from './token-shape.ts';

export const rotateToken = defineEndpoint({
  name: 'rotate-token',
  method: 'POST',
  path: '/tokens/:id/rotate',
  access: 'operate',
  summary: 'Replaces a token with a new one',
  note:
    'The new token has the name, role and lifetime of the old one; only this answer shows ' +
    '`token`. The old one is revoked at once, or stays valid for `grace_seconds`. A token is ' +
    'rotated once: a rotated, revoked or expired one gives 409.',
  params: idParam('Token id.'),
  query: z.object({
    grace_seconds: queryInteger({
      min: 0,
      fallback: 0,
      clampTo: GRACE_SECONDS_MAX,
      description: 'How long both tokens are accepted.',
    }),
  }),
  replies: { 201: tokenShape.extend({ token: z.string(), replaced: tokenShape }) },
  errors: [404, 409],
  async handle({ params, query, caller }, deps) {
    const { row, old, plaintext } = await rotate(deps.engine, caller, {
      tokenId: params.id,
      graceMs: query.grace_seconds * 1000,
    });
    deps.authenticator.forget();
    return {
      status: 201,
      body: { ...shapeToken(row), token: plaintext, replaced: shapeToken(old) },
    };
  },
});
