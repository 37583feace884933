/** Source of new identifiers. */
export interface Ids {
  /** A fresh UUIDv7, hyphenated lowercase. */
  uuid(): string;
}
