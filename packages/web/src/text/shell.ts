// Lines for a POSIX shell.

/** One word of a shell, whatever is in it. */
export const shellQuoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
