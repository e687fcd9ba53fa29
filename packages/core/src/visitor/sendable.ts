// What can be sent as it is: Chrome leaves a request without an answer whose headers it can't write.

/** @returns what is wrong with a header's value, behind its name; undefined: nothing */
export const headerValueProblem = (value: string): string | undefined =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
  /[\0-\x08\x0a-\x1f\x7f]/.test(value) ? 'has a line break or another control character; expected one line of text' : undefined;

/** The same of a cookie's value: RFC 6265, section 4.1.1, as browsers read it. */
export function cookieValueProblem(value: string, name = ''): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
  if (/[\0-\x1f\x7f;]/.test(value)) return 'has a line break, a semicolon or a control character; expected text without';
  const bytes = new TextEncoder().encode(name + value).length;
  return bytes > mostCookieBytes
    ? `has ${bytes} bytes, name and value together; browsers take ${mostCookieBytes.toLocaleString('en')} at most`
    : undefined;
}

/** RFC 6265bis, section 5.6. */
const mostCookieBytes = 4096;

/** Of a connection, or made by Chrome itself, which refuses each request that brings its own. */
const ofConnection = new Set('connection content-length cookie2 expect host keep-alive te trailer transfer-encoding upgrade'.split(' '));

/** @returns what is wrong with a header of this name; undefined: nothing */
export const headerNameProblem = (name: string): string | undefined =>
  ofConnection.has(name.toLowerCase())
    ? 'is of the connection, and a browser makes it by itself; expected a header of the page’s own'
    : undefined;

/** @returns what is wrong with a cookie of this name; undefined: nothing */
export const cookieNameProblem = (name: string): string | undefined =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for
  /[\0-\x1f\x7f=;]|^\s|\s$/.test(name) ? 'is no name of a cookie: it has =, ; or a control character, or a space around it' : undefined;
