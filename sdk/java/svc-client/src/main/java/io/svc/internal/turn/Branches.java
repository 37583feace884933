package io.svc.internal.turn;

import io.svc.functions.Branch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/** Branches of one call, each on a fiber and under a scope of its own. */
final class Branches<T> {
  private final Fibers fibers;
  private final Scope scope;
  private final String identity;
  private final Waiter<Integer> waiter;
  private final List<Scope> scopes = new ArrayList<>();
  private final List<T> results;
  private final Iterator<? extends Branch<? extends T>> left;
  private int unfinished;
  private boolean isFailed;

  Branches(
      Fibers fibers,
      Fibers.Fiber parent,
      String identity,
      Collection<? extends Branch<? extends T>> branches) {
    this.fibers = fibers;
    this.scope = parent.scope();
    this.identity = identity;
    this.waiter = new Waiter<>(fibers, parent);
    this.results = new ArrayList<>(Collections.nCopies(branches.size(), null));
    this.left = branches.iterator();
    this.unfinished = branches.size();
  }

  /** All results, or the first exception. So many branches run at the same time. */
  List<T> all(int concurrency) throws Exception {
    if (unfinished == 0) {
      return List.of();
    }
    for (int begun = 0; begun < concurrency && left.hasNext(); begun++) {
      beginNext(this::finishOne);
    }
    try {
      waiter.await();
      return results;
    } catch (Failed failed) {
      throw failed.ofBranch();
    }
  }

  /** The result of the first that ends; then the others end. */
  T first() throws Exception {
    if (unfinished == 0) {
      throw new IllegalArgumentException("a race needs at least one branch");
    }
    while (left.hasNext()) {
      beginNext(waiter::succeed);
    }
    try {
      int winner = waiter.await();
      abandonAllBut(winner);
      return results.get(winner);
    } catch (Failed failed) {
      abandonAllBut(failed.at);
      throw failed.ofBranch();
    }
  }

  private interface Finish {
    void finish(int at);
  }

  private void beginNext(Finish finish) {
    int at = scopes.size();
    Branch<? extends T> branch = left.next();
    Scope own = scope.branch(identity, at);
    scopes.add(own);
    fibers.begin(own, () -> run(branch, at, finish));
  }

  private void run(Branch<? extends T> branch, int at, Finish finish) {
    try {
      results.set(at, branch.run());
    } catch (TurnSignal.Abandoned signal) {
      throw signal;
    } catch (Throwable error) {
      isFailed = true;
      waiter.fail(new Failed(at, error));
      return;
    }
    finish.finish(at);
  }

  private void finishOne(int at) {
    unfinished--;
    if (unfinished == 0) {
      waiter.succeed(at);
    } else if (left.hasNext() && !isFailed) {
      beginNext(this::finishOne);
    }
  }

  private void abandonAllBut(int winner) {
    for (int at = 0; at < scopes.size(); at++) {
      if (at != winner) {
        scopes.get(at).abandon();
      }
    }
    fibers.endAbandoned();
  }

  /** Says which branch has thrown. */
  private static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int at;

    Failed(int at, Throwable cause) {
      super(cause);
      this.at = at;
    }

    private Exception ofBranch() {
      if (getCause() instanceof Exception error) {
        return error;
      }
      throw (Error) getCause();
    }
  }
}
