/**
 * A map of at most `sizeMax` entries. To set a key makes its entry the newest; when the map is full,
 * the oldest entry leaves.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    super();
    this.#sizeMax = sizeMax;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.#sizeMax) {
      const oldest = this.keys().next();
      if (oldest.done !== true) this.delete(oldest.value);
    }
    return super.set(key, value);
  }
}
