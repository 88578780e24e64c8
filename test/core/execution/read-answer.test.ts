import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/core/execution/read-answer.ts';

describe('readAnswer', () => {
  it.each([
    ['yes please ', [], 'yes please'],
    ['', [], null],
    ['  ', [], null],
    ['x'.repeat(10_001), [], null],
    ['Yes', ['yes', 'no'], 'yes'],
    ['2', ['yes', 'no'], 'no'],
    ['0', ['yes', 'no'], null],
    ['3', ['yes', 'no'], null],
    ['-1', ['yes', 'no'], null],
    ['maybe', ['yes', 'no'], null],
    ['', ['yes', 'no'], null],
    // What a person reads counts more than its place.
    ['1', ['2', '1'], '1'],
  ] as const)('(004.R36) takes %j among %j as %j', (line, choices, answer) => {
    expect(readAnswer(line, choices)).toBe(answer);
  });
});
