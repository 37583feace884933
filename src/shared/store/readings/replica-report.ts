/** Where a read that may lag went, and why. */
export type ReplicaRead =
  | 'replica'
  /** To the primary: for some time nobody has asked how far the replica is, or it is just behind. */
  | 'unmeasured'
  /** To the primary: the replica is further behind than it may be. */
  | 'lagging'
  /** To the primary: the replica does not answer. */
  | 'unreachable'
  /** To the primary: no connection to the replica became free soon. */
  | 'busy'
  /** To the primary: the replica is not one of this database, or does not say how far it is. */
  | 'unfit'
  /** Refused by the replica because its replay needs the rows, and then read from the primary. */
  | 'conflict';

export type ReplicaState = 'used' | 'lagging' | 'unreachable' | 'unfit';

export interface ReplicaReport {
  read(outcome: ReplicaRead): void;
  /** Only when the state has changed. */
  changed(state: ReplicaState, reason: string): void;
}
