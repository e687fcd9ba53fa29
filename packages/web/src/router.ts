// From the address (#/…) to a page. Each page is loaded when it is first shown.
import { createRouter, createWebHashHistory, type RouteRecordRaw } from 'vue-router';
import SignInForm from './parts/SignInForm.vue';
import { grownTo } from './state/grown-to.ts';
import './state/link-token.ts'; // before the router's history begins: that takes the address as it is

declare module 'vue-router' {
  interface RouteMeta {
    /** Of the browser's tab; a page that knows better says so itself. */
    title?: string;
    /** Which entry of the navigation it belongs to, by that one's path. */
    section?: string;
  }
}

const routes: RouteRecordRaw[] = [
  { path: '/', component: () => import('./pages/CampaignsPage.vue'), meta: { title: 'Campaigns', section: '/' } },
  { path: '/new', component: () => import('./pages/NewCampaignPage.vue'), meta: { title: 'New campaign', section: '/new' } },
  { path: '/campaigns/:id', component: () => import('./pages/CampaignPage.vue'), props: true, meta: { title: 'Campaign', section: '/' } },
  {
    path: '/campaigns/:id/across',
    component: () => import('./pages/AcrossPage.vue'),
    props: true,
    meta: { title: 'Across sites', section: '/' },
  },
  {
    path: '/campaigns/:id/factorial',
    component: () => import('./pages/FactorialPage.vue'),
    props: true,
    meta: { title: 'Factorial', section: '/' },
  },
  { path: '/visits/:id', component: () => import('./pages/VisitPage.vue'), props: true, meta: { title: 'Visit', section: '/' } },
  { path: '/trends', component: () => import('./pages/TrendsPage.vue'), meta: { title: 'Trends', section: '/trends' } },
  { path: '/compare', component: () => import('./pages/ComparePage.vue'), meta: { title: 'Compare campaigns', section: '/' } },
  { path: '/schedules', component: () => import('./pages/SchedulesPage.vue'), meta: { title: 'Schedules', section: '/schedules' } },
  {
    path: '/schedules/new',
    component: () => import('./pages/StoredFormPage.vue'),
    props: { noun: 'schedule' },
    meta: { title: 'New schedule', section: '/schedules' },
  },
  {
    path: '/schedules/:id',
    component: () => import('./pages/SchedulePage.vue'),
    props: true,
    meta: { title: 'Schedule', section: '/schedules' },
  },
  {
    path: '/schedules/:id/edit',
    component: () => import('./pages/StoredFormPage.vue'),
    props: ({ params }) => ({ noun: 'schedule', id: params.id }),
    meta: { title: 'Change a schedule', section: '/schedules' },
  },
  { path: '/gates', component: () => import('./pages/GatesPage.vue'), meta: { title: 'Gates', section: '/gates' } },
  {
    path: '/gates/new',
    component: () => import('./pages/StoredFormPage.vue'),
    props: { noun: 'gate' },
    meta: { title: 'New gate', section: '/gates' },
  },
  { path: '/gates/:id', component: () => import('./pages/GatePage.vue'), props: true, meta: { title: 'Gate', section: '/gates' } },
  {
    path: '/gates/:id/edit',
    component: () => import('./pages/StoredFormPage.vue'),
    props: ({ params }) => ({ noun: 'gate', id: params.id }),
    meta: { title: 'Change a gate', section: '/gates' },
  },
  { path: '/runners', component: () => import('./pages/RunnersPage.vue'), meta: { title: 'Runners', section: '/runners' } },
  { path: '/runners/:id', component: () => import('./pages/RunnerPage.vue'), props: true, meta: { title: 'Runner', section: '/runners' } },
  { path: '/conditions', component: () => import('./pages/ConditionsPage.vue'), meta: { title: 'Conditions', section: '/conditions' } },
  { path: '/settings', component: () => import('./pages/SettingsPage.vue'), meta: { title: 'Settings', section: '/settings' } },
  {
    path: '/sign-in',
    component: SignInForm, // App.vue has it anyway
    props: { reason: 'What you may do depends on the token.' },
    meta: { title: 'Sign in' },
  },
  { path: '/:rest(.*)*', component: () => import('./pages/NoSuchPage.vue'), meta: { title: 'No such page' } },
];

export const router = createRouter({
  history: createWebHashHistory(),
  routes,
  scrollBehavior: async (to, from, saved) => {
    if (saved) return (await grownTo(saved.top)) && saved;
    return to.path === from.path ? false : { top: 0 };
  },
});
router.afterEach((to, from) => {
  // Of the same page with another choice the title is the page's own.
  if (to.path !== from.path || from.matched.length === 0) {
    document.title = to.meta.title === undefined ? 'Pronghorn' : `${to.meta.title} – Pronghorn`;
  }
  // A screen reader starts with the page that is new; a change of what one page shows moves nothing.
  if (from.matched.length > 0 && to.path !== from.path) document.getElementById('main')?.focus({ preventScroll: true });
});
