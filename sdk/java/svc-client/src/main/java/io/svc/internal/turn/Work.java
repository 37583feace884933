package io.svc.internal.turn;

/** A step to run once the replay is over. */
interface Work {
  Scope scope();

  /** On a thread of its own. Gives what is then to be done on the thread of the turn. */
  Runnable run();
}
