/** The line that our hook writes. GitHub does not print it as a remote message. */
const REFUSED_LINE = /refused: (?<reason>[^\n]*)\n/u;

/** Bands of git's side-band protocol. */
const STATUS_BAND = 1;
const MESSAGE_BAND = 2;

/**
 * `git receive-pack` always reports "pre-receive hook declined". GitHub puts its own reason there and clients read it,
 * so the status lines of a refused push are rewritten.
 */
export function withRefusalReason(answer: Buffer): Buffer {
  const packets = splitPackets(answer);
  // Git splits a hook's output at arbitrary places.
  const messages = Buffer.concat(packets.filter((packet) => packet?.[0] === MESSAGE_BAND).map(toPayload)).toString();
  const reason = REFUSED_LINE.exec(messages)?.groups?.['reason'];
  if (reason === undefined) return answer;
  const shown = messages.replace(REFUSED_LINE, '');
  const rest = packets.filter((packet) => packet?.[0] !== MESSAGE_BAND);
  return Buffer.concat([
    shown === '' ? Buffer.alloc(0) : toBand(MESSAGE_BAND, Buffer.from(shown)),
    ...rest.map((packet) => {
      const isStatus = packet?.[0] === STATUS_BAND;
      return isStatus ? toBand(STATUS_BAND, rewriteStatus(toPayload(packet), reason)) : toPacket(packet);
    }),
  ]);
}

function toPayload(packet: Buffer | null): Buffer {
  return packet?.subarray(1) ?? Buffer.alloc(0);
}

function toBand(band: number, payload: Buffer): Buffer {
  return toPacket(Buffer.concat([Buffer.from([band]), payload]));
}

function rewriteStatus(status: Buffer, reason: string): Buffer {
  const lines = splitPackets(status).map((line) => {
    const text = line?.toString('utf8').replace('pre-receive hook declined', reason);
    return toPacket(text === undefined ? null : Buffer.from(text));
  });
  return Buffer.concat(lines);
}

/** The payloads of pkt-lines; null is a flush packet. */
function splitPackets(bytes: Buffer): readonly (Buffer | null)[] {
  const packets: (Buffer | null)[] = [];
  let offset = 0;
  while (offset + 4 <= bytes.length) {
    const length = Number.parseInt(bytes.subarray(offset, offset + 4).toString('latin1'), 16);
    packets.push(length < 4 ? null : bytes.subarray(offset + 4, offset + length));
    offset += Math.max(length, 4);
  }
  return packets;
}

function toPacket(payload: Buffer | null): Buffer {
  if (payload === null) return Buffer.from('0000');
  return Buffer.concat([Buffer.from((payload.length + 4).toString(16).padStart(4, '0')), payload]);
}
