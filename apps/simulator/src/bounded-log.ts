/** A list in order of arrival that forgets its oldest items beyond `limit`. Adding is O(1) on average. */
export class BoundedLog<T> {
  private items: T[] = [];
  private start = 0;

  constructor(
    private readonly limit: number,
    private readonly forget: (item: T) => void = () => undefined,
  ) {}

  add(item: T): void {
    this.items.push(item);
    if (this.items.length - this.start <= this.limit) return;
    this.forget(this.items[this.start]!);
    this.start += 1;
    // Shifting one by one would move the whole array per call.
    if (this.start > this.limit) {
      this.items = this.items.slice(this.start);
      this.start = 0;
    }
  }

  all(): T[] {
    return this.items.slice(this.start);
  }

  clear(): void {
    this.items = [];
    this.start = 0;
  }
}
