// The configuration in force. It is changed in files, not here.
import { el, card, table, tableRow, setText, field } from './dom.js';
import { api, sentence } from './api.js';

function show(main, { signal }) {
  const error = el('p', { class: 'error', role: 'alert' });
  const filter = el('input', { 'data-search': true, spellcheck: 'false', placeholder: 'limits, retention, …' });
  const list = table('Settings', ['Setting', 'Value', 'Reloaded', 'Purpose']);
  const principals = table('Principals', ['Principal', 'Grants', 'Requests/s']);
  const apps = table('Apps', ['App', 'Production', 'Sandbox', 'FCM', 'Web Push']);
  main.append(el('div', { class: 'head' }, el('h1', {}, 'Settings'), el('span', { class: 'soft' }, 'read only: change the files, then reload the server')), error,
    el('div', { class: 'grid' }, card('Principals', principals.node), card('Apps', apps.node)),
    card('Settings in force', el('div', { class: 'fields' }, field('Filter', filter)), list.node));
  filter.addEventListener('input', () => {
    for (const row of list.body.rows) row.hidden = !row.textContent.toLowerCase().includes(filter.value.trim().toLowerCase());
  });
  api('settings', {}, { signal }).then((found) => {
    list.body.append(...found.settings.map((each) => tableRow([el('code', {}, each.name), each.is_default ? el('code', {}, each.value || '–') : el('strong', {}, el('code', {}, each.value || '–')), each.is_reloaded ? 'yes' : 'restart', el('small', {}, each.purpose)])));
    principals.body.append(...found.principals.map((each) => tableRow([each.principal, each.grants.map((grant) => `${grant.app}: ${grant.roles.join(', ')}`).join('; '), each.requests_per_second ? String(each.requests_per_second) : 'no limit'])));
    apps.body.append(...found.apps.map((each) => tableRow([each.app, each.production ?? '–', each.sandbox ?? '–', each.fcm ?? '–', each.web ?? '–'])));
  }).catch((problem) => { if (!signal.aborted) setText(error, problem.code === 'FORBIDDEN' ? 'The settings need the role observe or admin for all apps (*).' : sentence(problem)); });
}

export default { title: 'Settings', show };
