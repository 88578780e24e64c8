/** Makes the value of a key once, and gives it to all who ask. A failure is remembered, too. */
export type Memo<Value> = (key: string, make: () => Promise<Value>) => Promise<Value>;

/** An empty one. */
export function createMemo<Value>(): Memo<Value> {
  const made = new Map<string, Promise<Value>>();
  return (key, make) => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  };
}
