/** Computes the value of a key once and shares it between all callers. A failure is cached too. */
export type Memo<Value> = (key: string, make: () => Promise<Value>) => Promise<Value>;

export function createMemo<Value>(): Memo<Value> {
  const made = new Map<string, Promise<Value>>();
  return (key, make) => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  };
}
