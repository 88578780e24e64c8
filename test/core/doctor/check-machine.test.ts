import { describe, expect, it } from 'vitest';
import {
  checkAgent,
  checkDataFolder,
  checkDisk,
  checkMergeTool,
  checkModelCall,
  checkRegistry,
  checkSandbox,
} from '../../../src/core/doctor/check-machine.ts';
import { checkCircuits, checkDatabase, checkSwitches } from '../../../src/core/doctor/check-stored.ts';
import { bad, type DoctorCheck, good, toDoctorExit, warn } from '../../../src/core/doctor/doctor-check.ts';
import { renderChecks } from '../../../src/core/doctor/render-checks.ts';
import type { DatabaseFacts, EntryFacts } from '../../../src/core/model/machine-facts.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

function toText(check: DoctorCheck): string {
  expect(check.fix === '').toBe(check.state === 'ok');
  return `${check.state} ${check.name}: ${check.detail}`;
}

describe('checkDisk', () => {
  const MANY = { freeInodes: 1_000_000, totalInodes: 2_000_000 };

  it.each([
    [{ ...MANY, freeBytes: 3 * GIB }, 'ok disk: 3.0 GiB, 1000000 inodes are free'],
    [{ ...MANY, freeBytes: 2 * GIB - 1 }, 'warn disk: 2.0 GiB, 1000000 inodes are free'],
    [{ ...MANY, freeBytes: GIB / 4 - 1 }, 'fail disk: 0.2 GiB, 1000000 inodes are free'],
    [{ ...MANY, freeBytes: 3 * GIB, freeInodes: 99_999 }, 'warn disk: 3.0 GiB, 99999 inodes are free'],
    [{ ...MANY, freeBytes: 3 * GIB, freeInodes: 9_999 }, 'fail disk: 3.0 GiB, 9999 inodes are free'],
    [{ freeBytes: 3 * GIB, freeInodes: 0, totalInodes: 0 }, 'ok disk: 3.0 GiB are free'],
  ])('judges %j', (facts, text) => {
    expect(toText(checkDisk(facts))).toBe(text);
  });
});

describe('checkDataFolder', () => {
  const FOLDER: EntryFacts = {
    ...{ kind: 'folder', isOwn: true, mode: 0o711, isReadable: true, isWritable: true, bytes: 0 },
  };

  it.each<readonly [EntryFacts | null, string]>([
    [FOLDER, 'ok data folder: "/data"'],
    [null, 'warn data folder: "/data" does not exist yet'],
    [{ ...FOLDER, kind: 'file' }, 'fail data folder: "/data" is no folder'],
    [{ ...FOLDER, isOwn: false }, 'fail data folder: "/data" belongs to another user'],
    [{ ...FOLDER, isWritable: false }, 'fail data folder: "/data" cannot be written'],
    [{ ...FOLDER, mode: 0o755 }, 'warn data folder: others can list or change "/data"'],
    [{ ...FOLDER, mode: 0o700 }, 'ok data folder: "/data"'],
  ])('judges %j', (entry, text) => {
    expect(toText(checkDataFolder('/data', entry))).toBe(text);
  });
});

describe('the checks of programs and services', () => {
  it.each([
    [checkSandbox({ kind: 'ok', profile: 'bubblewrap' }), 'ok sandbox: bubblewrap'],
    [checkSandbox({ kind: 'unavailable', why: 'no bwrap' }), 'fail sandbox: no bwrap'],
    [
      checkAgent({ name: 'a', kind: 'claude', check: { kind: 'ok', version: '2.1.332', isNewer: false } }),
      'ok agents: a (claude): 2.1.332',
    ],
    [
      checkAgent({ name: 'a', kind: 'command', check: { kind: 'ok', version: null, isNewer: false } }),
      'ok agents: a (command): without a version',
    ],
    [
      checkAgent({ name: 'a', kind: 'claude', check: { kind: 'ok', version: '3.0.0', isNewer: true } }),
      'warn agents: a (claude): 3.0.0 is newer than the versions that were tried',
    ],
    [
      checkAgent({ name: 'a', kind: 'codex', check: { kind: 'unavailable', why: 'not found' } }),
      'fail agents: a (codex): not found',
    ],
    [checkMergeTool({ kind: 'found', tool: { name: 'mergiraf', version: '0.9.0' } }), 'ok merge tool: mergiraf 0.9.0'],
    [checkMergeTool({ kind: 'off' }), 'ok merge tool: RATCHET_STRUCTURAL_MERGE=off'],
    [
      checkMergeTool({ kind: 'missing', isWanted: false, why: 'no' }),
      'ok merge tool: none (no); conflicts of code go to an agent',
    ],
    [checkMergeTool({ kind: 'missing', isWanted: true, why: 'no' }), 'fail merge tool: no'],
    [checkModelCall('a', { kind: 'ok', model: 'm' }), 'ok model: a: m answered'],
    [checkModelCall('a', { kind: 'failed', why: '401' }), 'fail model: a: 401'],
    [checkRegistry({ name: 'npm', host: 'r', status: 404, why: '' }), 'ok registries: npm (r): reachable'],
    [checkRegistry({ name: 'npm', host: 'r', status: 500, why: '' }), 'warn registries: npm (r): it answered 500'],
    [checkRegistry({ name: 'npm', host: 'r', status: null, why: 'no' }), 'warn registries: npm (r): no'],
  ])('say %#', (check, text) => {
    expect(toText(check)).toBe(text);
  });
});

