// Ties a program to this process: whatever ends this one, a SIGKILL too, ends it.

/**
 * What is put before a program and its arguments. Everything before it must become the next by exec, since the kernel ends what this
 * process itself started. A change of user forgets the tie (prctl(2)): it belongs into `setpriv`'s own options.
 *
 * The shell asks for the parent, because one that died in the moment before the tie was made sends no signal any more: another
 * process stands in its place then.
 *
 * @param setpriv path of the program
 * @param options of it, such as another user
 */
export function endsWithUs(setpriv: string, options: readonly string[] = []): string[] {
  return [setpriv, ...options, '--pdeathsig', 'KILL', '--', 'sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"', String(process.pid)];
}

/** Options of `setpriv` for a program that is another user: it has no right, and nothing that it starts gets one. */
export const rightless = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'] as const;
