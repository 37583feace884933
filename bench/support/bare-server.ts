import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * An HTTP server that only reads a body and returns the same few bytes of JSON. A workload forks it
 * and gives it a port.
 */

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end('{"completed":true,"work_item_id":"00000000-0000-0000-0000-000000000000"}');
  });
});
server.listen({ port: Number(process.argv[2]), host: '127.0.0.1' }, () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.once('disconnect', () => process.exit(0));
