// Waits for what another process or the kernel does, however long a busy machine takes for it.
import assert from 'node:assert/strict';

/** @param wanted what is waited for, as the failure says it, with what is there instead */
export async function until(is: () => boolean | Promise<boolean>, wanted: () => string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await is())) {
    if (performance.now() > deadline) assert.fail(`a minute passed without ${wanted()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
