/** Records of one kind in the store, by their keys. */
export interface Records<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, record: T): Promise<void>;
  delete(key: string): Promise<boolean>;
  entries(): AsyncIterable<[string, T]>;
}
