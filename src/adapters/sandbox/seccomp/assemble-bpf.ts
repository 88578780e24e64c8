import { InvariantError } from '../../../core/model/errors.ts';

/**
 * One line of a classic BPF program. A jump names the label to go to if its condition holds; otherwise the next line follows.
 * Jumps lead forward only.
 */
export type BpfLine =
  /** Loads 32 bits at `offset` of the data. */
  | { readonly op: 'load'; readonly offset: number }
  | {
      readonly op: 'jump_if_equal' | 'jump_if_at_least' | 'jump_if_any_bit';
      readonly value: number;
      readonly to: string;
    }
  | { readonly op: 'jump'; readonly to: string }
  | { readonly op: 'label'; readonly name: string }
  | { readonly op: 'return'; readonly value: number };

/** BPF_LD|BPF_W|BPF_ABS, BPF_JMP with JEQ, JGE, JSET and JA (each with BPF_K), BPF_RET|BPF_K: see linux/bpf_common.h. */
const CODES = {
  load: 0x20,
  jump_if_equal: 0x15,
  jump_if_at_least: 0x35,
  jump_if_any_bit: 0x45,
  jump: 0x05,
  return: 0x06,
} as const;

const INSTRUCTION_BYTES = 8;
/** The distance of a conditional jump is stored in one byte. */
const MAX_DISTANCE = 255;

/** The bytes of the program as the kernel reads them (`struct sock_filter`, little-endian). @throws InvariantError */
export function assembleBpf(lines: readonly BpfLine[]): Uint8Array {
  const labels = findLabels(lines);
  const instructions = lines.filter((line) => line.op !== 'label');
  const bytes = new DataView(new ArrayBuffer(instructions.length * INSTRUCTION_BYTES));
  for (const [index, line] of instructions.entries()) {
    const { jumpIfTrue, value } = toFields(line, (label) => findDistance(labels, label, index));
    const at = index * INSTRUCTION_BYTES;
    bytes.setUint16(at, CODES[line.op], true);
    bytes.setUint8(at + 2, jumpIfTrue);
    bytes.setUint32(at + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

/** The index of the instruction behind each label. */
function findLabels(lines: readonly BpfLine[]): ReadonlyMap<string, number> {
  const labels = new Map<string, number>();
  let index = 0;
  for (const line of lines) {
    if (line.op === 'label') labels.set(line.name, index);
    else index += 1;
  }
  return labels;
}

function toFields(
  line: Exclude<BpfLine, { readonly op: 'label' }>,
  distanceTo: (label: string) => number,
): { readonly jumpIfTrue: number; readonly value: number } {
  switch (line.op) {
    case 'load':
      return { jumpIfTrue: 0, value: line.offset };
    case 'jump':
      return { jumpIfTrue: 0, value: distanceTo(line.to) };
    case 'return':
      return { jumpIfTrue: 0, value: line.value };
    default:
      return { jumpIfTrue: distanceTo(line.to), value: line.value };
  }
}

function findDistance(labels: ReadonlyMap<string, number>, label: string, from: number): number {
  const distance = (labels.get(label) ?? -1) - from - 1;
  if (distance < 0 || distance > MAX_DISTANCE) throw new InvariantError(`no jump leads to ${JSON.stringify(label)}`);
  return distance;
}
