/** Client, workers and durable functions of svc, without dependencies. */
module io.svc.client {
  requires java.net.http;
  // For sun.misc.Signal: see io.svc.internal.Signals.
  requires jdk.unsupported;

  exports io.svc.client;
  exports io.svc.errors;
  exports io.svc.functions;
  exports io.svc.json;
  exports io.svc.testing;
  exports io.svc.worker;
}
