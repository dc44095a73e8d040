/** A map that forgets its oldest keys beyond `limit`, in order of first insertion. */
export class BoundedMap<V> extends Map<string, V> {
  constructor(private readonly limit: number) {
    super();
  }

  override set(key: string, value: V): this {
    super.set(key, value);
    if (this.size > this.limit) {
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    }
    return this;
  }
}
