/** A system call as the kernel shows it to a filter. Arguments are 64 bits wide. */
export interface SystemCall {
  readonly number: number;
  readonly architecture: number;
  readonly arguments?: readonly bigint[];
}

/** `struct seccomp_data`: number, architecture, instruction pointer, six arguments. */
function toData(call: SystemCall): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  for (const [index, value] of (call.arguments ?? []).entries()) data.setBigUint64(16 + 8 * index, value, true);
  return data;
}

/** Runs a classic BPF program as the kernel does, and returns what it returns. Throws for a program that the kernel refuses. */
export function runBpf(program: Uint8Array, call: SystemCall): number {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const data = toData(call);
  let accumulator = 0;
  for (let index = 0; index * 8 < program.byteLength; index += 1) {
    const value = code.getUint32(index * 8 + 4, true);
    const [ifTrue, ifFalse] = [code.getUint8(index * 8 + 2), code.getUint8(index * 8 + 3)];
    switch (code.getUint16(index * 8, true)) {
      case 0x20:
        accumulator = data.getUint32(value, true);
        break;
      case 0x15:
        index += accumulator === value ? ifTrue : ifFalse;
        break;
      case 0x35:
        index += accumulator >= value ? ifTrue : ifFalse;
        break;
      case 0x45:
        index += (accumulator & value) === 0 ? ifFalse : ifTrue;
        break;
      case 0x05:
        index += value;
        break;
      case 0x06:
        return value;
      default:
        throw new Error(`instruction ${String(index)} is unknown`);
    }
  }
  throw new Error('the program ends without a result');
}
