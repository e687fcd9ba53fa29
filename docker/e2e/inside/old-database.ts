// Makes the service's database of { sql }, as an earlier release left it. Prints its schema.
import { createRequire } from 'node:module';

const { sql } = JSON.parse(process.argv[2] ?? '') as { sql: string };
const Sqlite = createRequire('/opt/pronghorn/packages/api/package.json')('better-sqlite3');
const database = new Sqlite('/data/pronghorn.db');
database.pragma('foreign_keys = OFF');
database.exec(sql);
console.log(JSON.stringify(database.pragma('user_version', { simple: true })));
database.close();
