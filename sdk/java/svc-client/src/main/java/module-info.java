/** Client, workers and durable functions of svc, without dependencies. */
module io.svc.client {
  requires transitive java.net.http;

  exports io.svc.client;
  exports io.svc.errors;
  exports io.svc.functions;
  exports io.svc.json;
  exports io.svc.testing;
  exports io.svc.worker;
}
