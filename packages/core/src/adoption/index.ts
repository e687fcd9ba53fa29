export { adoptionTable } from './adoption-table.ts';
export { offersH3, parseAltSvc } from './alt-svc.ts';
export { HarFault, HarTally } from './har-tally.ts';
export { h3Offers, httpsRecordName, httpsRecordWords, type ServiceBinding, withdrawsH3 } from './https-record.ts';
