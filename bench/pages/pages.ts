// The pages: whole sites that npm and Debian packages ship.
export interface RealPage {
  package: string;
  from: 'npm' | 'debian';
  /** What is `/`: from the package's folder, or from /usr/share/doc. */
  root: string;
  page: string;
}

const npm = (name: string, root: string, ...pages: string[]): RealPage[] =>
  pages.map((page) => ({ package: name, from: 'npm', root: `${name}/${root}`, page }));
const debian = (name: string, root: string, page: string): RealPage[] => [{ package: name, from: 'debian', root, page }];

export const realPages: readonly RealPage[] = [
  ...npm('startbootstrap-creative', 'dist', '/'),
  ...npm('startbootstrap-resume', 'dist', '/'),
  ...npm('startbootstrap-sb-admin', 'dist', '/', '/charts.html'),
  ...npm('startbootstrap-sb-admin-2', '', '/', '/charts.html'),
  ...npm('startbootstrap-simple-sidebar', 'dist', '/'),
  ...npm('material-dashboard', '', '/pages/dashboard.html', '/pages/notifications.html'),
  ...npm('material-kit', '', '/', '/examples/landing-page.html'),
  ...npm('soft-ui-dashboard', '', '/pages/dashboard.html', '/pages/profile.html'),
  ...npm('gentelella', 'dist', '/production/index.html', '/production/chartjs.html'),
  ...npm('swagger-ui-dist', '', '/'),
  ...npm('reveal.js', '', '/demo.html'),
  ...npm('impress.js', '', '/'),
  ...npm('jquery-ui-dist', '', '/'),
  ...debian('python3.11-doc', 'python3.11/html', '/library/index.html'),
  ...debian('postgresql-doc-15', 'postgresql-doc-15/html', '/index.html'),
  ...debian('debian-reference-en', 'debian-reference-en/docs', '/index.en.html'),
  ...debian('sphinx-doc', 'sphinx-doc/html', '/'),
];

/** With what their pages link to in other packages. */
export const debianPackages = [
  ...new Set(realPages.filter(({ from }) => from === 'debian').map((page) => page.package)),
  ...['debian-reference-common', 'libjs-sphinxdoc', 'libjs-jquery', 'libjs-underscore'],
];
