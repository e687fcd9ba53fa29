// SpeedIndex of a video, by the program that browsertime has for it.
import { execFile } from 'node:child_process';
import type { Evidence } from '../../gather/evidence.ts';

/**
 * Its check wants OpenCV and pyssim too, half a gigabyte, which no number here comes from; so the program is called without its check. It
 * comes by standard input, since its folder may be closed to the user of a visit.
 */
const caller = `
import sys, types
program = types.ModuleType('visualmetrics')
program.__file__ = sys.argv.pop(1)
exec(compile(sys.stdin.read(), program.__file__, 'exec'), program.__dict__)
program.check_config = lambda: True
program.main()
`;

/**
 * @param program text of browsertime's visualmetrics-portable.py
 * @param file of the video, which begins with an orange page
 */
export async function visualMetrics(
  program: string,
  file: string,
  folder: string,
  timeoutMs: number,
): Promise<NonNullable<Evidence['video']>> {
  // The arguments that browsertime gives it, less those that write pictures for people.
  const args = ['--video', file, '--orange', '--force', '--renderignore', '5', '--json', '--viewport'];
  const sizes = ['--viewportretries', '60', '--viewportminheight', '100', '--viewportminwidth', '100'];
  const { failure, output } = await new Promise<{ failure: Error | null; output: string }>((resolve) => {
    const argv = ['-c', caller, `${folder}/visualmetrics.py`, ...args, ...sizes, '-vv'];
    const child = execFile('python3', argv, { timeout: timeoutMs, killSignal: 'SIGKILL' }, (error, stdout, stderr) =>
      resolve({ failure: error, output: error === null ? stdout : stderr.trim() || error.message }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(program);
  });
  if (failure !== null) return { failure: output.split('\n').slice(-3).join(' ').slice(0, 500) };
  return readVisualMetrics(output);
}

/** Such as {"FirstVisualChange": 133, "LastVisualChange": 433, "SpeedIndex": 190, "VisualProgress": "0=0, 133=80, 433=100"}, milliseconds and per cent. */
export function readVisualMetrics(json: string): NonNullable<Evidence['video']> {
  const {
    SpeedIndex,
    FirstVisualChange,
    LastVisualChange,
    VisualProgress = '',
  } = JSON.parse(json) as {
    SpeedIndex?: number;
    FirstVisualChange?: number;
    LastVisualChange?: number;
    VisualProgress?: string;
  };
  if (SpeedIndex === undefined || FirstVisualChange === undefined || LastVisualChange === undefined)
    return { failure: `no SpeedIndex in ${json.slice(0, 200)}` };
  const curve = VisualProgress.split(', ').flatMap((point) => {
    const [atMs, percent] = point.split('=').map(Number);
    return atMs === undefined || percent === undefined ? [] : [{ atMs, completeness: percent / 100 }];
  });
  return { speedIndex: SpeedIndex, firstVisualChange: FirstVisualChange, lastVisualChange: LastVisualChange, curve };
}
