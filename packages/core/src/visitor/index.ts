export { benchmarkIndexOf, type Screen, screenOf, systemOf, userAgentOf } from './devices.ts';
export { callsHostProblem, isAmongHosts, isLoopbackHost, isOwn, ownHostProblem, ownHosts } from './own-hosts.ts';
export {
  cookieValueProblem,
  headerValueProblem,
  http3Barrier,
  type Reference,
  type ReferenceKind,
  referableTexts,
  referenceOf,
  urlPatternsOf,
  visitorOf,
  visitorProblems,
} from './visitor-problems.ts';
