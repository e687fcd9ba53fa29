// Puts tc's lines on a shaper's devices in place of what is there, whoever runs tc.

/**
 * Clears both devices, then runs the lines in order. After an error the devices are clear.
 *
 * @param tc runs tc with these words and returns what it printed; fails with tc's own words
 * @throws Error with tc's words and the line
 */
export async function putLines(
  tc: (words: string) => Promise<string>,
  devices: { up: string; down: string },
  lines: readonly string[],
): Promise<void> {
  await clear(tc, devices);
  for (const line of lines) {
    try {
      await tc(line);
    } catch (error) {
      await clear(tc, devices);
      throw new Error(`tc refused “${line}”: ${error instanceof Error ? error.message : error}`);
    }
  }
}

async function clear(tc: (words: string) => Promise<string>, devices: { up: string; down: string }): Promise<void> {
  // Where there is nothing to delete tc fails too, so what counts is what is left.
  for (const device of Object.values(devices)) await tc(`qdisc delete dev ${device} root`).catch(() => '');
  const left = (await tc('qdisc show')).split('\n').filter((line) => /^qdisc (netem|tbf) /.test(line));
  if (left.length > 0) throw new Error(`tc could not take this off the link: ${left.join('; ')}`);
}