describe('checkDatabase', () => {
  const FOUND: DatabaseFacts = {
    ...{ kind: 'found', bytes: 3 * MIB, integrity: 'ok' },
    ...{ schema: { applied: 9, known: 9, isKnown: true }, stored: null },
  };

  it.each<readonly [DatabaseFacts, string]>([
    [FOUND, 'ok database: 3.0 MiB, schema 9 of 9, no damage'],
    [{ kind: 'none' }, 'warn database: there is none yet'],
    [{ ...FOUND, integrity: 'row 1 missing' }, 'fail database: it is damaged: row 1 missing'],
    [{ ...FOUND, integrity: null }, 'warn database: 3.0 MiB, too large to be checked now'],
    [
      { ...FOUND, schema: { applied: 10, known: 9, isKnown: false } },
      'fail database: it was written by another, probably newer version of Ratchet',
    ],
    [{ ...FOUND, schema: { applied: 8, known: 9, isKnown: true } }, 'warn database: 3.0 MiB, schema 8 of 9'],
  ])('judges %j', (facts, text) => {
    expect(toText(checkDatabase(facts))).toBe(text);
  });
});

describe('checkCircuits', () => {
  it('names those that are open, and until when', () => {
    const circuits = [
      { agent: 'a', fault: 'auth', until: null },
      { agent: 'b', fault: 'overloaded', until: 60_001 },
      { agent: 'c', fault: 'overloaded', until: 60_000 },
    ];

    expect(checkCircuits(circuits, 60_000).map(toText)).toEqual([
      'warn circuits: the model of a is not called until its configuration changes (auth)',
      'warn circuits: the model of b is not called until 1970-01-01 00:01 UTC (overloaded)',
    ]);
    expect(checkCircuits(circuits.slice(2), 60_000).map(toText)).toEqual(['ok circuits: all are closed']);
  });
});

describe('checkSwitches', () => {
  it('names where agents are switched off, and why', () => {
    const off = { offSince: 0, reason: 'too\n"dear"' };

    expect(checkSwitches([]).map(toText)).toEqual(['ok switches: agents are switched on']);
    expect(
      checkSwitches([
        { ...off, repositoryId: null },
        { ...off, repositoryId: 7, reason: ' ' },
      ]).map(toText),
    ).toEqual([
      String.raw`warn switches: agents are switched off for all repositories since 1970-01-01 00:00 UTC: "too\n\"dear\""`,
      'warn switches: agents are switched off for the repository 7 since 1970-01-01 00:00 UTC',
    ]);
  });
});

describe('toDoctorExit', () => {
  const [ok, warning, failure] = [good('a', ''), warn('a', '', 'b'), bad('a', '', 'b')];

  it.each([
    [[ok], 0],
    [[ok, warning], 1],
    [[warning, failure, ok], 3],
    [[], 3],
  ])('of %j is %i', (checks, exit) => {
    expect(toDoctorExit(checks)).toBe(exit);
  });
});

describe('renderChecks', () => {
  it('is a table with what to do below a line, on which no text of others breaks out', () => {
    const checks = [good('git', '2.39'), bad('data folder', 'bad\n\u001B[2Jname', 'repair it')];

    expect(renderChecks(checks, (state, text) => `<${state}>${text}`)).toBe(
      [
        '<ok>ok    git          2.39',
        '<fail>fail  data folder  bad [2Jname',
        '                   repair it',
        '',
        '1 failure, 0 warnings, 1 ok',
        '',
      ].join('\n'),
    );
    expect(renderChecks([], (_state, text) => text)).toBe('\n\n0 failures, 0 warnings, 0 ok\n');
  });
});
