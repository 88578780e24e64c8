/**
 * `git receive-pack` can only say "pre-receive hook declined". GitHub gives its reason in that place,
 * and programs read it there, so the answer's status lines are rewritten.
 */
export function withRefusalReason(answer: Buffer, reason: string): Buffer {
  const rewritten: Buffer[] = [];
  for (const packet of splitPackets(answer)) {
    const isStatus = packet !== null && packet[0] === 1;
    rewritten.push(
      toPacket(isStatus ? Buffer.concat([Buffer.from([1]), rewriteStatus(packet.subarray(1), reason)]) : packet),
    );
  }
  return Buffer.concat(rewritten);
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
