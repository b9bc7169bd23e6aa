// Long: Tools/support/embed.py writes this file. Do not edit it.
// swift-format-ignore-file

/// The files of `Assets`.
enum EmbeddedAssets {
    /// The first 16 digits of the SHA-256 of all files.
    static let hash = "c98a4a18db62ee69"
    static let all: [EmbeddedAsset] = [
        EmbeddedAsset(
            name: "api.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Requests to the server, and polls that stop while the page is hidden.

                export class Refused extends Error {
                  constructor(status, error) {
                    super(error.message || error.code);
                    Object.assign(this, { status, code: error.code, effect: error.effect, field: error.field, item: error.item, column: error.column, limit: error.limit });
                  }
                  /** The refusal as a sentence, with what became of the request. */
                  get sentence() {
                    const effect = this.effect === 'unknown' ? ' It is not known whether it took effect.' : '';
                    const where = this.field ? ` (${this.field}${this.item === undefined ? '' : `, item ${this.item}`})` : '';
                    return `${this.message}${where}.${effect}`;
                  }
                }

                const watchers = { loggedOut() {}, connection() {} };
                export function watch(handlers) { Object.assign(watchers, handlers); }

                /** Makes a request below /api/. With `poll` it does not keep the session alive. */
                export async function api(path, body = {}, { poll = false, signal } = {}) {
                  const headers = { 'content-type': 'application/json' };
                  if (poll) headers['x-carillon-poll'] = '1';
                  let answer;
                  try {
                    answer = await fetch(`/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal, credentials: 'same-origin' });
                  } catch (error) {
                    if (error.name !== 'AbortError') watchers.connection(false);
                    throw error;
                  }
                  watchers.connection(true);
                  const json = await answer.json().catch(() => ({ error: { code: 'INTERNAL', message: `the server has answered ${answer.status}` } }));
                  if (answer.ok) return json;
                  if (answer.status === 401 && path !== 'login') watchers.loggedOut();
                  throw new Refused(answer.status, json.error ?? {});
                }

                /** A request of the protocol. */
                export const call = (name, body, options) => api(`v1/${name}`, body, options);

                export const sentence = (error) => (error instanceof Refused ? error.sentence : 'The server cannot be reached.');

                let interval = Number(localStorage.getItem('carillon-pace') ?? 2000);
                let wake = null;
                export const pace = { get: () => interval, set(value) { interval = value; localStorage.setItem('carillon-pace', value); wake?.(); } };

                /** Counts the polls that ask the server again and again, but for those of hidden pages. Tests read the number. */
                let polls = 0;
                function countPolls(change) { polls += change; document.documentElement.dataset.polls = polls; }

                /** Resolves after a time, or when the pace changes or the signal aborts; of a hidden page, not before it is shown. */
                function pause(signal, milliseconds) {
                  return new Promise((resolve) => {
                    let isHidden = false;
                    const timer = milliseconds ? setTimeout(done, Math.max(1000, milliseconds)) : null;
                    function done() {
                      if (document.hidden && !signal.aborted) {
                        if (!isHidden) countPolls(-1);
                        isHidden = true;
                        return document.addEventListener('visibilitychange', done, { once: true });
                      }
                      if (isHidden) countPolls(1);
                      isHidden = false;
                      clearTimeout(timer);
                      wake = null;
                      document.removeEventListener('visibilitychange', done);
                      signal.removeEventListener('abort', done);
                      resolve();
                    }
                    wake = done;
                    signal.addEventListener('abort', done);
                  });
                }

                /** Calls `step` again and again until the signal aborts. It waits while the page is hidden, and longer after an error. */
                export async function poll(signal, step) {
                  let failures = 0;
                  countPolls(1);
                  while (!signal.aborted) {
                    try {
                      await step();
                      failures = 0;
                    } catch {
                      failures += 1;
                    }
                    if (!signal.aborted) await pause(signal, failures ? Math.min(10000, 1000 * 2 ** failures) : interval);
                  }
                  countPolls(-1);
                }

                /** Reads events as they come; `onevent` gets each. Returns when the stream ends. */
                export async function events(body, signal, onopen, onevent) {
                  const answer = await fetch('/api/events', {
                    method: 'POST', headers: { 'content-type': 'application/json', 'x-carillon-poll': '1' }, body: JSON.stringify(body), signal,
                  });
                  if (!answer.ok) {
                    if (answer.status === 401) watchers.loggedOut();
                    throw new Refused(answer.status, (await answer.json()).error ?? {});
                  }
                  onopen();
                  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
                  let rest = '';
                  for (;;) {
                    const { value, done } = await reader.read();
                    if (done) return;
                    const lines = (rest + value).split('\n');
                    rest = lines.pop();
                    for (const line of lines) if (line) onevent(JSON.parse(line));
                  }
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA41X72_cuBH9vn_FBAhOUm4t24d-8sI1gmuAprhLgsRAP7QFlpa4uzxrSVWk7Bh7-
                t_7hj8k7douEiDwihoOZ97Mexydn9NX-
                d9eWmfJGXI7SVZ2D7JbktA1taZp8GInHFlnWnrcqUZ6q1ZsJSlLO1XXUpeLhfzems5R1Qhr4XPTW1mT_O6kri196DrT0WFBVBltX
                ddXznS5dcL1dkmS3xb-NZHtW9nlfqncS2v5nD__DDZlZWpZrLzd57s_ZOVKnKa2Onc7BUcHSi7Z8Gq2CYdsNrBPa-FpSRslmzot-
                oclKSf3aYl_s7em3-
                vJHz8tqVF7NTr0DzT44Ab8P3_3jm6BU8dIiIaEJQFoNfCoEM2jcjugCVzvZCX2kszGw9qFYpT07hxOttKNe_IEkEcwpkPXxJmX6e
                n6mrJe32vzqDO6oYw-Oi6SNo78Io6UOKZDjii3uY9uyoyuKMtWM_8w7GRy74GBvzXlbw_TyhAfGCR_dq9ruVFasm3GPtcBTZoZDu
                uhWM-O66TrO03raBJLDtc-gqF8ewgxDusA7bBYxAiFq2BiEeSBGrPdyvpz7ximgSumNTYpo_0CDavUoJte-_WwP9-
                hzRt4gdVJSyX_SxptVjh_wZX9XdxLLmgsF4rYmEc6F606L-
                mfXNs1U2fNONdGxgpI2UaG4QREIBr1IH2pY2zCPulqihDu8la43ZLuTP3EeQ7c4-wZDxvRWHQSx4r-
                GvzrYuIY7aSoEzwZltBF7sw9tTID-KJtG1UJPub8D2vQLQPDqzaUs_si7f5X9v2sEp1qGqPP-
                E32HzjMLn3xGrSn0PZRdvzkuqfYoWENduJRAICNZKDXHp23B05oWHMee7SiAfmyL5-_3WbLdGTI9or-
                8e3zpxJaofRWbZ5yXixSuihwJ6E7TgEEeLCg0Jnp1FZxJoGEVHEBKT9SF04wEFYz694wYd7fAXuvUFkxdlU56yCPdJQdt-tQae8i
                Uf2lLZC4sCPUgiEe8QjwlLyWF6WPMkeXXv-
                V8kPwfAV0goJlHz_dfvj66f1vwCdSA6yaZBq9aaNDsO7tIfoOMjisgcJQFKmy8aW5LxLrOIaTt2Grp_NfLi7pp5-
                IKxaQAssA8AykGe18C3hwtHxMF8Cx06U_r_Qp0s0N9-
                tqERn1fuRSVMK2M85Aauf8CGBWwvd_zhUMzbIk0zLs1qPItFk_XKLX2IJ77dhmtTj2lxSWfcZm4VqEMBUsBF4iqnSp3UTJH_ehTL
                dTRSqhme13LOYCMNVlxkcyWRQ2dA-
                Co__U7-9wzzUG2XzDZYjClpD7j1DIPJsYJyoJvIHVLxcXF3DDXh4hPvCg-6ZZHWfC5p7v8HRFoafSmaCOdDl-
                oDFhMQvFr63oKBT7cijLYAwh5CBuypwlkaXD1_BX02ueI7h60-Ag7P1sriCxFUr74cL_QnF6SASQhhhYfw-GkcJPGLakWz-
                bAMrae9EeN98UjEU455ouVotRNisO4wu_yCtI99bnGwx_vqawtIIsV_0eFSzTjw-NDM_CCaRfJtf-
                76j8X6U1zQOL_8ZxNuQUdyHix32l42iEKoRjLPnEZFJpwVIDZ8hSzPNcUmgZ4CD5zsCdbXe4r32eY2KtQP_lSQH3qIuyEpWvbZC3
                SGrm35fO7PEyz7sQr2-FIIG-Ee3fw-HxGpnf_JwQi_fcP3oekNzijQHXa6MR8e-QhXIvvueXaM2TcApwIvQn-
                x0T4I3jHBNUZyxDRAN68yZkWHqwZD3Zhx1vUvDFvNJnl1GgvdmUHgvx9CIiNB4q6vrDA378piyoDD5mD8qqO9Uo9xQqiJYP6R7Ig
                OtX3mG8YvjfMMvlxcCmuF4GHbA3UnQJW4_-
                uOWI6mFpjL2Te_Mgfyz80WGE9sW9Hu_TDbF_8rgQ0o1hsWFYThV7BucznzPJ_1UwwdYwbdensoBR0qnmOXVKnmj5FrWvfouELxdI
                1pb5GViqo2S_Pmsxy0dqcUih7ZgsG6GaHjgEmaHnxQ2R5K_07TQXURwA2H0-
                InzqfhpdDqcWkK_LeR08HU5PDWcca8Xo4SbSVmlPW_CW_9A7-oVQkWTG9E0XxPhFc0q2URAF9EFy2S1_5aAgT7DdQ2LXKDqvr_k-
                gg1uwxL2TEE7ySVGPCn2xN-J_6c-4YA83OQpLaNNywWP58yn3xdn0MzPoMEVmjLg-
                8oYevVDY_OSng3IVzwe0_BDY2wkRKzkbD6bptUXx7LXR7AfGMLyF8bQ4mQqCyUP-OazQbbz4DCsYTenU7aqlbc4td_ucj73Fp_9f
                5M8wHbffHHZP1rgq98c3DGxOh73ruOXII8A-Wp1_JV7CPNG0A__jRNiD2GU_CelHS4TqEwU-fmV1uCblPmV-
                xN_jkNMaVFMl2f_1lmRvkV9QN4c9_9IUh_b5Iqvb29T-FP5Z5F6MPf1bkUH9vkXRfps_R9lI1h1axEAAA
                """#),
        EmbeddedAsset(
            name: "app.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The frame of the console: log-in, pages by the fragment of the address, keys, theme.
                import { el, field, button, setText, rows, confirm } from './dom.js';
                import { api, call, watch, pace, sentence } from './api.js';
                import overview from './overview.js';
                import messages from './messages.js';
                import message from './message.js';
                import lookup from './lookup.js';
                import audience from './audience.js';
                import compose from './compose.js';
                import events from './events.js';
                import credentials from './credentials.js';
                import settings from './settings.js';

                const PAGES = { overview, messages, message, lookup, audience, compose, events, credentials, settings };
                const NAV = [['overview', 'Overview', 'o'], ['messages', 'Messages', 'm'], ['lookup', 'Look up', 'l'], ['audience', 'Audience', 'a'],
                  ['compose', 'Compose', 'c'], ['events', 'Events', 'e'], ['credentials', 'Credentials', 'k'], ['settings', 'Settings', 's']];

                const byId = (id) => document.getElementById(id);
                const main = byId('main');
                let session = null;
                let leaving = null;
                let spoken = 0;

                /** What pages know of the user and of the choices in the header. */
                export const context = {
                  get app() { return byId('app').value.trim(); },
                  set app(value) { byId('app').value = value; localStorage.setItem('carillon-app', value); },
                  apps: [],
                  /** True if the user has one of the roles for the app; `*` asks for every app. */
                  may(app, ...roles) {
                    return (session?.grants ?? []).some((grant) => (grant.app === '*' || grant.app === app) && grant.roles.some((role) => roles.includes(role)));
                  },
                  /** Says a sentence to screen readers, at most every 15 seconds. */
                  say(text, now = false) {
                    if (!now && Date.now() - spoken < 15000) return;
                    spoken = Date.now();
                    setText(byId('live'), text);
                  },
                };

                // Log-in

                function showLogin(note = '') {
                  leaving?.abort();
                  session = null;
                  document.body.classList.add('out');
                  byId('header').hidden = byId('footer').hidden = true;
                  document.title = 'Log in – Carillon';
                  const key = el('input', { type: 'password', autocomplete: 'current-password', id: 'key', required: true, maxlength: '256', spellcheck: 'false' });
                  const error = el('p', { class: 'error', role: 'alert' }, note);
                  const go = el('button', { class: 'primary', type: 'submit' }, 'Log in');
                  main.replaceChildren(el('section', { class: 'card' }, el('h1', {}, 'Carillon'), el('form', {
                    async onsubmit(event) {
                      event.preventDefault();
                      go.disabled = true;
                      setText(error, '');
                      try {
                        const identity = await api('login', { key: key.value });
                        key.value = '';
                        begin(identity);
                      } catch (problem) {
                        setText(error, problem.status === 429 ? 'Too many wrong keys from this address. Wait some seconds.'
                          : problem.status === 401 ? 'The server does not know this key.' : sentence(problem));
                        go.disabled = false;
                        key.select();
                      }
                    },
                  }, el('div', { class: 'fields' }, field('API key', key, 'The key of a principal with the role observe, or more. It is not stored in the browser.'),
                    error, el('div', { class: 'buttons wide' }, go)))));
                  key.focus();
                }

                async function begin(identity) {
                  session = identity;
                  document.body.classList.remove('out');
                  byId('header').hidden = byId('footer').hidden = false;
                  setText(byId('principal'), identity.principal);
                  const named = identity.grants.map((grant) => grant.app).filter((app) => app !== '*');
                  context.apps = [...new Set(named)];
                  if (context.may('*', 'observe', 'admin') || identity.grants.some((grant) => grant.app === '*')) {
                    try {
                      const found = await api('settings');
                      context.apps = [...new Set([...named, ...found.apps.map((each) => each.app)])];
                    } catch { /* Without the right to it, the user types the app. */ }
                  }
                  byId('apps').replaceChildren(...context.apps.map((app) => el('option', { value: app })));
                  const stored = localStorage.getItem('carillon-app');
                  if (!context.app) byId('app').value = context.apps.includes(stored) ? stored : context.apps[0] ?? '';
                  route();
                }

                watch({
                  loggedOut() { if (session) showLogin('The session has ended. Log in again.'); },
                  connection(isThere) {
                    const node = byId('connection');
                    if (isThere === (node.className !== 'lost')) return;
                    node.className = isThere ? '' : 'lost';
                    setText(node, isThere ? 'connected' : `no connection since ${new Date().toLocaleTimeString('en-GB')}`);
                    context.say(node.textContent, true);
                  },
                });

                // Pages

                function route() {
                  if (!session) return;
                  const [path, query] = (location.hash.replace(/^#\/?/, '') || 'overview').split('?');
                  const [name, ...parts] = path.split('/').map(decodeURIComponent);
                  const page = PAGES[name] ?? overview;
                  leaving?.abort();
                  leaving = new AbortController();
                  const parameters = new URLSearchParams(query);
                  if (parameters.get('app')) context.app = parameters.get('app');
                  rows(byId('nav'), NAV, (each) => each[0], ([id, text, key]) => el('a', { href: `#/${id}`, 'data-page': id }, text, el('kbd', { 'aria-hidden': 'true' }, `g ${key}`)), (node, [id]) => {
                    if (id === name || (id === 'messages' && name === 'message')) node.setAttribute('aria-current', 'page');
                    else node.removeAttribute('aria-current');
                  });
                  main.replaceChildren();
                  document.title = `${page.title} – Carillon`;
                  page.show(main, { parts, parameters, signal: leaving.signal, context });
                  context.say(page.title, true);
                }

                window.addEventListener('hashchange', () => { route(); main.focus({ preventScroll: true }); scrollTo(0, 0); });
                byId('skip').addEventListener('click', (event) => { event.preventDefault(); main.focus(); });
                byId('app').addEventListener('change', () => { context.app = context.app; if (location.hash.startsWith('#/message/')) location.hash = '#/messages'; else route(); });
                byId('logout').addEventListener('click', async () => { await api('logout').catch(() => {}); showLogin(); });

                byId('pace').value = String(pace.get());
                byId('pace').addEventListener('change', (event) => pace.set(Number(event.target.value)));
                byId('theme').value = localStorage.getItem('carillon-theme') ?? 'system';
                byId('theme').addEventListener('change', (event) => {
                  localStorage.setItem('carillon-theme', event.target.value);
                  if (event.target.value === 'system') delete document.documentElement.dataset.theme;
                  else document.documentElement.dataset.theme = event.target.value;
                });
                setText(byId('zone'), `times in ${Intl.DateTimeFormat().resolvedOptions().timeZone}`);

                // Keys

                let isGoing = false;
                const areKeysOn = () => localStorage.getItem('carillon-keys') !== 'off';
                function showKeys() {
                  const dialog = el('dialog', { 'aria-labelledby': 'keys-title', onclose: () => dialog.remove() }, el('form', { method: 'dialog' },
                    el('h2', { id: 'keys-title' }, 'Keys'),
                    el('dl', { class: 'facts' }, NAV.flatMap(([, text, key]) => [el('dt', {}, el('kbd', {}, `g ${key}`)), el('dd', {}, text)]),
                      el('dt', {}, el('kbd', {}, '/')), el('dd', {}, 'the search field of the page'), el('dt', {}, el('kbd', {}, '?')), el('dd', {}, 'this list')),
                    el('label', { class: 'check' }, el('input', { type: 'checkbox', checked: areKeysOn(), onchange: (event) => localStorage.setItem('carillon-keys', event.target.checked ? 'on' : 'off') }), 'Single keys are on'),
                    el('div', { class: 'buttons' }, el('button', {}, 'Close'))));
                  document.body.append(dialog);
                  dialog.showModal();
                }
                byId('help').addEventListener('click', showKeys);
                document.addEventListener('keydown', (event) => {
                  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
                  if (!session || isTyping || event.ctrlKey || event.metaKey || event.altKey || !areKeysOn() || document.querySelector('dialog[open]')) return;
                  if (isGoing) {
                    isGoing = false;
                    const found = NAV.find((each) => each[2] === event.key);
                    if (found) { event.preventDefault(); location.hash = `#/${found[0]}`; }
                    return;
                  }
                  if (event.key === 'g') { isGoing = true; setTimeout(() => { isGoing = false; }, 1500); }
                  if (event.key === '?') showKeys();
                  if (event.key === '/') {
                    const search = main.querySelector('[data-search]');
                    if (search) { event.preventDefault(); search.focus(); }
                  }
                });

                try {
                  begin(await api('session'));
                } catch {
                  showLogin();
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA6VZbW8ctxH-rl9BI0Z211jtKUZToFJVQXHUwIjjGJGSFFUViHfLu9tqb3lZ8iSr9gH9D_2H_SV9Zobcl5OsBOgX
                HZcczgzJeXlmNJmoi6VR81avjLJz5fExs42ztTlUtV3sV02u1nphnJre8ypIFyvT-Eity7I1zuXqxtzjL6ZWptirVmvbevVBmTpX
                88rUZa6mG-
                8t2DnjL8x7n6vW3mEHxM2rdqW2YG1XKikmpV0V_3TJUc9FrysQ6hrM7rSfLUmnmSFWjTfNzAw2g3S02d6a9rYydx1BnBhRrXAEPm
                WkihOPUe0SjWhqa282645EPkcUelNWrHSncpgYUc0sfl1PFL5HNOYW5-
                91ls8xl9aUmKx03ZMN5ka0eBdfNYueME4I1R7ZhVfvTr85O1fHeJR4kXl3e90oD9eQd4fN44HyoHU-1C3vhW-PgqC3pz9BzOVlEu
                UkuUq-H4xtcpWryyQKp6nvBuOVLIsiNPEGIyXDWtaicjR1OhhrLO8pEASdae5VP5zJbjkHTZx1IyNLg6Px3vHnjRDFI9PU-
                WDskqur7rqn969LXENalZk6_osq7WxD3lcsjD-rDQ2_AgUtx3tb6arBDtqYJvSRYKk29L7OVZbWmk1dy1xt9C3kjubc2t4YIjuAF
                pMXL9TPS-1DELhp7F30_I0zrdJN2cWNpa1moIF4-lwaXZq2UC8me-
                Z9MGnSD3893J9MCHeMc8C712kGg2qN37RN0ByTSVbc6npjCt9WqzQ7Ult6FRd28BJte0AP1vx7BCtE0Dj3tiUvxcbX3qzSZKbbqq
                5ts097cqGN3DHlDtUlvz-d_aIFv2pw4KV2yjZdsGwRKeExtpVguF4fqesX10q7G5mFkbT3NM8XofA69ym-clUUBe_N-
                BpUPHwaXumkWLSanPvkBNpkhbMrk6Y8x4YgwwKs1PHxsUpeJOrjRzWexG-mPv88zLK0wIfGzEYmq2ZWb0rjZD6DvSi5DbqBc33vl
                O5DrbfKwb5hIS2_MJwX5rGyzofDfvEliPHKpQtndjiz54hP1nOs5vADE8-Nu02f0TwU_Vp7U2AMa9iPZvhn8Ds4OMjCBR3xps5E-
                x1hQXJLKjZRV7cmyZCUMBUPtSWjnqg3nNv29uabZubJK9zS3mGyatLGejKhJBEVg4ucFHoKIxZBu66kesec2vK-
                mNXauTeVw1uU0MNufML7RC3xDFjrsipL0zvr3ELyaN7D-kbcfeVrVg6qkqP999__Ua-COSdEKT6GXAwiU6dJ1awhPIeb-Ps1cnqy
                hmZ3ti0Tis3eUoSD09PKbNO2kLE_oKhKzIMZhq35dVMhjh2yUoj0-
                n1tmoVfguLll38EhVubup4tzewGU_zGidpmvVKmbeEQotaaVeJrAjGvkAyGHYmuTeuxl-zFmwGHhQ3bBUqMeKwRI3RLmoaDus10V
                QmbcFvyBhQSi9asayCIV8uqBnxpUmIKoyVLGHFFqCiZBREsv6A14tddeSYr8PQVrbENanffzBAjRIGU00S0diXZr1i3_Pu1metN7
                aP1IhzaoqycntamHDz_0LL5rnKyzrji4XORe7ypivONJyvQd7qiiFnBH8i--Xx400P6EwLmtmOmBrPkA_381JBzRMbdhi1wGRCZS
                tethdqrbKDLjs6BonBe-43jEPWHl39SJyq5sBbv0tyru9YiGxGUFBTil5WLELNQP9NJKIJ1ASbpZCl1-
                KiAgy9YwJL2tIhP8CUEbBiW5DIWQEdOsD_GuO4sg2sZvwyb9_jOnKlhQP1TbvmXw2iwn7K6HRkX42LH5sXDNDl991qJu-
                FvLmqTLyPZaJwOcbpa61rdVX7ZZR9lp3yyXMG7VrY1hXoNA5AzOuQ-KBxS8pQQN3IyzJaVC-_ymG7iYQ6iSsMaLmyWhdRAp50jIj
                k67HZvTwy-i6Q7hsL20AfMOP9U0GzNCqDv_4ib3fOM80F3g-
                S3UZGimx1Emgb1UDnQNmTjYqXXwyzc5dusmFc1lEhTTrpYoiT8TDJz5EtpiIgd4Vrk_wZVCYBfysKyK6KibBgpCSpgNyFdeWGGpu
                WKAhkl-
                13ddiHCA4SQRd8cRgw579xumnIcLDp42ln0E0fgMR2DgQ1zYzK5MKNnS1aJBnxdV3LcPnx8ANZQP8Ou8eZi2tVi6QlsVD7v0RfFd
                hehFsELdrNtZyIkE4awG96h01B50Sq-FJm_XXehn2PfIb_fNhi83FHwpeMxqlw8iiqz-JjPBnKzR6HqSLEOiYmwDLEriD0cEV4eX
                BEylPjc4s5M8EUuj1PGLXaxMOX3G8_YmnQJTpgNsE4IjOKcBG1NU5qyUAFe6AUlyySCY2jQSJJMK4edbYfigtfY0nRe2RNHCyIdw
                j42yZToxe3fUv-B3aUGkCRLHcK9HTq4ZeBCN4CbkU1jBEh78iFh0MeUtOO6sYPTKFcRsn3-gcyZIGWaFd6-
                oWc2F9XKnKMAaRZpYpr9b75Ksu11OFB8EQK4rCN9vaLJhoy23ZgOdWYCO99RFTVAneHp-BbZXLo36s8vd3u51n6Zq183gNhXVBGS
                FRKPAs-2jBafTn757B-TkwkDBAoSffWMGmJdA48kJ8nAqC_Ja9lp17r1jjiToEg7wTZylhL5tjQ__vCay-CGEE3Pg0pD7OPOAPNj
                24yCjz6BoQelJ279lBbo6pDSAP_SEXvqTiG4ukD74w9vzo1uZ8t3tOJSvpPO43py8s3gbdnQe_iMjxCJL925kC0afUt54u3pT7ka
                hzB4H6Yuq1JKC87WV10s0RxGlq2Zw84-
                mzz_UJXbazxIqb3ep7tKDhG7KafKZtpzMy15V4Igovclj4EsIRvi9Hu9gHlCDGwPOgXrhgYiti-
                lwJhci16Bnj9-910SqrN4dThNF8QGDO859bD2KZmlKBPKAko-rHywfYMMK3skW39qm3jAp5F39mh9c_38AwmT7-
                2ozLmmDbxIYSwlpnRzbL754GFRkFSLRteH0dIK-
                c67DsR2lJjJiXuZnftSTK2a0t5RKceNHoIopoGNJuR5s6VuFpSaU3mJLhrLcQUnQT0B_Oczsm-poUg-ldKYuLDpQa4OKM5CpJifu
                6koTTyUOqur2Q0JDJUFS_1EWTFUYsRdctAjzHePM_abwdcR29s4CgF44xUojafJZ7E9OiHrGtFRZdEtu-
                RIjKm7uF5L5DDGgE_cgoDPqO242JG9DDDSQMF33qW_ICxIo57yIDGHqE-zHCSyTq1A-NTt9W_D--FX6dvNagoieSlcFHiKrKznzO
                3zgQ6_ATUCOUMBdw8tVskup9-npACGJ5tlwjC0b8f6x9D7cEmiTFAtU6WhXkPv7nEQWpkFhUhILlgWcWXD-H3k1Bp4IP-IM--
                4CvgX8hcF9muP1M7tyucfXje-LijzU7r_K6p5jfdGrHK2vgWIYnToCBVg-e_YzxCAEvq3KFX3uG1auW-s5LNQfUj20q0hmu-pLBE
                b_I03peIXV8VgyM7neNBRj4qYBcAgAspKw9RDY0Q-
                Bqmk1lODhFpO7xNp5bh9jm8gscCa1gHqilqyNdZeWSxaY2tDIaouLfWDggyBhEo6Iy-
                ZJLaLogzuvXzL5-lpy3pcBOuZlxoYibaY19p_R-D88kFqveTNPrRgBknzQXZkwrjEvb-rID9o8DgTAju7u8mNACkJbEiNHvu-
                kgrzJ_mdPMoPlXldMcbt74Rfadx4oj5a13l60MXj5al9jzkeUl-
                us7Q048dlNz8cevlveDhb3o6DB-4EoAHkCWuTTcI6MvqvBey9NtKugXTFDbH-
                oR9vKXSH6pt43FIjW0xii2HcGUC2QV2SiuHJuhgrOcR3ttS1VD-xTVA_nTijG2FPJ-chNU6FrN88jJOhw-Yu7tfi75Nf0tdv3_14
                8fH87M3Zq4uPF2d_uzj94ew0ez5BReD8OC56vaAqpq8QY_lFJX1kirFsmvm2hq79BNxQjyZ07cP3s4EF0Hd3OAbI59yfsm0MEpcW
                l3o1LrWkQuM41vXnd8Paw6YBOy4w0k6hf_nyisO_qInrHJSBvDV7Arfs4gUG0rwL4Ht7fRTaa73q21EO4gY4RdBFwtVvdwhuqXKR
                iEgOfBBxwYNzkpXSfx6yo0-xhnsPIvLR40STZFwih1hyLMBs52EuuUQQkqth1SxTT92XUAyQHl8Jg5vY7ZG-
                3KjDw4aXkMt1fRhqmg3wEbzqf1oeZ-okIAAA
                """#),
        EmbeddedAsset(
            name: "audience.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A condition with its live count, before it is used.
                import { el, card, setText, button } from './dom.js';
                import { conditionField } from './condition.js';

                function show(main, { parameters, signal, context }) {
                  const use = el('a', { href: '#/compose', hidden: true }, 'Compose a message for it');
                  const editor = conditionField(context, signal, {
                    value: parameters.get('condition') ?? '', onCount(devices) {
                      const text = editor?.input.value.trim() ?? '';
                      use.hidden = devices === null || !context.may(context.app, 'send');
                      use.href = `#/compose?condition=${encodeURIComponent(text)}`;
                      history.replaceState(null, '', text ? `#/audience?condition=${encodeURIComponent(text)}` : '#/audience');
                    },
                  });
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Audience'), el('span', { class: 'soft' }, context.app || 'choose an app')),
                    el('section', { class: 'card' }, editor.node), el('div', { class: 'grid' },
                      card('Would be addressed now', editor.count, el('p', { class: 'soft' }, 'Each device once. Muted devices count, quarantined ones do not.'), el('p', {}, editor.canonical), use),
                      card('Devices of each term', editor.sets.node)));
                  editor.input.focus();
                }

                export default { title: 'Audience', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA41UTW_bMAy9-1dw2ADZgKFg1wRGUHQbsMMu-
                8CuVS061mBLniUlLVL_91Gy7CRFDzsZJsXH98gnbTZwB7XRUjllNJyUa0E5C506IsW9diU8YmNGpDAoC96i5JnqBzM6OAN2JdRil
                CVYdD_xKRz3zhHUBM1oemB8I03P_1i2u1StDb8o7OTV0TUxF2SN13UkZltzynuhdEnlgxhFjw5HS23VQYtAwmhH7WEq4JxB-LUuk
                IWKOOZMsFDYjthsgb2nPkTFIgVbJSXqLbjRI0wlsPs5BQJ6tFYcEEg9iWfFbsVFIknB6pWQPJG4sApUAI6i87i9os0P6HK2FrMC9
                ntgxMbo-zDzXOJR1WiLBLD0jQqr1H7PlR684xGdu1H1ecLZpSKSz2d9VJQgoaoq0L7r4OUF3iXCvBfPC3kuhoHGYFHLWfKKRMMjn
                Id1evtVQPXhjLo2En99_xrnp5FEBLRielgwWmWJ9TMfcehEjT-ccJgHJmWUHrXtA7zwUhHc_-JD3OhStHCeSvpM8SfYJqgiRXnwg
                lTH6Ia6E9ZScYtCsrD7kGw_hlwwwt2KOGfsIPRNnTWNi3VXkwtTZXVrooM0UIQVRRkZRQyMdr6BCddnbh_XyjXpTC1fMz2MKh5dT
                EGVOfttPN2hR-on5UiWRQnanNiKl25xwBve5s8-
                i7pNBiEL1sjhm3eEs3gmQfz15GDtlKYUrcCCNNTK8WVCQxrd0lhoo1UtOkqTgYpb2p8StmkAQ3u6F_2FNL0mdp5EEXeYwrPjG1N7
                m1N8yjJ8im-KxEb4LrwtTrmOLttlfWV8PGDaZf8AkHPXwu0EAAA
                """#),
        EmbeddedAsset(
            name: "chart.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A chart of lines or stacked areas over time, with a cursor, gaps, and the same figures as a table.
                import { el, svg, setText, compact, number } from './dom.js';

                const WIDTH = 720;
                const HEIGHT = 190;
                const LEFT = 52;
                const BOTTOM = 22;
                const TOP = 8;

                const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
                const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

                /** The next round number: 1, 2 or 5 times a power of ten. */
                function roundUp(value) {
                  if (value <= 0) return 1;
                  const power = 10 ** Math.floor(Math.log10(value));
                  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value);
                }

                /**
                 * Makes a chart. `series` is a list of {name, label, format?}; the class of a series is `line-NAME`.
                 * `update(at, columns)` draws it: times in ms, and a list of values for each name.
                 */
                export function chart(title, series, { stacked = false, unit = '', format = compact, gap = 15000 } = {}) {
                  const grid = svg('g', { class: 'grid' });
                  const marks = svg('g', { class: 'marks' });
                  const paths = series.map((each) => svg('path', { class: `line-${each.name} ${stacked ? 'area' : 'line'}`, d: '' }));
                  const cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, x1: -10, x2: -10 });
                  const picture = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title, tabindex: '0' },
                    grid, ...paths, cursor, marks);
                  const values = series.map((each) => el('b', {}, '–'));
                  const legend = el('ul', { class: 'legend' }, series.map((each, index) =>
                    el('li', { class: `key-${each.name}` }, el('i', { 'aria-hidden': 'true' }), `${each.label} `, values[index])));
                  const when = el('span', { class: 'when' }, '');
                  const body = el('tbody');
                  const figures = el('details', {}, el('summary', {}, 'Figures'), el('div', { class: 'scroll' }, el('table', {}, el('caption', {}, title),
                    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Time'), series.map((each) => el('th', { scope: 'col', class: 'number' }, each.label)))), body)));
                  const node = el('figure', { class: 'chart' }, el('figcaption', {}, el('span', {}, title), when), picture, legend, figures);
                  let state = { at: [], columns: {} };
                  let chosen = -1;

                  function show(index) {
                    const { at, columns } = state;
                    const last = index < 0 ? at.length - 1 : index;
                    setText(when, index < 0 || !at.length ? '' : seconds.format(new Date(at[last])));
                    series.forEach((each, position) => setText(values[position], at.length ? `${(each.format ?? format)(columns[each.name][last])}${unit}` : '–'));
                    const x = index < 0 ? -10 : state.x(at[index]);
                    cursor.setAttribute('x1', x);
                    cursor.setAttribute('x2', x);
                  }

                  function choose(index) {
                    chosen = Math.max(-1, Math.min(index, state.at.length - 1));
                    show(chosen);
                  }

                  picture.addEventListener('pointermove', (event) => {
                    const box = picture.getBoundingClientRect();
                    const moment = state.from + ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT) * (state.to - state.from);
                    let best = -1;
                    state.at.forEach((each, index) => { if (best < 0 || Math.abs(each - moment) < Math.abs(state.at[best] - moment)) best = index; });
                    choose(best);
                  });
                  picture.addEventListener('pointerleave', () => choose(-1));
                  picture.addEventListener('blur', () => choose(-1));
                  picture.addEventListener('keydown', (event) => {
                    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
                    if (!step || !state.at.length) return;
                    event.preventDefault();
                    choose(Math.max(0, (chosen < 0 ? state.at.length : chosen) + step));
                  });
                  figures.addEventListener('toggle', () => fillTable());

                  function fillTable() {
                    if (!figures.open) return;
                    const { at, columns } = state;
                    const every = Math.max(1, Math.ceil(at.length / 60));
                    const lines = [];
                    for (let index = at.length - 1; index >= 0; index -= every) {
                      lines.push(el('tr', {}, el('th', { scope: 'row' }, seconds.format(new Date(at[index]))),
                        series.map((each) => el('td', { class: 'number' }, `${(each.format ?? format)(columns[each.name][index])}${unit}`))));
                    }
                    body.replaceChildren(...lines);
                  }

                  function drawGrid(top, x, y) {
                    const lines = [];
                    for (const part of [0, 0.5, 1]) {
                      lines.push(svg('line', { x1: LEFT, x2: WIDTH, y1: y(top * part), y2: y(top * part) }));
                    }
                    grid.replaceChildren(...lines);
                    const texts = [];
                    const text = (name, left, topPart, words) => {
                      const label = el('span', { class: name }, words);
                      label.style.left = `${left * 100}%`;
                      label.style.top = `${topPart * 100}%`;
                      return label;
                    };
                    for (const part of [0, 0.5, 1]) texts.push(text('y', LEFT / WIDTH, y(top * part) / HEIGHT, `${format(top * part)}${unit}`));
                    const span = state.to - state.from;
                    const writer = span < 600000 ? seconds : hours;
                    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
                      texts.push(text(`x${part === 1 ? ' end' : part === 0 ? ' start' : part === 0.5 ? '' : ' minor'}`, x(state.from + span * part) / WIDTH, (HEIGHT - BOTTOM + 4) / HEIGHT, writer.format(new Date(state.from + span * part))));
                    }
                    labels.replaceChildren(...texts);
                  }

                  const labels = el('div', { class: 'labels', 'aria-hidden': 'true' });
                  const frame = el('div', { class: 'frame' });
                  picture.replaceWith(frame);
                  frame.append(picture, labels);

                  function path(index, sums, x, y) {
                    const { at, columns } = state;
                    const name = series[index].name;
                    let d = '';
                    let run = [];
                    const flush = () => {
                      if (run.length && stacked) {
                        d += `M${run.map(([left, , high]) => `${left},${high}`).join('L')}L${run.slice().reverse().map(([left, low]) => `${left},${low}`).join('L')}Z`;
                      } else if (run.length) {
                        d += `M${run.map(([left, , high]) => `${left},${high}`).join('L')}`;
                      }
                      run = [];
                    };
                    at.forEach((moment, row) => {
                      // A time without samples is a gap, not a line.
                      if (row > 0 && moment - at[row - 1] > gap) flush();
                      const low = stacked ? sums[row] : 0;
                      const high = low + columns[name][row];
                      if (stacked) sums[row] = high;
                      run.push([x(moment).toFixed(1), y(low).toFixed(1), y(high).toFixed(1)]);
                    });
                    flush();
                    return d;
                  }

                  function update(at, columns, { from, to } = {}) {
                    state = { at, columns, from: from ?? at[0] ?? Date.now() - 1000, to: to ?? at[at.length - 1] ?? Date.now() };
                    if (state.to <= state.from) state.to = state.from + 1000;
                    const highest = at.map((_, row) => {
                      const each = series.map((one) => columns[one.name][row]);
                      return stacked ? each.reduce((sum, value) => sum + value, 0) : Math.max(...each);
                    });
                    const top = roundUp(Math.max(1, ...highest));
                    const x = (moment) => LEFT + (moment - state.from) / (state.to - state.from) * (WIDTH - LEFT);
                    const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
                    state.x = x;
                    drawGrid(top, x, y);
                    const sums = at.map(() => 0);
                    paths.forEach((each, index) => each.setAttribute('d', path(index, sums, x, y)));
                    picture.setAttribute('aria-label', at.length
                      ? `${title}. Now ${series.map((each) => `${each.label} ${(each.format ?? number)(columns[each.name][at.length - 1])}${unit}`).join(', ')}. At most ${format(Math.max(...highest))}${unit}.`
                      : `${title}. No figures yet.`);
                    if (chosen >= at.length) chosen = -1;
                    show(chosen);
                    fillTable();
                  }
                  return { node, update };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA60Z7W7bRvK_nmIK-ErSoSjJqK93chTDaZwPIGmKwIceThBOtLiS2FAkQS4tGSqBe4d7w3uSm5ndJZeSnKRA88Mh
                l_P9PavBAG5gsQ4LCdkSkjgVJWQFlDJcfBYRhIUI8eBBFCDjjfBhG8s1hLCoijIrfFiFeelDmEYg1wLKcCNgGa-
                qAqkgXggyvE9E0Is3eYYc9iASH8qHFf4R8k7spA-LbJOHC3xIq809sqlhWWQbcIJBlG2C30rnqtdbZGkp4dd3r-7ewgR-vBhe6aO
                3t-
                _evL3Ds9Hfm7P3t6_p5PLCHLz8eHf38QMeXTRHdx9_wfe_NaTXGeqDJ6nYwrtUJsGrUIo7VPh1VmxC6Toi7b956fioAYGOwbnoR_
                Eqlni0idNKCusIas_wKQX-H_1plH1N8JBZb3B-DnfogBRNCkVWoT-UOccw8uGCPHrJDiSf5NkW7YzeliIN4HzQW1bpQsZZqjD_kb
                sPYVIJD_Y9gHgJ6hWeT2DoQSFkVaQwusJvSkdFDl0wBJTiQyjXwTLJssLlxyRbjYaaoEdImsCU5PLh0ke8WbAJc9ddYhhkhQeTF6
                Ae4VwR94JlnEauK8LFmj_TA7yYgCJ71avZAj0g9p9ZR47oAOalKGJRziGmwyQuOcr3aUihnIT3FI5LdsR1fcUhvEjCsiSgEBQuoc
                4pL_o_33y4nQfEZV7lEbrRDTl-
                k2qTlt4coiLcIrgca0vHKWx0crS8WeSSmCotSBSiOeiJHedI4wxWwZWxTISvZaEoMZk5QSMlJX6q0ljim-
                MYVfClSSrMT3LN5XA4xMyawL5WblWuWxUxEcKEdJ0VxyCrj-FFX1RsGdhNWHwuTwPzpy50jr5naJZb-
                bdxH5MgCJuKsvHZnqACskoNZ3uj7DU4VIkcQG4E59RzHygNiKvFVpUlIyVD2oKqz3j0OBpTDcCHi7EpIn1dKHzY4df-
                aIgPF_zQ1SxeYAALwwP_MIuHWGxfZjvUYwhDlJyLFamgqJO8OVZFUTyImzIXC_kpRC-jTGnGQhZZQpkeb4gcKhuHfY5Ph6KJQwBL
                KWaBQBbOENX2USJgD_oQBAEb3G_qMrvEklqH3RMOEYnr3JMaNfL-33_-
                69g2TcRKpBQmBFUlHYOqbyTNEWEfWFqiz5ISdhJ3PP5ZPHYcPic6BKfAlBXWcRSJFM3gyKIS5G8f5hqLLVQD2lbpN2WWM88Wf7sW
                qRa-zMO0Iz59Y-
                Edx8K4z6JHjSHp2f5mmpv6HAkZxkmpLccsqg2a_tHY8rUCdzz1NYofOvzLBbo9cYza3CwtYoswp0qgTzgMPL8xJlarMLKgZWG_qN
                wqF1lOYYVFSulJnYekeTIMTiD6jbyqpyh5G_ujtZEgGapj9zSLhDaTMlo3E6m4NYojQFdX21ut6uxL_E-
                noK9D0zdeYe6JkFQjJTHfQ4jVeDprqvQYyUFtwBbrrOTg6GM7w7Om9JbrbOvq8N2zwZVORK-hxfWUOV1ZIKgfFWBGhudYCq4RJ0h
                EusK5qQ8jrGD8TeHoKcglxXwL6fff4bsW7Zrq3NgME4Gq8i5NFK9UF5oSVxP2YJyLcLfoJZOOeVbGpJ0qwZqxzhvzDS1ls8U8Y2T
                NEq6vdYvxXG2EaZO9My1EfbanjoTJPLZribHP7sA4VF7HyozBjlTRKaxxuJwFKO2NlEV8j-OQ6-
                xGGBa7L0JcNBB1x7HocXT5gWtNFPC8sgl3bh9nE_USpwrW1xJ2XNmYm6JFUWlZ6hgNwii6fRCpfI_9X6SiwMaXxakUxQaHapTSFf
                SVfWJH2n1GhjJEVkK-pNEsTlc_JTHCf8IG4nbsusk2eG4iMuAZ-hm4inywYKx_otRIGFVYIscBP2_jCLU518N1n6dn-uZ2D87BVY
                RlhmctDy0DZdO94Mjvj7RVjMEOwrDpCphNNFwymo55Nnp4XzIo8lFKefi5-WLITglv1sJ4hr_KLt2ywXicPirn8N-
                veicRoXIPS6qJ9LXLn8a-T6rij2NhH4yybfp0NCBgzuXspiiy7Xt0H80lvnr9FK_W-
                D6CeqqcjeRmSnmy73eMTAXlIITNLK9AFSqOKPT_K7EMq6SNMKVIkx84Gel410l8mBxjnVQehiCx9yzT61p9wgwyW62S1ujLOEnuq
                CO6hG5nsfVFm4kVNZSxc6Vd5b65eqP2xaNdCkwlWIg4cVsFB_DXYbeuqc15gs1GndKA71JaqGI36XaBK32MO8zQPPcnir3RCRTNI
                K_Ktfu1Bo9xoKewJ3tEMxv5mjx8YQqIOt3a6vt_rCVonk1P8JoeVfNfmhqCQuRJuBA_reMkKkTq4jTLmp-
                o37RivcGR15VZjhUe5_dugz7pBbORqCuOKUbvMKC9c3bS0t3NgVYBqoBqF-
                CaqLaHRxKBFlQk66k9onNk9hKjKQ3qX9bU6CCxL9s6tKd46OrVFUsAjkVZ_gvywrkoK6LSqhrtMILz2RPDLxEihyrcK2MIwghK-
                ZgIbhOIjB7np3Pc1If1X-anQElxhtQiHQHrrZ9xtFm-
                zUNsDeUZenQdmq35imfQuKNj94He5zhUdRpY361QtM1L1mma50GPs-G2RSz5toMRnmMZoH9UAvVNz1jdJX1FuYtLreIw-
                PEgFA8Vnu_O9ow8meAiT7Mg8Mo1huZ0yKcoMI3U9nlwaWZHhy6TcPWlPXTndmYE1qS1njaqe7AVI-
                APtnGVIY7qzJOUDxKfA6E8lRCsf5v6ViA3W9fBFqU-Nmvz8cJorW8FRf1pMvzNORgQtIC_xnLtMoDqYfQUhDk2mshttxGW46BX0V
                7ezJAV3QcdV61vaEypklsVbF1Wuca281fEl0Dte1GlR1VkmWBcURnpFAvqnght-tP335tLpjYqAck_wwz_cLYnSO4YU1WFfFjjBD
                JjirpW1P7Zng4xy4LfcKBynfeOV79XuGUSL7BzBzRqFCU92dSSbHtECs-6lP7V1JUaXVmKAw3-
                XLFbXqaWdQyr65g96KqRlO50th07D-iune4G-
                RY9qyRdmOeJumMM6a7Ox7VZ8m1hSreCrXeyLbzAPEfX6EG_jxyndIzTxAy_IbKn3Os2xVznDgJNoL1JoygkzBmWhWEXlJRHWMJ4Z
                uJxqjo5IVxZEjUR0pKbMP5VayVVxaY7bRAPC-vreCcid0Qd00U2h0dEwD4ze6CZ5jsK6p4SHY8Jx9ezlOhUlahpdi5CoXNZYMET9
                Fj9FnFNO_x0OKMHqnJBigufR5bH2k8Ux0RVQXXGvEOMuh3Lm07z3F7ZvLYDHWxyxMrOZLKUWniQI8f1v48DTg-
                1tEx1b_6yVKgVRfsY34PWz95B125jh0e7QkQVZrCLntcXb-
                pKoSI5-d2nXwrG7RSNZZ3Hy64z9WDDo4P55cEevBFLa3l8hWBCihjzNPDMHHXXU9pkTy-
                utNJ2dlybBe0Abqsa_VyEDEYIqn4LGZDYTKJpkwRjmqVnr8Akrr7uOTG-doYQTCXLocx6qCH4fvfpXZod070EoRH-ie5j7Gm6XBf
                Runy2roN0SPClEN_H1QH8jIXibH9yizi4oj3eGtROcXJr6OaQNbLpqoyd3kPuN3TrgWZrxjw73prIMdjBXGsw7mrQXOk-
                ChnMvTZD9Yb7wlrdvO6V4anLH7C3U1WZmjza86Wor8sTVYO693-EB4bMgB0AAA
                """#),
        EmbeddedAsset(
            name: "compose.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A new message: content, languages, audience, time, pace; dry run, a test to one device, then the send.
                import { el, card, field, select, button, setText, number, counted, confirm, timeText } from './dom.js';
                import { call, sentence } from './api.js';
                import { conditionField } from './condition.js';
                import { device } from './trace.js';

                /** Above so many devices the number must be typed. */
                const TYPED_FROM = 100;

                const check = (label, input) => el('label', { class: 'check' }, input, label);
                const text = (options = {}) => el('input', { autocomplete: 'off', ...options });

                /** The fields of one body. */
                function content(changed, isDefault) {
                  const inputs = {
                    language: text({ maxlength: '35', placeholder: 'zh-Hant' }), title: text(), subtitle: text(), body: el('textarea', { rows: '3' }),
                  };
                  for (const each of Object.values(inputs)) each.addEventListener('input', changed);
                  const node = el('div', { class: 'fields' }, isDefault ? null : field('Language', inputs.language), field('Title', inputs.title), field('Subtitle', inputs.subtitle), el('div', { class: 'wide' }, field('Body', inputs.body)));
                  return { node, inputs };
                }

                function show(main, { parameters, signal, context }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const done = el('p', { class: 'fine', role: 'status', hidden: true });
                  const dry = el('p', { role: 'status', class: 'notice', hidden: true });
                  const pushType = select([['alert', 'alert: shown to the user'], ['background', 'background: silent']]);
                  const raw = el('input', { type: 'checkbox' });
                  const rawText = el('textarea', { class: 'mono', rows: '12', spellcheck: 'false', 'aria-label': 'Payload as JSON' });
                  const main_ = content(changed, true);
                  const languages = [];
                  const languageList = el('div', { class: 'phones' });
                  const options = {
                    badge: text({ type: 'number', min: '0' }), sound: text({ placeholder: 'default' }), thread: text(), category: text(),
                    level: select([['', 'not set'], 'passive', 'active', 'time-sensitive', 'critical']), collapse: text({ maxlength: '64' }),
                    data: el('textarea', { class: 'mono', rows: '3', spellcheck: 'false', placeholder: '{"type": "raid"}' }),
                  };
                  const audience = select([['topic', 'a topic'], ['groups', 'groups'], ['condition', 'a condition'], ['devices', 'devices'], ['all', 'every device of the app']], parameters.get('condition') ? 'condition' : 'topic');
                  const topic = text({ maxlength: '200', spellcheck: 'false' });
                  const groups = text({ placeholder: 'user/42 user/43', spellcheck: 'false' });
                  const devices = el('textarea', { class: 'mono', rows: '2', spellcheck: 'false', placeholder: 'ids or tokens, with spaces between them' });
                  const condition = conditionField(context, signal, { value: parameters.get('condition') ?? '' });
                  const label = text({ maxlength: '100', placeholder: 'shown in listings and in the log' });
                  const lane = select([['bulk', 'bulk: a broadcast'], ['interactive', 'interactive: a user waits']]);
                  const pace = text({ type: 'number', min: '1', placeholder: 'no bound' });
                  const at = text({ type: 'datetime-local' });
                  const expiry = select([['', 'APNs decides'], ['0', 'not stored'], ['3600', '1 hour'], ['86400', '1 day'], ['604800', '1 week']]);
                  const self = text({ value: localStorage.getItem('carillon-test-device') ?? '', spellcheck: 'false', placeholder: 'your device: id or token' });
                  const preview = el('div', { class: 'phones' });
                  const size = el('p', { class: 'soft' });
                  const audienceFields = { topic: field('Topic', topic), groups: field('Groups', groups), condition: el('div', { class: 'wide' }, condition.node, condition.count), devices: el('div', { class: 'wide' }, field('Devices', devices)), all: el('p', { class: 'soft' }, 'Every registered device gets it.') };
                  const fields = el('div', { class: 'fields' }, main_.node, el('div', { class: 'wide' }, languageList), el('div', { class: 'buttons wide' }, button('Add a language', addLanguage)),
                    el('details', { class: 'wide' }, el('summary', {}, 'More fields'), el('div', { class: 'fields' }, field('Badge', options.badge), field('Sound', options.sound), field('Thread', options.thread), field('Category', options.category), field('Interruption level', options.level), el('div', { class: 'wide' }, field('Data of the app, as JSON', options.data)))));
                  main_.node.classList.add('wide');
                  const sendButton = button('Send…', send, 'primary');
                  const dryButton = button('Dry run', () => dryRun());
                  const testButton = button('Send to this device', sendTest);
                  if (!context.may(context.app, 'send')) { sendButton.disabled = dryButton.disabled = testButton.disabled = true; setText(error, `Sending needs the role send for ${context.app || 'an app'}.`); }

                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Compose'), el('span', { class: 'soft' }, context.app || 'choose an app')), el('div', { class: 'two' },
                    el('div', { class: 'phones' },
                      card('Content', el('div', { class: 'fields' }, field('Push type', pushType), el('div', {}, check('Write the payload as JSON', raw))), fields, rawText),
                      card('Audience', el('div', { class: 'fields' }, field('For', audience), ...Object.values(audienceFields))),
                      card('Delivery', el('div', { class: 'fields' }, field('Label', label), field('Lane', lane), field('Deliveries a second at most', pace),
                        field('Send at', at, `in ${Intl.DateTimeFormat().resolvedOptions().timeZone}; empty: now`), field('APNs stores it for', expiry), field('Collapse id', options.collapse)))),
                    el('div', { class: 'phones' }, card('As a phone shows it', preview, size),
                      card('Try it', field('Test device', self), el('div', { class: 'buttons' }, testButton)),
                      card('Send', dry, error, done, el('div', { class: 'buttons' }, dryButton, sendButton)))));

                  // Content

                  function addLanguage() {
                    const one = content(changed, false);
                    const block = el('fieldset', { class: 'card' }, el('legend', {}, 'Language'), one.node, el('div', { class: 'buttons' }, button('Remove', () => { languages.splice(languages.indexOf(one), 1); block.remove(); changed(); }, 'quiet')));
                    languages.push(one);
                    languageList.append(block);
                    one.inputs.language.focus();
                    changed();
                  }

                  /** The payload of a body. Throws a text if a field cannot be used. */
                  function payload({ inputs }) {
                    const aps = {};
                    if (pushType.value === 'background') aps['content-available'] = 1;
                    else {
                      const alert = {};
                      for (const name of ['title', 'subtitle', 'body']) if (inputs[name].value) alert[name] = inputs[name].value;
                      if (Object.keys(alert).length) aps.alert = alert;
                      if (options.badge.value) aps.badge = Number(options.badge.value);
                      if (options.sound.value) aps.sound = options.sound.value;
                      if (options.thread.value) aps['thread-id'] = options.thread.value;
                      if (options.category.value) aps.category = options.category.value;
                      if (options.level.value) aps['interruption-level'] = options.level.value;
                    }
                    let data = {};
                    if (options.data.value.trim()) {
                      try { data = JSON.parse(options.data.value); } catch { throw new Error('The data of the app is no JSON.'); }
                      if (typeof data !== 'object' || Array.isArray(data) || !data) throw new Error('The data of the app must be an object.');
                    }
                    return { ...data, aps };
                  }

                  function whole() {
                    if (raw.checked) {
                      try { return JSON.parse(rawText.value); } catch (problem) { throw new Error(`The payload is no JSON: ${problem.message}`); }
                    }
                    return payload(main_);
                  }

                  const hasText = (one) => ['title', 'subtitle', 'body'].some((name) => one.inputs[name].value);

                  function phone(language, aps) {
                    const alert = typeof aps?.alert === 'string' ? { body: aps.alert } : aps?.alert ?? {};
                    return el('div', { class: 'phone' }, el('div', { class: 'lang' }, language),
                      aps?.['content-available'] && !aps.alert ? el('div', { class: 'push' }, el('span', { class: 'icon', 'aria-hidden': 'true' }, '·'), el('b', {}, 'Nothing is shown'), el('span', { class: 'text' }, 'A silent push wakes the app.'))
                        : el('div', { class: 'push' }, el('span', { class: 'icon', 'aria-hidden': 'true' }, (context.app.split('.').pop() || 'A')[0].toUpperCase()),
                          el('b', {}, el('span', {}, alert.title ?? (context.app.split('.').pop() || 'App')), el('small', {}, 'now')), alert.subtitle ? el('strong', {}, alert.subtitle) : null, el('span', { class: 'text' }, alert.body ?? '')));
                  }

                  function changed() {
                    fields.hidden = raw.checked;
                    rawText.hidden = !raw.checked;
                    for (const [kind, node] of Object.entries(audienceFields)) node.hidden = kind !== audience.value;
                    dry.hidden = true;
                    try {
                      const one = whole();
                      const others = raw.checked ? [] : languages.filter(hasText);
                      preview.replaceChildren(phone(others.length ? 'every other language' : 'every language', one.aps), ...others.map((each) => phone(each.inputs.language.value || '?', payload(each).aps)));
                      setText(size, `${number(new TextEncoder().encode(JSON.stringify(one)).length)} of 4,096 bytes`);
                    } catch (problem) {
                      setText(size, problem.message);
                    }
                  }

                  raw.addEventListener('change', () => { if (raw.checked) try { rawText.value = JSON.stringify(payload(main_), null, 2); } catch { /* The text stays. */ } changed(); });
                  for (const each of [rawText, audience, pushType, ...Object.values(options)]) each.addEventListener('input', changed);

                  // Sending

                  function message() {
                    const result = { app: context.app, push_type: pushType.value, audience: audience.value, lane: lane.value };
                    const bodies = raw.checked ? [] : languages.filter(hasText);
                    if (raw.checked || pushType.value === 'background' || hasText(main_) || !bodies.length) result.payload = whole();
                    if (bodies.length) result.bodies = bodies.map((each) => ({ language: each.inputs.language.value.trim(), payload: payload(each) }));
                    if (audience.value === 'topic') result.topic = topic.value.trim();
                    if (audience.value === 'groups') result.groups = groups.value.trim().split(/[\s,]+/).filter(Boolean);
                    if (audience.value === 'condition') result.condition = condition.input.value;
                    if (audience.value === 'devices') result.devices = devices.value.trim().split(/[\s,]+/).filter(Boolean).map(device);
                    if (label.value) result.label = label.value;
                    if (pace.value) result.pace = Number(pace.value);
                    if (at.value) result.send_at = new Date(at.value).getTime();
                    if (expiry.value) result.expiration = expiry.value === '0' ? 0 : Math.floor((at.value ? new Date(at.value).getTime() : Date.now()) / 1000) + Number(expiry.value);
                    if (options.collapse.value) result.collapse_id = options.collapse.value;
                    return result;
                  }

                  async function attempt(body) {
                    setText(error, '');
                    done.hidden = true;
                    try {
                      return await body();
                    } catch (problem) {
                      setText(error, problem.code ? sentence(problem) : problem.message);
                      return null;
                    }
                  }

                  async function dryRun() {
                    const answer = await attempt(async () => call('send', { ...message(), dry_run: true }));
                    if (!answer) return null;
                    setText(dry, `${counted(answer.total, 'device')} would be addressed now. Nothing was sent.`);
                    dry.hidden = false;
                    return answer;
                  }

                  async function sendTest() {
                    localStorage.setItem('carillon-test-device', self.value.trim());
                    const answer = await attempt(async () => {
                      if (!self.value.trim()) throw new Error('Name your device first.');
                      const one = message();
                      for (const name of ['topic', 'groups', 'condition', 'pace', 'send_at']) delete one[name];
                      return call('send', { ...one, audience: 'devices', devices: [device(self.value)], lane: 'interactive', label: `test ${label.value}`.trim().slice(0, 100), key: crypto.randomUUID() });
                    });
                    if (answer) sent(answer, 'The test is sent.');
                  }

                  function sent(answer, what) {
                    done.replaceChildren(what, ' ', el('a', { href: `#/message/${encodeURIComponent(context.app)}/${answer.message_id}` }, `Message ${answer.message_id}`), ` for ${counted(answer.total, 'device')}.`);
                    done.hidden = false;
                  }

                  async function send() {
                    // The same key for each attempt of one intent: an answer that was lost sends nothing twice.
                    const one = await attempt(async () => message());
                    const count = one && await dryRun();
                    if (!count) return;
                    const when = one.send_at ? ` at ${timeText(one.send_at)}` : ' now';
                    const isLarge = count.total > TYPED_FROM;
                    const isSure = await confirm(`Send to ${counted(count.total, 'device')}?`, `The message goes to ${counted(count.total, 'device')} of ${context.app}${when}${one.pace ? `, at most ${number(one.pace)} a second` : ''}.`,
                      `Send to ${counted(count.total, 'device')}`, isLarge ? { typed: count.total } : {});
                    if (!isSure) return;
                    const key = crypto.randomUUID();
                    const answer = await attempt(async () => {
                      try { return await call('send', { ...one, key }); } catch (problem) {
                        if (problem.effect === 'unknown' || !problem.code) return call('send', { ...one, key });
                        throw problem;
                      }
                    });
                    if (answer) sent(answer, one.send_at ? 'The message is scheduled.' : 'The message is on its way.');
                  }

                  changed();
                }

                export default { title: 'Compose', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA7Vb23LbyBF991eMHJcB7FKQfIlrQ5VW5fUlccq3suVKJYrKGhJDESsQQDCgaC6XVfma_ELe8yn5kvRlZjADkrK8
                VXkRycHcuqf79Oke6OBAPBWlWoiZ0lpeqqEYV2WrynYgCllezqFJD4ScZ7kqx2og2nwGf2s5Vkcia5aimZfwWLRKt6KtRFUqkanr
                nLpOVYl_hFZllt7JZ3XVtGIlVDEQY9lkAzHJVQEfWhVqDAuO5m1blfi7PVVfoKGcz0aqgd7VHPaU4Zdykjcz3gb2EWsxaaqZiNKD
                rJqlP-voqFtoLIsCZ0N5xsrrKuu837Uqs7zNq_Ilbsnr6h70BrCQXse2AZ1wpzsH330nno6qaxC9EjNZLk13TepgqcRsDiobKdEu
                a5Wl4ruDO7AWNJ3-9f2L559ffnj3RhyLB4eHMB8_GE_V-Ara4kKOUId5Wc_bRBz_CBqNI2qMBihLIbUeioj6R2JteuKBQpfkyEzX
                ovpgtqpG8TR8Xa3dbDSCZpPzthpXs7pQLRhHVE0m0JymqR22TozApyAaHagW1YQMYVRlSxJsMi_H2NvaVjyegm3hgeb6uZrIeQFy
                rO4IwTujxWlD0CScHQ5py_EKNPqlUOVlO4X9PPo9bKcuQPfTqshUA02_TPf_JMsWJE_QUNrCjoSfej7qteAmhyQztshGSRK7qRao
                w0c0C2xjfQR_JlUjYt6jkuMpyvlu9DPYbnoti7nSMe88SehxKrPsxTWI-zrXILVqOrUa-ZMjJ3NZZQokxn1k-
                XVwjqxUPkirLnECZlQUYsgqj6PXRkmROW2dWrUlA9vnFCXvOpAiuqcfjWq6DlZZ0GfbvhZ5pmhXZoKfQJPdYNRrkpCEjWrnTQkjU
                UjbATW6vtOZhp5Wi3gm8xKXqGUjZ2BwDWCPzi9LWQzYdtDjfVNRTQNnwnqrg93RE2hpKjztSBaqIZPoVJ6hjW4bOslL1Y3UrWznG
                n5P8yxTJVhOM1fhRICD_jz9gXbesmoBBG6aqZ7r6SngAUzHoBifnZmtD4wMQ9JUiWCLYDLXqonOB-
                IsGsnx1WUDSJlh3-4XDMjBXdro_NxbqZELs-fO1RGJLG6Mqi-htmDAKSPGhq9Y-
                WZVWZHeyHUePITvulZFQROiXmWhFQnS5HKfAQua38tlUclMSC3-
                _PHd23BZtIjPsOgGcqDuvH4uWEHfs_PNdvTBHf5VT8EQdLisB4qEQSOZeQBkFMVADnPNcjjM6JARR7PSTdcQmjL2XgNNU1Bg1iHR
                WLbqsmqWroXRT12rYuiZAyoQLAmjJB58VIMU-
                TXrFVyJv2F83IfIp3PbMm7gK0TE6ByXqopC1no7pD55bEFPiEy2cnjbE3-068BDJazuov7uDsXdRubZ3XUAsax-yzcCP2irOh-Tm
                IK_ktmjkdfoZfYbtbqwzf27n_TURGN8Zr9SO_AFbAONNzZkI8ajn8m6BgcaeMiUXqo29hZKAJO9nwDNZseeWVEDCLVF6w8PD7erL
                7BLlrGbIdQsgsHB44eCPx_dYj7LS27t1Q9vd8Y5soAG5L0CGxyIRd5OYZjEpUaqXShmhrNwM0557O8eIYsN-HfRYCUo5A5vPhA4k
                XAJAp3tB_CADiAUg6E2L0UB8JGXl1rIMsPfaBJFddmfvAwtdjQvrgiM4XMILHnUAM6NpW7Z3HKQqel81vuJnfEQxULmrQ6RG7XYS
                bAdih5sSFJWwHQwNgQ7lu3GTODxitCjqBAtgu7qS51TrAvR6On7txosaQx8wDjSoQOptmpUxo2PnpCGowdiWs1N0PrhyWPbmMklt
                z05fPyDbQRLuQrFh6Un3aaNEdBeP8JagPRoBq9aNQNTgDhTFFW5j9nJPpu6tYpbWfES9mlcZCjyzFl0qJW6gR5q8Q3RRee_bGceu
                pr0SIpFwpfMrI8xTCOIOOJ3alCRWgHaGSHc4z9aeOR2wn7jIMObWV2X-
                TBt635TOgYzGfAY3oodPneYa4YlMAMA7nC3GsACXhAUN-
                oSKTRYkkVlOGMt8jaF4_TCxsQq6Ss0mkiFEevGvfvsYQcL5qRVCzeGG-LoaQaUxs0AYyAdsCw9MeGVJlStzAu9fQPYQc9nM9kgtV
                6hSt6ARxlJox178kS13Bz5C_QxvCYlPuNxf0Mb7WPiMF7iQEzFe87UpevwzFAXr4tlM12nV4hvzZyeM63xutPvWyYaz4GUeHF54J
                hjNx3yliQx-Ud33ClNiaeJyVnMMwfgUmY_0fmBEdmD_AiN__3nvyIqJWTIuJqcDiRMATbGPefyCIyLKa-GPh_mZZz4fACAaet6TO
                9zbezdrH0K3Wl0PhHxnomJ6UwubXxMSR0R9o0gC115AqVZruWoABc67nbrN3Z7CVqBZh_ZikxMSdVAXOAWIRyKUqmMixqY89BqlC
                TfW3kbEr_-ChysJAq1Ti-SIwF5H58KPoYx8bZTn6LJWR-YPrDm_6ya1RVgtbEVIBXlduzo72A8rWCcMBtJdthau6hwdOedu-Ccuw
                iqZIEDcHoS3dYf30OiRxEXY45J-sIdoQQYnOLoL8DcFSm57mVKA8zKksS6mB7YLC0Jd_fUBJFbb-
                8lpc429iRU8AkrHWFcSpLeis9VkSN033rF16Z8xTUqr5lScWRWiRdKaPIcyKQEm8PAhExmVmk8AORHbjfCIZyiTigVsMgLoHD3Vg
                BIRQpgok6B74DIMwlZV9ooXRXXKnvHUAItSIf-Bse-
                PhJqVreQoJXV4qLbD_EfYjoYk9ABUGziSh5EmpQLeISPkqY1SYKQsNPo7IGi5NRK1QBcFiVnIjIgftE7kFMAI-pkIV059k_gUkxu
                jm-0eAcR_fNG9WJob5YDYUACyytfn9JB0cDDKoPcsMLBgTCuhb9cscgLpXFiUnSTuBMF36gWEL8j6LQdR8AZrwxVYHNUbVg-
                BcEc_hTqkiUkDHLFNtAZLHgDk_BFtfj-Qc0qYvwcFlZd7SLVdQEHEncNeZmpL-
                8mcUX2_wCwk_YNRopzxPDbiIhfcWv_mOcghwl8wpsaUYamCR9wLGQUpqnNcxSrV0hMJ9V4Dv5gtOjWxdSdzsoUgS1KQYSWpgYMBA
                KtVHLROccHpHOwnhLThBEVsrgK7h2zmQl4vq0Zhoctay5b844wKFosZZgSx8fHfikM2CIMoeoAmse-vAbmhZEuOsda-
                5FxQHDSlbVuXgcLb95KQSW4hPQTZT2LbPk00l0pNUIFROcJ7Y6lOMMR57zDhOfmJlhhs4ddEccbCL5SSwBgHJeknL6SXKndJn364
                wLW5xauTQOMeEvp49Z-2-
                YheujPQw0wz5YO28YzffQmAN1R0z6A47k3j99x20SWZPp7sW3eNGG3bRMR_Qw2lHtsdZ_Zqr8zbwDPtzbVupZqZj2z9GkpD0pbIJ
                FxkjhLa2HHKzsWo3tay0arLUPR07FYOJ5iMoieRRd4LxB2kasrnqUjyAJ4JOT_NGlE9KtTAHIQ6Ekj9tBbKrKxCCnT06aRyzTX9B
                kTpcbmPf52q5XtJRewLp44jRJfX-5qAAgGjh2QT68dpjgoWEBS3mE97hyoTkoMSWV9LZpZPS0aXrShwLhuKvD_WbJFlRc-
                mHUqHAJzMKNSc2m6vnBaDcSy-EUJSAeUjBtTqU_tFRzAMoaCGyEEnGqm4hihgTp3CB0AylGgNuIILp6QdnsQajDD2AE8P7E4gtag
                wUzLy0icgH74pqwDmrUY-v1PTpzJG_F3UhkXVvtPcaNB4u1oBi20Hbnv3xd73a5Oti8LcaFLqPs5Qz42hWK8l-
                DLGbyYwNyHyxD_-bfNN0aWA7ytID-DFAgMg6qEOxMSDHk8y1NzE0OMXyzklbkQBkcBt0gcZR3-
                H0TwM0SiGW0cwaJpXdUxeXX0NErODs_TtvoEbKB5JsFrEo9Hi0B8fw_rAVsRXyiiHdxiMS8F0zOuu5NagVlHXBnCGa0XmFMFa6zA
                QPw13R0laA1vRL92CDwKTZnrgIYphWDjuI1xFeaHKasVnMWDHmPwBl5cj72NLh5jOLvKsY6ArPHcu0MGy8CcZiO1oo7d1DiYoNr2
                86MQ0OmuJ-XudxwsBpSGebJB1aPwEdhko0Mx4QDOzkHFHZ-c5AUEyNigmJvC5CBAUKmU-myaF1mjypiBiKc2pAXvS_iqhZq7Uhle
                nfADr3qGcCepgIkvH_A8M1nHMV61EyDyEnTz3meuzAbR8E4oQ2RYppE0aeL2bysdmEJBnnhvxZX1GMMCPnhRjuE0GsgKFX2LKcgw
                TOaTJUG5Y2VrPN3Hg8M_PBGjJSRPFzb2bUafrcv3wowXOcle8Xw23zFg4_XSi41gaYKkHxIt5-
                gECWPXwDjXw4B8HDDhJ1KvW7nUSODxuZeTJDtenDgz6_svF1n2vqXeYGhQcv4N71Zw_mhqVYGDG4X2ckfI3_HVCqyxA3ANRVBUw7
                195juSMMnoBBj2XJLrFuQ01gTXQQpaZbn6bY7WO1M07a-
                kPtjFzGHOlLgc78GlEayC1LKeHkLgqtsHOFHM49Az45X3Es9uBzWc2DnoMPRUsCVvH6GqWVxz32o35W5b8TNY4uZpzEWym8dduvK
                XYCYT3g7O_q4H598fJPa4fqpAb7L8ykr-ZaVZbOslKOvLB_pdM9r7bDdfd8Nrvn3T9ukgeaAnChXpbLZk1rE3q94zLy2XY9Xrb64
                xTebpdfDka3tjsEL0me4sEY6xctf1wWs_rOP5h8s1uN4k1CiNhv0erMBDJLuH4IFvZDtNJ0UFmYBbBV-
                7umFlGIWPUiAxmNod4Ot7h4n43koZ7GczO7TFwN6GbfPn3E-xw84B7-
                ZxjtZIvSzHXu2sbbGKGdMLWgb_evX9yCZpWMP7Gp8wi0q8qqYcIb51lDPL2TCH8RQ0bF_Y7MYNd0RCtzgGp15w7EltL1_C5KfUC4
                Wvj_HmrWZ4KIdPfIc05guVAaepLnZQ8fJzM-
                9e5PLOdI_nTjZ3aIWnWukF3pTQy60xDwDQavH9hsheV6_FopoXGSXRGVAprQHuwcBSYTOQhdSks9TSi4AEUuUzMA9eaJd52Hsmp6
                rgbl3feLfOheSwwHH0bfpeebWJvc3ZNqsOb7H85l3UA1lvdFdmCPmuO7ub63j2RaPu3aLgfSIEq8hcswEcYXUvU_h-
                LK7CyXjPPjetiIrjHXHwXklyt-
                pn_C3utJCcW0rRe3eEQHcoLug17HsrD4PXFw7pqbR8OEBQAtu9UpDMj5tl3VZpI8usmn369Op5nBjGJtwnIbExZjQz8wPkZ-6HL-
                waA4y25FLBkMVUttauCFv6aQJ2gJmFuTfiN5GmjZqAcL87MMd3cG_F5PvTh1d0HVhSrb9ja8kauhh_MmMAPNcXmABevOEGsbUHKO
                bC3WDe7JeduwUg6fxtl3M5xwJuihrUaHdwGrQssWPjF_Y16pxKHkO6uWQHakFL5PZFZS6tsTrFaNAuYHvpxo3Ibo9zPhG4KkmP4Q
                ZG379vhlsQ9WCO3wUxdu5PsJiSOlA3NmyfgG4l2qd9ez_2niZwPGDXCG2RP0-uX8vmki91YCk-B_Gj95p82PvjvOnkNf8vEF_YO_
                XuWL3Z_FM9uQALwGMxahGXFVZpbjESjyu4917fW6ES4APFJL4DGhjYq0rhckv7GOaw95mkC7wttwWY20twMXA6OzEv9WbDQHlYuF
                v57r3Hatt2jGiYx9tw4jfielCgNYe0HRxx5fX2Uq0rShG3NNRATSaQLzKJm5dXJdbkKMXx6UXyFUQ2i7oFONyYGWzz-
                nb4GJp-5BsVAiakbtm8UFlK9Y7eU8CKvNXg40sfVL07N_gNbBL_F8W8U4xHzf_Z4F6RGFBlEnPO_wGKgrNq5jMAAA
                """#),
        EmbeddedAsset(
            name: "condition.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A field for a condition: its count while it is typed, errors under their column, names that complete.
                import { el, field, setText, table, tableRow, number, counted } from './dom.js';
                import { call, Refused, sentence } from './api.js';

                /** The place of the name that is typed: its kind, and what is typed of it; null outside of quotes. */
                function placeOf(text, caret) {
                  const before = text.slice(0, caret);
                  const quote = before.lastIndexOf("'");
                  if (quote < 0 || (before.split("'").length - 1) % 2 === 0) return null;
                  const after = text.slice(caret).match(/^[^']*'?\s*in\s+(topics|groups)/);
                  return { start: quote + 1, prefix: before.slice(quote + 1), kind: after?.[1] };
                }

                export function conditionField(context, signal, { value = '', onCount = () => {} } = {}) {
                  const input = el('textarea', { class: 'mono', rows: '3', spellcheck: 'false', autocomplete: 'off', maxlength: '16384', 'data-search': true, value,
                    role: 'combobox', 'aria-expanded': 'false', 'aria-autocomplete': 'list', 'aria-controls': 'suggestions' });
                  const list = el('ul', { role: 'listbox', id: 'suggestions', hidden: true, 'aria-label': 'Names' });
                  const fault = el('pre', { class: 'caret', hidden: true, role: 'alert' });
                  const count = el('p', { class: 'count', role: 'status' }, '–');
                  const canonical = el('code', {}, '');
                  const sets = table('Devices of each term', ['Term', '#Devices']);
                  let timer = null;
                  let serial = 0;
                  let chosen = -1;
                  let place = null;

                  async function explain() {
                    const condition = input.value;
                    const turn = ++serial;
                    if (!condition.trim()) {
                      setText(count, '–'); setText(canonical, ''); fault.hidden = true; sets.body.replaceChildren();
                      return onCount(null);
                    }
                    try {
                      const answer = await call('explain', { app: context.app, condition }, { signal });
                      if (turn !== serial) return;
                      fault.hidden = true;
                      setText(count, counted(answer.devices, 'device'));
                      setText(canonical, answer.condition);
                      sets.body.replaceChildren(...answer.sets.map((each) => tableRow([el('code', {}, each.set), `#${number(each.devices)}`])));
                      onCount(answer.devices);
                    } catch (problem) {
                      if (turn !== serial || signal.aborted) return;
                      setText(count, '–');
                      sets.body.replaceChildren();
                      setText(canonical, '');
                      fault.hidden = false;
                      if (problem instanceof Refused && problem.column) {
                        // The column counts bytes; the caret stands under the line that has it.
                        const bytes = new TextEncoder().encode(condition).slice(0, problem.column - 1);
                        const before = new TextDecoder().decode(bytes);
                        const start = before.lastIndexOf('\n') + 1;
                        const line = condition.slice(start).split('\n')[0];
                        setText(fault, `${line}\n${' '.repeat(before.length - start)}^ ${problem.message}`);
                      } else setText(fault, sentence(problem));
                      onCount(null);
                    }
                  }

                  async function suggest() {
                    place = placeOf(input.value, input.selectionStart);
                    const turn = serial;
                    if (!place || !context.app) return close();
                    const wanted = { app: context.app, prefix: place.prefix, limit: 8 };
                    try {
                      const found = await Promise.all([place.kind === 'groups' ? null : call('topics', wanted, { signal }), place.kind === 'topics' ? null : call('groups', wanted, { signal })]);
                      if (turn > serial || !document.activeElement || document.activeElement !== input) return;
                      const names = [...(found[0]?.topics ?? []).map((each) => [each.topic, 'topics', each.devices]), ...(found[1]?.groups ?? []).map((each) => [each.group, 'groups', each.devices])].slice(0, 8);
                      if (!names.length || (names.length === 1 && names[0][0] === place.prefix)) return close();
                      list.replaceChildren(...names.map(([name, kind, devices], index) => el('li', {
                        role: 'option', id: `suggestion-${index}`, 'aria-selected': 'false', onpointerdown: (event) => { event.preventDefault(); take(name, kind); },
                      }, el('span', {}, name), el('small', {}, `${kind}, ${counted(devices, 'device')}`))));
                      list.names = names;
                      list.hidden = false;
                      input.setAttribute('aria-expanded', 'true');
                      choose(-1);
                    } catch { close(); }
                  }

                  function close() {
                    list.hidden = true;
                    chosen = -1;
                    input.setAttribute('aria-expanded', 'false');
                    input.removeAttribute('aria-activedescendant');
                  }

                  function choose(index) {
                    chosen = index;
                    [...list.children].forEach((node, position) => node.setAttribute('aria-selected', String(position === index)));
                    if (index >= 0) input.setAttribute('aria-activedescendant', `suggestion-${index}`); else input.removeAttribute('aria-activedescendant');
                  }

                  function take(name, kind) {
                    const rest = input.value.slice(place.start + place.prefix.length).replace(/^[^'\s)]*'?(\s*in\s+(topics|groups))?/, '');
                    const text = `${input.value.slice(0, place.start)}${name}' in ${kind}`;
                    input.value = text + rest;
                    input.setSelectionRange(text.length, text.length);
                    close();
                    changed();
                  }

                  function changed() {
                    clearTimeout(timer);
                    timer = setTimeout(explain, 300);
                  }

                  input.addEventListener('input', () => { changed(); suggest(); });
                  input.addEventListener('blur', close);
                  input.addEventListener('keydown', (event) => {
                    if (list.hidden) return;
                    const last = list.children.length - 1;
                    if (event.key === 'ArrowDown') { event.preventDefault(); choose(chosen >= last ? 0 : chosen + 1); }
                    if (event.key === 'ArrowUp') { event.preventDefault(); choose(chosen <= 0 ? last : chosen - 1); }
                    if (event.key === 'Escape') { event.preventDefault(); close(); }
                    if (event.key === 'Enter' && chosen >= 0) { event.preventDefault(); take(list.names[chosen][0], list.names[chosen][1]); }
                  });
                  signal.addEventListener('abort', () => clearTimeout(timer));
                  const node = el('div', { class: 'fields' }, el('div', { class: 'wide' }, field('Condition', input, "As 'level5' in topics && ('en' in topics || locale == 'zh') && !('user/42' in groups). Names complete within quotes."),
                    el('div', { class: 'suggestions' }, list), fault));
                  if (value) explain();
                  return { node, input, count, canonical, sets, explain };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA6VY627byBX-76c4zrpL0qYpebNdBNYqRpC4QIGiXSTpL1mBR-TIYkORLGdo2VUE9B36hn2SPefMDG-mvVsUCGJq
                Luc-3_lmJhN4B-
                tUZgmsiwoExEWepDot8ktItcKfda5ht0kzib8hVaAfS5mEIKuqqBTUeSIr0BuZVrg2q7d5CLnYSly3ERqHtmUmtYyO0m1ZVBr2IL
                PQKAxBSf1ZPugQtFhl0v75WOxQRL1dySo06mUCB1hXxRa8aJIU2-
                gfypu1AmORociPcl0ryUJxRx7Lzh5RpmbP0eT0FD5vJJSZwBXFmixne425zj3j-
                9c0R3kiT9D_ziRtS_UMbcwyKGqt0oRF_bMutFQRnE6O1nUeUwyNnr-tfc1uxqKSOoD9EVCYlYaVxKBLmAPNRypLY-
                lP3bpZs4wl4yqzPMqE0n_GuD-g4FfeK16YrsE3y36GKXz7Br5drMos1bwsymR-pzdwDhcB_AF-gPl8DtMAUFdd5exOq1KsNea1Z5
                ixKtoKHW_8yZfFF2956l3dqNM0v1Fnvi7KNFbf7qqiLlUwYaus6D0oLSp9aR05g4sQykqu04dL55NR0cwHIUf_0thxFS0ulnCYHR
                2OjuQDp72JcFOvf6Ka8vGnibVK73KBdbGHe5HVFD3PC6HI33NBz8EPYP4W9gcskzn-6WYlzcualsjM90gY-
                i08khRj5NUleNsiL3CgKnb06zV-qlJmWbyR8VccWItMSRwUtS7cAcDhYr3Gwa14MHnAkYufXr_5Ece8RGhxrqSo4o13Cbqq8TCw2
                SEahWEsMhKAslbFqnigHaJKxTnGAqtTJl5HqZnpqqbZLFW6maQYoUhFE6q-u5OK4qc8OHRqjnbYGNQZe2-
                toAljRJoMBISwSZNE5s4Foy4TK5mRrr8SLvS1rEWdOTVYEb0oc709kWmtEJmsdF9WbDPLsvqSaMZr9mIx6poMQQv_--__eF0ZIi_
                yFBHFyomLhI2ipd11iFyKTgcBlu99kPdYvYpAQIp4g4em2uKuhffZfHjf2RXekmVgVkCnWz5g7tjRmJIYL1I9dSPxpkA8w5HzCzd
                koMttxEGhHvO4PRBYFJlIc99UdBsce0xwJ9d3xPU16yzhozqHszNjhpkiXDluNke6Srd-4ESDQ3CfI9yEsx124TThM-
                mOTEIpfJhRXqyiVZE8RpVk595jt0kqiS7MrBqLI_b0-uS6nTvw_7p6bEyy-
                JWrHcdX7ESquUf4ng0N14Yoy0uwaBHhj7ATogMtMABiK8yFgs04Rtw0MXLg6ZaM-TceKdvYfGNnlJj6ICjgLy8InmxsY2k3NQZ31
                z4TyiiK7C5esxWl71OtMgq6vusvBjVPK2gDwvHtdyd705V5n7M4ONwug9ZYl6G-
                Wy5XmAbsHeCXVYEKt20ZjYSWephJQSRWiPgyGQZ7vPZ-MxIvBdZrBQxSyfDarQTrAx4mhBOkG3j2LQWB778HOxsZStQ6CjCZMAEx
                E6YMFKwekTnMmIww6lG_zJMOu0I4zi1H2QiF9CNqBFomQRIIFeQOyKvrnNJY-UEk-
                ctvi6XlGX0rmRjMhnIdQ3GCP0gnOOEvnzU_2ccNf5yyeDe5F1CTH-5hH-ftObSGsqjAEhnevJgu270ujZwwrNOTPck53OQnew_JH
                6ZfCu3YUEOBjNDDFzjZuyhgc1LiTh5uG2cO2AOUHGpwBLMp4yfVP8CnwwhK27bZoLRDdUcYOxgdWsBWMpO8-
                RPbPgLdT4DbSMWTdNxBuobxxRk2F78naCeYbs9HAdJRNpYamV8hZm2bIrV7Q_xsHIvXGJSkgeJfkJSnSkaEyAsjiqges1HPsEcPr
                gy7vrTAbbglgpKxrwfPIQyF2NVDIVb2qJDlU5R_2wGi46SI6y3mPRKYgXt5jWnHXzT1zAwBGadtiFomJOaKNIcF4rLP8cGavoqM5
                XB1BYtlMADpBcMurwihjUgXjJcYjFbgBQo0Pr8kkFeE0EanL3DZosWbXoyO2QV3oOjC0RugRFwQEvIoOof_eLBbPMF4KQKTz7EWZ
                lSwGwv6Du0dzZlLRwVBht2jVpal1MgaqLD8ryjpFFkCe9sS2POTPW8_3Drqao5cn2AXeVmkWEBVUuyQlfryHvNtLhPA3-
                Qc_f0gGTDQK2ywX6XfGowjh9BhTMiWKmTytunSusCObrFy7TACG-
                3Fr5O9Yw9PaQOiV6cdcxxdrfHf3swz3c2ijX6nke6tao0Mt3_doPpDatM2S6SplL_zi0Gn3zeJbYGwvbmZKZufvkEtcxow4N9pnk
                lW0N1RyW1xL4ebzKlNpIplniAumD0DQ413trT2fbN41Oihw8xuxLZklxE2nWs8T76fY6tEpCqU6cFULjQ05kdTdCF8wpn8znfb-
                AAZM1yO6SjyCLzly_yz0XniaDhe-
                pgqbnr_b9CGJd-7jVSSL5edJmdhxqCDIQ9nPaywwBI4WDAvEDcqoEcI_5lXiOBq0iF1tldiP0Pdt-TxUP3UNRNLD5DyogcHDy0Fe
                _xuuzXlnhZY5hm7NSjST65pfxT5neR3IOtJCJ0fzsJeR97QlsQfrUg75aKaSVF9xhtlUWufb5ZWhrtlEoWx0_YSFMLr6bQVbQwWS
                XJN0PUXrGKZI8vzeBxrxT6XdIxqKczMXpKek7HK6gpFsHMvLvwqHwlUSV0HVZs670BEv6ta-
                ii4qHonsPPm1Z4Xg9KozNCFd1VV7D6Q3uAFCLcgYM89HjZWdwVT4hdmkN6tZvZG-pyev5f_g5af8UijCtbUaDl_Wcu1ikUpX1bSx
                eRxIdTfPGrfrb_T4LcaXNttFmYbNf0QRoYvlq4jcD24e96TguCbX1N9I1XeeZIhOLWvNkl633v_4edm8-
                AzNr1L8cJLk7zO9967C4hnqXcIr94p8DL0Ovsjg4Elahgg35N5dwiZUFYg4URbMJD_2mAmcNWx7-HVsJr8-AOvtfAUAT-
                JNa_ksEv1BqftS_KrwJCEMZv773YmyEgaOCFB8yLM-BS0T0K9N1nTkqyD7lmivQvTDTp0W83j669Np8h6LRgAAA
                """#),
        EmbeddedAsset(
            name: "console.css", type: "text/css; charset=utf-8",
            text: #"""
                :root {
                  color-scheme: light dark;
                  --ground: #f5f6f8; --surface: #fff; --text: #1b1f27; --soft: #586072; --line: #dfe3ea; --field: #8b93a5;
                  --accent: #2f5bd0; --accent-text: #fff; --accent-soft: #e7edfb;
                  --good: #1f7a4a; --good-soft: #e0f2e8; --bad: #b3261e; --bad-soft: #fbe6e4; --held: #8a5a00; --held-soft: #faefd9; --other: #6a5acd;
                  --radius: 10px; --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
                }
                @media (prefers-color-scheme: dark) {
                  :root:not([data-theme="light"]) {
                    --ground: #12151b; --surface: #1a1e26; --text: #e6e9ef; --soft: #a2abbd; --line: #2c323e; --field: #6b7488;
                    --accent: #8aa9ff; --accent-text: #0e1630; --accent-soft: #222c47;
                    --good: #6fd39c; --good-soft: #173527; --bad: #ff8f86; --bad-soft: #451f1d; --held: #f0c063; --held-soft: #3b2f14; --other: #b0a4ff;
                  }
                }
                :root[data-theme="dark"] {
                  color-scheme: dark;
                  --ground: #12151b; --surface: #1a1e26; --text: #e6e9ef; --soft: #a2abbd; --line: #2c323e; --field: #6b7488;
                  --accent: #8aa9ff; --accent-text: #0e1630; --accent-soft: #222c47;
                  --good: #6fd39c; --good-soft: #173527; --bad: #ff8f86; --bad-soft: #451f1d; --held: #f0c063; --held-soft: #3b2f14; --other: #b0a4ff;
                }
                :root[data-theme="light"] { color-scheme: light; }
                @media (prefers-contrast: more) { :root { --soft: var(--text); --line: var(--field); } }
                * { box-sizing: border-box; }
                [hidden] { display: none !important; }
                html { font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; scrollbar-gutter: stable; }
                body { margin: 0; background: var(--ground); color: var(--text); font-variant-numeric: tabular-nums; display: grid; grid-template: 1fr auto / 13.5rem minmax(0, 1fr); min-height: 100vh; }
                h1, h2, h3, p, ul, figure, dl { margin: 0; padding: 0; }
                ul { list-style: none; }
                a { color: var(--accent); text-underline-offset: 2px; }
                h1 { font-size: 1.45rem; font-weight: 650; letter-spacing: -0.01em; }
                h2 { font-size: 1rem; font-weight: 650; }
                h3 { font-size: 0.93rem; font-weight: 600; }
                small, .soft { color: var(--soft); font-size: 0.87rem; }
                code, pre, .mono { font-family: var(--mono); font-size: 0.87rem; }
                :focus-visible { outline: 2.5px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
                main:focus { outline: none; }
                .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
                .skip { position: absolute; left: -100vw; top: 0; z-index: 9; background: var(--surface); padding: 0.6rem 1rem; }
                .skip:focus { left: 0; }

                header { grid-row: 1 / 3; background: var(--surface); border-right: 1px solid var(--line); padding: 1rem 0.8rem; display: flex; flex-direction: column; gap: 1rem; position: sticky; top: 0; height: 100vh; overflow-y: auto; }
                .brand { display: flex; align-items: center; gap: 0.55rem; font-weight: 700; font-size: 1.1rem; color: var(--text); text-decoration: none; padding: 0.2rem 0.4rem; }
                .brand svg { width: 1.5rem; height: 1.5rem; fill: var(--accent); }
                nav { display: grid; gap: 2px; }
                nav a { white-space: nowrap; display: flex; justify-content: space-between; padding: 0.42rem 0.65rem; border-radius: 7px; color: var(--text); text-decoration: none; min-height: 2rem; }
                nav a:hover { background: var(--ground); }
                nav a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
                nav kbd { color: var(--soft); font: 0.75rem var(--mono); opacity: 0.8; align-self: center; }
                .tools { margin-top: auto; display: grid; gap: 0.6rem; font-size: 0.87rem; }
                .who { display: flex; justify-content: space-between; align-items: center; gap: 0.4rem; border-top: 1px solid var(--line); padding-top: 0.6rem; overflow-wrap: anywhere; }
                main { padding: 1.4rem clamp(0.9rem, 2.5vw, 2rem) 2rem; display: grid; gap: 1.1rem; align-content: start; max-width: 84rem; width: 100%; grid-column: 2; }
                footer { grid-column: 2; display: flex; gap: 1.2rem; align-items: center; padding: 0.4rem clamp(0.9rem, 2.5vw, 2rem); color: var(--soft); font-size: 0.83rem; border-top: 1px solid var(--line); }
                footer .lost { color: var(--bad); font-weight: 600; }
                footer button { margin-left: auto; }
                body.out { grid-template-columns: 1fr; place-items: center; }
                body.out main { grid-column: 1; max-width: 26rem; align-content: center; }

                .head { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.9rem; }
                .head .buttons { margin-left: auto; }
                .card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 0.95rem 1.1rem 1.05rem; display: grid; gap: 0.7rem; align-content: start; min-width: 0; }
                .grid { display: grid; gap: 1.1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
                .two { display: grid; gap: 1.1rem; grid-template-columns: minmax(0, 3fr) minmax(min(100%, 18rem), 2fr); }
                .tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 0.7rem; }
                .tile { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 0.65rem 0.9rem; }
                .tile b { display: block; font-size: 1.5rem; font-weight: 600; letter-spacing: -0.02em; line-height: 1.25; white-space: nowrap; }
                .tile span { color: var(--soft); font-size: 0.83rem; }
                .notice, .alarm { border-radius: var(--radius); padding: 0.6rem 0.9rem; background: var(--accent-soft); }
                .alarms { display: grid; gap: 0.4rem; }
                .alarm { background: var(--bad-soft); border-left: 4px solid var(--bad); }
                .alarm.mild { background: var(--held-soft); border-left-color: var(--held); }
                .alarm strong::before { content: "⚠ "; }
                .fine { background: var(--good-soft); border-left: 4px solid var(--good); border-radius: var(--radius); padding: 0.45rem 0.9rem; }
                .error { color: var(--bad); min-height: 1.45em; overflow-wrap: anywhere; }
                .error:empty { min-height: 0; }
                main > .error:empty { display: none; }
                .error:not(:empty)::before { content: "✕ "; }

                .scroll { overflow-x: auto; }
                table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
                caption { text-align: left; color: var(--soft); font-size: 0.83rem; padding-bottom: 0.3rem; }
                .card > .scroll caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
                th { text-align: left; font-weight: 600; color: var(--soft); font-size: 0.8rem; white-space: nowrap; }
                th, td { padding: 0.36rem 0.7rem 0.36rem 0; border-bottom: 1px solid var(--line); vertical-align: middle; }
                tr:last-child td { border-bottom: 0; }
                td.number, th.number { text-align: right; white-space: nowrap; }
                tbody tr:hover { background: color-mix(in srgb, var(--accent-soft) 45%, transparent); }
                td time, .nowrap { white-space: nowrap; }
                .empty { color: var(--soft); padding: 0.4rem 0; }
                dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.25rem 1rem; font-size: 0.93rem; }
                dl.facts dt { color: var(--soft); }
                dl.facts dd { margin: 0; overflow-wrap: anywhere; }

                .chip { display: inline-block; padding: 0.08rem 0.55rem; border-radius: 99px; font-size: 0.8rem; font-weight: 600; background: var(--ground); border: 1px solid var(--line); white-space: nowrap; }
                .chip.busy { background: var(--accent-soft); color: var(--accent); border-color: transparent; }
                .chip.busy::before { content: "▸ "; }
                .chip.done { background: var(--good-soft); color: var(--good); border-color: transparent; }
                .chip.done::before { content: "✓ "; }
                .chip.held { background: var(--held-soft); color: var(--held); border-color: transparent; }
                .chip.held::before { content: "‖ "; }
                .chip.bad { background: var(--bad-soft); color: var(--bad); border-color: transparent; }
                .chip.bad::before { content: "✕ "; }

                progress { appearance: none; width: 100%; min-width: 5rem; height: 0.55rem; border: 0; border-radius: 99px; overflow: hidden; background: var(--line); display: block; color: var(--accent); }
                progress::-webkit-progress-bar { background: var(--line); }
                progress::-webkit-progress-value { background: var(--accent); }
                progress::-moz-progress-bar { background: var(--accent); }
                .bar { height: 0.55rem; border-radius: 99px; background: var(--field); min-width: 2px; }
                .bar.delivered { background: var(--good); } .bar.failed { background: var(--bad); } .bar.not-sent { background: var(--held); } .bar.pending { background: var(--accent); }

                .field { display: grid; gap: 0.2rem; min-width: 0; align-content: start; }
                .field label, .field.inline { font-size: 0.83rem; color: var(--soft); }
                .field.inline { grid-template-columns: 4.2rem minmax(0, 1fr); align-items: center; }
                .field.inline[for=app] { grid-template-columns: minmax(0, 1fr); }
                input, select, textarea { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: 7px; padding: 0.35rem 0.55rem; min-height: 2.1rem; width: 100%; min-width: 0; }
                input[type=checkbox] { width: 1.15rem; height: 1.15rem; min-height: 0; accent-color: var(--accent); margin: 0; }
                .check { display: flex; gap: 0.5rem; align-items: center; min-height: 1.7rem; }
                textarea { resize: vertical; min-height: 4.5rem; }
                textarea.mono { line-height: 1.5; tab-size: 2; }
                .fields { display: grid; gap: 0.7rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); align-items: start; }
                .wide { grid-column: 1 / -1; }
                .fields > .buttons, form.fields > .buttons { align-self: end; }
                .two > *, .grid > .card { align-self: start; }
                td:has(> .bar) { width: 40%; }
                button { font: inherit; font-weight: 550; color: inherit; background: var(--surface); border: 1px solid var(--field); border-radius: 7px; padding: 0.3rem 0.8rem; min-height: 2.1rem; cursor: pointer; white-space: nowrap; }
                button:hover:not(:disabled) { border-color: var(--accent); }
                button:disabled { opacity: 0.5; cursor: default; }
                button.primary { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
                button.danger { background: var(--bad); border-color: var(--bad); color: var(--surface); }
                button.quiet { border-color: transparent; background: none; color: var(--accent); padding-inline: 0.4rem; min-height: 1.7rem; }
                .buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
                dialog { border: 1px solid var(--line); border-radius: 14px; background: var(--surface); color: var(--text); padding: 1.3rem 1.4rem; max-width: min(30rem, 92vw); box-shadow: 0 20px 60px rgb(0 0 0 / 30%); }
                dialog form { display: grid; gap: 0.9rem; }
                dialog::backdrop { background: rgb(10 14 24 / 45%); }
                dialog .buttons { justify-content: end; }
                kbd { font-family: var(--mono); font-size: 0.83rem; }

                .chart { display: grid; gap: 0.45rem; }
                .chart figcaption { font-weight: 600; font-size: 0.93rem; display: flex; justify-content: space-between; }
                .chart .when { color: var(--soft); font-weight: 400; }
                .frame { position: relative; height: 11.5rem; }
                .frame svg { width: 100%; height: 100%; display: block; touch-action: pan-y; }
                .labels span { position: absolute; font-size: 0.72rem; color: var(--soft); white-space: nowrap; pointer-events: none; }
                .labels .y { transform: translate(calc(-100% - 6px), -50%); }
                .labels .x { transform: translateX(-50%); }
                .labels .x.end { transform: translateX(-100%); } .labels .x.start { transform: none; }
                .grid line { stroke: var(--line); vector-effect: non-scaling-stroke; }
                svg .grid { display: inline; }
                .line { fill: none; stroke-width: 1.8; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
                .cursor { stroke: var(--soft); stroke-dasharray: 3 3; vector-effect: non-scaling-stroke; }
                .legend { display: flex; flex-wrap: wrap; gap: 0.15rem 1.1rem; font-size: 0.83rem; color: var(--soft); }
                .legend b { color: var(--text); font-weight: 600; display: inline-block; min-width: 3.2rem; }
                .legend i { display: inline-block; width: 0.65rem; height: 0.65rem; border-radius: 3px; margin-right: 0.3rem; background: currentColor; }
                .line-delivered, .line-a { stroke: var(--good); } .area.line-delivered { fill: var(--good); stroke: none; opacity: 0.85; } .key-delivered i, .key-a i { background: var(--good); }
                .line-failed, .line-b { stroke: var(--bad); } .area.line-failed { fill: var(--bad); stroke: none; } .key-failed i, .key-b i { background: var(--bad); }
                .line-not_sent { stroke: var(--held); } .area.line-not_sent { fill: var(--held); stroke: none; } .key-not_sent i { background: var(--held); }
                .line-in_flight, .line-commit_p50 { stroke: var(--accent); } .key-in_flight i, .key-commit_p50 i { background: var(--accent); }
                .line-bulk_waiting, .line-commit_p99 { stroke: var(--other); stroke-dasharray: 6 3; } .key-bulk_waiting i, .key-commit_p99 i { background: var(--other); }
                .line-interactive_waiting { stroke: var(--held); stroke-dasharray: 2 3; } .key-interactive_waiting i { background: var(--held); }
                details summary { cursor: pointer; color: var(--soft); font-size: 0.83rem; min-height: 1.5rem; }

                .phones { display: grid; gap: 0.7rem; }
                .phone { border-radius: 16px; background: linear-gradient(160deg, #4a5f8f, #2a3350); padding: 0.9rem; }
                .phone .lang { color: #e3e9fa; font-size: 0.78rem; padding-bottom: 0.4rem; }
                .push { background: rgb(248 249 252 / 94%); color: #14181f; border-radius: 13px; padding: 0.6rem 0.75rem; display: grid; grid-template-columns: 2.1rem 1fr; gap: 0.1rem 0.6rem; font-size: 0.9rem; overflow-wrap: anywhere; }
                .push .icon { grid-row: 1 / 4; width: 2.1rem; height: 2.1rem; border-radius: 8px; background: #2f5bd0; color: #fff; display: grid; place-items: center; font-weight: 700; }
                .push b { display: flex; justify-content: space-between; gap: 0.5rem; }
                .push b small { color: #565d6b; font-weight: 400; }
                .push .text { white-space: pre-wrap; display: -webkit-box; -webkit-line-clamp: 4; -webkit-box-orient: vertical; overflow: hidden; }

                .caret { font-family: var(--mono); font-size: 0.87rem; white-space: pre; overflow-x: auto; background: var(--bad-soft); border-radius: 7px; padding: 0.5rem 0.7rem; }
                .suggestions { position: relative; }
                .suggestions ul { position: absolute; z-index: 5; inset: 0 auto auto 0; min-width: 18rem; max-width: 100%; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 8px 30px rgb(0 0 0 / 18%); padding: 4px; max-height: 16rem; overflow-y: auto; }
                .suggestions li { padding: 0.35rem 0.6rem; border-radius: 6px; display: flex; justify-content: space-between; gap: 1rem; cursor: pointer; overflow-wrap: anywhere; }
                .suggestions li[aria-selected=true] { background: var(--accent-soft); }
                .count { font-size: 2.2rem; font-weight: 600; letter-spacing: -0.02em; }
                .log { max-height: 34rem; overflow: auto; }

                @media (max-width: 52rem) {
                  body { grid-template: auto 1fr auto / minmax(0, 1fr); }
                  header { grid-row: auto; position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: 0.6rem 0.7rem; gap: 0.6rem; }
                  nav { display: flex; overflow-x: auto; gap: 0.2rem; }
                  nav kbd { display: none; }
                  .tools { margin-top: 0; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
                  .who { border-top: 0; padding-top: 0; }
                  main, footer { grid-column: 1; }
                  .two { grid-template-columns: minmax(0, 1fr); }
                  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
                  .frame { margin-left: 1.2rem; }
                  .labels .minor { display: none; }
                  .head .buttons { margin-left: 0; }
                  footer { flex-wrap: wrap; }
                }
                @media (min-width: 78rem) { .tiles { grid-template-columns: repeat(8, minmax(0, 1fr)); } .tile b { font-size: 1.3rem; } }
                @media (prefers-reduced-motion: no-preference) { .bar, progress::-webkit-progress-value { transition: width 0.3s; } }
                @media (forced-colors: active) { .bar { background: CanvasText; } .chip, .card, .tile { border: 1px solid; } .line, .area { stroke: CanvasText; } }

                """#,
            gzip: #"""
                H4sIAAAAAAACA80b247jSPW9v8LMaKTuVeyxnTidpDUrpEVIPMADCwhpNBqV7XLibcc2Zbsvu2qJf0DsA-KBz-B7-
                BLOqYtdLpeT9AArtNrpTqWqzv1ap3esqlrnhyvHSaqiYm6THOiR7pwi3x9aJyXs_g6-
                c909q7oy3TlvsyhbZ5s7WGo6lpGE4lqW4UJLn1r4FMRBFt7yHVWGC9Fm7d-
                GuFDkJe5PM7qkBBeynBZ46ybeLkkkQJEkoSWeC7MoTv27fkkBkODkogRCb2maxRLZqsJLg-
                yWrDgYXOg3-llIOQExwV3xMlwHVH5Wm7KYrukKFw8SQRIR31cL_TZCs3SLq1V7oAxW1rAvSQUajKR51-ycwK-fcM-
                xKqud0-X8l6YG3i2cN9_-0vk1fHwDv35DmgSOkH7hF_Q78ofO-
                ZaUjVrrj95dvVz9_Ehx-3XNaEZZ445FiMK74aLdoZB3ZdVef0xJS9wWN3x4w2X85pPYMxJyEAZREI-FHJCAhmtNzsChLc00OZOQx
                HGqyTlMluGS6nJex7erzeZOwuslvSFkOxKqBOHTYL30p8IOwzBZ3aprpLjXWbrcJqa4g9tlJLRRiDvLNtlmbYh7FQVZkGrizvzEX
                y9NcS_jMAtWurhjn6wAcUDkBeTB-TxiMcrgzSeLfVks6ydg-n-F5f8XDLcxW-qz84PNl905NnspW0YagHSsGAU7EJYCPxV7Hwi7F
                ry_GVgsFjl3YfUFLv4KjsTVk9vk3-flfge_s5QyF5YQ7MdDnqa0RMTSvKkL8rxzyqqkzs_yY12xlpQcu0N7LGBLVqF8gqh-eh94q
                8hpnpuWHt0uXzguqeuCumIFfQfdV9T5_a_AL_y2iqu2grXfwA_uMWCxgR9uQ1kOcm4SVhVFTJi779oWedm0JC4oQo6r9BkgHwnb5
                -XOAenHJLlXiinIFZ-AXs5bgzOIswsrOZDilt0RQCY7B-
                7vCgAIC83dQPqe5SB5_BeOH2GtBZ4GGXNIB6i_d4KlFzF6dI55eSRP1_4CvwQg8BmUA2WJLtV_OHCmBQvnEML_y4VTL5yuWDhZvu
                8YuNa0GNNUkzTl0vHxYIffFnkDCt4-
                F1RIBL8gSn8UjcIOAAEk1gUmUIZ64FZZ1lDAJayfBCZSeKgFSBEID8iQzHmUiK8jgF5QlICLfpwj5PqeH-BWuCU0bpm5AnYuxzt9
                b7u0bPb55uZICmCNh1pt0odrSobqqs0tE_gkVQqsrJGfHsYeBTMjx7x4VlfgN7NX7LIq6Rr3IW9y0De4oOpaYUihB1ruNFWRpyav
                5Z4xk6VZqbi6Eow_EhAwh6HfrcTpdWVDaQlf1VWTt3kFykBigNm18P1jnrYH4DLe1OsWfqgeKMuK6nHnCOMFvS_y2q0Jbs_hyvY6
                8t_dcAjNfV7P3F9Q9CIuqusjKFBVc-373s1Bi552ztZmadL73-ga663RIgLJUQ6xJ1nA4GK-
                OlACHIJFbl4M8Q_ApJan4Si-9vSPZIL81JFBLFC-HJneqrOCAtvwXzfNGU0EJ0DRuiMwb09qpcsDm5o2T-
                6fB7YYxq1E4MLt6Bo45TEjZao7UgGXgI8v3Rz8CegFqhBlEqjvRRYzvEWzGBmrQM7m3LjZpzSpGBF4C9XShBMKjqyUeASSzcMeEF
                Ua5gksehrl5ywviomjebkqyYNOpHSZSI_0NrgBPdXjAYjmnoTr_CMj9UQo33XA6eyZhzse_Pl2N6btI0XN1ihZSVLWAjvD4G4R9i
                tYpHvsUDKHI747oHAxaM7HGbn1I0YVN-kYA9Q_WY9oiYoZn3qW2pwi3n8fpyf8IbLklgejkZ-
                r0HG3z9zLKd1raJENqgdK0FZV0fQRyOVKLtTYJlZh4XMu1Hs8VFOlPyfXU0ax0uXLcTtt9mKPwrI3TdQ3IKt8foT0jCpvjM6w9xY
                cFHhPcqyvIUYxzFzA8T88LrhO3EjNsDFFWaUgZCCzJQwyJkgOXGldG0GOsjXffycTDOF_QPsQtQxyu8E5al8ZfJWwQw22wUTdYk5
                Td3dBrF1eKoueBK-omkkch_R6RtHlqRgSv6ocVFIEDuVaMQn0IHwq_qjcTDKq4TkakF6gjhn80E5L-
                Y9YHIyEFa5tQh2uuvIwik3VnccWoXDCzZ10-
                sKPbZUB8Ss9wYFmjgVeQlhqdTFmrJwVkeExxXfi0zigbzmGQsPhhx_NWgG4oFNWAFRIxnJZe3hyJnYoe5qRL6M1Je01cgOqm3ahM
                nD4cY02tRCiuxEJuch92sfqy4AN2f0SLpuCCjYCVMhzf4SUF7SxwDpJy2phlBE3BlPlxT-
                R0NemWnLYsU5VXFTJvZGbRDN5va2OCHErT52HVCOM7uyJgsIAlsuLyoKlQrysIHnDooBAhXfk5e-
                lPNBZcC6YAyQOoJlRMi3p6hGZXKn6DoOkhNmvDGkKB6qu8qDAsTuDvkMxvtAdse8guwMKsaZlFTBgF9OsYpQzWxrym3_97R_OG74
                1A7nZsyLVYDlHA258jUauTI2kjFXMHlpGBTicPJMJiKt2YJot7y5op_0-U_jaMbaNOiTaNdi9FJtu7Ez8-18FE6E64q0OLAYVck-
                Dj-dNj0FfgcyC1A3lpQr_zUgjxhW2qopJjXkuXMMzX-6Zd7wQuzzeq8QqriAmHfGL3rh4GALOSEIGaP-
                rErY9WEmZepzzxIlEzO5s2sPCaVM9OwSipT-4FT_kx7uhhSa4M-N5gUTwQ6RQeB-BUtHTatmuIA0Y5QHNmEM1ruRK2KZe2R1jygC
                zg_zV4AUT7cM5mnjzDKDZShrRhzzmT9eg6g3bxwuLl3NWEcS7FmpGuJypChAwbvMjelgBa67WQwORpmMTjpmpcqLTwoPA1l4eTTF
                7k6Y2actJPxxGQ4fC1pXSoKZzLSh9Tzpu3p3wM2AvB96A6WnJSx4AZSjVWOBvhJZF1vJ2u0Wzsajz1A5O1K1ncoU5ISINkJ82z19
                c4g4eDb_U9Gl8v917_vhPGYL4vrS6IA6NsBjHnVM44N0zHvwvOg4YQM-
                GX1vIvQAH_uhgxeHPP-o4xCQ9l1FY4uQlgiDpmShWs2rPaIM2SmrIZeGWpG9rjiKUVgGMe0yGnu80tzpW-
                WmkmJIs1dfMU-2q-NKjv9uB4cT3eeuqFWCSvfPTF7knzj6QoqMnLMQ8f6y-Pw9YO-
                qJPTMcNNg2vUm9CWkikf06vNhLaZEDq2k6a1v8PYnvzQgk5rPaN-
                yDvMht0C_PmcqwtaYlOsJzPMA0VNiePeMWfZFx3WmvTV_UVQWJKT4_8E-ecM_m64VMi-
                xxwTw5E6dWohVrhihro8C49CPY4gewtE_zt5vXvlzlZd1BndzQgibwE7MGMHTSv-LlJQSpfEgK-
                89fUmwq5bI1ZfWEKhrFuFEPVpbkc-
                7D72n62D7X9ENyoMl9XD190vvYgdnIDqaAUCNExLL7By2wc48IYKb9Hq2TMyPCcUGiCnpNCmD2XLtUmjg-spJ3D0fUE5dRP0P5DG
                WD1NRwUJ35qvT2P-uzBMGozzIifrAtEAmdtNqc944b6Ch-3be9FqCVUNdO1jHEaD1s8BJ9a-
                dr5yswW95Sgv2yPaZv7rFp092BNNdfc1dzMyjMCnXs5arvPRqGMUqtosj_aU1Ff8myGUrSsQaRqatcaNxM9iaoEyWAqFRBLbDQTG
                9GpaY1VMrD6gTWrcP7QjQgkdKMdEU7HPFqloMlPZ926CehW1bVm04PJSXlfuaxxpbv6N-
                MnXkvtv7qP3U5bSccGmVMOlCR_NgpUeW08OZDZ8juIzTVP9dlPu-GoGzJSVHte0IubRQGK3saMXDK9timPa0sRfNYUjq02NGTLH3
                -GLENHx455Ce3OZAUkzzfCX3Ab43_QE167Tv433tnKbsBkhp0FrMOTnVCxF7IZYGIlFW1oSZ4feADoU64AghQ6eoQNClM3rKkFxL
                vc5eOHKhSE2MK-KX5pmHUt1r4vizfD02WabVnq2df-RbXg_Kgbj3Za1WQV-LtxssYOdJR74dRiCeQSGpBOOhDmdw_fnzmgV57Xn8
                3TeTbqksOYE4CRE1K95lfx1O3RnWIbQ2oEXduw9kszuo7pWd16QNwrdG6fhKuh96NOwRUR-
                kbMJxeQzhPrnGy4p3jOuv6CcKl249kqNNPM6f_eG3Z61E-WjCzHyGJXHo4wKPf-EhPAA-aMl3F5u893Zm9q6StgPIsg1_4QbcBot
                CJif18cAfkOHnSET5OIC8zaT5GIGCLw26fsG0uAiVP4X3fVZibcQsWissD0IQMKVZ5MCXgXhhD9JY4b3IRdV5B97RML_fCgfZqdv
                ea-kECik3L0wfYRjY_00zSsuWlp2Ya1O35fBNKZdhqsmKoMO2jFkuMDPKRkqmty8mbiZyL-
                AZJ6vXB7etMyN34ApkIbyg2ed47PtYr1GivukBomT4DEfGL7umzdkW-ECuEc2W-2pUoi3JX4RtP8O1r3gHdvkLWcRX7xqhK3OR-
                hVg8g1j_CsSBQDL3WZbXY4SG0nrASNus4yS3WpHqj-QnC3iJTV5-
                zvg0q2JUUh2Pefu5jvwJgkOGKSD1Z3sOaIfzs40RIZeuuP_8SCAElHsThe12ggIf2rW6iDW6CImYfukEN7jVjpu6e2ANhBEMXw-
                0v2xGZlN0Qg0d20VnhJPSFnQLgmR3lPn4pHC49FVonK5GfT5TH0BrztWbL3Lf9Dk2WJuZJjINh4FxBwj5Olj7KQWhvl2RKNtk8Et
                IlsvIN6YWxnAgFHI2S-
                re0iXdZsRMCTYz7139023dNQdL4hiuNpA2bp0wCiF33K7eDQnx22AVbIJsmlEvjRJPvS7Zxyvs9XkohzKyYZxEzjxaZrS25waiBH
                VenlTlZC5z1QcGVXGaFahB38YUY_9HMoox_I9jDDqtMzvTeUiFa_z6UbNRkTTcw8eONf2I1lG6jmcSXcEnDMjmW1fNqGtMNqrOMB
                -xVx-EP8JZrB2yVtvjVizneA-
                doGnTm9cN4M3bVw85m9jeWZ6eL5lLmGtURMMbqZj_7fZ72mAi3sxUBsYmPu1uS977UWSI4fxNGMtDPojP__FHGU-
                wMQtNUUv890ZnhH6PalVYgsrUKFWDzTvdMa1EtvQ0uE5jTlEfIdb5UuTGa3SkG7qBHPehX2IYM82kU05jjKQYghVtZpp-
                aFlHLxmFxdwdvm3HrfZQ5q2vmCfCIMv7GzqPl6sRjwcO939noylKJGY98Q-h5F-bGH8AwtVN-
                yuQabPdcSzT7QKmPlMOBpAMflTa3mjA_eLpAkscEX1dfWIXETPGtYVqTF3A6AFFnRMdjsnYi-NYJ4j9V3eVN7wN1E_sOY4cJtbnT
                X1zzlfsxAkdbBrbxmYDhSQfALz4xQRPyEG-03SElsk9flz1Q0YTnIHG1L4-h_O8bLXx9uQ8qCS_J3xSjb5of3yp-
                Uee6WDH90IaNzYanWEocDQEKHtblj9jg3KrS2gKAUoN37viK1om_K_asCWPf8Rz9lmV9zGkJXGa0CU2Y6hZxRAYD-
                lAisiUFRTDKX1DygfS_A5COicMn74X4hlh4fRzl2aAED0WsMCFqK20NH5838vVvwGscs8mvjwAAA
                """#),
        EmbeddedAsset(
            name: "credentials.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The credentials for APNs and FCM: what they are, when they end, whether they are accepted.
                import { el, table, tableRow, rows, fill, setText, number, time, chip } from './dom.js';
                import { api, poll, sentence } from './api.js';

                function show(main, { signal }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const list = table('Credentials', ['Credential', 'Kind', 'Team or project', 'Key', 'Expires', 'Apps']);
                  const use = table('Use', ['Credential', 'State', 'Last use', 'Last refusal', '#Connections', '#Pushes', '#Failures to connect', 'Last failure']);
                  const server = el('p', { class: 'soft' });
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Credentials')), error,
                    el('section', { class: 'card' }, el('h2', {}, 'Credentials'), list.node, server), el('section', { class: 'card' }, el('h2', {}, 'Use'), use.node,
                      el('p', { class: 'soft' }, 'All since the start of the server; the times of the last use and the last refusal are right to five seconds. A refusal is an answer of status 401 or 403; after ExpiredProviderToken the server signs a new token by itself.'),
                      el('p', { class: 'soft' }, 'A refused credential is tried again by itself after 1, 5, 15 and 60 minutes, then every hour. After a change of apps.json, reload the server.')));

                  function expiry(each) {
                    if (!each.not_after) return 'never';
                    const days = Math.floor((each.not_after - Date.now()) / 86400000);
                    return el('span', {}, time(each.not_after), ' ', chip(days < 0 ? 'expired' : `${number(days)} days`, days < 0 ? 'bad' : days < 30 ? 'held' : 'done'));
                  }

                  /** Shows a time with a text after it, and leaves the cell alone if it shows that already. */
                  function showTime(cell, ms, text = '') {
                    const node = el('span', {}, time(ms), text && ` ${text}`);
                    if (cell.textContent !== node.textContent) cell.replaceChildren(node);
                  }

                  poll(signal, async () => {
                    try {
                      // No sample has this number: the history of the answer is empty.
                      const [settings, overview] = await Promise.all([api('settings', {}, { poll: true, signal }), api('overview', { after: Number.MAX_SAFE_INTEGER }, { poll: true, signal })]);
                      const now = overview.statistics;
                      setText(error, '');
                      rows(list.body, settings.credentials, (each) => JSON.stringify(each), (each) => tableRow([each.credential, each.kind, each.team_id ?? each.project ?? '–', each.key_id ?? '–', expiry(each),
                        settings.apps.flatMap((app) => ['production', 'sandbox', 'fcm'].filter((name) => app[name] === each.credential).map((name) => `${app.app} (${name})`)).join(', ') || 'none']));
                      server.replaceChildren(...(settings.certificate_not_after ? ['The certificate of this server expires ', time(settings.certificate_not_after), '.'] : []));
                      rows(use.body, now.pools.map((pool, index) => ({ ...pool, failure: (now.failures ?? []).find((one) => one.pool === index) })), (each) => `${each.credential}/${each.environment}`,
                        (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'), '', '', '#', '#', '#', '']), (row, each) => {
                          const state = each.stopped ? ['refused', 'bad'] : each.failure?.unreachable ? ['unreachable', 'bad'] : each.attempts ? ['accepted', 'done'] : ['not used yet', ''];
                          if (row.cells[1].textContent !== state[0]) row.cells[1].replaceChildren(chip(...state));
                          const used = overview.credential_uses.find((one) => one.credential === each.credential && one.environment === each.environment);
                          showTime(row.cells[2], used?.used_at);
                          showTime(row.cells[3], used?.refused_at, used?.refused_at && `${used.status} ${used.reason}`);
                          fill(row, [undefined, undefined, undefined, undefined, number(each.open), number(each.attempts), number(each.failure?.count ?? 0), each.failure ? `${each.failure.reason}` : '–']);
                        });
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, sentence(problem));
                      throw problem;
                    }
                  });
                }

                export default { title: 'Credentials', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA5VX_W7cxhH_X08xgY2QNFieFDtBIFUVBNcu2saqEStAgMNBWpFLcR2SS3D3dD5cDsg79A37JP3N7vLjZDlpD9Id
                d3ZmdnY-fjNcLOi6kpT3spCtVaI2VOqeLt9fGRJtQW9fvzulTSUs2UpuSfQyxVK2finbwi2x6EcGEnkuOyuL7Eg1ne4t7UjWKVlx
                V8vw86PepNTrjUmpVDU2jbTX8pNNqV03d7IHm2rAnFeqoz2VvW4oyhaFbrKPJjqbFItOpdRpr6K1ss3ljB-7nv-oXLe5VbolU-lN
                3AjVppA26r4VNe0T2h0R5bo1lmTfwwHnMDmOuoi58loYc0qR24nY7lpiKWrZ2wjCZ6NsrfB17q8YR68np0JqOVtjGf1TtQX_XkvR
                EE7sev1R5tZtyS3_vPnUqV6ybHTZdSZazU5aGzkd9JORTxzwwQrL9OgH4QXG516Wa-OZnr3WbSuda9xBz96vTeXPfPZWqHoNA8hq
                PrUN1jkVpd87sMnI_kE-7Tqjy9FV7PxMdB2SJ2bOQj0c8FZSFOBNnZrqhPewOPBmkqQ-Tin0kWM0_hIHmnLRzzR986Sm1AUta3Uh
                03CDJP1_NXIAIAUfe0XOKvqyHziidY3043RF3ZCxAumsS79wVpy5Zy4DM2zUIZCuMkdCiKYrvV7dV5bjVaoHVoTAFCajy5FJcVnj
                z2wQKajFwXZt6NXxCefgq-OXZyRKiz2ffMX7Xj-oQvbX-hdf9EOUuXSgi1q5wXm8ebclZY2sywy--F884I2SxQx92D7bK9DEPdJk
                0hmsOknp25ROvnUe-
                O6YGtWurQSKWMYkCcO2VOl1jys7fgEEEe295Ksi5QzQQKPye1lrUcyuA5MTJCesHoFCsgO2sRR55eGBSJUUf8UERNneOIsS6LLrv
                qWo5dOjM8fo66EQW4NqeCdslZW11n0cHwrTn-ivqFEQNnGS0IK-_-
                7VMX8SryaodsnYiTZkG6fEI0XIvYgiD5exO_bPdEwXgCwfxYhO6fb5zmOrY0j2zrzblObsd8KxBtJLR6tk7YhRoVtkuTNtz55avH
                hBH4CmnAVsE22UrfgZOB7CpQDoHKlaigfGEe40EokvauhidyrrAJm30GJE3aP2txm9WMwjwRzXfGmWTanhcPMZ5xRFQ2i8x7n4Av
                48dlhjkiD29dd0S893_Ly_DZ7myLL2jKmARDQSS1-dnzuNc2LiLpD1sqtFLl9Xqi562cbMNnmG-
                1Hsewvub7ZtTnFC538Jtlok6S4UyGJBV5qMaLpaUiXYESgBH6hT5zCsrYZEwIBQumCSTWe3WdDj779EG7WqvYeHNLLxQcnNCv4QG
                wFHo5QbBYQSMG6JzsgI57mDn3bOcJzarxkLh96YkmMeFLpqduE9pStnZ_bu8uebD5dv39z8_er6zd_e_EhfVrYKDp8itoGBg-
                6M4Qj3VbkZ2MJgEHu454gPOzw-
                xA6873SxdSOEu002G2ZSCgUM5__jw7-ucEAPHlWGwp7vD4NJvHTFNWkB2jPhF8XTjnu06Nk3qqCLC78OvZvX0X9--3c0SMht4Bqo
                M0wZIJImwx1ClbWw70QXx1g5u5YR1BfroRlFBhV1pz_xY5k30SrDBIVoxHErGukkILnkBWKPFH50myRrWPvIDFwAP5-9pxgYAfo-
                uU2S7KNWbcynJPTrr8A3Lv9VkkyBccD5uBKyLIunSGBCUqXKAXI3E-pd4Epu6Jx2fXYjqUN38bhlGNNc9f6-Roa_LFoBpJYzA11-
                cEv26YFMyzqta-Pvz48pIaTyk3NDvCOY7qlhuDmlmIXKYQxCHKEf7sbgEsMbTg6_Tsq5OqjbJweJBQ8_isF-EUiyfVC9bhuQ97dT
                RjyVlE9oQcd4Us8EgOyZKPw_O_xCLGFkz4P4eNputGCc6XiIpJBEACKMbYULYOjdrIm7Bjvf8QRvXWTrtmcC2-
                8EZuvPhIS1jGbGMQ6vD8zleo4LLPLPzT4FbaX19p_NrGUAx10yRmezPFl9BuTuIsvjVUIHbI_T13VQJIJjn3JpcogzYYZYUzhusG
                WeyI7ZdPNEOXI7Yq5ZBCe2GfHAlLEjTnf5ZuXmzwKOx_eN-EOBl6NACCVkPqe4bvl8x6vMz4p7CkuEE8PU2EL9h9_mfFIt1ygGeE
                MCNP_wMUwm7tIabwbJIWnIj0fkMddyvW4d-h4n6UEaIqGGugmU0WweaRiVVzP79-
                F5TwCYvKIYyIt8bZKxMjjPfDPLxB1eQWUxTIBfaFjDW-moajzOVvATBXI498jbgCkCCMhvuPCQWNf8pmuVda-
                dh2-VHFjanx39F-pVqnLIDwAA
                """#),
        EmbeddedAsset(
            name: "dom.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Elements, figures and times. All text goes into the page as text nodes: nothing that the server sends is markup.

                /** Makes an element. `options` has attributes, `on…` handlers, and `class`. */
                export function el(name, options = {}, ...children) {
                  const node = document.createElement(name);
                  for (const [key, value] of Object.entries(options)) {
                    if (value === undefined || value === null || value === false) continue;
                    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
                    else if (key === 'value') node.value = value;
                    else node.setAttribute(key, value === true ? '' : value);
                  }
                  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
                  return node;
                }

                /** Makes an element of SVG. */
                export function svg(name, attributes = {}, ...children) {
                  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
                  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
                  node.append(...children);
                  return node;
                }

                /** Sets the text of a node, if it is another one: a node that stays keeps its place and its reader. */
                export function setText(node, text) {
                  const wanted = String(text);
                  if (node.textContent !== wanted) node.textContent = wanted;
                }

                /** Makes the children of `parent` those of `items`, by key. Nodes that stay are not replaced, so focus stays too. */
                export function rows(parent, items, key, create, update) {
                  const known = parent.rowsByKey ?? (parent.rowsByKey = new Map());
                  const wanted = new Set(items.map((item) => String(key(item))));
                  for (const [name, node] of known) {
                    if (!wanted.has(name)) { node.remove(); known.delete(name); }
                  }
                  let before = parent.firstChild;
                  for (const item of items) {
                    const name = String(key(item));
                    let node = known.get(name);
                    if (!node) { node = create(item); known.set(name, node); }
                    if (update) update(node, item);
                    if (node === before) before = before.nextSibling;
                    else parent.insertBefore(node, before);
                  }
                }

                /** A table with a caption and column heads. A column that begins with # has numbers. */
                export function table(caption, columns, options = {}) {
                  const body = el('tbody');
                  const heads = columns.map((name) => el('th', { scope: 'col', class: name.startsWith('#') ? 'number' : null }, name.replace('#', '')));
                  const whole = el('table', options, el('caption', {}, caption), el('thead', {}, el('tr', {}, heads)), body);
                  return { node: el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption }, whole), body };
                }

                /** A row of a table: texts and nodes. A text that begins with # is a number. */
                export function tableRow(values) {
                  return el('tr', {}, values.map((value) => {
                    const isNumber = typeof value === 'string' && value.startsWith('#');
                    return el('td', { class: isNumber ? 'number' : null }, isNumber ? value.slice(1) : value ?? '');
                  }));
                }

                /** Fills a row with texts, in the cells that have them. */
                export function fill(row, values) {
                  values.forEach((value, index) => {
                    if (value === undefined) return;
                    const text = typeof value === 'string' && value.startsWith('#') ? value.slice(1) : value;
                    if (typeof text === 'string') setText(row.cells[index], text);
                  });
                }

                /** A field with its label. */
                export function field(label, control, note) {
                  const id = control.id || `f${field.next = (field.next ?? 0) + 1}`;
                  control.id = id;
                  const children = [el('label', { for: id }, label), control];
                  if (note) {
                    control.setAttribute('aria-describedby', `${id}-note`);
                    children.push(el('small', { id: `${id}-note` }, note));
                  }
                  return el('div', { class: 'field' }, children);
                }

                export function select(options, value) {
                  const node = el('select', {}, options.map((each) => {
                    const [word, text] = Array.isArray(each) ? each : [each, each];
                    return el('option', { value: word }, text);
                  }));
                  node.value = value ?? node.options[0].value;
                  return node;
                }

                export const button = (text, onclick, kind = '') => el('button', { type: 'button', class: kind, onclick }, text);
                export const card = (title, ...children) => el('section', { class: 'card' }, el('h2', {}, title), children);

                // Figures

                const whole = new Intl.NumberFormat('en');
                const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
                const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
                const clock = new Intl.DateTimeFormat('en-GB', {
                  year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short',
                });

                export const number = (value) => whole.format(value ?? 0);
                export const compact = (value) => short.format(value ?? 0);
                export const share = (part, total) => (total ? percent.format(part / total) : '–');
                export const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;

                export function bytes(value) {
                  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
                  let unit = 0;
                  let rest = value ?? 0;
                  while (rest >= 1024 && unit < units.length - 1) { rest /= 1024; unit += 1; }
                  return `${rest >= 100 || unit === 0 ? Math.round(rest) : rest.toFixed(1)} ${units[unit]}`;
                }

                export function duration(ms) {
                  if (ms < 1) return `${(ms * 1000).toFixed(0)} µs`;
                  if (ms < 1000) return `${Math.round(ms)} ms`;
                  const seconds = ms / 1000;
                  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
                  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
                  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.round(seconds % 3600 / 60)} min`;
                  return `${Math.floor(seconds / 86400)} d ${Math.round(seconds % 86400 / 3600)} h`;
                }

                /** A time in the zone of the reader; UTC on hover. */
                export function time(ms) {
                  if (!ms) return el('span', {}, '–');
                  const date = new Date(ms);
                  return el('time', { datetime: date.toISOString(), title: date.toISOString() }, clock.format(date));
                }

                export const timeText = (ms) => (ms ? clock.format(new Date(ms)) : '–');

                /** A state as a word with a colour and a shape. */
                export function chip(word, kind = '') {
                  return el('span', { class: `chip ${kind}` }, word);
                }

                const STATES = { sending: 'busy', finished: 'done', paused: 'held', scheduled: 'held', waiting: 'busy' };
                export function stateChip(state) { return chip(state, STATES[state] ?? ''); }

                const FAILED = new Set(['gave-up', 'no-credential', 'token-unregistered', 'token-expired', 'bad-token', 'token-not-for-topic',
                  'payload-too-large', 'topic-disallowed', 'bad-topic', 'bad-request', 'forbidden', 'refused']);
                /** What an outcome means: delivered, failed, pending or not sent. */
                export function outcomeKind(outcome) {
                  if (outcome === 'delivered') return 'delivered';
                  if (!outcome || outcome === 'pending') return 'pending';
                  return FAILED.has(outcome) || typeof outcome === 'number' ? 'failed' : 'not-sent';
                }

                /** Asks with a dialog; true if the answer is yes. With `typed`, the number must be typed. */
                export function confirm(title, text, yes, { typed, danger } = {}) {
                  return new Promise((resolve) => {
                    const input = typed === undefined ? null : el('input', { inputmode: 'numeric', autocomplete: 'off' });
                    const go = el('button', { class: danger ? 'danger' : 'primary', value: 'yes', disabled: !!input }, yes);
                    if (input) input.addEventListener('input', () => { go.disabled = input.value.replace(/[\s,.]/g, '') !== String(typed); });
                    const form = el('form', { method: 'dialog' }, el('h2', { id: 'question' }, title), el('p', {}, text),
                      input ? field(`Type ${number(typed)} to confirm`, input) : null,
                      el('div', { class: 'buttons' }, el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back'), go));
                    const dialog = el('dialog', { 'aria-labelledby': 'question', onclose: () => { resolve(dialog.returnValue === 'yes'); dialog.remove(); } }, form);
                    document.body.append(dialog);
                    dialog.showModal();
                  });
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA6VZfW7jxhX_36eYRdKS3MiUvQmCQo5j7G52g0Wym6J2E6CuAVHiSGJNcljO0Fp1IyB36B16g16gR8lJ-
                ntvZsihLadB-odNcubN-_4cTafiVSkrWRs9Eati3bVSi6zOhSkqqVPxvCyFke-NWCtsFLVRwmykaLK1FJm2W7XKpZ7hYTZFvcZ-Z
                hhIy_ZOtnjUOY5qUWXtbdekR0fTp0_F2-
                yWKQlpyadirhpTqFrPxQaYM2PaYtEZCb7mqv75p3_Rep2XssUKcThflpnW81Q8nR7J941qjVh19ZJwAGlcZ5WcCIdTnIsP-
                4lI03S5Kcq8lXUiPhwJscSeFQAQuVp2zMqylZmRTi-MKDkD8Eq1IrYnrm_lbiLusrKTN0KtxHeLv8mlSQHeFlLHjmpiiQhRrETMw
                OL8_Fx0dS5XRS1z8eOPYliuO-h6tLLKSi0TYtIUdSfPelygnmqTtUb_UJhNHKk6Ai0SI83y_NUd-Pi20EbWsrWwZbGU8bPEsZxYT
                BLYPTqmF_Fu5DA5PuyR4ARvammeewvFgzIYjWnxciGiSMwCenv8WQ6bBh4RB7ZIV2Vm4jc1lFKYXZKuitKA85j3E3H-
                peA38cRr6fe_D1Z6dSZMp5Wma2smdXa0P-xsZLLL778-6Dr6bu18Z3DB_8N93l3G0caYZjadbrfbdPtpqtr19NnJyckUlKKJ-
                A3uNTDmrf6IORjvI0p_VFmX0miOXw5uUM94f0KuUhgK5IxCHZGtajlzuzbq4ZM7LW6lbBDwwNKU2VJysNIX1JLL9rDSpbkCtdgSI
                sKhgrdZbRAt5-ISItbrmPeJfXJeFo9WXiJMyLbkE_aEU0646bfuuQaJ6xVDIs-
                bDG9mjg0Fl6eVwshKzydisRMUUuIdZb1BbIEDlAIhJUudT4RWsOmy004tRqmDsrdqq2NLDzomKhPBJrR-NBFdk-
                MZKuS2VtsasthTKWF4sfsGUXxxIeIHiwgauYWgTWwj5J5SaRM2j5l0WgGMXznunMLBjl1LkgeuamOFFM2uyqyFee-JJZQiqdtUik
                1rl1ZW6k7GyZk9lOaITrivDQjOF_SHNbGQoCgHgVdFq81Lstc9bohJ4oJl8Vy4KAXawYUGiWxmIyouji0zaxlkficJAXjuAWjtY9
                F4GbQ7ZjXixLDHvRnt07m6PdzDWMxwYCtxMkhuX9IavnxZLErIEKRkp5aiRsk1LxjS4Xd4bAJ2Lv9cmGxRSrFF7UD4LjOuVhymS1
                V2VS02iFQq_v6bvXwh1yBgT33ENbruqgXK8UGvZhKxwz1xiPS4IIcuvVA5eSoKd2ToPQpcldkhhVsk1kfZOOSjfGSDTPpB6KVqkJ
                IiAOKb-4MZG35ULT9ChUN5stxTkeKasrepOHXxS2AT1LBkFDMbVUrPJQkY9QJNeNHJS8wAn_tKJo5HiOF2-
                Lt1HyxeAiiSO0zL1tNmDJ0XdyyiEyrSy1aVJCX4KFAB32PtBJ9YJQ20MBbzEWVtkR2X2UKW0ay3NaiyLI6o2J8NzoHEYbM-
                SzjjbGx7Qm70yC24MhxwCqoNzised4o_qa1thlyAOmFHKrH71tC2kpGlw3Au9DumA2uYXSPB8NCARJqDPKI-gVfvm9-
                GTkg4D5Xb4z7oJcGuQ87d1Wni2x3KwpElsifvcZp9XZQl6Yf0y_pixQJfbcuPpG1W6ia7o4Iqq4NKRHdUxkDitWS16DSGaH-
                VLTdOa4QcrhEo75FONHHKOAs0zEb-Ldp9VDFDnnNILYkAZ9J3AhAwZZVcswg3riuwSg28dVVI9IGsT-ox2NEfURsAY96fcEuNSKE
                sPa6sRc55hnfTgjv0-erjD3yYky-24-
                ALpj5JxCfidD93acKfPAeuIXP0zcW5uCaHswFJPgeLzYgsPIsXk567m6HF8UwOFEYdnw1yBOcSCzJf7IB5_vGHIt8f09m5c_i-
                3246vYmJDV1lpWWjyGejI5wPiW7fvAfhcj8ZsUIiOhJ0lzDRwzavRB8b9ynThfaDVppZY1iXD9wJmxAkHPxBPrjeqja3TnIDDM_b
                NtulheanO3Eh6AlnvKbnhL9uHqQC1Wdwy95MEGaSLXDAobEeTUnkDrzq-L0-
                uUl7z7_fazvluPLXGaPIO7i5hcD1EsFzi04Q7o9l5BNf6ywoM0hhBPX3K84edKZHEXA-orjM2pzpFaaU92YbR0nLZa8Lb2o6xpYm
                gM0zZx9GkozMfzSdIuXxhcLR0bh8Usf5pjZlahPpa9VWmP8iWVPStKB6Q5z-EuiEy6PJiEMu-
                VWTsb9U2fui6qrXbcbcf1WskRhm4pTzhsXeyHZpp4Ffxq_Njqupg_91yJelgtYD1F-h3bsqKjkgP_76BeGHU-
                xkhvCnKiPbYkkEEN8bqu-kAHzn2Q5fz45zooTvjera0UJV1EgBoyXYTdX5aImuc_6Cee0dWpwB-
                xFxPXaL2lfVoO6y3ai0EPu9o5888ChrgvFZpvS_z-
                pNxm0uTS9wfwPDlnw-5lfErrOBR0VwYuoBIdLPP_0zeshR54YcXw9rrDBe5DorquN1L7CAzf3HH4ZSd-
                qvMSIdUYJ_kNAWOwzh8YM01tVUi5DqI7Jz9E3Bj7f28bV9XOHB2YdGDzoA-BP_jaAxYVLhjS2CS4qY974EcyfPPqMazGe_sDTTUt
                ZrlMJjcUqDCoNOLeiZBfwEX2dhPociBownVPAsMxD_BOK_zcwGsyQ6BSZMqqZnatTr4r3MUd1Jc0z8mv7fkJ4OpP68azlUYz-
                XUWGrNBg_TQJWaOkpMXKS9CROQOI__9bzs9EpAgkOBnyCwl5Uej5UXxsQZBGcnfJZj8xvfSE-H-Fz6z0TA9wpqeUUeiC-Bq4GgE8
                _P8DaqlSq7YGmRG1PsStGrPv939n9Q9j_8PlnvwI987AXm8fQ037Axfxs5BAHUVrCe5E_hpMBAtrzoE2j_OM73X8gD9GEQe_2Tuh
                M_PnqJQoWstvdY6MDEIx85wl9BHVbN5mfu3wu8OanedslZMrFhObs3uAB7JzxCZQ-
                ZvwG67-5_M5dGSSuzB3a4taH8r5PTzzqJw_rPOG-
                cm0kCUAZDj55MT4dchomN6dM9NuGr98z25v4QV6VKA48qWWUUBt5UJOo0U1su6Wgubg3iXlt-ro_p1MwPJ3Yc3NIGKyAVrLLq-dX
                ry5prucbf6iFOxNNvShd7OqNpJKUw_hYabJO8_eGOkeUrCW2uzJc2maFCbDQjPqgnyRFvCR5-
                M2mPJZh2S9OHGfX_HXjhzPRM_76-
                ZtvX30VXIRdR2sMYMddQ2m6VsfLVuaoPEVGnXJk1C0KeFfThK2NxN6wCv4Kt7DI8mNeHHbRrRzDwFhuqNRD4VGT7UrFkAozeruWF
                hr7qNwavbnahuj4nP1o5d8x71Fpj4BzUeS5JdXKFWk2uoFtyFt-oIEyq4XqDOqzFJXMatgzl2VxR8zDOBnKCp6NtZpQLd9jav5R5
                oD_OEzfwBNi9z5EpSfDQ11PJOojNVjzqe2JP4PSMzruGAoO-5Ugeq31-HaxZwaI3IA5wudHeTiAlZkrO1mFZI2GbKVvtY-pHFZX6
                zP7m0ZhcxYUuEWLVGh0bzoVNPeKORHM5xMGcD1U1VFjL5mX_HAoqnpVtJXvwW3rv6OfvGxvn1P_V6-
                Bax9cmPlBAu76x1ZVhZYx1WZV3h24Jqmbzk_x-
                b1fny7slYa9X2JAOwnSW8UXT0FfmnVGUYNHV7TYUKtVxD3vQGqt3OQWDCguezghoHj7xopv2qLKWkoPbs6KIDl1vHD8BWeCJ08s-
                3tWSnBNysuJ5fThL169LLFVBzhLPVIay_mUvaHwl33T67_qSXozXfOVH_-
                E4H9rIMVRuhjJSnnaSUuvLGslzUZximOfuTck8YAdcczSSCWCoYmAGj9I0aQ2YUrCGe_CXV3Mr8CK6NtWy9geHbB3o_lEOMXYyyq
                P5tDEbm2keyYDm3lr1IoyN6SrFZYKqmgzjoN-zoQ4hTSMI3qRLW8jCLNWyUhTVhlOV04zRCW4lyz5xiLUjh1elQZBb0Pn4LFFkdo
                Y-H64lCLfgZn6bf_Twp64IykcV_2vdHTv6X8Ws6c8hEWBwWX7VuVZGQeXTv8FjFsagS8fAAA
                """#),
        EmbeddedAsset(
            name: "events.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The events of the server, as they happen.
                import { el, table, tableRow, time, setText, field, select, number, button } from './dom.js';
                import { events as stream, sentence } from './api.js';

                const KINDS = ['message-finished', 'delivery-failed', 'device-quarantined', 'token-replaced', 'device-moved', 'message-steered', 'connection-up', 'connection-down',
                  'credential-refused', 'bad-tokens-began', 'bad-tokens-ended', 'pool-unreachable', 'pool-reachable'];
                const SHOWN = 500;
                const OLDEST = '18446744073709551614';

                function show(main, { parameters, signal, context }) {
                  const kind = select([['', 'every kind'], ...KINDS], parameters.get('kind') ?? '');
                  const text = el('input', { 'data-search': true, placeholder: 'message, device or word', spellcheck: 'false' });
                  const error = el('p', { class: 'error', role: 'alert' });
                  const state = el('span', { class: 'soft', role: 'status' }, 'connecting');
                  const list = table('Events', ['#Number', 'Time', 'Kind', 'App', 'About', 'Text']);
                  list.node.classList.add('log');
                  let last = null;
                  let attempt = null;
                  let found = [];
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Events'), state, el('div', { class: 'buttons' }, button('Clear', () => { found = []; list.body.replaceChildren(); }))),
                    el('section', { class: 'card' }, el('div', { class: 'fields' }, field('Kind', kind), field('Shows only', text)), error, list.node));

                  function about(event) {
                    const parts = [];
                    const app = encodeURIComponent(event.app ?? context.app);
                    if (event.message_id) parts.push(el('a', { href: `#/message/${app}/${event.message_id}` }, `message ${event.message_id}`), ' ');
                    if (event.device_id) parts.push(el('a', { href: `#/lookup?app=${app}&q=${event.device_id}` }, `device ${event.device_id}`), ' ');
                    if (event.outcome) parts.push(`${event.outcome} `);
                    if (event.count) parts.push(`${number(event.count)} devices`);
                    if (event.kind === 'gap') parts.push(`events ${event.missed_from} to ${event.missed_to - 1} were removed before they could be shown`);
                    return parts;
                  }

                  const matches = (row) => !text.value.trim() || row.textContent.toLowerCase().includes(text.value.trim().toLowerCase());

                  function add(event) {
                    last = event.sequence;
                    const row = el('tr', { class: event.kind === 'gap' ? 'gap' : null }, [el('td', { class: 'number' }, String(event.sequence)), el('td', {}, time(event.at)), el('td', {}, String(event.kind)), el('td', {}, event.app ?? '–'), el('td', {}, about(event)), el('td', {}, event.text ?? '')]);
                    row.hidden = !matches(row);
                    list.body.prepend(row);
                    found.unshift(row);
                    while (found.length > SHOWN) found.pop().remove();
                  }

                  text.addEventListener('input', () => { for (const row of found) row.hidden = !matches(row); });
                  kind.addEventListener('change', () => { found = []; list.body.replaceChildren(); last = null; attempt?.abort(); });

                  async function follow() {
                    let failures = 0;
                    while (!signal.aborted) {
                      if (document.hidden) await new Promise((resolve) => { document.addEventListener('visibilitychange', resolve, { once: true }); });
                      attempt = new AbortController();
                      const stop = () => attempt.abort();
                      const hide = () => { if (document.hidden) attempt.abort(); };
                      signal.addEventListener('abort', stop);
                      document.addEventListener('visibilitychange', hide);
                      try {
                        const wanted = { from: last ?? OLDEST };
                        if (kind.value) wanted.kinds = [kind.value];
                        await stream(wanted, attempt.signal, () => { failures = 0; setText(error, ''); setText(state, 'live'); }, add);
                      } catch (problem) {
                        if (problem.name !== 'AbortError' && !signal.aborted) {
                          failures += 1;
                          setText(error, sentence(problem));
                          if (problem.code === 'FORBIDDEN') { setText(state, ''); return; }
                        }
                      }
                      signal.removeEventListener('abort', stop);
                      document.removeEventListener('visibilitychange', hide);
                      if (signal.aborted) return;
                      setText(state, 'connecting');
                      if (failures) await new Promise((resolve) => { setTimeout(resolve, Math.min(10000, 1000 * 2 ** failures)); });
                    }
                  }
                  follow();
                }

                export default { title: 'Events', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA50X7W7bNvB_noJBh0rqbCXZ0nZLkAVdkmFFu3RoMuxHEDS0dLa4UKQqUnaD1MDeYW-
                4J9kdScmSnW7tAgQyj_f9zZ0ddlkAgzkoa5ieMosnA_Uc6hHjho53rOBVBSrdEmWla8vuGcgRs3wiIXze6gX-EiWeDdhL-
                GBHbCpA5nSWkOFRNeWEeE4aa7ViSzatdcmidCfXZfqHiQ573L0yKN3YGnhJTJQFlUGPjFfCk21lWhnLXr08P71gR-wqKsEYPoPxV
                ChhCsijEYtykAJNuhtPuZAtaC4yGL9veM2VFcpDrb4FNa6hkjwb4JV67s8te2MBag9CDRQaKbQaN9UaINcLFY22GAIRG-
                0QXCL_aWM87YTnYyfUjCcw42oNBir3eJXWctwo9EdWkMs72ApyfRh8cfHzm9_P0RdPd3db0JvXp2cXlwiL9r7b33_2fH9_9_m3z3
                e_f_p079nePrlx2iinMTOFXsQlF2qEsajQOyVYqA1GQcwUx8gjR4shZsuE3aNhXsCtUDmy9-GOr64iUhDI5-
                4quh6xNE1dlPDnim06AxtHDiVhx8csipLDjqkTc4TpFkdCVY2NSKUo55aPDfA6K6IDZusG087Fq9Ayh_qgi9GI-eAxXbOFrsmPpg
                IpswKyW0SbcmkgQjtWEqGuEdmLrJy4THJjENndIKTWEvDIJdR2SGsstxBoTeVCuSI3empX1ITaGCTvJYua9U2XwpDprrzi6MyVBN
                JfRY_OXSWRey-x4uj7iryH3xeVy74XE-
                1cFVEhRteOKbFLlc4hdQq9piPP8ziSOoiVgEK5E6oaKVsQtxbKah061Y0L99U1QShZUtcj8piMz8V8YHsBPHe20mWxR3dkeDAqGX
                nP-et1Wt8vvKv87zg6kRh8xIoTdvQD4va08YZOdH6XhiI-KYTMa1BxcojRShKqReZj5Et0IC7j9UrVdV1cS_OquJ9x63lK36QDXm
                ABYS9V8g6vKIVRqE-s0SoOCTodNemqjlPQYtf6fFm1iYClgs2wdXULRW9TpqkMWf329uWJxuapkNZzoGBQMYVKpWPiqcWUBZRQI-
                9EnngZadWYwsWPO6sL7FIH7ObRTsDc-eoe-Szxs85geUMuuQkA9hACeiBi0YYSvj4_Qwep9W1THaMCR16Nx--
                PWjkdk6BHKPoHrj-hBXo-0yUMdLhpycPlkt1s0GWYd3adyg-
                6AcYy9CGzycK3zSPsyzNeRUNeYQ527hQGZ8Y7GoBLZvU6HCFjtrdkC5xKrAY3r9gEphqPboqjLpIgrsGrVpUabFMrL5cgy62uBZX
                cYqek3ItrvXC1tu3Sac5lA6mtRYkV-PEjNrVFShcnlG6okdWvNapxwg3ESSpUJpscTLxBO0RcLwjsToNyCM3JG23gfUMbQb8mUI3
                QfW3dr9uHPM2Ow_fA9TXKmytHmQ8q3gfTVfwF6qxm8VC8q-
                yObOmXoLYG7cbtgIdrGusYg_KN_v7zr2gdo98oHqZ2U9OP0us2yhihQuS4f6CHtkNgXVT9_aprVtg2qY-
                v7lx3TRtlCjG1PfgCGyuw2F9LUDNbsB_87pEEokpXGGWfjHHSpZfvSXnuBgCNIlBYMd2IX7X1msWr0OJy6rgm_2ZNGMjk2wck4KK
                kZvB_Jkd_MrYz8TjFWNQ2DlJRLDd3Klul8FRLibtUl8A0OHH_bGpXVLsDN2777cqzhLyl8b0i11lTUmi91QnjCy4sU7Bgv2I7EFg
                -MTLVcg7BsI5i0wlzYcRESGHvOncEWsp8jVntlyoyKriT_nqLAIp9QWpSveNCg5tQ3KG1q5Cm-
                eTdHCg7bw0w0SLoMO8_Ye0aA7ZsebRO2zDSodK-h4p0Er_MKaRZR2pxj20j0qq-wHcDUPbcu1fJgU8SLLywbHda-iC6nHTtLwmkr
                gW42b66u14R-
                SD7N1DsKUadL9plvMvkfmK1r7A4bB20VHewsGxF9CIiOPWUPO8sXbKMCorFVa1x9yyTnt1kRgCnChd4tk391OXCmVuP2ePH7JOZ7
                JpJq-bXR2zvsHexpnH74uu0SPrIfT1oA_J9_ac3b398eXp6do5z9H7DXDLVDzs0uePV_loOE8q3rC_KqQdJ_iutyJB1dwUlt4Z-
                ac1Yfy20XFrHfkZvIJY4pmiMdIX_C7cFbhIq3tvFvxGjD3vCvmFPnnQxS3r9YLnl_9sWd7iFnR0-
                uBd8DlPeSHrJW2Hdc6d7vtDqQXXxD-jm6Cl3EAAA
                """#),
        EmbeddedAsset(
            name: "icon.svg", type: "image/svg+xml",
            text: #"""
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="5" fill="#2f5bd0"/><path fill="#fff" d="M12 4.5a5 5 0 0 1 5 5v3.4l1.700 2.6H5.300L7 12.900V9.500a5 5 0 0 1 5-5zm-2 12.500h4a2 2 0 0 1-4 0z"/></svg>

                """#,
            gzip: #"""
                H4sIAAAAAAACA02PTwvCMAzF736KEM9Ls65RlHUHTx706n26dR3MP8yyip_eDhGEQML7veSR8jl18LoOt6dFH8Jjq1SMkWJB97FT
                mplVciBMfRt395dFBgZtUmFVju0lQOyb4C0mAXzbdz585zF5BcH1w2BxqZ2cG0ZVlY86-J_qnENoLB5zDYakFhCY7-
                epy1SQGXJac8qj1V6oYD6sIde0YT5tSJj_FzJ5XzM94wS8qTXoL8oM8HtOnh-pFh8_sFT88QAAAA
                """#),
        EmbeddedAsset(
            name: "index.html", type: "text/html; charset=utf-8",
            text: #"""
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>Carillon</title>
                <link rel="icon" href="{{assets}}/icon.svg" type="image/svg+xml">
                <link rel="stylesheet" href="{{assets}}/console.css">
                <script src="{{assets}}/theme.js"></script>
                <script type="module" src="{{assets}}/app.js"></script>
                </head>
                <body>
                <a class="skip" href="#main" id="skip">Skip to the content</a>
                <noscript><p class="notice">The console needs JavaScript. The command carillon needs none.</p></noscript>
                <header id="header" hidden>
                <a class="brand" href="#/overview"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 3a6 6 0 0 1 6 6v4l2 3H4l2-3V9a6 6 0 0 1 6-6zm-2.5 15h5a2.5 2.5 0 0 1-5 0z"/></svg>Carillon</a>
                <nav id="nav" aria-label="Pages"></nav>
                <div class="tools">
                <label class="field inline" for="app">App<input id="app" list="apps" autocomplete="off" spellcheck="false"></label>
                <datalist id="apps"></datalist>
                <label class="field inline" for="pace">Refresh<select id="pace"><option value="1000">1 s</option><option value="2000" selected>2 s</option><option value="5000">5 s</option><option value="15000">15 s</option><option value="0">off</option></select></label>
                <label class="field inline" for="theme">Theme<select id="theme"><option value="system">system</option><option value="light">light</option><option value="dark">dark</option></select></label>
                <p class="who"><span id="principal"></span> <button type="button" id="logout" class="quiet">Log out</button></p>
                </div>
                </header>
                <main id="main" tabindex="-1"></main>
                <footer id="footer" hidden><span id="connection">connected</span><span id="zone"></span><button type="button" class="quiet" id="help">Keys: ?</button></footer>
                <div id="live" role="status" class="unseen"></div>
                </body>
                </html>

                """#,
            gzip: nil),
        EmbeddedAsset(
            name: "lookup.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // One box for a token, a device, a group or a topic; what is stored of it, and where it comes from.
                import { el, card, table, tableRow, rows, setText, number, time, field, button, chip, confirm, counted } from './dom.js';
                import { call, sentence, Refused } from './api.js';
                import { device, traceForm } from './trace.js';

                function show(main, { parameters, signal, context }) {
                  const box = el('input', { value: parameters.get('q') ?? '', 'data-search': true, spellcheck: 'false', autocomplete: 'off', placeholder: '5008, a token, user/42 or level5' });
                  const error = el('p', { class: 'error', role: 'alert' });
                  const result = el('div', { class: 'grid' });
                  const note = el('p', { class: 'fine', role: 'status', hidden: true });
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Look up'), el('span', { class: 'soft' }, context.app || 'choose an app')),
                    el('section', { class: 'card' }, el('form', {
                      class: 'fields', onsubmit(event) {
                        event.preventDefault();
                        history.replaceState(null, '', `#/lookup?q=${encodeURIComponent(box.value.trim())}`);
                        search();
                      },
                    }, field('Device id, token, group or topic', box), el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'primary' }, 'Look up'))), error, note), result);

                  const app = () => context.app;
                  const mayChange = () => context.may(app(), 'register');
                  const request = (name, body) => call(name, { app: app(), ...body }, { signal });

                  async function change(name, body, text) {
                    setText(error, '');
                    try {
                      const answer = await request(name, body);
                      setText(note, text);
                      note.hidden = false;
                      await search();
                      return answer;
                    } catch (problem) {
                      setText(error, sentence(problem));
                      return null;
                    }
                  }

                  async function search() {
                    const text = box.value.trim();
                    setText(error, '');
                    if (!text) return;
                    if (!app()) return setText(error, 'Choose an app on the left.');
                    try {
                      const target = device(text);
                      if (typeof target === 'object' || /^\d+$/.test(text)) return result.replaceChildren(...await deviceCards(target));
                      const [groups, topics] = await Promise.all([request('groups', { prefix: text, limit: 20 }), request('topics', { prefix: text, limit: 20 })]);
                      const group = groups.groups.find((each) => each.group === text);
                      const topic = topics.topics.find((each) => each.topic === text);
                      const cards = [];
                      if (group) cards.push(...await groupCards(group));
                      if (topic) cards.push(await topicCard(topic));
                      const others = [...groups.groups.map((each) => ['group', each.group, each.devices]), ...topics.topics.map((each) => ['topic', each.topic, each.devices])].filter((each) => each[1] !== text);
                      if (others.length) {
                        const list = table('Names that begin so', ['Kind', 'Name', '#Devices']);
                        for (const [kind, name, count] of others) list.body.append(tableRow([kind, el('a', { href: `#/lookup?q=${encodeURIComponent(name)}` }, name), `#${number(count)}`]));
                        cards.push(card('Names that begin so', list.node));
                      }
                      result.replaceChildren(...cards);
                      if (!cards.length) setText(error, `There is no group and no topic that begins with “${text}”.`);
                    } catch (problem) {
                      if (signal.aborted) return;
                      result.replaceChildren();
                      setText(error, problem.code === 'NOT_FOUND' ? 'No such device is registered in this app.' : sentence(problem));
                    }
                  }

                  async function deviceCards(target) {
                    const [found, members] = await Promise.all([request('lookup', { device: target }), request('memberships', { device: target, limit: 1000 })]);
                    const id = found.device_id;
                    const facts = [['Device', number(id).replace(/,/g, '')], ['Token', el('code', {}, found.token)], ['Kind', `${found.kind}, ${found.environment}`], ['Locale', found.locale ?? '–'], ['Time zone', found.time_zone ?? '–'],
                      ['Registered', time(found.registered_at)], ['Token seen', time(found.seen_at)], ['Attributes', (found.attributes ?? []).map((each) => `${each.key} = ${each.value}`).join(', ') || '–']];
                    const muted = members.muted.includes('device');
                    const buttons = mayChange() ? [
                      button(muted ? 'Unmute' : 'Mute', () => change('update_device', { device: id, muted: !muted }, muted ? 'The device gets pushes again.' : 'The device gets no pushes.')),
                      found.state === 'quarantined' ? button('Restore', () => change('restore', { device: id }, 'The device is in its audiences again.')) : null,
                      button('Remove…', async () => {
                        if (await confirm(`Remove device ${id}?`, 'One device leaves its groups and topics, and gets no push. It comes back only when its app registers it again.', 'Remove 1 device', { danger: true })) {
                          await change('unregister', { device: id, at: 0 }, 'The device is removed.');
                          result.replaceChildren();
                          setText(error, '');
                        }
                      }, 'danger')] : [];
                    const groups = table('Groups', ['Group', 'Mute']);
                    for (const each of members.groups) groups.body.append(tableRow([el('a', { href: `#/lookup?q=${encodeURIComponent(each.group)}` }, each.group), each.muted ? chip('muted', 'held') : '–']));
                    const topics = table('Topics', ['Topic', 'Held by']);
                    for (const each of members.topics) topics.body.append(tableRow([el('a', { href: `#/lookup?q=${encodeURIComponent(each.topic)}` }, each.topic), each.source ? el('span', {}, 'group ', el('a', { href: `#/lookup?q=${encodeURIComponent(each.source)}` }, each.source)) : 'the device itself']));
                    return [card(`Device ${id}`, el('div', { class: 'buttons' }, chip(found.state, found.state === 'active' ? 'done' : 'bad'), muted ? chip('muted', 'held') : null, members.muted.includes('group') ? chip('a group is muted', 'held') : null),
                      el('dl', { class: 'facts' }, facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])), el('div', { class: 'buttons' }, buttons)),
                    card('Groups and topics', members.groups.length ? groups.node : el('p', { class: 'empty' }, 'It is in no group.'), members.topics.length ? topics.node : el('p', { class: 'empty' }, 'It is in no topic.'),
                      members.next ? el('p', { class: 'soft' }, 'There are more topics.') : null),
                    card('Why did this device (not) get a message?', traceForm(context, { app: app(), device: String(id) }))];
                  }

                  function deviceList(name, body, devices) {
                    const list = el('p', { class: 'mono' });
                    const more = button('List devices', load);
                    let cursor = '0';
                    async function load() {
                      const page = await request(name, { ...body, cursor, limit: 100 });
                      for (const id of page.devices) list.append(el('a', { href: `#/lookup?q=${id}` }, String(id)), ' ');
                      cursor = page.next;
                      setText(more, 'More');
                      more.hidden = cursor === '0';
                    }
                    return [el('p', {}, counted(devices, 'device')), list, el('div', { class: 'buttons' }, more)];
                  }

                  async function groupCards(group) {
                    const topics = await request('group_topics', { group: group.group, limit: 1000 });
                    const list = table('Topics of the group', ['Topic']);
                    for (const each of topics.topics) list.body.append(tableRow([el('a', { href: `#/lookup?q=${encodeURIComponent(each)}` }, each)]));
                    const buttons = mayChange() ? [button(group.muted ? 'Unmute' : 'Mute…', async () => {
                      if (group.muted || await confirm(`Mute ${group.group}?`, `${counted(group.devices, 'device')} of the group, and those that join it, get no pushes.`, `Mute ${counted(group.devices, 'device')}`)) {
                        await change('update_group', { group: group.group, muted: !group.muted }, group.muted ? 'The group gets pushes again.' : 'The group gets no pushes.');
                      }
                    })] : [];
                    return [card(`Group ${group.group}`, el('div', { class: 'buttons' }, group.muted ? chip('muted', 'held') : null, buttons), deviceList('group_devices', { group: group.group }, group.devices)),
                      card('Topics of the group', topics.topics.length ? list.node : el('p', { class: 'empty' }, 'The group is subscribed to no topic.'))];
                  }

                  async function topicCard(topic) {
                    return card(`Topic ${topic.topic}`, deviceList('topic_devices', { topic: topic.topic }, topic.devices));
                  }

                  if (box.value) search(); else box.focus();
                }

                export default { title: 'Look up', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA60a227byPXdXzHBGiCJqrSz6AKFDNUoEuw22GxSZB30QVXtETkSGVMkwxnaUbUC8g99bV_7YfmSnssMOaQlO7to
                gETkXM79zpydibelEsvqk1hVjZDCVLeqnMBDqu7yROHTuqnaWtjdOk8uxH0mjci10KZqVCqqlcgNnCxT2FGNgjeRVBulxaqpNvFJ
                vqmrxoidUMVEJLJJJ8LIZaHsz7vqfiKa6l5PhFbmSn0CWGW7WaoGDuQbOLbKVQGXlq0xFRCXZHkN_1blKm82-
                NCWBsjYEzoRxGcpYP2gg4secyKLAsHDwRK5eqdWrR7ckXU-uuMkYBqZqO-
                rZuOdpjU-f7Jqy8TkVSl0Vt2HG5kDiTtRy0ZulFENspWvS1kQyQbYE_tI7E4EvmpDsp-BaMIgL-vWBHj5Thatmnow4rUyYfAxiMT
                lpQjgTJBKI3-
                vlWySLJgCjS1QqmtVFEmmktupCFay0ApOytZUoI26AECwXK1WsFgXQH9WFalqYO278_M_Tnrlg2Sasz98iyov1J0qvguA4ouOYNU
                0sMMk10RuUkitAQ7tBKjMAlHJQjVmeLdRui2MvZzmd4Pr6yZPh8fLyqiDmFZ5qXpE2kjTanjP8jRVJYvDAkJ9xLKuVZmGh5BmSiL
                SCSHJnuMevASvq-pWtHUQ8YauZTm4pquVoWtWp4hC_PKLCJKsqrQCZxCwEkTRBGgQDEORmQzAoDd02MEDN7hLN4THK1g_cgciaZe
                b3ISglNJE3UEAjwtx3dDvS7WSIOSQ2Oc_WY6uuo0bRYr_GeSlwrJFn0BjuvnmrAB-2_ry4-
                x0Bx5Sper9u1cvwGqqEiCGYKMx2WRsmnwTRtH-xoPOVtjj2zPPe-u4YfCSPEnk6PhsYl1MoYgCJAAGK-qxgtjrdSclfqcjZluT-
                kkqsOKu1ECkbLZ0pddkhAjQQidkV_DG1gh0dwaHWpyJMBKzP_ma7S1yI7cvMlmu1YNjsBPC0RDgBo1ag8RVEwxM_2OrNNp-WEqMa
                ssq3TIECE52bYcUTIWFE8cxHkI2djaIkFUDTKm3ZSK60JMQTR5gkDQQ5WzExtXQsh8EVlem2fbmxgIo9b1C75b3Mu-
                I9il2WnYwUZYWm9vCpZh9ESBRIHJbDHZsMY0ybVNa5Ly4B7GYJBNh3VSQJDa9uY-YcUG9OziGinZuYZ7g34fSc-
                RYFCwJitQzMTb9i0cFmq9E-Iwlz9i9ZVKqW38A4YUfN8DVhckUhN-
                ViY8ry8gG8gIQyakqHCgBcaKDQHZ252YziP_LDxCHAoxVZ__4e_q707PYoIbpbkcde4aLFy-
                yvEgbVYZgkKxARvgCopcOGXovdqZtTi6uJ-zhetGZ1F8hheZaxWj0c2dfAZ8mr4Ywtso_TUkBE1Hk4NtT8e05WP6ks8eAoT5xfjG
                iiaPOjH8hp_IP5JI0DJVMMvJGfIjtSRDYQKZW7IgbwDANsf05BMaePAwGY78GMPOFrzLCHPFmXLc664VOWyxzPjXUNeIaXORbtI6
                37IkRFRXYWUNkAJ6hYDay9hias45A5L2E7DNbg15wyBqKZQzEBfxePmMgCxBlAcFzJMz584V4NpYkMs4cxIUq1ybzsyIzWOQUdKn
                UDIM3EutSgwXsEoI0-GEFxMyDH0F7WFbhPv5-
                wzlLBwsv0WGJHFrzvoULkEgoLlIFusA6mGmJCCnFbld6uEo3tBcxk0ky3wzMd_p0CkZMkHYxF9AjZu3THdfJIREAu4vIo9azBHw8
                xjuRWgK6_u6-C6DHogDBHmjhGaNzWhiFt5srbgw05AbrhtguwAu7SE-UFve5ycSXz_8-3aGq918-
                _yd21cbxpIAkcIaM5RLqd5UOI_BRZh7kM0uxxRCjIjhyvnl7df392_dvXgYCavA3ldAtkJLa2kYLl_ShrcgxfMMSKD8OxPRojjqW
                kA6E10Fumq9A4WBFG4XqfzK4smWRtTHkqUsJg5hqoUF3pQ-c7ULr8_NzP7gyRXmKmR6pso58naf-
                _komhqLM3FaDgWvywjyNnFbCs8nZmtLpAp3yCovFgJ0F9WCLc0ZDlSSfs857c7rjLXQxOOdeVXmXN1W5ASWAi-CF1xXUXAiODxT0
                Sq3Vl8__Chg3dJ7in1XZn8Je9BpXvIPWdubBu075AXetIV_qjeJaGo8rMAlizTuKK92hPxsoN6DUVagKe0B2a0jBfBGNgivwT5H0
                Vm33IGr7RsUL1OvxhyovQ4xtETUqxMDC19GmxTZ65qwqpvc4L5OiTZWGypwVN9C7rc7xlquMoY4C6qxkeD9k0CC29yU-ok8EP-
                HDxFXRfDVoa2hs1XXqbKS3QuweCMxUPGNwe7uAcCG-OFcEW9UCwx7ISa6x_SN04xMQe_hQ3HVpwmoa-0nr9B9b6MFLA-
                1mim5v2QF10-zjAflNt-
                4TTn2Ihx8iA0SIHIiQbZpjYOgohRJsShXrZChAwLip7tSXz__Flp6iBWPu0x2GQI4CdjQS3vAlh_Z0l6f7yxugBWc-drFQ8g7QIz
                Gc9ikwc_LmmY4vrVi8crOdpUxuoU4ttjj0sdxA5eoMHkE6pgCjpeS58DWLMmu6bt1P3a5R6Myi7FqqsU1ICEnnByTcEMa0K5-
                _Lgs8Vtz7qXFPIxikH2IVqGw-8CQrya7q-MFVt3N-RImQ-bsg6lUW6LRYSjgvZFiRK1oPFxW_upzoazhbVHgL9sX5Fo7bIDngG9K
                dQUsfoJVyBIkG4YDtpmf8ypXpc35EAH8BAGK5_RreGVzkKu3_J-
                9cDHu884J90VXbgBldDoY_qHOuXYLfUMB5cH20doUEajwDNloVq168ti-
                bUyV389Jz6JunxyakQS-0TR7GOUjP-Z2iyibFpIfkLGWK86-n7IDnSMeSBjcNUXffzZPBQw-D6mIxcVUMx35YRRBL9BSvCml-
                whw450Kcct2COw26bqzebMlMa6ldo8NQxnzF3Mk-uzzB5fQP43AZTEZOa6th4N2-Y5kNbB6YnG5qY-
                dVr4zND65SjkkJA4_oAdv3XwuYriFgK2sHvsShx-UBON28M-BKXsLfDWQ6R8BYfSyiv2VbkUL-
                o2LYWjYOjCJMKkICWq3lWl0G3pQ9tAO18TDMxfyfoQgq11g1Ys6gsEsl9Kh4fp0Pxlbuvh4W0rY5fMjvpiorN4vu6iPkd9ZlZMTg
                oGIfVcnUHi-AuaRtNI3Jg_OAV0c1Pp4Po9FEp5Y0WTw0fNu5ceDEwvYL8o7SQTjN6dsMwow77qnd8-
                bhx2MYxhbUeC9wHG2KPht2LBIGNJ1xL4USw1SHJVF3DRf76aADMvMktR-EvE45--5bT2jZwSRsi9KIO9mnfRnRe2Yz0sqDGctwJu
                jS21BBHOSuvZkULUyt_9pRybB9ujg5NqLgnImaw3zghi4ugT6SNQeDl0dnEL8peXlZKxql_aNdgPUVlsOxJuB4UdsNxOxd6FtGFS
                7ehzzoCZoqXGiFnKnw1kOD2Q8kzKWuyXAGS8MI7JbosyZGqr5XQNgW55MIbgYl7aig5T7Hafewxbh2xxfB3n48iQetD-
                fURzof74Df-AwnPvtBKTssOSjbjST9FaXHkNbHSwiXZSd-CLe-1cfZQ6LqMbk412U2TkSHfWo4qexyajcReyqj9oLFj-HtUifQny
                ssB_wcezzYjEez1lqs4FnuRDnInaHRvyh3X0K0OJAQrUyFdwfp5ddOQh1V6GXdZ46o_zgDzGv6vwHxqkpajU0SnFef6Pt4yl8ZEV
                lu6Cus-9A2oQ_hYn9x8j9bBYteXiAAAA
                """#),
        EmbeddedAsset(
            name: "message.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // One message: its progress, its outcomes, its recipients, and what can be done about it.
                import { el, card, table, tableRow, fill, rows, setText, number, duration, time, field, button, stateChip, share, outcomeKind, confirm, counted } from './dom.js';
                import { api, call, poll, sentence } from './api.js';
                import { chart } from './chart.js';
                import { traceForm } from './trace.js';

                const IMPROVABLE = (outcome) => !['delivered', 'pending', 'unregistered', 'quarantined', 'token-unregistered', 'token-expired', 'left'].includes(outcome);

                function show(main, { parts, signal, context }) {
                  const [app, id] = parts;
                  if (app && context.app !== app) context.app = app;
                  const error = el('p', { class: 'error', role: 'alert' });
                  const done = el('p', { class: 'fine', role: 'status', hidden: true });
                  const state = el('span');
                  const facts = el('dl', { class: 'facts' });
                  const bar = el('progress', { max: '1', 'aria-label': `progress of message ${id}` });
                  const progress = el('p', { class: 'nowrap' }, '–');
                  const curve = chart('Devices that have an outcome, over time', [
                    { name: 'delivered', label: 'delivered' }, { name: 'failed', label: 'failed' }, { name: 'not_sent', label: 'not sent' }], { stacked: true, gap: Infinity });
                  const known = el('p', { class: 'soft' });
                  const outcomes = table('Outcomes', ['Outcome', '#Devices', '#Share', '']);
                  const maySend = context.may(app, 'send');
                  const actions = {
                    pause: button('Pause', () => steer('pause')), resume: button('Resume', () => steer('resume')),
                    start: button('Start now', () => steer('resume')), pace: button('Pace…', changePace),
                    cancel: button('Cancel…', cancel, 'danger'), resend: button('Send again…', resend),
                  };
                  for (const each of Object.values(actions)) each.hidden = true;
                  let status = null;

                  main.append(el('div', { class: 'head' }, el('h1', {}, `Message ${id}`), state, el('span', { class: 'soft' }, app), el('div', { class: 'buttons' }, Object.values(actions))),
                    error, done, el('div', { class: 'two' },
                      el('div', { class: 'grid' }, card('Progress', bar, progress, curve.node, known), card('Outcomes', outcomes.node)),
                      card('About', facts)),
                    recipients(), card('Why did a device (not) get it?', traceForm(context, { app, message: id })));

                  async function act(name, body, text) {
                    setText(error, '');
                    try {
                      const answer = await call(name, { app, message_id: id, ...body });
                      setText(done, text);
                      done.hidden = false;
                      await load();
                      return answer;
                    } catch (problem) {
                      setText(error, sentence(problem));
                      return null;
                    }
                  }

                  const left = () => status.outcomes.find((each) => each.outcome === 'pending')?.devices ?? 0;
                  const steer = (action) => act('steer', { action }, { pause: 'The message is paused.', resume: 'The message goes on.' }[action]);

                  async function cancel() {
                    const devices = left();
                    if (await confirm(`Cancel message ${id}?`, `${counted(devices, 'device')} of ${number(status.total)} have no outcome yet. They will not get it. This cannot be undone; the message can be sent again to them later.`,
                      `Cancel for ${counted(devices, 'device')}`, { danger: true })) await act('steer', { action: 'cancel' }, `The message is cancelled for ${counted(devices, 'device')}.`);
                  }

                  async function changePace() {
                    const input = el('input', { type: 'number', min: '1', max: '4294967295', value: status.pace ?? '', placeholder: 'no bound' });
                    const dialog = el('dialog', { 'aria-labelledby': 'pace-title' }, el('form', { method: 'dialog' }, el('h2', { id: 'pace-title' }, `Pace of message ${id}`),
                      el('p', {}, `${counted(left(), 'device')} are left.`), field('Deliveries a second at most', input, 'Empty: no bound.'),
                      el('div', { class: 'buttons' }, el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back'), el('button', { class: 'primary', value: 'yes' }, 'Set the pace'))));
                    dialog.addEventListener('close', async () => {
                      dialog.remove();
                      if (dialog.returnValue !== 'yes') return;
                      await act('steer', { action: 'pace', ...(input.value ? { pace: Number(input.value) } : {}) }, input.value ? `At most ${number(Number(input.value))} deliveries a second.` : 'The pace has no bound.');
                    });
                    document.body.append(dialog);
                    dialog.showModal();
                  }

                  async function resend() {
                    const candidates = status.outcomes.filter((each) => each.outcome !== 'delivered' && each.outcome !== 'pending');
                    const boxes = candidates.map((each) => el('input', { type: 'checkbox', value: String(each.outcome), checked: IMPROVABLE(each.outcome) }));
                    const go = el('button', { class: 'primary', value: 'yes' }, '');
                    const chosen = () => candidates.filter((_, index) => boxes[index].checked);
                    const count = () => chosen().reduce((sum, each) => sum + each.devices, 0);
                    const update = () => { setText(go, `Send again to ${counted(count(), 'device')}`); go.disabled = count() === 0; };
                    const dialog = el('dialog', { 'aria-labelledby': 'resend-title' }, el('form', { method: 'dialog', onchange: update }, el('h2', { id: 'resend-title' }, `Send message ${id} again?`),
                      el('p', {}, 'A new message with the same content, for the devices that ended so:'),
                      candidates.map((each, index) => el('label', { class: 'check' }, boxes[index], `${each.outcome}: ${counted(each.devices, 'device')}`)),
                      el('div', { class: 'buttons' }, el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back'), go)));
                    dialog.addEventListener('close', async () => {
                      dialog.remove();
                      if (dialog.returnValue !== 'yes') return;
                      const answer = await act('resend', { key: crypto.randomUUID(), outcomes: chosen().map((each) => each.outcome) }, 'The message is sent again.');
                      if (answer) location.hash = `#/message/${encodeURIComponent(app)}/${answer.message_id}`;
                    });
                    update();
                    document.body.append(dialog);
                    dialog.showModal();
                  }

                  function recipients() {
                    const kind = el('select', {}, el('option', { value: 'failed' }, 'not delivered'), el('option', { value: '' }, 'all'));
                    const list = table('Recipients', ['Device', 'Outcome', '']);
                    const note = el('p', { class: 'soft' }, '');
                    const more = button('List recipients', load);
                    let cursor = '0';
                    let found = [];
                    kind.addEventListener('change', () => { cursor = '0'; found = []; rows(list.body, [], () => 0); setText(more, 'List recipients'); more.disabled = false; setText(note, ''); });
                    list.node.hidden = true;
                    async function load() {
                      more.disabled = true;
                      const wanted = found.length + 50;
                      try {
                        // A long message has few failures: some pages are read until there are rows to show.
                        for (let page = 0; page < 20 && found.length < wanted; page += 1) {
                          const answer = await call('message_outcomes', { app, message_id: id, cursor, limit: 1000 }, { signal });
                          found = found.concat(answer.recipients.filter((each) => !kind.value || (each.outcome !== 'delivered' && each.outcome !== 'pending' && each.outcome !== null)));
                          cursor = answer.next;
                          if (cursor === '0') break;
                        }
                      } catch (problem) {
                        return setText(note, sentence(problem));
                      }
                      list.node.hidden = found.length === 0;
                      rows(list.body, found.slice(0, wanted), (each) => `${each.device_id} ${found.indexOf(each)}`, (each) => tableRow([
                        each.device_id ? el('a', { href: `#/lookup?q=${each.device_id}&message=${id}` }, String(each.device_id)) : 'not registered', String(each.outcome ?? 'pending'),
                        each.device_id ? el('a', { href: `#/lookup?q=${each.device_id}&message=${id}` }, 'why') : '']));
                      setText(note, cursor === '0' ? `${counted(found.length, 'recipient')}${kind.value ? ' without delivery' : ''}` : `${number(found.length)} so far`);
                      setText(more, 'More');
                      more.disabled = cursor === '0';
                    }
                    return card('Recipients', el('div', { class: 'fields' }, field('Show', kind)), list.node, note, el('div', { class: 'buttons' }, more));
                  }

                  function fact(name, value) { return value === null || value === undefined || value === '' ? [] : [el('dt', {}, name), el('dd', {}, value)]; }

                  let drawn = '';
                  function draw(answer) {
                    status = answer.status;
                    const ended = status.total - left();
                    if (state.textContent !== status.state) state.replaceChildren(stateChip(status.state));
                    bar.value = status.total ? ended / status.total : 1;
                    const eta = status.remaining_ms ? `, ${duration(status.remaining_ms)} left` : '';
                    setText(progress, `${number(ended)} of ${counted(status.total, 'device')} (${share(ended, status.total)})${status.rate ? `, ${number(status.rate)}/s` : ''}${eta}`);
                    const about = JSON.stringify([status.audience, status.label, status.sender, status.accepted_at, status.finished_at, status.send_at, status.pace, status.received, status.opened]);
                    if (about !== drawn) {
                      drawn = about;
                      facts.replaceChildren(...fact('Label', status.label), ...fact('Sender', status.sender ?? 'not known'), ...fact('Audience', status.audience ? el('code', {}, status.audience) : 'a list of devices'),
                        ...fact('Accepted', time(status.accepted_at)), ...(status.send_at ? fact('Scheduled', time(status.send_at)) : []),
                        ...(status.finished_at ? [...fact('Finished', time(status.finished_at)), ...fact('Took', duration(status.finished_at - (status.send_at ?? status.accepted_at)))] : []),
                        ...fact('Pace', status.pace ? `at most ${number(status.pace)}/s` : 'no bound'), ...(status.received ? fact('Received', counted(status.received, 'receipt')) : []), ...(status.opened ? fact('Opened', counted(status.opened, 'receipt')) : []));
                    }
                    const largest = Math.max(1, ...status.outcomes.map((each) => each.devices));
                    const order = ['pending', 'delivered', 'failed', 'not-sent'];
                    const sorted = [...status.outcomes].sort((one, other) => order.indexOf(outcomeKind(one.outcome)) - order.indexOf(outcomeKind(other.outcome)) || other.devices - one.devices);
                    rows(outcomes.body, sorted, (each) => each.outcome, (each) => tableRow([String(each.outcome), '#', '#', el('div', { class: `bar ${outcomeKind(each.outcome)}` })]), (row, each) => {
                      fill(row, [undefined, number(each.devices), share(each.devices, status.total)]);
                      row.querySelector('.bar').style.width = `${Math.max(1, each.devices / largest * 100)}%`;
                    });
                    const sum = (kind) => status.outcomes.filter((each) => outcomeKind(each.outcome) === kind).reduce((total, each) => total + each.devices, 0);
                    const points = [...answer.progress, [status.finished_at || Date.now(), sum('delivered'), sum('failed'), sum('not-sent')]];
                    if (!answer.progress.length) points.unshift([status.send_at ?? status.accepted_at, 0, 0, 0]);
                    curve.update(points.map((each) => each[0]), { delivered: points.map((each) => each[1]), failed: points.map((each) => each[2]), not_sent: points.map((each) => each[3]) });
                    setText(known, answer.progress.length > 1 ? 'One point each five seconds while the message is sent.' : 'Only its beginning and its present state are known: the server keeps points in memory, while a message is sent, until it restarts.');
                    const is = (...states) => maySend && states.includes(status.state);
                    actions.pause.hidden = !is('waiting', 'sending', 'scheduled');
                    actions.resume.hidden = !is('paused');
                    actions.start.hidden = !is('scheduled');
                    actions.pace.hidden = actions.cancel.hidden = !is('waiting', 'sending', 'scheduled', 'paused');
                    actions.resend.hidden = !is('finished') || !status.outcomes.some((each) => !['delivered', 'pending'].includes(each.outcome));
                    context.say(`Message ${id} is ${status.state}: ${progress.textContent}.`);
                  }

                  async function load() { draw(await api('message', { app, message_id: id }, { poll: true, signal })); }
                  poll(signal, async () => {
                    try {
                      await load();
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, sentence(problem));
                      throw problem;
                    }
                  });
                }

                export default { title: 'Message', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA81a_Y7cthH_309BI64lNWvd2U1aZJ3rwXESwG2cC-wk_WOx8PJW3F3ltJIsaX1ebA7IO_Qd-mB5kv5m-
                CFSq7t8oEULGL4VORwOhzO_GQ55ciIuSiW2qm3lWk1F3rWibqp1g4YJf1W7blmhX381apnXuSo7fMsyE9cb2YmlLMWlElkFTvISA
                0Ca3su3ddV04iBUMQFJk01EJy8LZf68qq4nYpUX6Gyqa7BrVfetet9NRLnbXqpmIrJdI7u8KjEg3yoiVgWYXO66jhrbTnbq-
                Sav8XMjGxAYUf-elyBbVuUqb7b0Y1d2KhM3YtVUWxGlJ1m1TX9oo6e9iLLOSUYSpq7o_xZLVOVSeaNAMxi1xLSdR8HfA5qukUv1Z
                dVsPTpu03T3IGbbiRcvv3l18f2zz776QpyJ2KwjEWd_FfdnUaaK_J1qVBZNRFSrMsvLNf3clY1a521nu97uZCPLLi_1Z1ddqfLRk
                Ei3qvd1bhoKteqieZqXy2KXqdZNDtlWu3JJGwD9VtfxVubQ-kHUWCRtV74uZcF67rBt4iYRh3tC6PXMZI1tybM5lsP0T9GVr0SMd
                vHwoR2U0uf9szPov06CRm566vippqkaNKoijuqIpFgWsm2nIuKeiGyogPlGslBNF0GYfiyb5djQFTTVjyRz2rX43uRZpsopdm6nA
                kZscIZTW8sy8vpWcgnv0H1ZEU5DXaFIl9Itxvgaj9jK96B_TLsim1w-
                KuSlKqKpWFgqUa2sq4oHhzy7WQRsHdnYasvqupE15AD3n3_6py_8cte8o4Wx_cbR5-
                pdvlSt6Mi3NxJd8G9jFnAymCI7JLjPwEJgjlJuSYW-
                obLsQRvN7EhXMi8COtMQEJVV94Yc0SNDE_smCOdEiT1ZXqlM79ZErGU9FS_g-GXe7QPdXGH95ahi2mo1sBgLeSBnqIqjC9NCa7Yf
                tE0fGF3x79eEQvQrmnvMtnL_Gj5L6jX2jZaY_SPCSjJ_IyS7G817YM3WctdCERrx4ugb-sQEMSMDfFo1WAw3JgkMWbW7rUf-ir-
                H9JqKBvAUUGDT9WNe06eArm4fBqmWgVBL9fNP_wI9zKdcK_o2vBEXlrRrlvQ5fxti_g0dZDSoibT80IcnC6lNrgE7eojuZ943pLM
                VICE2-CCXG3KOi8sf1LJL38liBygz6kwS7k-1Y9OmwlaIQaG0U-9I4-
                WuKIB5QhDOEQZhrpjdOX8X2MtGSW2n1Lkhbz3gY_Ey8MvExKdJjxYjNjdh4NM0w2m0FlqmumVZRs0MgRPGuXFW3XVFbJhYjFKsm1
                yvieI09rRHJUDVxMsIGCrSssowFbtUYsd4LmL9h-
                mslMLQPaMEAUQMi7azTytix_Afm73IcliAyNjJRAznT8RaUXpxDg4utMbGsyYcyeFYfTqDsA898b7Kdl8uhYtpmD4mnMESq2wPbm
                CQGL8zqUhsNBtpHxWYcW8onMeW7bUiMJfXMu84hTBcQ1He5BlJMxFpmtJ8Bm_8yfT-sRi2i5p6s13JolW2S89XVDKLHXmjul1TGp
                l04w1E6uAbMbYQSLZNnPyDNdqExxEOuWr_YJ7kgPccaFECQVmLQQtyp9RZAJA4i2NyP-5mPzSd4gyB3-
                UzyXmambhzfi5O_airWMHG7JkN7V3EHWzFukeHDgOZ0bcbl9WKvNXNWRr1KBlQrCvMW5UpfGCmuc1HjUajVmy1aBIMI_cZq8JuB2
                c72ih0JhovNP6FEfx8Aex4cDBJamx4ES7yryi5IVx7cNBJcWz021WdLNDF0bmsrMeJvepSgYXtxTUya0HRUvsLtUINkJ_akKzvSj
                KupwjyvRZMHk-moHFXdBURbBF-kUCmC-vJdiWEwHfKvqAt0QjvEqrE2O7oJmJftI4ZjRaDXdRdyBN-
                eeZ0wftwM7aJLk4NNjIv611ncgT-zYJ1-5qTEd4AtGzz0mRpOl_76MknH33y5788-
                eRjNDFET60bUKQkc47QUxf42FRFRqpAHgPYwR5EDgiMLeWyqNY2keQPFsJLCLH8yz2ywoi4P-
                ryrlAuHEEtW51Kqm5TZZR_aR4uXj3hbkKj4fgFaeQ4w0z8uFHbaNfrXtt8YLBIg9gVUgqDfGqjpJLzwBx-ImFhWC2QHdlR1ZKWWd
                vg8cW27vZTYbWTRsldUcsPkdSvv5nE7AP0TKEGWikrNOUZ7NjmipbL212udDCOPkMyGSVHzCxl3eRb2ez7bY72Ss-
                OXKVjVyKdIkmy6Km1n8os--IdvOorOoiVlE4ti4pTOW2aGjstMptBjdoi1-
                7RnQDFdREkf09C8PGJ5UgMUocR4jYvY0E5HMWsfJ1ciHOGUMrvvtaA43UmiCZTbH9CKw4HLZ7preyBamQ4LCM7toJ0IQwYs7dsZO
                tvv4k4Vp3VEthddhxCbY6mdRIqnA6sL6tMFvGtKKCzyQECAGAyNhJC8-NYVgAFb4tmvA_eaQen3ON-F-18n7-s3vN8_eQ4ItT-
                PGN4tNyo5RWG9tb4umvAO_ZnpWSK6OiE1NcYQhKCZF-cdWXg57d5QLim5Qb2Xbq0wFua1eIbsqFMved-VsGMv-epkTjkR2jTs2Pu
                cQJHyHaA8RghfSKcvvAlPtTad5HhNGC3qzN9ljee57KhdQVw6w8eFAB7qOO_IdYhykBhaZa3dFDUpzwm4uzm9Kk-qfwedNf2-
                WvxHUl3qePa1C5uBPGPeOqlBoCvF34-
                jvvRM1GqazfgOu82DHstUl59vi07xltuzfxCAiaCftpqGnkHgmOD962CZtY1EN8G2TxYet9qOCb5dn0z9XYutAV_-_43AWZd_V-E
                iNEzDEcMbSm80iuFiLxs9nVXpQ12rNp-
                992Lz8kNLDJOe4ccAFeIM5OjtLxPNR3Wm8yZZUpwwFlyDThFXNhAxMUHJ2b4Cba7XOKA-d2rF8-rbY1sFn5H5-
                kbdOnxaX_6ulmEoUQ7SfyfCCxeSOlPsUFYucq5AMSlAFXgKG_ciRqqmsYGNuXVwrjg1UeV5NYxmhrHzyhE8wL21NexXjkJuZKlq1
                dUsvJqWqZ6ZRlAAHVX3ewI-rdVQwNsFYcM2tMM1fJwaDUjqAKz3DUtF3ej06hvXVECgMbZXLeRCsechDHPFasOITefC98yxKSOVB
                _4Z3M7CrHBBQCSHksaSg0K6vGBXh_H3UDSk9aFszGejGogx6Wno3REn-Sdgw8n68dZNV9LvtU402tMC1WuAcYfio9PLZ1frRDi5E
                Q8wyzl2vkfpVoroDmZ264hN24pUanR13IO3yiZ4aDY5QXBORq4EWqksEiekDruXIujfaPRgiMf__pUPDmlVCgQ8lMjvKH58Ew8Tj
                xJ76qtRNajq77cdEulRVsCzC3f5t1UPD49PdUlAn1z4VVg9AK0pWhBIQBwx6BQ2tvBcQ54nw1T58E__iji358TjvZS1SVJAkmdhR
                vpSlif30_waWnO2A8ScYmtvOqJbsyv26tDruwTmvftVSLLcsTmg73XaZEtLQ1cUlO2BUApPp0YKwHm9eq2QV5HcMJ1RHk9jPOAi5
                WmpcpDP8peOMYzt7yQC44wBHCSrWnTqNWUIk1RVVe7-vzt2dGkD42xndlbmEmQfTvCJBHm0iK4hRvJ1LlM4I4Hk_-enNH1Zh-xWA
                D6oyKk3ubQfOh816dS_m5OKKU0voFs6sHBcwYsh_NDug42LrCPeNobOvEt3EnRZ4gjYlsBkJrFkWQGmF_iT58qDGEyFLwvVzpz1q
                XlIAyOJX5ctNB5n6lfvN7wnQgtkO5AnJlPhFbZL6WPJGkykjOs-jq0OWQfrKxaj2cGBQhd-
                haoTNH9ZRY2R7RZszn0O2OBbKJBE9h7hsy06ekQGFkgwu6skXxHFrHmnIjU7BKyg7010rcmBoP0t58F6HTfHaK5YCkeHVVI-ZIkp
                aL3c316YNQzg7gz0RcpAGGuoD3f5EXWINd01_9xQG14X8rG2OFAhHMj2UnYjPgQSN_JfiCybCSo8Ms325Z8YQLIsW8T4hEaGDEtk
                -saxgatEfcXKb39szy2zGu9zBcuqK3FDw782kEPm4iwIJyg1whER0AjbFg7ph7kyK2WD06Lxd4sghROP-
                I4E397ffE19Epgla_28cxwkLsspyjgZudDmvuikwO937DUy6WqsaY3snNtdEHbbsI2GuZ_Uzlo0u_BUgFC-gVXwEqVzf1iOwtN5s
                N23Mcya9ZMYJGDr5-OjCpNU3bI6Ctz7PQXmHC5TPe_5jVGgzUziBPa89VY5A94ZnTWD7FaNJhORxnjmQMCBmupM3kYiTnG-
                kGin8XoOtJvZuLjLUi0UHGodMhg1oXTdbYrjjgYOo5ns3k4dXy8qYRCTqgvTfuApUee-Jr6FtEs6l__jHF_JI7kPxdja03mI_Lqa
                b6R_mboSr1YyGEd0-t3TuOK96EurY06Zb4yDZF7hBQfmXPEP2uET6tan6W2csfwgj-P2WmyEWaJHwLNgVA2yO_Ju1_KboMD-
                _v4Mc85LHeOHOWN6YUnzKrJOEuf-W-TgjdL7rEH-cYjfr4x9zkgZOujzOxYjHlKvXHMl6MVHUNYHJ7UpXzewy8idCWHBJZyByVx8
                2gRSXWTrVthMJjZRWuJOWV1OtJpq5bfTzj9zG48ER0v1kYfROa_kXxiQc-GHhz8JQTD-TUQGVDc0Ns6N6nFQXpsp7tmLn2wr-
                2CClliXtQNymZBqJknXhKfvt0hu3vNpY0Kp_IUkkYJtnJfqPQ6zzou3Tw4-
                Bbn80Y0tmb5RzqoJTd_GJRrjKHstlSz5SRs_LZ5cDq7VVecLTEfV0M2sbbfK04M7q4j11Ve8rsvslyTC_UxfjYCXTCyzymdQYCgE
                hpWFEdBfYdbjMfYT-c2yXzeB7z7gwltDm2kSndlu8mRbs1-DVZiZfqfq_7wSw9TJjMcjyFhdkoGd-
                hLVFNxO-1jotVLu4vsCZHZt193Ef5pnjgDsRkWR96JGFeN-Kt4TAcTevLKbPXDoRVEN7dRrbhGLqCCa3FTp0z59HJRFnt-
                CXuJA11JGR-_g9XvZhXXM_U7QaqVsDBTXSFXDT2cu1Kqbq3Z5CXmwMEAEKJnlcM5J6b8ktMBkp9qtWlYbcvJ-
                mKDm3BdUo59cvbwoZal7V93BrmyKUTp50QpP5HoT-338zaOqPBiEL3twb11ScKAhX5bMeChn14MSXkxA8pb-VL07Wltq34N8Bslp
                ie0owLpiveAm_XciKPD_SHeUL3MrwXd8lbXe10bgFC_kfwusJX7OHxGRrvrMnreM77VcFbtnZvuevBga4vmJKer_HXuimm31dDMi
                5qqKOyVhiudUZUTE1FfbF8CH19U-BXI4wdLt1ef-
                GTIXFMk7RRchzcXv_r1UrdBfBKm2Xu_BAKoSr3nZ9oIhnJX8HNtuhqDm790mqE6J93i_Rv2Ytj_Ki8AAA
                """#),
        EmbeddedAsset(
            name: "messages.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Messages of an app: those that run first, then a list with filters.
                import { el, card, table, tableRow, fill, rows, setText, number, duration, time, field, select, button, stateChip, share } from './dom.js';
                import { call, poll, sentence } from './api.js';

                const TYPES = [['', 'any type'], 'alert', 'background', 'location', 'voip', 'complication', 'fileprovider', 'mdm', 'liveactivity', 'pushtotalk', 'widgets', 'controls'];
                /** Rows of a page. */
                const ROWS = 50;
                /** With a type, the page reads that many messages at a time, and that often at most: MESSAGES has no filter of types. */
                const READ_ROWS = 200;
                const READS = 5;
                const STATES = [['', 'any state'], 'waiting', 'sending', 'paused', 'scheduled', 'finished'];

                function show(main, { parameters, signal, context }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const state = select(STATES, parameters.get('state') ?? '');
                  const type = select(TYPES, parameters.get('type') ?? '');
                  const label = el('input', { value: parameters.get('label') ?? '', maxlength: '100', 'data-search': true, spellcheck: 'false' });
                  const sender = el('input', { value: parameters.get('sender') ?? '', maxlength: '255', spellcheck: 'false' });
                  const number_ = el('input', { inputmode: 'numeric', pattern: '[0-9]+', placeholder: 'number', 'aria-label': 'Open the message with this number' });
                  const list = table('Messages', ['Message', 'State', 'Label', 'Sender', 'Accepted', 'Type', 'Progress', '#Devices', '#Delivered', '#Not delivered']);
                  const empty = el('p', { class: 'empty' }, 'No message matches.');
                  const older = button('Older', () => { places.push(next); load(); });
                  const newer = button('Newest', () => { places = ['0']; load(); });
                  const running = table('Running', ['Message', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left', '#In flight']);
                  const runningCard = card('Running', running.node);
                  runningCard.hidden = true;
                  let places = ['0'];
                  let next = '0';

                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Messages'), el('span', { class: 'soft' }, context.app || 'choose an app'),
                    el('div', { class: 'buttons' }, context.may(context.app, 'send') ? el('a', { href: '#/compose' }, 'Compose a message') : null)), error, runningCard,
                  el('section', { class: 'card' }, el('h2', {}, 'All messages'),
                    el('form', { class: 'fields', onsubmit(event) { event.preventDefault(); if (number_.value) location.hash = `#/message/${encodeURIComponent(context.app)}/${number_.value}`; else apply(); }, onchange: apply },
                      field('State', state), field('Type', type), field('Label begins with', label), field('Sender', sender), field('Message', number_)),
                    empty, list.node, el('div', { class: 'buttons' }, newer, older)));

                  function apply() {
                    const chosen = new URLSearchParams();
                    for (const [name, node] of [['state', state], ['type', type], ['label', label], ['sender', sender]]) if (node.value) chosen.set(name, node.value);
                    history.replaceState(null, '', `#/messages${chosen.size ? `?${chosen}` : ''}`);
                    places = ['0'];
                    load();
                  }

                  /** Reads a page: its rows, and where the next one begins. */
                  async function read(wanted) {
                    const limit = type.value ? READ_ROWS : ROWS;
                    let found = [];
                    let before = wanted.before;
                    for (let count = 0; count < (type.value ? READS : 1); count += 1) {
                      const answer = await call('messages', { ...wanted, limit, before }, { poll: true, signal });
                      const all = answer.messages.map((each, index) => ({ ...each, ...answer.details?.[index] }));
                      found = found.concat(all.filter((each) => !type.value || each.push_type === type.value));
                      before = answer.next;
                      if (found.length > ROWS) return { found: found.slice(0, ROWS), next: String(found[ROWS - 1].message_id) };
                      if (found.length === ROWS || before === '0') break;
                    }
                    return { found, next: before };
                  }

                  async function load() {
                    if (!context.app) return setText(error, 'Choose an app on the left.');
                    const wanted = { app: context.app, before: places[places.length - 1] };
                    for (const [name, node] of [['state', state], ['label', label], ['sender', sender]]) if (node.value) wanted[name] = node.value;
                    try {
                      const page = await read(wanted);
                      setText(error, '');
                      next = page.next;
                      older.disabled = next === '0';
                      newer.disabled = places.length === 1;
                      draw(page.found);
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, sentence(problem));
                      throw problem;
                    }
                  }

                  const link = (each) => el('a', { href: `#/message/${encodeURIComponent(each.app ?? context.app)}/${each.message_id}` }, String(each.message_id));

                  function draw(found) {
                    empty.hidden = found.length > 0;
                    setText(empty, next === '0' ? 'No message matches.' : 'None of the messages that were looked at matches. Choose Older to look further.');
                    list.node.hidden = found.length === 0;
                    rows(list.body, found, (each) => each.message_id, (each) => tableRow([link(each), el('span'), each.label || '–', each.sender || '–', time(each.accepted_at), each.push_type,
                      el('progress', { max: '1', 'aria-label': `progress of message ${each.message_id}` }), '#', '#', '#']), (row, each) => {
                      if (row.cells[1].textContent !== each.state) row.cells[1].replaceChildren(stateChip(each.state));
                      row.querySelector('progress').value = each.total ? each.ended / each.total : 1;
                      fill(row, [undefined, undefined, undefined, undefined, undefined, undefined, undefined, number(each.total),
                        each.delivered === undefined ? '–' : `${number(each.delivered)} (${share(each.delivered, each.total)})`, each.failed === undefined ? '–' : number(each.failed)]);
                    });
                  }

                  poll(signal, load);
                  if (context.may('*', 'observe', 'admin')) {
                    poll(signal, async () => {
                      const now = await call('statistics', {}, { poll: true, signal });
                      const found = now.sending.filter((each) => each.app === context.app);
                      runningCard.hidden = found.length === 0;
                      rows(running.body, found, (each) => each.message_id, (each) => tableRow([link(each), each.lane, el('progress', { max: '1', 'aria-label': `progress of message ${each.message_id}` }), '#', '#', '#', '#']), (row, each) => {
                        row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
                        fill(row, [undefined, undefined, undefined, `${number(each.ended)} of ${number(each.total)} (${share(each.ended, each.total)})`, `${number(each.rate)}/s`,
                          each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–', number(each.in_flight)]);
                      });
                      if (found.length) context.say(`${found.length} messages are sent. Message ${found[0].message_id}: ${share(found[0].ended, found[0].total)}.`);
                    });
                  }
                }

                export default { title: 'Messages', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA7VZbW_cuBH-nl_BwAEk-TbyOkA-dF1fEDhBcUAuCWwfDsViYXMlrqVaK6kk1xufb4H-h_7D_pI-
                MyT1snaau_b6xSuSw5nhvDwzpI-OxI_KGHmjjGhWQtZCtu1M2KIxCn-
                lFXpTi1WpjZ1grLAuqtJYsS1tgfnKKm3SZ-W6bbQVD0JVE5FJnYNYLivlf86b7YSIsaibrZkIo-yl-gKW9Wa9VHoi8o2WtmxqbCj
                XiohVlRNdpTKQLTfW0qKx0qqzomzxWUitxE6sdLMWUXqUN-
                v0byY66XXJJAlsG_prVG1VnQ03yLZ0G55lTY0TXf718_sLcSrm8yiaiEjW98Letypa0KBS2tLsUma3N7rZ1DmNqiZjren7rilb-
                s2adVuV_TyOrVrd3JW50jRe52veWt4pmdnyrrT3NG43prCNldUtjbZlfqOscfxqq5vKRIuTZ0eHhwK2dK4SLbyWisMjr__5p59J_
                ddTR_czOUjyEdhzTC60krlxjl3TCdfB-ZiQ3vayzh1Fs7LkcJA2xs7Ej-8vLt7-BTYqpBF1471PupAQM1Tl_dt3V16fV1Mo1E-
                zimHi4vLt5b7N2cVs9K0sbVnf0ALcl_vPVm6MYuubrFD5pnKDVVmXBmMy07PVps7I_giSZhuvZYnQeYABtFwrCljEQ3lTS4pVWBe
                BKHaJeHgmhFNLad1oaKWqOCKfIpQqacxMRLwSURRXahbCAptPur2sPva6yI3dCScD2SkcG0fulIl480ZE0WA7WbLfzSH5eDOH5eO
                9lVyqyqtd1u3Gsup3stpA130eTByYTBAMXypV39gCpzqeTsmiubTypVFSZ0UERNAbhIZpVVXB7Nkt6FayMmrv9PCT0r9VB0f9tBK
                vXr-Ovi3PwcfVI4H8tW5ychJolC6ziOxoIbzG3Hz68k-
                L72iqkpkqmgp6ONKly1KpS_nS2Qjzn1rkAeWQTxeHfrYojddgrBUD5KmDvjgK-
                Aq28zAgERccAvj4wGJoxtkDX2-zTLXWRfYleRu_n3Vzo7Gdvg_eqbsyU-GbwEQ76oOPjRV5N7MYqKXWrb1_OqxpBWfA_o9Nd8i1t
                DC9SYcxxpYCDwfIcfSpchrHiTj9nnKM7GlSQrO4RmIlJ6JqZB7jd-Q3tR2x-YixsY_4EDJEU6T0k0xQmWqAQm_pczexb-gPsn5sw
                PcwtTPYuXfDwSXQT1RqxUB_8APKXlXeFHZkQy_zDCUOcqnSDcX61bRG5PGmAXlalHmOMDrlVKLFStn9c_pZshzmMAUwE4IALEVdR
                njE5Ly8vBu5rwCos_dosTimNXJlF3iJWzGtrEf7DACe93kUJBni119Rc4qG6r_rBrAdOgjxlGTnPzNispb38YChR2_KcmYhmUGh1
                Qr7D46oXDac1iA8cwNUIh-
                D2DVDilVVQmcg8J0MbUqK8clU5sttrxr5pjfKq2CUt1XVFb3hyVaNXo_2cwdCsYLzbZbr0sbqDk1EQk0OfaSt5t93aiU3laXgLFc
                i9oiUMuQlInQIKWpmAZdeHxx56UcvHtCQIFB-Ov-Bz12D2dBwyQ4kI3a76xPoSvZp2-
                qe04HUywpZ3wDpeBZTfCbhWqi4gxmuOMkkTHtUoVLSTzISiaW6KWvDGAcKBsGepMMoB979Qp9wXuckWJfAZcKgyIkx-WYkMTpMHN
                YkScI50JV0f3Yu1yErM2pXKbWwU_x0_uGCq9ZnKjcm5kQEA5T02JHPa0l9DimzoPYF3YcZWmlBAGJ7A_G48ijNvzxjxqZYLBIXAW
                Ab3O8US9Huxr1Mv-jUQg2xjb5PtWIoYG_FFPETLol9vJgXD4Fb-YtCMl2_CTO7a2RJFO2uPc_HoCICgOJ7R-
                bkTpJ7QddHzkRpjW_Oqf_bFigfXPIYixCcPiy4yxNCmvs6651CbWW8lYjdfOyZqkTmEObBjO7c0LxvD2fctXoNAXwr6qxJ8UU_t1
                RwHTVFjn_qxgOnElGGjSRneuI__yziRzJJ3nESKL47xcArG9SVtXGFSVLzyTeIOFr3BfxBpGnq9Ji4s02CfjtuMXHZ6HolbjF9xR
                qIqKhHc4LSwBqg2cYxLgTFBL1Lrr5wGYxZnJvFh9-
                TKyvLyrxJ50y5gIRORLAf_6YQCPSJITF1vboTwbyfD6wDyKd5rtpXrgM9Hbqs59_5wutCwRHWKPadXNfEie_ZuQmCw250Devw6sw
                rZ3BJUvF04ogmHGczcWE1sN3xmXOIvBTHi2CnqxLhtfuqQNKa9-BAQdNTLqOJWCJEb93OHf8daxXkB2d2ibIX6C6NfNSQAs-
                HiB2Y-utt7CtWdDasp0gmTizqNHxvFWLDRRbM--Cu4aMy6lSb-eye-
                07LH52sFCzze5Huv0I2pyrzXxDwdktOB6vv91KLr58hsYZ4Edy5b7SoW_HtEN93hxHHBSLNS0PtX87wT4SnvnMKm7djorHhiPo40
                OZabmMWw0HhFdgBB9AJixjXePBY96BBRnFpnsploxn9XAh85VDhGaJj1Z3RFgBf4af7OOUYDFBa30L9PoX3u6lv9Rac4xSAuG7t9
                xm81mcZKgrwzCfj3tp-
                QWajOXt5w3DF7_vdPVCYutN1lnHtwdB1gOsn7yFU5T5SKaInh_425t8ztlSxqqa5hZf5ecPtEj75-KYibMMk0F6Dg-7yr-tOvqI2
                aeYVpyIZM_2yyaG5x4-BX8b2Gi6F17B4Tt5084PmnL5ps7vJUyf-r3_8M_KT_m7dz9JrjXeqvy5eSRtYdFge2kG-
                9fU3oAe6bdNl_9Ft9zpQkZmDD56MkITuSVH_Z4GJWNNbX3fgYaZgJc1wnzdzIDpF3xkFISrxcxjXHZF7VDEi9I3RWVFWuVZ13D0B
                xoMtXRrR1r9vlL6_4BeURg8Onfhy54XxaxtdSmhAts3F0XBl1uMCPV26g83ha7Uqa6r___un65TjXmgSvCWcJt1FngOw20kJQjEA
                Ha_DHSEeb0h2In7xwI-keyuTwSGTXXLtxys0Ff9BzlCII00WAR_7tpL6nzi8rVGt5CVy_vB2GB1SvDRLo_QdX71lvi4R_QE_Rlxc
                AY5H0eQfEQCY406NggGJWWbGX_d-U0cWmibwS_1D4-N-qQNPMtAQPbvIe-qq_zUM8SgS3gv-
                MCBx4FH7O9b_Od2_lfN_cDZ2pvt9-biXIMwayYHDjhd8PuxlDZM_zpg9ppowaHdkrvv09QlMKzhV-PdGPJCFnm2gUTgtbzgUx9Pp
                lN4-PNQPhZX1lXuY6hJQDEJ6vylOumA1yDzoPVzcDd7_UTypO0nD_4OEJ51Ph-
                33biaCfbpVb6Nu7O2UXu_hAxBCfeH_zeTuzQRRaUvLL-mDR1J6s6dW9t9eY4B-mxoAAA
                """#),
        EmbeddedAsset(
            name: "overview.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // What the server does now, and did in the last hour.
                import { el, card, table, tableRow, fill, rows, setText, number, compact, duration, bytes, chip, stateChip, outcomeKind, share } from './dom.js';
                import { api, poll, sentence } from './api.js';
                import { chart } from './chart.js';

                const HOUR = 3600000;
                /** The most connections that are listed. */
                const LISTED = 50;

                /** What is wrong now, the worst first. */
                function alarms(now, settings, tokenAlarms) {
                  const found = [];
                  for (const each of tokenAlarms) {
                    found.push(['bad', `Many tokens of ${each.app} are called bad (${each.environment})`, 'Do apps register sandbox tokens as production, or with another bundle id, or is the Firebase project another? No device is quarantined for it while this lasts.']);
                  }
                  for (const pool of now.pools) {
                    const name = `${pool.credential}/${pool.environment}`;
                    const failure = (now.failures ?? []).find((each) => now.pools[each.pool] === pool);
                    if (pool.stopped) found.push(['bad', `The credential ${name} is refused`, 'Its messages wait. Correct apps.json, then reload the server.']);
                    if (failure?.unreachable) found.push(['bad', `No connection: ${name}`, failure.reason]);
                    if (pool.throttle) found.push(['mild', `APNs is busy: ${name}`, `At most ${number(pool.throttle)} deliveries/s for now.`]);
                  }
                  if (now.limit_bytes) {
                    const used = (now.database_bytes - now.free_bytes) / now.limit_bytes;
                    if (used > 0.92) found.push(['bad', 'The database is full', 'Messages and registrations are refused. Raise data.limitMebibytes.']);
                    else if (used > 0.75) found.push(['mild', 'The database fills', `${Math.round(used * 100)} % of data.limitMebibytes are used; at 85 % messages are refused.`]);
                  }
                  if (now.reader_age > 10000) found.push(['mild', 'A read of the database is old', `It keeps pages from reuse since ${number(now.reader_age)} commits.`]);
                  for (const each of settings?.credentials ?? []) {
                    const days = each.not_after ? (each.not_after - now.at) / 86400000 : Infinity;
                    if (days < 14) found.push([days < 0 ? 'bad' : 'mild', `The certificate ${each.credential} ${days < 0 ? 'has expired' : `expires in ${Math.floor(days)} days`}`, 'Renew it, reload.']);
                  }
                  return found.sort((left, right) => (left[0] === 'bad' ? 0 : 1) - (right[0] === 'bad' ? 0 : 1));
                }

                function tile(label) {
                  const value = el('b', {}, '–');
                  return { node: el('div', { class: 'tile' }, value, el('span', {}, label)), set: (text) => setText(value, text) };
                }

                function show(main, { signal, context }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const list = el('ul', { class: 'alarms', 'aria-label': 'Alarms' });
                  const fine = el('p', { class: 'fine' }, '✓ Nothing is wrong that the server knows of.');
                  const tiles = {
                    rate: tile('deliveries/s'), failed: tile('failures/s'), waiting: tile('waiting'), flight: tile('in flight to APNs'),
                    commits: tile('commits/s'), p99: tile('commit, p99'), clients: tile('clients'), database: tile('database'),
                  };
                  const deliveries = chart('Deliveries a second, by outcome', [
                    { name: 'delivered', label: 'delivered' }, { name: 'failed', label: 'failed' }, { name: 'not_sent', label: 'not sent' }], { stacked: true, unit: '/s' });
                  const lanes = chart('Deliveries that wait, and in flight', [
                    { name: 'in_flight', label: 'in flight' }, { name: 'bulk_waiting', label: 'bulk, waiting' }, { name: 'interactive_waiting', label: 'interactive, waiting' }]);
                  const commits = chart('Time of a commit', [{ name: 'commit_p50', label: 'p50' }, { name: 'commit_p99', label: 'p99' }], { format: (value) => duration(value / 1000) });
                  const running = table('Messages that are sent', ['Message', 'App', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left']);
                  const pools = table('Connections to APNs', ['Credential', 'State', '#Open', '#Opening', '#Draining', '#In flight', '#Streams', '#Throttle', '#Attempts', 'Answers']);
                  const connections = table('Each open connection', ['Credential', 'Connection', '#In flight', '#Streams', '#Window', '#Round trip', '#Answers', '#Limit']);
                  const unlisted = el('p', { class: 'soft' });
                  const laneTable = table('Lanes', ['Lane', '#Messages', '#Waiting', '#Delayed', '#In flight']);
                  const outcomes = table('Outcomes since the start', ['Outcome', '#Devices', '#Share']);
                  const requests = table('Requests since the start', ['Request', 'Result', '#Count', '#Mean time']);
                  const about = el('p', { class: 'soft' });
                  const idle = el('p', { class: 'empty' }, 'No message is being sent.');
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Overview'), about), error, list, fine,
                    el('div', { class: 'tiles' }, Object.values(tiles).map((each) => each.node)),
                    el('section', { class: 'card' }, deliveries.node), card('Messages that are sent', idle, running.node),
                    el('div', { class: 'grid' }, el('section', { class: 'card' }, lanes.node), el('section', { class: 'card' }, commits.node)),
                    card('Connections to APNs', pools.node, connections.node, unlisted),
                    el('div', { class: 'grid' }, card('Lanes', laneTable.node), card('Outcomes since the start', outcomes.node), card('Requests since the start', requests.node)));

                  let history = { at: [] };
                  let last = 0;
                  let before = null;
                  let settings = null;
                  let tokenAlarms = [];

                  function merge(next) {
                    for (const [name, values] of Object.entries(next)) {
                      if (Array.isArray(values)) history[name] = [...(history[name] ?? []), ...values].slice(-720);
                    }
                    last = next.last;
                  }

                  function draw(now) {
                    const found = alarms(now, settings, tokenAlarms);
                    fine.hidden = found.length > 0;
                    rows(list, found, (each) => each[1], ([kind, title, text]) => el('li', { class: `alarm ${kind}` }, el('strong', {}, title), ' ', el('span', {}, text)), (node, each) => setText(node.lastChild, each[2]));
                    if (found.length) context.say(`${found.length} alarms. ${found[0][1]}.`);
                    const span = before ? (now.at - before.at) / 1000 : 0;
                    const total = (statistics, kind) => statistics.outcomes.filter((each) => outcomeKind(each.outcome) === kind).reduce((sum, each) => sum + each.devices, 0);
                    const rate = (value) => (span > 0 ? Math.max(0, value(now) - value(before)) / span : 0);
                    tiles.rate.set(compact(rate((each) => total(each, 'delivered'))));
                    tiles.failed.set(compact(rate((each) => total(each, 'failed'))));
                    tiles.commits.set(compact(rate((each) => each.commits)));
                    tiles.waiting.set(compact(now.lanes.reduce((sum, lane) => sum + lane.waiting, 0)));
                    tiles.flight.set(compact(now.lanes.reduce((sum, lane) => sum + lane.in_flight, 0)));
                    const sorted = [...now.latest_commits].sort((left, right) => left - right);
                    tiles.p99.set(sorted.length ? duration(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] / 1000) : '–');
                    tiles.clients.set(number(now.clients));
                    tiles.database.set(now.database_bytes ? bytes(now.database_bytes - now.free_bytes) : '–');
                    if (!before || span >= 0.9) before = now;
                    setText(about, `${now.software}, up for ${duration(now.at - now.started_at)}, ${number(now.kept ?? 0)} messages kept`);
                    idle.hidden = now.sending.length > 0;
                    running.node.hidden = now.sending.length === 0;
                    rows(running.body, now.sending, (each) => each.message_id, (each) => tableRow([
                      el('a', { href: `#/message/${encodeURIComponent(each.app)}/${each.message_id}` }, String(each.message_id)), each.app, each.lane,
                      el('progress', { max: '1', 'aria-label': `progress of message ${each.message_id}` }), '#', '#', '#']), (row, each) => {
                      row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
                      fill(row, [undefined, undefined, undefined, undefined, `#${number(each.ended)} of ${number(each.total)}`, `#${number(each.rate)}/s`,
                        `#${each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–'}`]);
                    });
                    rows(pools.body, now.pools.map((pool, index) => ({ ...pool, index })), (each) => `${each.credential}/${each.environment}`,
                      (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'), '#', '#', '#', '#', '#', '#', '#', '']), (row, each) => {
                        const failure = (now.failures ?? []).find((one) => one.pool === each.index);
                        const state = each.stopped ? ['refused', 'bad'] : failure?.unreachable ? ['unreachable', 'bad'] : each.open ? ['connected', 'done'] : ['idle', ''];
                        if (row.cells[1].textContent !== state[0]) row.cells[1].replaceChildren(chip(...state));
                        const answers = now.answers.filter((one) => one.pool === each.index).map((one) => `${one.status || 'other'}${one.reason ? ` ${one.reason}` : ''} ${compact(one.count)}`);
                        fill(row, [undefined, undefined, number(each.open), number(each.opening), number(each.draining), number(each.in_flight), number(each.streams),
                          each.throttle ? `${number(each.throttle)}/s` : '–', number(each.attempts), answers.join(', ') || '–']);
                      });
                    rows(laneTable.body, now.lanes, (each) => each.lane, (each) => tableRow([each.lane, '#', '#', '#', '#']), (row, each) =>
                      fill(row, [undefined, number(each.messages), number(each.waiting), number(each.delayed), number(each.in_flight)]));
                    const ended = now.outcomes.reduce((sum, each) => sum + each.devices, 0);
                    rows(outcomes.body, now.outcomes, (each) => each.outcome, (each) => tableRow([String(each.outcome), '#', '#']), (row, each) =>
                      fill(row, [undefined, number(each.devices), share(each.devices, ended)]));
                    rows(requests.body, now.requests.slice(0, 12), (each) => `${each.opcode} ${each.code}`, (each) => tableRow([String(each.opcode), each.code ?? 'ok', '#', '#']), (row, each) =>
                      fill(row, [undefined, undefined, number(each.count), duration(each.micros / each.count / 1000)]));
                    // A young server has no hour yet: its minutes are shown as wide as the figures allow.
                    const range = { from: Math.max(now.at - HOUR, Math.min(history.at[0] ?? now.at, now.at - 5 * 60000)), to: now.at };
                    for (const each of [deliveries, lanes, commits]) each.update(history.at, history, range);
                  }

                  /** The window is what APNs takes of bodies before it opens it further; the round trip is that of TCP. */
                  function drawConnections(found) {
                    connections.node.hidden = found.length === 0;
                    rows(connections.body, found.slice(0, LISTED), (each) => `${each.credential}/${each.environment}/${each.connection}`,
                      (each) => tableRow([`${each.credential} / ${each.environment}`, each.connection, '#', '#', '#', '#', '#', '#']), (row, each) => {
                        fill(row, [undefined, undefined, number(each.in_flight), number(each.streams), bytes(each.window_bytes),
                          each.round_trip_micros === undefined ? '–' : duration(each.round_trip_micros / 1000), number(each.answers), each.rate === undefined ? '–' : `${number(each.rate)}/s`]);
                      });
                    setText(unlisted, found.length > LISTED ? `${number(found.length - LISTED)} more connections are not listed; the metrics have all of them.` : '');
                  }

                  api('settings').then((found) => { settings = found; }).catch(() => {});
                  poll(signal, async () => {
                    try {
                      const answer = await api('overview', { after: last }, { poll: true, signal });
                      setText(error, '');
                      if (answer.history.last < last) history = { at: [] };
                      merge(answer.history);
                      tokenAlarms = answer.token_alarms ?? [];
                      draw(answer.statistics);
                      drawConnections(answer.connections ?? []);
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, problem.code === 'FORBIDDEN' ? 'The overview needs the role observe or admin for all apps (*). Messages and Look up are there for your apps.' : sentence(problem));
                      throw problem;
                    }
                  });
                }

                export default { title: 'Overview', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA60aXXPbNvI9vwId54ZkTqHsXNM2dh2P66RzmUuajpNOHzQaCxIhizVFsgAYReNq5v5DX-
                _X9ZfcfgAkKMlO2mkeYhFYLHYX-w0Mh-LnhbTCLpQwSn9QWmSVMqKsVgMhy0xkeSbykuYLaaxYVI1OH-TLutJW3ApVDMRM6mwgrJ
                wWyv25xNXzvIBJXa3MAFDb9-
                qjHYiyWU6VhjXVspYzGMgaLW1elQMxXVsFoLNFXsMCK626oJ9VYwFa_ScvYRezkFqJjZjraimidJhVy_QXE510FMk6H4i6wr2NKq
                0qZyE8zG7BzwCjDSDom2EezKoSWP73258uxan411eH-O_kwfDRI_Ee5LGsYBJASjVDDgwICSSJ9BW5sSpLxaOhQ_H61bv3L18Akq
                ewnhCQ1HMjVroqr1ncKONVpQF8nsP_tHzelIRcyELqpYkJEKRp8_IahGWrG1We01Qibh8IwdvNqwaO7lSMxicwNq-
                0iHlCydlCVPPddYLXpHVjFvEomsosGojJG1muGdbgqoe3uD6Vdb0hNmeyKFQmAFjEbk6VH3LgaAmS3ySTgYheVHAitRFaXaNQtDC
                gVdPqo0crjah1lTUzVgIgdZXbBaheBeLQYgpEFUrkGU3lhoT0fa7VVBqFK38B4XvoM_FDJTL1IYcjB9BfG6llCZICGlEGuRWrRQ7
                Y7AJmUZtNGo0TFNGmL6a6qgpkGKSd4u9WSDxdyqUC6U4e3uJkOtMqA35zWWyGbigUw-QkWDqXedFoXI1HmbpPI87O4LCSdA5KHsc
                oyUScPu_2H5Fw8edYnJ6eEoEJ483nIqY9ja3qWmXJ3pNEfe3ohJNEHjYoJa3mjVEZntUra8RSGSOvgaKVzEEFLyqtScJwhmAUeEQ
                g6RJWFRUce-
                c2vCSZIMfXWdqUGklHp7CfMDixzoSOPWFAjUORwnrYdrzNrV3oytodrMu8ILTnP_5gkLtpY9Yh1sm5ZbuFIXJFW9g2oD9FDvzkyg
                wN6QQewqRTE6QAh4p8mdsrclp97UBp-vPNJPhD0FSGE48J2Vwr5RcOxRaujk3C81wcps-
                e7BVdhGfqN0Be501R4Pgbf4Tov9nu2Mcaslp34Km4lLlhDEzAGzXNiYbuLFWBqENivn66X-
                J9atD3GzyHh7dvpF2kGlcwkkfi6PAQ5PwPNLA9mxONCHkiwEN-8xQAW50Myd9zJKAqmdJXAAqkHqGzvoPWc4Gg5Ai3ZFix-
                ryy4kYpcFs17UuxQSvYV5gcA0qrPf1tgS0IVcCN8eTt8b3ee58FjsM7gJ4iZXJtQJHI9MHBXck5-s8zEW-
                NsFZJi9r0zVdfUpQSx-JVCd4kt-tOowjht-Loy75Y3PAhoCbVgrWtHZHfUNrm83wGEdmHgMDlwVCIYAEOXX2swUMTogn_NphDOF2
                YF1WliRa0NvgzQcOMLlWpVuCjB863hK5ZK9vo0hFtIG7HcaHmCJpfLyy5ShoYHbJ7ZDbOBIrhKAEBxQS4fxp22TzoAq2FCBEXcqq
                KMKJ-kEWDXlsVcTQFwdxugOQ__vt7RDQ6-
                m7hIDJ1TEBZ_gHBxAzijAGBItpIwCrCNCAYU8vS4eINE4rtxyK2kCwRWy5xit0qHt_0KTaLahUvZV7ifia_LiUmZVWJwGITcqG0B
                n1kLuoeeTQTYbpWAAORLODMgVzijtdiTuOWNkVvLacmaFdS5_IxsRLBOOcXfSygkmovAThB8on--N_vEMchRkNe1CZIditJvQGVx
                5wkjQLkKGO0GDYi8HnACh1nFDr1KOHgojI_66Mwz2Hgg739pPukVQVqkZ8AjeYBSGUExhsAcdZLLsDDuU9GXj971h-
                nIZyZFTlYVLeKP3HG-6eWGffN-
                206_jsuQQiUx8bRi25MgvAAMMNU22fVcAYjIvqWsho4CIdEofnTUfbG8IRaUJZiAOcGekDopzARD8BgiHJzAByTzlo5u6Hj0KjkD
                XgtgBpuqU4hyzsYI-XAc-KSpT2YXeby8qqd8tR04D26p01xc-UPv4PG4VZH-
                itysDgNRQ2QtWdhMBuuHwccOk3peHyfQ6IJIUO6KWSo3Y6Hruqnh8Eu-NUjykOBkgVQ8OVkDwFqKdHlkIchn-
                NLMh6CoHJEkTQ8C92UJdrnKdd7cZdztDWQO_ORn6K4W6PRR6_hJPHvj7q6BrMj13HwssxIl6KDSzBc-kHso1-
                PQilRQtztfBEWYM4QcduLNkQhrnfWI31bq7L9wUcUHbzQ4D79x6tAf6KDdxbiO7u3g_cuTaSPc2vVsrY0c16aldIm6p9mR1hL7Ut
                KAmDnYHoPuRfh5H0U_QwFQ7VisVHRZ3VeM3mOJPz9GjOsHnFNyTXqXl9sqrndtb33yEHHCR4iS9of54FXAqastQAQryrk2p1ux0t
                Ij3NHgaTe-hHOuMj3W7AK2vJt670QORZ8vOk7bA_0EGv1a6OMDRBf-pF9iN1kRAmJaQqW-AWI1joWJaYIy_4mcgr0f6Yo86zYHwF
                RmdYcAqEocjkv1TAKTQ3tyUU7jPVYhSvIqfflGgsl2Qnj5OLIpytvwV1-yNUKYwpRDH8p7g8ouA8oOA9c3r8_gzGE9u0Uq-
                6U3IOJaTxJl7IOKleXomYqSTqMplXpDis2jwhpF7x4HfeV7vEsKMiB90RuzZ3EX-u8E8m9dFCY8SR8Etqn-yGrTPd-
                v0TOi6AHoYNwI94qP4cR3sVbYWugfeHdY0Te4voL7jEOb0mOV9BEILJQViyA5kqvMfESGEpGY05KcI56hqfi0H9PFQQc1P8SilU_
                6CuireGgSeV6WVhQ-ax3qfS1iktKiH0Hq621Rhj9XK5txhhCnc6C6qCK8Tq_kKujc63lOs0N_eXYZwDEcUcYx0hHmqZxf5Brt4GA
                GbdjagrwSfHjr58cukp6Q_87ceDuKf7mAidkK9NyhVVlvxT0Db1PdwF5N7TkdJFnEFJgFddNhSqv7QKLeIbBzmzsDB8BBqJvvqMj
                SBDi0Q31XW1uC1d_jBkCdLPIQ9WcEHFQ5eGKzaQ1NosJvPNBhAYkFYlopwSi2gbmYraFlhZfAuEwCe1iAcUpA4yejJOw7RQwmvgS
                KDVwnJOHt-HkxkkyFW4cSkPgd5NOkrBbh9SB_JzSnnGXAbzQYzfkiu4jLrgPw6W2srLANhB2skHI-QwOCiXDPLWDaWuH87yADDHw
                oUHjm0t-
                N5BQEUu4UsgaGlC02DTLUGTNUvyTfTC3Q2Hvwx5nWBwhdV3WFxOzz6mKpzp9KT_Gh86GWCMfuw9mPkHWadFxi5xiQYrIUzi22HX5
                YxwIGCPZ0OcgrC2SJOmh4WrisxG54mMbi_fQ96DhlgbDba12iXpvNXXsKEr0pI9DgfTx0y9H6W_xRinQX0XbljEhYqeylea0Dv0U
                o7Tgta8ce-M72if4DefLAyGhUCoQlYzXO5GzrkjgiRGrTF5uAT4WRwMRtH36s4-wu_ksScZtkXEcdFXaE-
                RSmMgI2m5uuC9XXxsz8G4H9oyvmT6vOdsnBh3MF84V_PYba_7zU-
                QgCcJatWJo77Uo0aJGKGLHdHAFOQy4u6amgPXwtpVk61wIEqOuyq7AwwBwr994o2qLMQe7qG1rFAe988LMqPP-
                hA1SRVTjnRgQZE_3rkCPE8YNv3BaZetBuGA7iqSOwqu8F2D8NWE8chEYg4GkcLLQag7R5GDoVg4f3qpyBgT-
                dPnqAmylKuHYY38TleCdy9ZGHHygTAJ64q05jDB-
                rfuFJjUIyKi7svQWcu2PoAZHO92tiYfC5MIn63spwXB3EHX_YaYQa4zgrTR8GgKjKSRZev1OFZCtgL10xCRp24PEPTi-
                nAl36wa1M9hQMNOGI0HNeN5wBJFOYW6QYa75iZ-
                Tg1bruk1A5egiMJygDRO6Xdlagn4WDshMvHgFgbRzoR8JcIEJBDt6vmjBo76f2Ez8TcUmCbSTs-
                xON_mbKhT8CbUDYP7IYe8W07ZgFDAloaZOdlvewz2XnS2L-3R8Dw7gai-WLiva1ps7_rtPn_7UrWPl4gz8JXmQzROFLK2TLaR0Re
                _V0V0-woGOIndDg8Rho30Mh7XvPpBgg-
                8QntMdbJMgkCuUGGUG9BHMKEI_xyLoaEMvjWY0U0VhIKVLMQW8wEywtOIL4IjIhnQvET0wrepCzhTlllqVMT5DiEEzCDzZYV5yd8
                U5S_fVpnCfEiWroocC7UBA3KkxGFoius2ONjzOF6AgiIkIB8C1gBFEeP_iMwicnGGrAowxoPiT9h-
                aLAo92R0CT7o1mrmW2dZwm5psjRtuWiWdJxDOXbmeGjK45VfaS1nwIN7i-
                1il68FhR8OdwS8VJCGoFQmJEteMW2H0vERXM3eeghKwnRhGEWKvZQfTu9a5a5n3euSQMR_Xt6To8snto-
                D22p0nMe6niBwtWHPb6uPPFxIkw3Z9J0I_tCNFN7FfkGG09nXO3yJJR3fi3g7FfWY4xLQC4tzGNzo6ntohruuhLDp6sjdKVDVmKp
                v2nhQ_Jp_BMS3zqQn-Rt8cVTd_XZvuEAf7h-
                7dlVO3fKYr4yMtwfiUvJXNcCjOxRqmrv0lHN71lhU9CRNrvLfEywuoARp_jY83kyU-
                8VnlwJHk1zvz_JqCjywKkGyvJi2vFXWR8L79uKtC28QYX2K5cgJLDdeFgTm82QWBMeBAtAueQsJAz7Ywptvq2M9sTrY7Rv52ftT1
                IV0vsG3yQcgg8TR1hvVjt_vAN4kGzEPStnX8U7EVtenpOhO7mPQ6xcobRdkjqBneYrkaIrd0P2Dwx7zRGAlOSG667e_zOyjAA4vf
                X_xID8W2WkhB95G7IkE_qdd0vKNLtJ3vh8vYLNxlvLcHfuH2VzKnYWsrfou_MZnqI74_mbo3kfpTRvbJIOiqUPbppBuu5twJj3Tq
                V3jqV85I8WjaffHJBYY4CI99i95d5-
                x5K4By1PSeh9tCd2wwuSO53w2vvvj1_ezBdgvSvYcMQ34P4rHXJ6hw0SjCuzR0LHiDzKjZNpYKOJ0Z8EgfFDoW97RnmXKS1BmkrH
                Ps6HPnFGoqfMwWewvBAw-
                b0TR8AlylM2lnizhmEOYSn5jG_rWFNOtyJuJAZ6xet9oTpozYxMUozpRU_koGS016zXPMPWK6wsUt_KU479RKuJOxu8GJonYGU2D
                eLPU-inB-S6iTO_v1-I-76v3VLeJ-Q94B0eAVt1O5oPDg1Mp2UF3DMwmnQzflIMOj5vrEFXiCDkHEUBGDK1j2m_csnlROqb-
                UuBc5d8jKYeA4Sw-Cvn97-
                d2rFy9e_oDPgugpmz8ZUSqVGeeAIUutphT88DWqzJb4dgB_gcbRK9f4UZKK3vu711V1g70e1Fr05YoWrDFk0ptKNCz_TrllrZM4p
                MArT293kbDhN0vqI71hBkuVTYFvmam9fhzc9A0oBOPx_h_-j3mf6S0AAA
                """#),
        EmbeddedAsset(
            name: "settings.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The configuration in force. It is changed in files, not here.
                import { el, card, table, tableRow, setText, field } from './dom.js';
                import { api, sentence } from './api.js';

                function show(main, { signal }) {
                  const error = el('p', { class: 'error', role: 'alert' });
                  const filter = el('input', { 'data-search': true, spellcheck: 'false', placeholder: 'limits, retention, …' });
                  const list = table('Settings', ['Setting', 'Value', 'Reloaded', 'Purpose']);
                  const principals = table('Principals', ['Principal', 'Grants', 'Requests/s']);
                  const apps = table('Apps', ['App', 'Production', 'Sandbox', 'FCM']);
                  main.append(el('div', { class: 'head' }, el('h1', {}, 'Settings'), el('span', { class: 'soft' }, 'read only: change the files, then reload the server')), error,
                    el('div', { class: 'grid' }, card('Principals', principals.node), card('Apps', apps.node)),
                    card('Settings in force', el('div', { class: 'fields' }, field('Filter', filter)), list.node));
                  filter.addEventListener('input', () => {
                    for (const row of list.body.rows) row.hidden = !row.textContent.toLowerCase().includes(filter.value.trim().toLowerCase());
                  });
                  api('settings', {}, { signal }).then((found) => {
                    list.body.append(...found.settings.map((each) => tableRow([el('code', {}, each.name), each.is_default ? el('code', {}, each.value || '–') : el('strong', {}, el('code', {}, each.value || '–')), each.is_reloaded ? 'yes' : 'restart', el('small', {}, each.purpose)])));
                    principals.body.append(...found.principals.map((each) => tableRow([each.principal, each.grants.map((grant) => `${grant.app}: ${grant.roles.join(', ')}`).join('; '), each.requests_per_second ? String(each.requests_per_second) : 'no limit'])));
                    apps.body.append(...found.apps.map((each) => tableRow([each.app, each.production ?? '–', each.sandbox ?? '–', each.fcm ?? '–'])));
                  }).catch((problem) => { if (!signal.aborted) setText(error, problem.code === 'FORBIDDEN' ? 'The settings need the role observe or admin for all apps (*).' : sentence(problem)); });
                }

                export default { title: 'Settings', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA4VV247bNhB991dMgAKkCpWLvnrhLtpNUgRI22B30Zcg2NDiyGJKkSpJ7QUbA_mH_EM_LF_SISn5Ejjti01yZs7c
                zozOzuCmQ2icbfVm9DJqZ0FbaJ1vUMCrCDpA00m7QZXftcFQg3UROvQoFrofnI_wBGhqaKRXNUS5Njj9Xbn7GgLGG3yINVmjUbCF
                1rsemDhTrhcfAjvfo8hBJ30b0TZ4oEnvRXPRjrbJUYbO3fNealuTXdAbKw1sK3haQEonREDvnYcVRcbZwJJWY2QIS2BZQi_eGaSr
                NOgjI-PznS3lGXE21nYYYwZgSkb5Q0Dpm44tIfqREg0DGtN02PxFWK00AUl3MLLBzhmFnl6N7nWkunmkxFL0NXz59M-
                xS6PpZ1XKxtk1xqjtJhDU2_lCZ_anNGPCZ1donFSo0vnN6AdHbt8dwA1e20YPFM4e9M3uLcPurgnjVy9tDAX57xFDDGfhCFAOwwH
                Uz3TLIHTIIXinxtyYdLuWVq3dQzq-
                vPxtgkm9EoSCVvFUVqXvjrrSoVRUkjrXvPsxybYJa65EVSRhkPbILrg2ZjvmCQGcNY_LibMQidwTZ-
                loqQGpavk5oL9Dz6oEm_hQU4gApwLbeF0CS_z-qor7MgvrFFaz0lSfVLQiqAp-kc457UaN1Sc954EJ2Xc-
                cvYyE5PVE0NT9Ik4k49U5iIQUqkXd0S21yRFi35PY17B6qc8J5CcAy_99e4eXFvQ1k49CnoIVXoWnVaKireCZ-kWaZYvXRrRKKJ7
                7e7RX8qAvBJUCjMqDHyK4S6RVUSvexIeqeZIC_tptKmpe7qnph8MtEh947x1o1UHge_DnBglhMg6YoYSvRw4R9l02WxeR_xtKnRD
                5Zp8JQ1hZZ96l8863Cps5WgiXMAp5ZwWfPwI7Munz6yCZeFl9C7P6NNE4f8xO3Dnp1kmf-wRqd_LxOUQpY8TMUIvjTkEG8rIV--
                qUks4ZOLJuhzIv1mZjDzrTZ42eTEUm3zORu-_e8qX5Ga7hPmWNmoQH5y2PA1_tX1fTbdzYHPGflowtwP624BEv5T5NfHEbvi3NFK
                ZmXWQVynbp50n7GTCWfKfqZLGXM7d-
                oKLi9KgSRLKKvv6uW363dMcDJG1kbHpOCc4ctQXvoJugT8rhBZyTR86pGymjyIvuwcmC5FIA6vVihbnH1e_vHr-_MXvLNHiJm-
                saWtYxLLDUrnBrfMqAxplqfqyUYDoUjY2_74SiVDzR3UXW3WeB3C7WOBD_vrOpH-CqGP-MB58hNLXFrbni38BT4kFbzEIAAA
                """#),
        EmbeddedAsset(
            name: "theme.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Sets the theme before the first paint.
                (() => {
                  const stored = localStorage.getItem('carillon-theme');
                  if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
                })();

                """#,
            gzip: #"""
                H4sIAAAAAAACA02OsQ6DMAxEd77itiRD4QNQunXozBe4wUDUQKrEnUr_vSkUqYMl38nPd02DjiVDJv7OzLjxENMmMPiUBQ_yi9SV
                1gb2jFcFuLgUP0u562ERoqPQFUUj1yPLVXjWylHyIcTltL1Vpi2gH6APzFqo4MdJFNYV_25P6a4M-
                uieM5foY7kE3jUJZZZ672t_bFu9jS4pHzrXILHSAAAA
                """#),
        EmbeddedAsset(
            name: "trace.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Why one device did or did not get one message: TRACE in words.
                import { el, field, button, setText, time, timeText, table, tableRow, counted } from './dom.js';
                import { call, sentence } from './api.js';

                export function device(text) {
                  const clean = text.trim();
                  // A token of FCM is a text: an installation id, a colon, and much more than a name has.
                  if (/^[\w-]{22}:[\w:.%~-]{80,232}$/.test(clean)) return { kind: 'fcm', token: clean };
                  return /^[0-9a-f]{16,510}$/i.test(clean) && !/^\d{1,16}$/.test(clean) ? { token: clean.toLowerCase() } : clean;
                }

                /** The answer as a sentence. */
                function verdict(trace) {
                  if (trace.addressing === 'no recipient') return 'It is not a recipient: nothing puts it into the audience.';
                  if (trace.addressing === 'would be no recipient') return 'Its part of the audience is not fixed yet. Now it would not be a recipient.';
                  const attempts = trace.attempts ?? [];
                  const last = attempts[attempts.length - 1];
                  if (trace.outcome === 'delivered') return `Delivered: APNs has accepted it${last ? ` at ${timeText(last.at)}` : ''}. Whether the phone showed it, APNs does not say.`;
                  if (trace.outcome) {
                    const why = {
                      muted: 'The device or a group of it is muted.', quarantined: 'Its token had been declared dead before.', 'no-language': 'No body fits its language.',
                      'over-budget': 'Its silent pushes of this hour are used up.', expired: 'The time limit of the message has passed.', cancelled: 'The message was cancelled before.',
                      left: 'It has left the audience before the delivery.', unregistered: 'It is not registered.', 'wrong-kind': 'The push type does not fit the kind of its token.',
                      'no-credential': 'There is no usable credential for its app and environment.', 'gave-up': 'The attempts had no answer that ends it.',
                    }[trace.outcome] ?? `APNs has refused it${last?.reason ? `: ${last.reason}` : ''}.`;
                    return `Not delivered: ${trace.outcome}. ${why}`;
                  }
                  if (trace.addressing === 'would be a recipient') return 'Its part of the audience is not fixed yet. Now it would be a recipient.';
                  return trace.next_attempt_at ? `It waits. The next attempt may begin at ${timeText(trace.next_attempt_at)}.` : 'It waits.';
                }

                function source(each) {
                  if (each.kind === 'device') return 'the message names the device';
                  if (each.kind === 'all') return 'every device of the app';
                  if (each.kind === 'term') return each.name;
                  return `${each.kind} ${each.name}${each.through ? ` through ${each.through}` : ''}`;
                }

                /** A form for a message and a device; `given` has those that are known. */
                export function traceForm(context, given) {
                  const message = el('input', { inputmode: 'numeric', required: true, value: given.message ?? '' });
                  const target = el('input', { required: true, value: given.device ?? '', spellcheck: 'false', placeholder: 'id or token' });
                  const result = el('div', { role: 'status' });
                  const form = el('form', {
                    class: 'fields', async onsubmit(event) {
                      event.preventDefault();
                      try {
                        const trace = await call('trace', { app: given.app ?? context.app, message_id: message.value.trim(), device: device(target.value) });
                        const attempts = table('Attempts', ['Time', 'Status', 'Reason', '#Connection']);
                        for (const each of trace.attempts ?? []) attempts.body.append(tableRow([time(each.at), String(each.status || 'no answer'), each.reason || '–', `#${each.connection}`]));
                        const facts = [];
                        if (trace.sources?.length) facts.push(['In the audience by', trace.sources.map(source).join('; ')]);
                        if (trace.muted_groups?.length) facts.push(['Muted groups now', trace.muted_groups.join(', ')]);
                        if (trace.flags.includes('muted')) facts.push(['Mute now', 'the device itself']);
                        facts.push(['Language of its body', trace.flags.includes('has a body') ? trace.language ?? 'the default' : 'none fits']);
                        if (trace.silent_budget_left !== undefined) facts.push(['Silent pushes left', counted(trace.silent_budget_left, 'push')]);
                        result.replaceChildren(el('p', { class: 'notice' }, el('strong', {}, verdict(trace))),
                          el('dl', { class: 'facts' }, facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])), trace.attempts?.length ? attempts.node : '');
                      } catch (problem) {
                        result.replaceChildren(el('p', { class: 'error' }, sentence(problem)));
                      }
                    },
                  }, given.message ? null : field('Message', message), given.device ? null : field('Device', target), el('div', { class: 'buttons' }, el('button', { type: 'submit' }, 'Explain')));
                  return el('div', { class: 'fields' }, el('div', { class: 'wide' }, form), el('div', { class: 'wide' }, result));
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA61YX2_kthF_96eYIG4oHWTt-YoG7RquYdwlQIDcobg7oA-O46Ul7oo5iVREynvGRkW-
                Q75hP0lnhpRWu7XTPNQPK4oczv_5zciLBfyzegRrFJTqQRf40CXYjh_Getgoz6eNck5u1BI-vr9-
                _Q1oA1vblS4_0U1rOw87UHUGa63qMoP73ntrMnDKf1SffQZeNyr8xnd5X6v4eG-
                3GRS2N16VMMC6sw2IfFHaJv_JiYu9gELWNfFEQoOK7kllqwPpifrMtOveFF5bE21KPApNYXcCKMc4D0WtpIFLoP3cd7pJ0gs8XCz
                gGrz9pAzYNXz7-i1oB5KploAXNN5FHSSz1minRH41GSpNCU1fVNDYToGvkFiCkY2CSqKPAPQaksWPNz9sz253r14NS1wt8z_9C9_
                --jJ79edXw-ki98r5hFVLU-iU7zuDVn_SplyCWBeNyIJyy6j_QDpHOuT98uxv8mx9uzv_OvvL-UtkqOcc4auv4IvFjz-
                Uu_Ps_OsjcXCFgua8c2-_t1vVvZZOJSm6Ou5fnAwnJ4sXL-
                BjpdBohyQgyUdjVHJ4sTiZ3P-gulIXPvGdLFQIADmCX3NZlh0mlTYbuLy8BGEsGlPoViMrMTlAfOcpCpSKcn--
                pI2Krra9d6CRxniLjket-lKzJuLid8VtbV-XcK_gWbkOWonJhKkw5ztqs9afMV8flc_hnd2SCoEjnSHXmbJBk5B50nvVtMgaky-o
                NW5cXcHN7Z6wlvhzOdHfjIu8VmbjKziD89tDA23vC4sZx9aVqtbofVXuLVq9GfeWcP2Pd45SE2RRqJYKT_vTHcu8ghVKhdPdWK0J
                baOe6bDCNBBiyBEyFLqkY7-0FcGDqzBdiEsWeJdWBTc5-
                ZivnlQ05MNo7xZR6DLuANaSJzUFpVnEJcQkCZvO9i1FRHNWMFmOdfFzLztpvDZ8i0IXyriSFGJFQFDUEk3HBW-tsU7pImbdWS3Np
                kdsE3j1nYV7Wz5idDmtHIyHSBx1ExadeHbflwiNIkpzGsPiMRldhXZzxqB6le1RaQSE3qHkviWBiFC6m2wjH0OtGz2lWcRZDk4rn
                Qv2FRIzr66neyPVFqmms71ZUdNarT0ryNzo7TCTAz3vxXx5JGG96dRGOx9SZVaA-2123bazZnNG-CSiWmQ_-
                MdW7eOPjmQBRBYCF2MzcyjGoECm6EEt68iri4WGvqMmAXsCQKWZjWxbBl5lHjSq0nCpoV4b-aDO-
                nZUaqowSgZkGGELQdrj1ZLCPOoy3Bxk6C0V5WqqlU6tOZBjqVzlnZIOYQ6JlhD24tZUKpz6E0qv3qFHyn0ZYpHN5WFlne6wEAa-
                Nfwx-JL_V_R6Crkiz6CHQUS4iy7FJ9mOCbKVGJCcuwIRjD6HRj4iyw1OC4eQ8iSvFN0FIeECP8HtZuomDssJm7mSRbXvJfSWc3JF
                3COwmDliXlPUkF1Mdya7eJoJ9vgZB0V1MaFQdGfbPncZ66PZ3-ZDkjtz5Op0N90ZIL4QzRDXvkKY21QMxeP68GjMr9XUkK-
                pLBquDTkZTNUho-oXsNpg3pkV57KvrFOhBgigPhm7Ndy7jycojtS3yDpBnPY8vDGb-Tg1irvEGTAR2mBPxjrcAa8aW-
                LUKEzfqE4XuN-pn_sAgb7rcQh8kHWPFMw1H1lh4QkBQ7pviF52NIsey_hdbjFozAwnxxZhsqhU8YnmKVk7hZttjfZVti5Vh7th9m
                V8OpSOtdfXo_RSPwTZtibTcCj0vTuk52AEaloSeWh2CBKOxNOg7HBbukdT4ITt-nvsAgkmm_Hp1Af5NW87fr5Ra4lKhFmV_jzm5U
                g5uYniRYMDlRCPzIngPdYY83b0DaEnOiZGlV6zMZB3Gt0Z1zk7NA7JWcyl5TRYc1ACTRodMNdmPu4QjCfiOu6gOjfiI-IBIfaH4E
                FcvWf4pNWXr60xipNQ3M4YU4YngTtVBFfkE5NUOsnOqaGTfQj2yfjFkdwQFoXaReTJ4ANaaDZhIwQUfvmFh9LQLwTS8GHEfDr896
                -_oaarL2NtFpPCw-
                o2_S9frGXBjghTXvjb43sAN3cV57s0kOfUUZMb8Z056tyP9DEwv5g3sk3COs1_stok4gJEOvfcXhjPTXc8TD0n8S2RhHmLOsZ2kj
                e_GwVlzwpa13Ljcm2Kui-VSwRfFukTsqIMsUdn6vGqXh8Gf37t-
                ziajWMFxXlS81gyD7uBhD53AtE43DFCBMlcYoLQ1dBcS3OgeNq2MPPdhUHwjqerL7AB9AaZ0CB6ZOSHgxGRyMX02fssR3QIXTh0b
                8AiTETGrteVrnE0MAlhTctVPoIMNnrqcjBkDETO08BGFLhx-GmWptnEHgLG1Qes2BTmFIxC9_q3mHHJDTWuCLtYdJd_hxu-
                7qMcOk6D_LIcZTNcYIlkR6U75iIGaKpeg_2Dm93kgQFhzWPlJ21nsZqbdAaCf9g3qutsxwaNn64Tu33pDmEqJN8M2XGHAtPXNWrG
                UJ6It2FfTCiaZkdd6OjCmzCDZLGzjU6KvWXUM_wrxU1BDO9MQoM2tR_uHEwgvvmMdmsjog3jEPIE39iARrbHx1tdhsSh7pX-
                D5rgdBI5nPwHneakZ1ESAAA
                """#),
    ]
}
