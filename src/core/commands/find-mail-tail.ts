/** `-----Original Message-----`, and what it is in other languages. */
const SEPARATOR = /^\s*[*_]{0,2}[-‐–—]{4,}\s*\p{L}[\p{L}\p{M}'’ ]{1,60}[-‐–—]{4,}[*_]{0,2}\s*$/u;
/** "wrote" as mail programs say it. */
const WROTE =
  /(?:^|[^\p{L}])(?:wrote|schrieb|a écrit|escribió|escreveu|ha scritto|scrisse|schreef|napisał|napisała|написал|написала|пишет|писал|написав|skrev|kirjoitti|napsal|napsala|napísal|yazdı|írta|a scris|έγραψε|написа|napisao|napisal|menulis|đã viết)(?:$|[^\p{L}])|写道|寫道|작성|썼습니다|書きました|のメール|のメッセージ/iu;
const MAIL_ADDRESS = /\S@\S/u;
const TIME = /(?:^|\D)\d{1,2}[:.hH時시点]\s?\d{2}(?:\D|$)/u;
const DATE = /\d/u;
/** "From:" as mail programs say it, and any other line of a header. */
const FROM =
  /^\s*[*_]{0,2}(?:From|Von|De|Da|Van|Od|От|Від|Från|Fra|Lähettäjä|Feladó|Odesílatel|Odosielateľ|Kimden|Gönderen|Από|Expéditeur|Remitente|Mittente|Afzender|Nadawca|差出人|送信者|发件人|寄件者|寄件人|보낸 사람|보낸사람)\s?[*_]{0,2}\s?[:：]/iu;
const HEADER = /^\s*[*_]{0,2}\p{L}[\p{L}\p{M} .'-]{0,30}[*_]{0,2}\s?[:：]\s?[*_]{0,2}\s*\S/u;
/** Lines over which mail programs wrap an attribution. */
const MAX_WRAP = 3;
/** Lines of a header that make it one, "From:" included. */
const MIN_HEADER = 3;

/**
 * Index of the first line that a mail program quoted without `>`, or null. Everything below is another person's mail. Where the
 * quoted lines have a `>`, the lines between them are the sender's own, so there is no such tail. `isPlain` says whether the
 * text at an offset stands outside of code.
 */
export function findMailTail(lines: readonly string[], isPlain: (offset: number) => boolean): number | null {
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    const start = findStart(lines, index, line);
    if (start !== null && isPlain(offset) && !isQuoteNext(lines, start)) return start;
    offset += line.length + 1;
  }
  return null;
}

/** The first line of the quoted mail, if the line at `index` introduces it. */
function findStart(lines: readonly string[], index: number, line: string): number | null {
  if (SEPARATOR.test(line) || isAttribution(lines, index, line)) return index + 1;
  if (!FROM.test(line)) return null;
  const end = lines.findIndex((next, at) => at > index && !HEADER.test(next));
  const below = end === -1 ? lines.length : end;
  return below - index >= MIN_HEADER ? below : null;
}

/** Whether a line ends "On …, NAME wrote:" in one of its forms. It has a colon at its end, and up to two lines before it belong to it. */
function isAttribution(lines: readonly string[], index: number, line: string): boolean {
  if (!/[:：]\s*$/u.test(line)) return false;
  const before = lines.slice(Math.max(0, index - MAX_WRAP + 1), index + 1);
  const text = before.slice(before.findLastIndex((line) => line.trim() === '') + 1).join(' ');
  if (text.length > 400 || !DATE.test(text)) return false;
  const signs = [WROTE.test(text), MAIL_ADDRESS.test(text), TIME.test(text)].filter((is) => is);
  return signs.length >= 2;
}

function isQuoteNext(lines: readonly string[], start: number): boolean {
  const next = lines.find((line, at) => {
    return at >= start && line.trim() !== '' && !HEADER.test(line) && !isAttribution(lines, at, line);
  });
  return next?.trimStart().startsWith('>') === true;
}
