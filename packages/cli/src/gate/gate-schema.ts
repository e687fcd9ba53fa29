// JSON Schemas for editors and programs: of pronghorn.json, and of what `pronghorn gate --json` writes.
import { GateFile, GateReport } from '@pronghorn/core/schemas';

const schemas = { file: GateFile, report: GateReport };
export type GateSchema = keyof typeof schemas;
export const gateSchemas = Object.keys(schemas) as GateSchema[];

/** `./pronghorn gate --schema > docs/pronghorn.schema.json` brings the file up to date, `--schema report > docs/gate-report.schema.json` the other. */
export const gateSchema = (of: GateSchema): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemas[of] }, null, 2)}\n`;
