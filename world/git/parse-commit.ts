import type { Commit, Signature } from './commit.ts';
import type { GitObject } from './object-reader.ts';

const PERSON = /^(?<name>.*?) ?<(?<email>[^>]*)> (?<seconds>\d+) (?<zone>[+-]\d{4})$/u;

/** A commit from its object. Throws if the object is none. */
export function parseCommit({ sha, bytes }: Pick<GitObject, 'sha' | 'bytes'>): Commit {
  const text = bytes.toString('utf8');
  const end = text.indexOf('\n\n');
  // The lines of a signature start with a space.
  const headers = text.slice(0, end).split('\n');
  const valuesOf = (key: string): readonly string[] =>
    headers.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []));
  const [treeSha] = valuesOf('tree');
  const [author] = valuesOf('author').map(parsePerson);
  const [committer] = valuesOf('committer').map(parsePerson);
  if (treeSha === undefined || author === undefined || committer === undefined) throw new Error(`No commit ${sha}`);
  const message = text.slice(end + 2).replace(/\n+$/u, '');
  return { sha, treeSha, parents: valuesOf('parent'), author, committer, message };
}

function parsePerson(text: string): Signature {
  const { name = '', email = '', seconds = '0', zone = '+0000' } = PERSON.exec(text)?.groups ?? {};
  return { name, email, date: toDate(Number(seconds), zone) };
}

/** ISO 8601 in the zone of the person, as `git log --format=%aI` prints it. */
function toDate(seconds: number, zone: string): string {
  const hours = zone.slice(0, 3);
  const minutes = zone.slice(3);
  const offset = Math.sign(Number(`${zone[0] ?? ''}1`)) * (Number(zone.slice(1, 3)) * 60 + Number(minutes));
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
  return `${local}${hours}:${minutes}`;
}
