export { benchmarkIndexOf, type Screen, screenOf, systemOf, userAgentOf } from './devices.ts';
export { callsHostProblem, isAmongHosts, isLoopbackHost, isOwn, ownHostProblem, ownHosts } from './own-hosts.ts';
export { type Reference, type ReferenceKind, referableTexts, referenceOf, visitorOf } from './references.ts';
export { cookieValueProblem, headerValueProblem, http3Barrier, urlPatternsOf, visitorProblems } from './visitor-problems.ts';
