export { urlPatternsOf } from './blocked.ts';
export { benchmarkIndexOf, type Screen, screenOf, systemOf, userAgentOf } from './devices.ts';
export { engineAsked } from './engine-asked.ts';
export { http3Barrier } from './http3-barrier.ts';
export { isAmongHosts, isOwn, ownHostProblem, ownHosts } from './own-hosts.ts';
export { type Reference, type ReferenceKind, referableTexts, referenceOf, visitorOf } from './references.ts';
export { cookieValueProblem, headerValueProblem } from './sendable.ts';
export { stepWords, visitorProblems } from './visitor-problems.ts';
