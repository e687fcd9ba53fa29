// The JSON Schema of pronghorn.json, for editors and for whoever writes such files by program: docs/pronghorn.schema.json is this text.
import { GateFile } from '@pronghorn/core';

/** `./pronghorn gate --schema > docs/pronghorn.schema.json` brings the file up to date. */
export const gateFileSchema = (): string =>
  `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...GateFile }, null, 2)}\n`;
