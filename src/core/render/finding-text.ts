import type { Finding } from '../model/finding.ts';

const MAX_PLACES = 20;

/** What a finding says, for people: the name of the test, the message, and the further places. */
export function toFindingText({ testId, path, message, otherPlaces = [] }: Finding): string {
  const isNamed = testId !== null && testId !== path && !message.startsWith(testId);
  const places = otherPlaces.map((place) => `${place.path}${place.line === null ? '' : `:${String(place.line)}`}`);
  const more = places.length > MAX_PLACES ? ` and ${String(places.length - MAX_PLACES)} more` : '';
  const also = places.length === 0 ? '' : ` (also at ${places.slice(0, MAX_PLACES).join(', ')}${more})`;
  return `${isNamed ? `${testId}: ` : ''}${message}${also}`;
}
