// From the address (#/…) to a page. Home comes with the entry; each other page is loaded when it is first shown.
import { ref } from 'vue';
import { createRouter, createWebHashHistory, type RouteComponent, type RouteLocation, type RouteRecordRaw } from 'vue-router';
import SitesPage from './pages/SitesPage.vue';

declare module 'vue-router' {
  interface RouteMeta {
    /** The title of the browser's tab; some pages set a better one. */
    title?: string;
    section?: string;
  }
}

/** After an upgrade an open page may ask for a part that the service no longer has. */
export const isPartMissing = ref(false);
addEventListener('vite:preloadError', () => {
  isPartMissing.value = true;
});

/** The token of a link that signs in: `#token=…`, or behind a page (`#/campaigns/1?token=…`). Undefined where the page was opened by another link. */
export const linkToken = takeLinkToken();

/** The token leaves the address, and with it this tab's history, before the router reads either. */
function takeLinkToken(): string | undefined {
  const [, page = '', token] = location.hash.match(/^#\/?(?:([^?]*)\?)?token=(.*)$/) ?? [];
  if (token === undefined) return undefined;
  history.replaceState(null, '', `#/${page}`);
  try {
    return decodeURIComponent(token).trim();
  } catch {
    return token.trim(); // the service says that it knows no such token
  }
}

/** @param section the entry of the navigation that it belongs to, by that one's path. */
const page = (
  path: string,
  title: string,
  section: string | undefined,
  component: RouteComponent | (() => Promise<RouteComponent>),
  props: RouteRecordRaw['props'] = path.includes(':id'),
) => ({ path, component, props, meta: section === undefined ? { title } : { title, section } }) as RouteRecordRaw;

const storedForm = () => import('./pages/StoredFormPage.vue');
const propsOf =
  (noun: 'gate' | 'schedule') =>
  ({ params }: RouteLocation) => ({ noun, ...params });

const routes: RouteRecordRaw[] = [
  page('/', 'Sites', '/', SitesPage),
  page('/sites/:id', 'Site', '/', () => import('./pages/SitePage.vue')),
  page('/campaigns', 'Campaigns', '/campaigns', () => import('./pages/CampaignsPage.vue')),
  page('/new', 'New campaign', '/new', () => import('./pages/NewCampaignPage.vue')),
  page('/campaigns/:id/share', 'Share', '/campaigns', () => import('./pages/SharePage.vue')),
  page('/campaigns/:id/report', 'Report', '/campaigns', () => import('./pages/ReportPage.vue')),
  page(
    '/campaigns/:id/:part(loads|statistics|quality|visits|across|factorial)?',
    'Campaign',
    '/campaigns',
    () => import('./pages/CampaignPage.vue'),
  ),
  page('/visits/:id', 'Visit', '/campaigns', () => import('./pages/VisitPage.vue')),
  page('/compare', 'Compare campaigns', '/campaigns', () => import('./pages/ComparePage.vue')),
  page('/schedules', 'Schedules', '/schedules', () => import('./pages/SchedulesPage.vue')),
  page('/schedules/new', 'New schedule', '/schedules', storedForm, propsOf('schedule')),
  page('/schedules/:id', 'Schedule', '/schedules', () => import('./pages/SchedulePage.vue')),
  page('/schedules/:id/edit', 'Change a schedule', '/schedules', storedForm, propsOf('schedule')),
  page('/gates', 'Gates', '/gates', () => import('./pages/GatesPage.vue')),
  page('/gates/new', 'New gate', '/gates', storedForm, propsOf('gate')),
  page('/gates/:id', 'Gate', '/gates', () => import('./pages/GatePage.vue')),
  page('/gates/:id/edit', 'Change a gate', '/gates', storedForm, propsOf('gate')),
  page('/alerts', 'Alerts', '/alerts', () => import('./pages/AlertsPage.vue')),
  page('/runners', 'Runners', '/runners', () => import('./pages/RunnersPage.vue')),
  page('/runners/:id', 'Runner', '/runners', () => import('./pages/RunnerPage.vue')),
  page('/conditions', 'Conditions', '/conditions', () => import('./pages/ConditionsPage.vue')),
  page('/settings', 'Settings', '/settings', () => import('./pages/SettingsPage.vue')),
  page('/sign-in', 'Sign in', undefined, () => import('./parts/SignInForm.vue'), { reason: 'What you may do depends on the token.' }),
  page('/public/:id/:secret', 'Result', undefined, () => import('./pages/PublicResultPage.vue')),
  page('/:rest(.*)*', 'No such page', undefined, () => import('./pages/NoSuchPage.vue')),
];

export const router = createRouter({
  history: createWebHashHistory(),
  routes,
  scrollBehavior: async (to, from, saved) => {
    if (saved) return (await canScrollTo(saved.top)) && saved;
    return pageKey(to) === pageKey(from) ? false : { top: 0 };
  },
});
/** The same for all parts of a campaign's page. */
export const pageKey = ({ path, params, matched }: Pick<RouteLocation, 'path' | 'params' | 'matched'>): string =>
  'part' in params ? `${matched[0]?.path} ${params.id}` : path;
/** Until a page that is loaded when it is first shown is there: what stands there is still the page before. */
export const isOpening = ref(false);
let newest: RouteLocation | undefined;
router.beforeEach((to, from) => {
  newest = to;
  isOpening.value = pageKey(to) !== pageKey(from);
});
/** One that was given up for another goes on with that. */
const endOpening = (to: RouteLocation) => {
  if (to === newest) isOpening.value = false;
};
router.onError((_, to) => endOpening(to));
router.afterEach((to, from) => {
  endOpening(to);
  // Within one page, the page sets its own title.
  if (pageKey(to) !== pageKey(from) || from.matched.length === 0) {
    document.title = to.meta.title === undefined ? 'Pronghorn' : `${to.meta.title} – Pronghorn`;
  }
  // A screen reader starts with the page that is new; a change of what one page shows moves nothing.
  if (from.matched.length > 0 && pageKey(to) !== pageKey(from)) document.getElementById('main')?.focus({ preventScroll: true });
});

/** As long as a slow service takes to show a long page; a reader who scrolls before ends it. */
const maxRestoreMs = 30_000;

/** True once the page is long enough to scroll to `top`; false when the reader scrolls first or time runs out. */
function canScrollTo(top: number): Promise<boolean> {
  return new Promise((resolve) => {
    const isThere = () => document.documentElement.scrollHeight - innerHeight >= top;
    const observer = new ResizeObserver(() => isThere() && end(true));
    const timer = setTimeout(() => end(false), maxRestoreMs);
    const moved = () => end(false);
    const signs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;
    function end(isLongEnough: boolean): void {
      observer.disconnect();
      clearTimeout(timer);
      for (const sign of signs) removeEventListener(sign, moved);
      resolve(isLongEnough);
    }
    for (const sign of signs) addEventListener(sign, moved, { passive: true });
    observer.observe(document.body);
  });
}
