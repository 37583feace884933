import test from 'ava';

import { formatSecret, signMessage } from '../../../../src/shared/engine/webhooks/sign-message.ts';

test('a message is signed as the reference implementations of the scheme sign it', (t) => {
  const headers = signMessage({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  });
  t.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('a secret is its prefix and the key in base64', (t) => {
  t.is(formatSecret(new Uint8Array(32).fill(255)), `whsec_${'/'.repeat(42)}8=`);
});
