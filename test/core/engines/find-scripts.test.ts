import { describe, expect, it } from 'vitest';
import { addScripts, escapeGlob, listNameless } from '../../../src/core/engines/find-scripts.ts';
import { createGlobMatcher } from '../../../src/core/engines/glob-matcher.ts';
import { aSpec } from '../../support/plan-builders.ts';

const spec = { ...aSpec(), globs: ['**/*.sh'], interpreters: ['sh', 'bash'] };

describe('scripts without an extension', () => {
  it.each([
    '#!/bin/sh',
    '#!/bin/bash -e',
    '#! /usr/bin/env bash',
    '#!/usr/bin/env -S bash -eu',
    '#!/usr/bin/env LANG=C sh',
    '#!/usr/local/bin/bash',
  ])('are found by %s (E17)', (line) => {
    const { globs } = addScripts(spec, { 'bin/run': `${line}\necho\n` });

    expect(globs).toEqual(['**/*.sh', 'bin/run']);
  });

  it.each([
    '#!/usr/bin/env python3',
    '#!/usr/bin/zsh',
    '# !/bin/sh',
    'echo',
    '',
    '#!',
    '#!/bin/shx',
    '#!/usr/bin/env node bash',
  ])('are not those that begin with %j (E17)', (line) => {
    expect(addScripts(spec, { 'bin/run': `${line}\n#!/bin/sh\n` })).toBe(spec);
  });

  it('are no files with an extension, and none that cannot be read', () => {
    expect(listNameless(['a', 'a.b/c', 'd.sh', '.husky/pre-commit', '.bashrc', 'x/.a.b', 'e.'])).toEqual([
      'a',
      'a.b/c',
      '.husky/pre-commit',
      '.bashrc',
    ]);
    expect(addScripts(spec, { a: null })).toBe(spec);
    const other = aSpec();
    expect(addScripts(other, { a: '#!/bin/sh' })).toBe(other);
  });

  it('are matched by their own path alone', () => {
    const { globs } = addScripts(spec, { 'bin/[a]*': '#!/bin/sh' });

    expect(['bin/[a]*', 'bin/a', 'bin/aa', 'bin/x.sh'].filter(createGlobMatcher(globs))).toEqual([
      'bin/[a]*',
      'bin/x.sh',
    ]);
    expect(escapeGlob('a/b')).toBe('a/b');
  });
});
