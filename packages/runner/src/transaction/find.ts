// Where the program is that sends REST calls and serves them: PRONGHORN_TRANSACTION, or the one that the launcher built.
import { join } from 'node:path';
import { isExecutable } from '../chrome/find.ts';
import { tools } from '../chrome/tools.ts';

/** @throws Error that says how to bring it */
export function findTransaction(): string {
  const named = process.env.PRONGHORN_TRANSACTION;
  if (named !== undefined && named !== '') {
    if (!isExecutable(named)) throw new Error(`PRONGHORN_TRANSACTION names ${named}, which is not an executable file.`);
    return named;
  }
  const built = join(tools(), 'transaction', 'transaction');
  if (isExecutable(built)) return built;
  throw new Error(
    'The program that sends REST calls is not there. `./pronghorn doctor --engine transaction` builds it; see docs/transactions.md.',
  );
}
