import { describe, expect, it } from 'vitest';
import { parseCommands } from '../../../src/core/commands/parse-commands.ts';
import type { Command } from '../../../src/core/model/event.ts';
import { MAIL_INTRODUCTIONS, NO_INTRODUCTIONS, TYPED_FORMS } from './typed-forms.ts';

function toAsks(body: string): string {
  return parseCommands(body, { slug: 'ratchet-bot' })
    .map((command: Command) => ('args' in command ? command.name : '?'))
    .join(' ');
}

describe.each(Object.entries(TYPED_FORMS))('%s, as people type them (L14)', (_group, forms) => {
  it.each(forms)('%j asks for: %s', (body, asks) => {
    expect(toAsks(body)).toBe(asks);
  });
});

describe('a mail that answers another one (L14)', () => {
  it.each(MAIL_INTRODUCTIONS)('%j: what stands below is not carried out, and gets an answer', (introduction) => {
    expect(toAsks(`/ratchet retry\n\n${introduction}\n\nhello\n\n/ratchet stop\n\n/ratchet enable`)).toBe('retry ? ?');
  });

  it.each(MAIL_INTRODUCTIONS)('%j: the lines between quoted ones are the sender’s own', (introduction) => {
    expect(toAsks(`${introduction}\n\n> /ratchet stop\n> hello\n\n/ratchet enable`)).toBe('enable');
  });

  it.each(NO_INTRODUCTIONS)('%j introduces no mail', (line) => {
    expect(toAsks(`${line}\n\n/ratchet enable`)).toBe('enable');
  });

  it('may end with its header', () => {
    expect(toAsks('/ratchet enable\n\nFrom: Jane <j@example.com>\nTo: a/b\nSubject: Re: x')).toBe('enable');
  });

  it('is not introduced in code', () => {
    expect(toAsks('```\n-----Original Message-----\nx\n```\n\n/ratchet enable')).toBe('enable');
  });
});

describe('the tables', () => {
  it('hold more than 250 typed forms', () => {
    const forms = Object.values(TYPED_FORMS).flat();

    expect(forms.length + MAIL_INTRODUCTIONS.length).toBeGreaterThan(250);
    expect(new Set(forms.map(([body]) => body)).size).toBe(forms.length);
  });
});
