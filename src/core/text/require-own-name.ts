import { InvariantError } from '../model/errors.ts';

/** A file name of ours, never a path: what comes from outside is not allowed to choose where a file lies. */
export function requireOwnName(name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u.test(name))
    throw new InvariantError(`not a file name of ours: ${JSON.stringify(name)}`);
  return name;
}
