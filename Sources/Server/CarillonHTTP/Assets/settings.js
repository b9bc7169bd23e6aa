// The configuration in force. It is changed in files, not here.
import { el, card, table, tableRow, setText, field, pageHead, errorLine, fieldGroup, cardGrid } from './dom.js';
import { api, sentence } from './api.js';

function settingRow(each) {
  const value = el('code', {}, each.value || '–');
  return tableRow([el('code', {}, each.name), each.is_default ? value : el('strong', {}, value),
    each.is_reloaded ? 'yes' : 'restart', el('small', {}, each.purpose)]);
}

function principalRow(each) {
  const grants = each.grants.map((grant) => `${grant.app}: ${grant.roles.join(', ')}`).join('; ');
  return tableRow([each.principal, grants, each.requests_per_second ? String(each.requests_per_second) : 'no limit']);
}

function appRow(each) {
  return tableRow([each.app, each.production ?? '–', each.sandbox ?? '–', each.fcm ?? '–', each.web ?? '–']);
}

function errorText(problem) {
  if (problem.code !== 'FORBIDDEN') return sentence(problem);
  return 'The settings need the role observe or admin for all apps (*).';
}

function show(main, { signal }) {
  const error = errorLine();
  const filter = el('input', { 'data-search': true, spellcheck: 'false', placeholder: 'limits, retention, …' });
  const list = table('Settings', ['Setting', 'Value', 'Reloaded', 'Purpose']);
  const principals = table('Principals', ['Principal', 'Grants', 'Requests/s']);
  const apps = table('Apps', ['App', 'Production', 'Sandbox', 'FCM', 'Web Push']);
  const note = el('span', { class: 'soft' }, 'read only: change the files, then reload the server');
  main.append(pageHead('Settings', note), error,
    cardGrid(card('Principals', principals.node), card('Apps', apps.node)),
    card('Settings in force', fieldGroup(field('Filter', filter)), list.node));
  filter.addEventListener('input', () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of list.body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  api('settings', {}, { signal }).then((found) => {
    list.body.append(...found.settings.map(settingRow));
    principals.body.append(...found.principals.map(principalRow));
    apps.body.append(...found.apps.map(appRow));
  }).catch((problem) => { if (!signal.aborted) setText(error, errorText(problem)); });
}

export default { title: 'Settings', show };
