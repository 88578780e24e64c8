/** Splits a stream of server-sent events into the data of its events. */
export interface SseEvents {
  /** The data of the events that are complete now. */
  readonly push: (text: string) => readonly SseEvent[];
}

export interface SseEvent {
  readonly data: string;
  /** The event was too long, and `data` is only its beginning. */
  readonly isCut: boolean;
}

const CUT_LENGTH = 1024;

/** Keeps at most `maxLength` characters of one event; a longer one is cut to its beginning. */
export function createSseEvents(maxLength: number): SseEvents {
  let line = '';
  let data = '';
  let isCut = false;

  /** Adds to the current line. Of an event that is too long, only the beginning is kept. */
  function grow(text: string): void {
    if (isCut && line.length >= CUT_LENGTH) return;
    line += text;
    isCut ||= line.length + data.length > maxLength;
    if (!isCut) return;
    line = line.slice(0, CUT_LENGTH);
    data = data.slice(0, CUT_LENGTH);
  }

  function endLine(): SseEvent | null {
    const ended = line;
    line = '';
    if (ended === '') return endEvent();
    if (ended.startsWith('data:') && !(isCut && data !== '')) {
      const value = ended.slice(ended.startsWith('data: ') ? 6 : 5);
      data = data === '' ? value : `${data}\n${value}`;
    }
    return null;
  }

  function endEvent(): SseEvent | null {
    const event = { data, isCut };
    data = '';
    isCut = false;
    return event.data === '' ? null : event;
  }

  return {
    push: (text) => {
      const events: SseEvent[] = [];
      let from = 0;
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
        grow(text.slice(from, text[at - 1] === '\r' && at > from ? at - 1 : at));
        if (line.endsWith('\r')) line = line.slice(0, -1);
        const event = endLine();
        if (event !== null) events.push(event);
        from = at + 1;
      }
      grow(text.slice(from));
      return events;
    },
  };
}
