// Long: Tools/support/embed.py writes this file. Do not edit it.
// swift-format-ignore-file

/// The files of `Assets`.
enum EmbeddedAssets {
    /// The first 16 digits of the SHA-256 of all files.
    static let hash = "ff39861ffd83b4fe"
    static let all: [EmbeddedAsset] = [
        EmbeddedAsset(
            name: "alarms.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The faults that the server knows of now.
                import { number, duration, timeText } from './dom.js';

                /** A node is silent if nothing was heard of it for these milliseconds: three renewals of its lease. */
                export const SILENT = 3000;

                /** The used share of the limit above which the server refuses messages and registrations. */
                const FULL_SHARE = 0.92;
                /** The used share of the limit above which the server refuses messages, but takes registrations. */
                const MESSAGES_REFUSED_SHARE = 0.85;
                /** The used share of the limit above which the database is said to fill. */
                const FILLING_SHARE = 0.75;
                /** The commits since the oldest snapshot above which its read is said to be old. */
                const OLD_READ_COMMITS = 10000;
                /** The days before the end of a certificate within which it is to be renewed. */
                const RENEWAL_DAYS = 14;

                const DAY = 86400000;

                function nodeAlarms(nodes) {
                  const silent = nodes.filter((each) => each.is_live && each.silence_ms > SILENT);
                  return silent.map((node) => ['bad', `Node ${node.node} is silent`,
                    `It was not heard of for ${duration(node.silence_ms)}. Others go on with its messages when it is expired.`]);
                }

                function tokenAlarms(alarms) {
                  return alarms.map((each) => ['bad', `Many tokens of ${each.app} are called bad (${each.environment})`,
                    'Do apps register sandbox tokens as production, or with another bundle id, or is the Firebase project another? '
                    + 'No device is quarantined for it while this lasts.']);
                }

                /** Why a pool has no connection, since when, and when it tries again. */
                function outageText(outage, failure) {
                  if (!outage) return failure.reason;
                  const next = outage.next_attempt_at ? `, next attempt ${timeText(outage.next_attempt_at)}` : '';
                  return `${outage.cause || 'unknown'}: ${failure.reason}. Since ${timeText(outage.began_at)}${next}.`;
                }

                function poolAlarms(now) {
                  return now.pools.flatMap((pool) => {
                    const found = [];
                    const name = `${pool.credential}/${pool.environment}`;
                    const isOfPool = (each) => now.pools[each.pool] === pool;
                    const failure = (now.failures ?? []).find(isOfPool);
                    if (pool.parked) {
                      found.push(['bad', `The credential ${name} is refused`,
                        'Its messages wait. Correct apps.json, then reload the server.']);
                    }
                    if (failure?.unreachable) {
                      found.push(['bad', `No connection: ${name}`, outageText((now.outages ?? []).find(isOfPool), failure)]);
                    }
                    if (pool.throttle) {
                      found.push(['mild', `The provider is busy: ${name}`, `At most ${number(pool.throttle)} deliveries/s for now.`]);
                    }
                    return found;
                  });
                }

                function databaseAlarms(now) {
                  const found = [];
                  const used = now.limit_bytes ? (now.database_bytes - now.free_bytes) / now.limit_bytes : 0;
                  if (used > FULL_SHARE) {
                    found.push(['bad', 'The database is full',
                      'Messages and registrations are refused. Raise data.limitMebibytes.']);
                  } else if (used > FILLING_SHARE) {
                    found.push(['mild', 'The database fills',
                      `${Math.round(used * 100)} % of data.limitMebibytes are used; at ${MESSAGES_REFUSED_SHARE * 100} % messages are `
                      + 'refused.']);
                  }
                  if (now.reader_age > OLD_READ_COMMITS) {
                    found.push(['mild', 'A read of the database is old',
                      `It keeps pages from reuse since ${number(now.reader_age)} commits.`]);
                  }
                  return found;
                }

                function certificateAlarms(now, credentials) {
                  return credentials.flatMap((each) => {
                    const days = each.not_after ? (each.not_after - now.at) / DAY : Infinity;
                    if (days >= RENEWAL_DAYS) return [];
                    const ends = days < 0 ? 'has expired' : `expires in ${Math.floor(days)} days`;
                    return [[days < 0 ? 'bad' : 'mild', `The certificate ${each.credential} ${ends}`, 'Renew it, reload.']];
                  });
                }

                /** The alarms as lists of kind, title and text, the worst first. `settings` is null while they are not known. */
                export function alarmsOf(now, { settings, badTokens, nodes }) {
                  const found = [...nodeAlarms(nodes), ...tokenAlarms(badTokens), ...poolAlarms(now), ...databaseAlarms(now),
                    ...certificateAlarms(now, settings?.credentials ?? [])];
                  const rank = ([kind]) => (kind === 'bad' ? 0 : 1);
                  return found.sort((left, right) => rank(left) - rank(right));
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA61XbU8bRxD-zq-YSjRnU_cgbdqmUIOsQFIkXiogiiqE7LVvjTfc7bq7exBE_N87M7t3XvMSqVK_2Hf7Mq_PzDy3
                uQkXMwlTUZfegZ8Jjz8SnLS30sKNNncOzBTwP19T1dxYDw-g62osbQ-
                K2gqvjO6BV5W8kF88LGBqTQVZvlmYKv_ssp21tc2NDRigiEKCcuBUKbUHRUL9TOlruBMOZlLYgjQpD1NjyQgnoVJlqZycGF24bVy
                zUoKVWt6J0oXDDkopnMxhY3NNfmH78LTzcH54dHByAX34eWtrKxpBntZOFuBmwkoSQL6WqkKlYmxuJdzN1GSWRsDKKd5wUEnnxDU
                -CF3g4rVyPvjuWHXQ-f7j0dHw_M_B2QHq3cp__2nn_1Lbg3GNmRE3uPaS9uOD8_PBh4Pz4dnB-4_nB_uJJW9_-e-
                WFMKLMYaWcyZUAd7AFPOR-nt4dHR48iFR9FuiaGKqihLklJ5IFmnKQuI1p8XczcyqSjpppShSdWO-kig8PdpH7wb7w3enx8eHF-e
                o8_UW57dRWoh7h_cQQkGl1IwqARNpvZqqifCoURHwWsWkMmhjbMlU49nBycGnwdFwf_A3a3uDUAo7uIILb399sxUsWJvWekI5YaQ
                PSmEr16FH14WHNYiwjOjv8yGXY0C9tJ2OFJNZF_q7QA-
                5csNSYWRevQrvfGkih5WD3Qjs7g6KtNLXVkeZeSXmHVbIgi6zsSiyHoxOqO7WH2gjp5_FsghHPRQCMDr0XINYj8s6pCJcf2gqnOU
                mdnQXOZxifK2DawPoM4WUc9gWyt1M6hhcLExlMayjKzR7kUTKmxupY6gE_4VYRcfCUnCsjVDr2LHQ90EC94L1B46VmM8XQOCeiLJ
                EpONh6MQ9qW-VNbpC1xfd6Hy2bwDvNGWFteewxMfmSyMaAzO3pqgnodNhWNhXQd0LT49rXZRYJAVvEZIQde_RXa4dvPlZTnxzeg8
                yVvoDZCcGCnmrJlxf_9TCCu2VRoMp8Bg2BGdJEMbdUjjv8iwGj5D-
                aXaPkJ4bU8KME0fo0jKaGAqO4t_jdtVkwltFDexaKM0Ib9Ngao8po_7dCY89HAiqrK0M6cBe3fku7HSb3MQDOdasM3qnBbimKdCP
                InN6GwrvZTWnf9iDUS8ciYuYtmZ2dJ6_012MYBuyLAH8aP0hnp0IbGfw9StktaZhpbPFNopcNQ6xes4heaprLK-FZiVYIbi-yEer
                CKUYt7V8t4JOmom0jVVcCn9MIKVXBukDpzlEZGoQIhiSy6udZFWLSuIiukKX8gnWB8JSiXKxGZdStI7Sq8qdTv-
                i3PdhWRatNZcMdXq8gn6_zx6kt2Ns6DLdia8O9vbQwi52JF10Gg3dcJHyzybNhb2RRTe6B8G1fF67WactS279rTfUedBTbjphqBW
                x8Lj4Dlc6hlA-h3fGWi4ZLEokEMwuCMBWlgZreTkkQ0WQmEVrZfRmL6-
                1pTiIcSm_be5JWjvbjbmI0qQoOFDh_YU4LQvmqU0cOeQuxvsXjUGi0wYPe8atKiQ3k3Ht7lOjRgMPlXFUNoGEPZK-
                wKZCo4MqfdNxLyHbR6tWNSVMFtD64lFbbkb_Y-A_h-
                ewxqSiz7qYTQzH955iFTDWyIurP_K5KZK5sNCFzSc3t2FrJ3Yelr2bkKsmhs-kM7t4xFymdVlmDeCy4xdZHI-MCNAczgSyTpYTjD
                qWY8V2NZhbgCxJQWJeyoWetTDmeNVEYlSuNRC7wbHws9zSvSB5gxgO5vV7mnHPWMSG08kdbKkIixdYIIshKUsii_dGUS_Oo8b3xs
                EYfMoL0TJph3gL_XxMwb7p6iBQusgz07wYOtB4jfzjRkqcwXO2jL8grKTO7mLfjmBftQajEjlmA_DF2mNwp7BOKOAS2b2kWa2yj2
                R92eHbfpt2eCad_cDVcNAPxZR4xF7ozslKAD5OGwQ80cdtONTYR5S_X_ZZlrXbXyGe7dBdHSHIbUkt3_gDtlBhRmwgsq0MxY_Csw
                NkuxFa09IYy1qoWeBfHC2NhstUHBUVDd-0PaVEOvKqZHjREppFvSo7IzaNxKMXezdi6yppNw1lDyyPeBZ-
                63nmcjfYXOmjElsal6rHLsxjAO6MpRak8DeHkZMeSdO1GxGkNJZ6S5vkPQOcKC3zgvQDsQVE0Hw6DTh4gEZcj1jjBdO_XiDqaPNz
                HTDP8ydkvwe4mhLbVlbYesQoeO2ZhhuKA_deQG1j614S_WY4JY0ZaeUNjfpLCukVI7dDj0wNQn73MNfb8Dr9ogjF7DBYnU4pp5RB
                dT3zfJ0k8mIX8cwvYY-T-i98yLttTxAAAA
                """#),
        EmbeddedAsset(
            name: "api.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Requests to the server, and polls that stop while the page is hidden.
                import { setText } from './dom.js';

                export class Refused extends Error {
                  constructor(status, error) {
                    super(error.message || error.code);
                    const { code, effect, field, item, column, limit } = error;
                    Object.assign(this, { status, code, effect, field, item, column, limit });
                  }
                  /** The refusal as a sentence, which also tells what became of the request. */
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
                    const options = { method: 'POST', headers, body: JSON.stringify(body), signal, credentials: 'same-origin' };
                    answer = await fetch(`/api/${path}`, options);
                  } catch (error) {
                    if (error.name !== 'AbortError') watchers.connection(false);
                    throw error;
                  }
                  watchers.connection(true);
                  const json = await answer.json().catch(() => (
                    { error: { code: 'INTERNAL', message: `the server has answered ${answer.status}` } }));
                  if (answer.ok) return json;
                  if (answer.status === 401 && path !== 'login') watchers.loggedOut();
                  throw new Refused(answer.status, json.error ?? {});
                }

                /** A request of the protocol. */
                export const call = (name, body, options) => api(`v1/${name}`, body, options);

                export const sentence = (error) => (error instanceof Refused ? error.sentence : 'The server cannot be reached.');

                let interval = Number(localStorage.getItem('carillon-pace') ?? 2000);
                let wake = null;
                export const pace = {
                  get: () => interval,
                  set(value) {
                    interval = value;
                    localStorage.setItem('carillon-pace', value);
                    wake?.();
                  },
                };

                /** Counts the polls that ask the server again and again, without the polls of hidden pages. Tests read it. */
                let polls = 0;
                function countPolls(change) { polls += change; document.documentElement.dataset.polls = polls; }

                /** Resolves after a time, or when the pace changes or the signal aborts. A hidden page waits until it is shown. */
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

                /** Calls `step` again and again until the signal aborts. It waits while the page is hidden, longer after an error. */
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

                /** Polls, and shows the errors of `step` in a line; `textOf` makes their text. */
                export function pollWithErrors(signal, line, step, textOf = sentence) {
                  return poll(signal, async () => {
                    try {
                      await step();
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(line, textOf(problem));
                      throw problem;
                    }
                  });
                }

                /** Reads events as they come; `onevent` gets each. Returns when the stream ends. */
                export async function events(body, signal, onopen, onevent) {
                  const answer = await fetch('/api/events', {
                    method: 'POST',
                    headers: { 'content-type': 'application/json', 'x-carillon-poll': '1' },
                    body: JSON.stringify(body),
                    signal,
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
                H4sIAAAAAAACA41YbW_bOBL-7l8xBYqV1HWUZHGfYuSCYq_A9bDbFGmA-
                7B7gBmJttnIok6kkwZe_fd9hkO92HWLFihik8N5eZ6Z4dDn53Sn_7_TzjvylvxGk9Ptk27npOqSGltV2NgoT87bhp43ptJBqlFrT
                cbRxpSlrvOZ2Ta29bTHcX-vv3jqaNXaLSX5eWm3-
                WeXLGYz_SUIFZVyDnZXO6dLgrCuS0fv2ta2tJ8RFbZ2vt0V3rap88rv3Jw072Zhm8jtGt2mYSnfaufYl7_-
                Epm8sKXOFkEuKIJPvAQVq5Uu_JxWRlflnIzX2zm2qt22nlNltoadvhYtcv724TNO5PDWrOvUbwwcQYTRpR_XGtzp8P_8zRu6B3ot
                x64qUo4UEKuBQAFdgLfYkKocmNCM_DMj_6ALtdVkVwH4VujK6c05FK61H86nPTwStjiGgNjvvP92fU3Jrn6s7XOd0A0l9N4zjbX1
                FBZhUsNMi0CQEPYxqskTuqIkmcIKwVb36kP00Lek9PV-
                XOniF0Yl2N7VpV6ZWrNswjqXAhlNBLtlly0n5lrtd21NyygSCYfq4EGXv96Lj91SYO5ms-ih8gVEHJzcU2XXa13e7jzD1DFFdY1D
                xtZhgbpFn56rXR3W5Xy6QSFU0AKpo4To9c9pkFnA_oxZ_l09aiY30gUSK_tM56ox5zn91_gNLbm4loxzaXVkQOsm1iAswANVmScd
                qI6-KfdSF6OHUJc2ym_m9GDLF46z4wxlzfiyQiYhq9hX5FoXtrOxwmijVdnDk2AJWeTP_EujE4CvmqYyhWIz55-
                dRbZ0DK9ZUcrqs_70H8mXs0K1pqpsfcY7yf-gMLkM5FVIT1W7Zx0KyrcvBxlqG9Yu9rfIOlvC7sfbT_fJvNcugV3Rfz7dfsjRFEy
                9NquXlBezPjJw2Wo0IW8QLzQ4VMuZbc3a9E5TdAKW1LMC4ivNzC4DHa_3jGCHRIz-
                SLVSwexSetB4OHrpMjWX5CuuprcPICY0ryQbUi6fpFegIXYkv2mRBkOL4Z5w6gi6n5wQoBj_wXcJJee1NMuDlylS-PqflAYTe1F_
                FfseAHn_4f7d3Ye3vwHWWDyou7HVI3td1Iq6fL2PBqTNdUtA0WVZz33ctI9ZX5fsyNGuHA0F_4-
                LS_rpJ2KIBS7UIXiZIDUpzJAkAaFaP_cXxKHSebCXhxDp5oYzejGLNfd2qLbYK5vWeotePK0gQbRQoUJSplFybKSfoeTCWj5dIjl
                YgpPjUGZymQV9fQ9mnTFjmBBx00BCYRNe9ZfeTbyshnOg6X5kpFA194MHbvcKMJV5wia5nAwOtE-
                Kvf-w2z7gHqwsovmEyxLE5rgQ3qOHpslYk6rQwBtY_XJxcQE1rOUZ7Qka6l1VLQ4jYXGuSLlcrkhSq7c6xzJu-BQfkaF9VYwuhXV
                J9QO33Gm35nIgFgc7dZNLGnTzGUo30Pqr3dU8njCh4zyi3ONkXCG1VqYOM0v4hLsUPdbu_OQY4JdpJQwvLqf7MPYA4RJdOOQIQyP
                C13SxmA19tmAXPvJGWqDXrzn0KPjzNcnSAn282G1BaN5_eFdp-a68AgJ5rzr8Ha6KO-1s9cS3xcpzJOQNJyUSBxdcHactkCJmHG-
                EwKWtK24_CObtNDjiTuFw23pT8Q2DG95tcLuHIIeoGoVcTPsmugUvxmlkQemE2VjgXIsfMcthM01bcTYkhbAfktL9W4zHS2c6J3A
                03Hmn-pH_PCdiBxSlpa0R7-
                9oEflWfUkvkaZH7mSoD8lV1jsEwAeHqUc60MBBRAO955VEmAekdDnKy4lXvfPZlOazy5iUQWwMjzvzuBERGoyqsnz3hA-_GYeyRm
                0mT8aZB1MZ_yL0IeUl3D1Z1P1VUBgnRP7XTWI56djo12nQAXulVdtjG9AfjhyUvSwNvrd6a5_0j7k_KIzQnjwb8D4-
                EPMnjQvdbOIWC8pyz9hXcH6lc9L-f1VcXUuINsvjfhBL4UTdvPexWL71tsEUbxF525dnHVv3t6cyLu-hrNgdSTkulJUy1Q4YSH-h
                r4kVL9Jv5Ow4QVGcBlh9OqB7rH6cY_bHEuhbl1MOQikcWxUbh31i0HATS9bUoWRRs_yH3tAvBDZ6MS7d_oIY3kHHhRYZDCvy8uR2
                JT0_oB26d6SWecXLCrmCKQavx9vVkrZh3Ia4QXPE2pSdA1549A7DmhsCYlXC05xEH-DrL-
                aDTnhArJCeTjrh99kZJkpMJQ-4GA771jHyYnEoM3lUp-KqODnoGdiX0Skuj9xOSuQOd50jzTXl-PEJwF5AxpahREXx-pKvfchg7M
                ghz1648SLCCK7VlvjB_p0CEAOpjEw9Xra2DVdTtDN9iJyczpMwnYsqVLyAdfRMCGvxqXD1Q6-YOX31Xrni1woPHKzsO8-
                NSWeaR1hj2UyG4vGdcHIW_vbc-wOTb3riAZAdjcJCuWCdTp4QbQCJIZbTHFLemEbfw-puvUnZLufYvzS_GtpPgWjWj3S4C4dFHXe
                xlmfs6_hAX8F6ulgc_viwl8FOGnV4eorv4kbOf_qw5dZGOz_IeVHD-c7NLA0Wf47TYu5Aqk-TP-
                sk638iCA4FcUxZQ80F30ZV3ESCTBas8sesz8c0cN6oFq0ubGT9rwl_A-tNQookEwAA
                """#),
        EmbeddedAsset(
            name: "app.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The frame of the console: log-in, pages by the fragment of the address, keys, theme.
                import { el, field, setText, rows, ask, buttonRow, checkbox, errorLine, factList, fieldGroup } from './dom.js';
                import { api, watch, pace, sentence } from './api.js';
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
                /** The pages of the navigation: the name, the title, and the key after g. */
                const NAVIGATION = [['overview', 'Overview', 'o'], ['messages', 'Messages', 'm'], ['lookup', 'Look up', 'l'],
                  ['audience', 'Audience', 'a'], ['compose', 'Compose', 'c'], ['events', 'Events', 'e'],
                  ['credentials', 'Credentials', 'k'], ['settings', 'Settings', 's']];

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
                    const grants = (session?.grants ?? []).filter((grant) => grant.app === '*' || grant.app === app);
                    return grants.some((grant) => grant.roles.some((role) => roles.includes(role)));
                  },
                  /** Says a sentence to screen readers, at most every 15 seconds. */
                  say(text, now = false) {
                    if (!now && Date.now() - spoken < 15000) return;
                    spoken = Date.now();
                    setText(byId('live'), text);
                  },
                };

                // Log-in

                /** What is wrong with a log-in, in words. */
                function loginError(problem) {
                  if (problem.status === 429) return 'Too many wrong keys from this address. Wait some seconds.';
                  return problem.status === 401 ? 'The server does not know this key.' : sentence(problem);
                }

                /** The form for the API key; `note` says why it is shown. */
                function loginForm(note) {
                  const key = el('input', {
                    type: 'password', autocomplete: 'current-password', id: 'key', required: true, maxlength: '256',
                    spellcheck: 'false',
                  });
                  const error = errorLine(note);
                  const go = el('button', { class: 'primary', type: 'submit' }, 'Log in');
                  async function onsubmit(event) {
                    event.preventDefault();
                    go.disabled = true;
                    setText(error, '');
                    try {
                      const identity = await api('login', { key: key.value });
                      key.value = '';
                      begin(identity);
                    } catch (problem) {
                      setText(error, loginError(problem));
                      go.disabled = false;
                      key.select();
                    }
                  }
                  const purpose = 'The key of a principal with the role observe, or more. It is not stored in the browser.';
                  const node = el('form', { onsubmit }, fieldGroup(field('API key', key, purpose), error,
                    el('div', { class: 'buttons wide' }, go)));
                  return { node, key };
                }

                function showLogin(note = '') {
                  leaving?.abort();
                  session = null;
                  document.body.classList.add('out');
                  byId('header').hidden = byId('footer').hidden = true;
                  document.title = 'Log in – Carillon';
                  const form = loginForm(note);
                  main.replaceChildren(el('section', { class: 'card' }, el('h1', {}, 'Carillon'), form.node));
                  form.key.focus();
                }

                /** The apps that the user may choose: from the grants, and from the settings if the user may see them. */
                async function knownApps({ grants }) {
                  const granted = grants.map((grant) => grant.app);
                  const named = granted.filter((app) => app !== '*');
                  if (!context.may('*', 'observe', 'admin') && !granted.includes('*')) return [...new Set(named)];
                  try {
                    const found = await api('settings');
                    return [...new Set([...named, ...found.apps.map((each) => each.app)])];
                  } catch {
                    // A user without the right to read the settings types the app.
                    return [...new Set(named)];
                  }
                }

                async function begin(identity) {
                  session = identity;
                  document.body.classList.remove('out');
                  byId('header').hidden = byId('footer').hidden = false;
                  setText(byId('principal'), identity.principal);
                  context.apps = await knownApps(identity);
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

                /** Draws the navigation; `name` is the page that is shown. */
                function drawNavigation(name) {
                  const create = ([id, text, key]) => el('a', { href: `#/${id}`, 'data-page': id }, text,
                    el('kbd', { 'aria-hidden': 'true' }, `g ${key}`));
                  rows(byId('nav'), NAVIGATION, (each) => each[0], create, (node, [id]) => {
                    if (id === name || (id === 'messages' && name === 'message')) node.setAttribute('aria-current', 'page');
                    else node.removeAttribute('aria-current');
                  });
                }

                function route() {
                  if (!session) return;
                  const [path, query] = (location.hash.replace(/^#\/?/, '') || 'overview').split('?');
                  const [name, ...parts] = path.split('/').map(decodeURIComponent);
                  const page = PAGES[name] ?? overview;
                  leaving?.abort();
                  leaving = new AbortController();
                  const parameters = new URLSearchParams(query);
                  if (parameters.get('app')) context.app = parameters.get('app');
                  drawNavigation(name);
                  main.replaceChildren();
                  document.title = `${page.title} – Carillon`;
                  page.show(main, { parts, parameters, signal: leaving.signal, context });
                  context.say(page.title, true);
                }

                window.addEventListener('hashchange', () => {
                  route();
                  main.focus({ preventScroll: true });
                  scrollTo(0, 0);
                });
                byId('skip').addEventListener('click', (event) => {
                  event.preventDefault();
                  main.focus();
                });
                byId('app').addEventListener('change', (event) => {
                  context.app = event.target.value.trim();
                  if (location.hash.startsWith('#/message/')) location.hash = '#/messages';
                  else route();
                });
                byId('logout').addEventListener('click', async () => {
                  await api('logout').catch(() => {});
                  showLogin();
                });

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

                /** True for a moment after g: then the next key goes to a page. */
                let isGoing = false;
                let goingTimer = null;
                const areKeysOn = () => localStorage.getItem('carillon-keys') !== 'off';

                function showKeys() {
                  const key = (text) => el('kbd', {}, text);
                  const list = [...NAVIGATION.map(([, text, name]) => [key(`g ${name}`), text]),
                    [key('/'), 'the search field of the page'], [key('?'), 'this list']];
                  const onchange = (event) => localStorage.setItem('carillon-keys', event.target.checked ? 'on' : 'off');
                  ask('keys-title', el('form', { method: 'dialog' }, el('h2', { id: 'keys-title' }, 'Keys'), factList(list),
                    checkbox('Single keys are on', el('input', { type: 'checkbox', checked: areKeysOn(), onchange })),
                    buttonRow(el('button', {}, 'Close'))));
                }
                byId('help').addEventListener('click', showKeys);

                /** True if a key belongs to a field, a dialog or the browser, or if single keys are off. */
                function isKeyOfOthers(event) {
                  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
                  const isCommand = event.ctrlKey || event.metaKey || event.altKey;
                  return !session || isTyping || isCommand || !areKeysOn() || document.querySelector('dialog[open]') !== null;
                }

                /** Goes to the page of the key after g. */
                function goToPage(event) {
                  isGoing = false;
                  const found = NAVIGATION.find((each) => each[2] === event.key);
                  if (!found) return;
                  event.preventDefault();
                  location.hash = `#/${found[0]}`;
                }

                function focusSearch(event) {
                  const search = main.querySelector('[data-search]');
                  if (!search) return;
                  event.preventDefault();
                  search.focus();
                }

                document.addEventListener('keydown', (event) => {
                  if (isKeyOfOthers(event)) return;
                  if (isGoing) return goToPage(event);
                  if (event.key === 'g') {
                    isGoing = true;
                    // The timer of an earlier g must not end this one.
                    clearTimeout(goingTimer);
                    goingTimer = setTimeout(() => { isGoing = false; }, 1500);
                  }
                  if (event.key === '?') showKeys();
                  if (event.key === '/') focusSearch(event);
                });

                try {
                  begin(await api('session'));
                } catch {
                  showLogin();
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA6Va_27cuBH-30_B4IKTNpC1vqBXoHZdw5dzA-PcJIh9vaKuD-auuLuqteKexLXjJgv0HfqGfZJ-
                M0NS0npzOaB_xCuRQ3I4P78ZZTxWVwujZo1eGmVnyuFlauvWVuZQVXa-X9aZWum5adXkkWdBOl-
                a2gVqXRSNadtM3ZlH_MXQ0uR75XJlG6c-KlNlalaaqshUa9yV-eAy1dgHUOr2LlOTtXO2fm8fMjVdmOndxH7IlGka21yUtcFSPXU
                XZev8Jq8bu16pDZiwS5Xk48Iu83-
                2yVF3nl6VmXrQbrogvqeGjq2dqaemtwxEg2X23jT3pXmIBGFgQLXENVkSgSoM7KLaJhrQVNbe4R6BRF4HFHpdlMx0ZNkPDKimFr9
                tR-TfBzTmHvfveJbX4S6NKTBY6qoj640NaKFDV9bzjjAMCNUe2Y5T705fn12qY6gjCDKL0otPmRdDFi-
                bhQtlnuusz1vWHb452hu_eMGWK7bpbbHW9-Vcu9LWh_59adgklStdhUddF_wKW1V65kyj5rl6MfZsvzn96_nr06vzt2_A-_V1Eph
                PMpW87T3b5CZT10m4EQ39pfe8lGm5HQ1c4EnJY4W5PYXZcGcaPO09a1nsBUEjr7rHqUyKcGjgLD6ZsHFPYrx6-
                HonOwRJ0tBl77lNbm6iFieP5wUEkZbFSB3_SRV2uibHz-fGnVWGHr8DBU0f-
                RVLXdZYQQvThF4STFWGzKZtoRXM1euqkrHKQFv1fDDWruydIbIDcEEq_mmhndfxXW0fgqLXLVRHygwha2HLKWhwPL0ujC5Mw5o1H
                7ynEH_46xCByDIhK9wD4WKVjmCnjXHrpvacYzAZ5fe6WpvcNeUyHR2pDUm39St4ipY9ocfW_HsE457q6tLZhpwfC8-
                dWabJVDdlVdl6n9ZkQht2x1B7qK5Zj2zeDfYrexdeaFh6HeN0gyANR7SNxOHV6kjdvriluCqjMJPmkcZZEAraeUzxlqk8z3ntiMW
                gvHDmjaZAAYV7bZ3kfujkBFyN8llZwWPSlEfZJPgpx57q-PhYJS8S9enT1iB-YQN0ihex7Jm3dmmebsVs-Tl65ikZLOtptS5MK-
                Mj3nQTRHWpH1ulu1DvrGrhCDClhk2B0g3M07bOS-
                Wbb0GMexetF04L4TjOTmRmx0g8VWuCgKCE9BmNf_21-l47k-MZZrMf7PWP2O_g4GDk7yj3jbbcrfATkgdTMZ6qvDfJCFEKQ-FSG7
                L-sbrg_NtzhLJVD42FzzyUboH7hgQNs3-wjb_LbF1PKQTSbFmfUS5NV42dwGXlPnQbP5C3Trt1y5r63cs_hAuo5Mpa2Ev96M-
                j3C4h3y3AhM_5ufpJl3BaqCtKM6Er-F12HXLwjTrB9gta0UAVCCsw4to68W_eHqfliTqM6ozsH-
                1t9mLkh4kvo_WfvjunZfAAbGVuSZ2Q1eJRlSy1dmEf6h3S-
                TP2SGmFSEYcgZLDMYBLmpT1au3gpmIF7nEFUJSsdNuStBNKXM5SpEboopnpumnA8n6Poiwwjg3x2Jhf1iWiMVITHBtpUH-
                oTD13C1C8_Pb3SeatxlQVQyEMsxHyxIZNQ_hjeEQcBpgkN-gI5tbzL-iKLqCmFZgi7hHPdEP8-Ou068mydAnMjhLVXEnQRjRqH-
                upiuLCxkyYcvIJjsEv-arh3-
                _NTK8rF8x8bvOibDUUR1mE7jw0f2Yfhyae3sEtZddwj5IzlyNt6AeyNOA2OAwpju8EuR6ysUjo3fiNVG8MUSkJoxODhWnY1BNv1J
                TAohq6yA4-d3hTPG94VdZan5XWVGYa5bLZk39yx9W6YQh3LE5BtofwruE7CHjlSlfi6yHeKzthv8kUTGBpG5Orc7Zw8qAW2QYc-
                CQ4IZiNLJh0hlHbwnjTIO9hIQbFkgF0GDvlxzTxfpUwvM8CtyOP0cVkabuivB-YmVgeXBDiZtuaWx-zfWz4yMzwtgTn4NfR1MhZL
                0jabNesQtGKRwwnuZ4gp4s8t5GF6nDKxBaPOTNEFUSOoJUmFv7M6yT4ClBA8l6URWE67DKzOHkwHuw37s6IkpgTp1H__fd_1Cuf3
                Xsi5yh1vB1tjjgdl3XemFWFKuXVoqwQUuuUZIlQSnIYyBO4oWA5EsHiG5ojh40HQiN0Uk5CFTnzK1nfDBy36TB2EtSAkSClRHABd
                EAwCto9DJHe-GQtuDkORhjexya0vDWG6z8OtFvxg6J7fYpj048BaWz6QZfH2H08QFjq1U6o0YtzBO_jClNEgEJUtIYwyDMBJryK0
                7jHgDmhIUwQnBeXYvRdLCn-UZ5_FnaNwIO2iRnyGiCqRsUI9JwyH6MbOqILYkH967oYxq-
                IvYe4qL8hP9OmjNV4D7q6F4rR0wXfjx5YJDdyeIhlwgAAxKnohiIIDF-CSDlfOMJHBIyG6qSE0AYsmX-Ot95lN2RSW3reCrLMS-
                ejYfzX_LQxSxRe_4erxvg7BFoxopKzBEbyOBrsio2D_SNorTPdQe6I2B-afOLHEFh_L1FcsEvyYbuKPs6Z6pCtdeODpBiPj-
                fHw1pivrOWeGrgfNquAmXAWLRuOWwEdOaPPRwQXh_cUB0g2RQZwhkfUrjXknJ4tvO5Kd6uHVdUxItX_KgX0j30E4OggsbUBZxM-S
                iq5xQVk1ASgYNaomFatljZmGHN4hOa3LIjDq5FPPh1jD5TohdTe0MNLw4OFaqCzrFl4RYdDNfvQhKAZGTREM9IPusRen5MQSuAS3
                u3UW1JZcrzj-RVVB-ko9zZC1KzuSqX5hJlZz1PE1Pvv_4uGW1u_YWCRqhaYR7p7RUN1qhcKEfFEmIkNcQ7qp0l8H_f6Id2q09CgB
                k3vCUI4Xw7RRLDbtRcYI83cTUHg34UR82lOWWn12UhNQ2n-
                Jto95pNftGYGWTy1fj5x7LY3CLyFtrpfTo9OYRzUqbjxRFg3E0KXpnA6PW--
                DpIE7ozJ8bbOcSJoyArwRlAP97zcV3y-a69k6lhEIVxZ573THlF4gLCdVcCgi-yIro0FbrhvWsEUd7g2f4w2RbrCoZy6qDYCTmP3
                MNXDJR6-O5ezQYBTNZIMPzcMlH2aAifvHPGUu9Z9MLOwkVb1yvtFpn6ZY2K-IaURnGG9sjhmIsQ09Lxz1_9Y3wyZqhO9-
                76YqO8XVWoCZKTpBe2rqXthhC40o1raWc6KNCOsYzCYYGKsTA_vj_nBldNVUW3B9vhsTQSeT-OPuHgo8-
                AwV5LCX51ShPkHADOFXDBYHtqeCNvtJ72x_cXl0Y308U7mmlTlkmMqR05RV8fT0f9-Mh33EHEiW6Hz3wWAI52gszb5x9JIvK-
                GWDNW1rAk-SuKW1KfsKiz3pMZYg581pXh0FKubxnsSu2GaRACjHdmTG4UMQv68I-
                EJ7m9iMlbVNDvglZzXSh6zlhqTQ6T8wW_soCSMGilI2XU9KPVMWeh5aHrmx6kKkDOhT_xJXbu5JS2dOzp1U5vaNjfX3qz_58gdpj
                ZXCC5ModB8SLDU8YGoGc53QDExh2EL0pDV2sdaSmn4DP0uSr8KlgTLY1oKMyI063nHc4RHR5OLKPJMzA6VdEJIit08-
                wtpbVDCRTT-OVEnO4P9CfSF9ZeujCpy4aZT8YRdY84W8TLa9HxEzfrJcTED0V7KjbmT869Xj4Al7y5Ixn2kdwsUy2d_rt-
                v9Cn1c2zHYYRjSJp1OSPzxrI1UYajB1USE8-C58TrkTJ-d8VjSO30a-02ZFv0P4_C-
                EaMqitw74hDvtzz-e167KCb4QZqHqVkPfCGmtre6BBBnitgRtMP13rGccQ6jkB_PoQQk3uamLp9XS8ndF_12Gv-
                BIJ6Om6ESNgjn1ClG7aAl4hEzoq0HZvrYS9j30p8E5DRFfTewNSOzXjaHj31KpIAb-
                BXOh5ie0wGDRzmb0mWvQq6Dd0qcNRG4nR9zj8cum1-gV4goWRp-
                bkC47gCL1wnVAUJwAeatr7J0y1KExyFNIbkaClHiaMiyStdR2lNOkrxM-GzDQoK9ATHviaQH3iBP-
                _hNYs7UYPV2mM_ovGDxLa8veuZ-JkgL-BnBO-
                Jnk6NuMdyk1SNt9zjNJNuxOIXctLPVQi1IjOHUtkJc8HdqrYTV3MX9gfXXfjlO6mBdQ-MicJpcwj8pIZxsmobgYGzR9Q4c0rEn8N
                2pq4UYjSnFQlBPKNzkmftZOh21Y7tlU9DVvxOFrsxeK2-rX01qws9FRz21KahSSsU0MJD_3ruG_tmslIlO-Q-7bgdw4xMJ2-
                _qz2RDply3Oezt7i7VN2-_6-t5se_W4Eqcb_5yev3n349Wny7OLs1dXn67O_nZ1-
                v7sdPR8jPqkdcMA5_T8TUBAYSsgwKXmPomQTl1T4XQCmzIAM9CDAV05vPf6iQHlEknkjZ_D5nh51lMbvccQyXDvktu0tkm9sV3bl
                alvvOdLBPEttNc-DsWKybvW9mflKMy5vbJUifXl-
                CRqbfeMeuFgBsi11fi5fnnDaULkgZO7DgBv0If7n0dB2zCDSzJej5poczusLBgtCUx-
                ahA-1BwLsNoS6DWXd0Jy0-tVyMhvY1VoB-3MqL-njgOBAKTWT_O19ASe2nafCaFh9cSG35YKh8mbIz7lh3kSvxlG9XafPsbyv20c
                ZyVq89dQZVOVZDBqueaGhqOOiHwHQ8aUNtwUkL2hXAZwlnaJLX5o6WU6Stqe0KO3J4ZGQZK-
                V0r1uPseSAu93PaZyyLP7LAJDw5DJ1QagoP-JztqwvGv17Ec4su9_wEAN7JtmiQAAA
                """#),
        EmbeddedAsset(
            name: "audience.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A condition with its live count, before it is used.
                import { el, card, pageHead, chosenApp, softLine, cardGrid } from './dom.js';
                import { conditionField } from './condition.js';

                function show(main, { parameters, signal, context }) {
                  const use = el('a', { href: '#/compose', hidden: true }, 'Compose a message for it');
                  const editor = conditionField(context, signal, {
                    value: parameters.get('condition') ?? '',
                    onCount(devices) {
                      const text = editor?.input.value.trim() ?? '';
                      use.hidden = devices === null || !context.may(context.app, 'send');
                      use.href = `#/compose?condition=${encodeURIComponent(text)}`;
                      history.replaceState(null, '', text ? `#/audience?condition=${encodeURIComponent(text)}` : '#/audience');
                    },
                  });
                  const note = softLine('Each device once. Muted devices count, quarantined ones do not.');
                  main.append(pageHead('Audience', chosenApp(context)), el('section', { class: 'card' }, editor.node), cardGrid(
                    card('Would be addressed now', editor.count, note, el('p', {}, editor.canonical), use),
                    card('Devices of each term', editor.sets.node)));
                  editor.input.focus();
                }

                export default { title: 'Audience', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA41Ty47bMAy8-
                ytYtIBkwFDuCYwg2D6B9tKi6HW1Eh2rsCXXkpJdZP3vpfyK0VNvCS0OZ4bD3Q5OoJzVJhhn4WpCDSZ4aMwFqR5tKOAJK9cjlcF4i
                B61yEzbuT7ADbApQMleF9DJM35GSb9U7TzaU9cV4F0VvhqL06NPvdEwQNW7FpjYadeK354d7mgrkY8Gm-
                3T9cPUkFXRqpGwr92Vt9LYgto72csWA_aeJpuzlYmcswGfAww53DJIf31IIqAk7pxJlhrrHqs9sLc0h6h4pGJttEa7h9BHhKEA9j
                B9Agktek9igVwhU1h-
                WHGRSFKx_EcIn0ncWSUqABfZRNxvaIszBs7WZpbD8QiMFeNrZx_SPrjGi1Ho8xlkmT2qLGcKR2FsF4MYJ4jQm5bPWIe5iSwQk0Zq
                miGhLEuwsWng9RXezKRFK18WAUKmpTLarp5kr0hkIOE8rg4eVxHluxta5TT-_P5l9NAiiUho-fC4YNTGE-sX0WPXSIU_ggzIE5Mi
                yZ-
                0HRO8jNoQ3P_iw7jVpWnhPCRDh83erAspEEtaOfsgVT27Qr4rFPAtBtSrUfNl_Im0OhuoRdMzqmuXsMQ0KMUyOUZu8eU6ODstZDa
                Hsvib58WYSo9jusdsqkZ6TzLSAbGUxGnDwpLk_H5XfFSW_nH2y0W6nifKqtY9hZXYWXdla-vMPqme5nVp0h1aSeusUbIhfNpuXmy
                w388OuAowmUSxbe_IHoOfmOWjBXN5CmPlVPSc6kOW4fN48horGZt0-sGEhm5ha0-6bRgO2V8JkrcgpAQAAA
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
                /** Where the cursor is while it is not shown. */
                const OUTSIDE = -10;
                /** The maximum of rows of the table, roughly. */
                const TABLE_ROWS = 60;

                const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
                const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

                /** The next round number: 1, 2 or 5 times a power of ten. */
                function roundUp(value) {
                  if (value <= 0) return 1;
                  const power = 10 ** Math.floor(Math.log10(value));
                  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value);
                }

                /** The scales from time and value to the picture. */
                function scalesOf({ from, to }, top) {
                  return {
                    top,
                    x: (moment) => LEFT + (moment - from) / (to - from) * (WIDTH - LEFT),
                    y: (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM),
                  };
                }

                /** The lines of the grid, and the texts beside them. */
                function gridOf(textOf) {
                  const lines = svg('g', { class: 'grid' });
                  const labels = el('div', { class: 'labels', 'aria-hidden': 'true' });
                  function label(name, { left, top }, text) {
                    const node = el('span', { class: name }, text);
                    node.style.left = `${left / WIDTH * 100}%`;
                    node.style.top = `${top / HEIGHT * 100}%`;
                    return node;
                  }
                  /** The class of a label of the time axis: labels in the middle may give way. */
                  function timeClass(part) {
                    if (part === 1) return 'x end';
                    if (part === 0) return 'x start';
                    return part === 0.5 ? 'x' : 'x minor';
                  }
                  function draw({ from, to }, { top, x, y }) {
                    const span = to - from;
                    const clock = span < 600000 ? seconds : hours;
                    lines.replaceChildren(...[0, 0.5, 1].map((part) => (
                      svg('line', { x1: LEFT, x2: WIDTH, y1: y(top * part), y2: y(top * part) }))));
                    const values = [0, 0.5, 1].map((part) => label('y', { left: LEFT, top: y(top * part) }, textOf(top * part)));
                    const times = [0, 0.25, 0.5, 0.75, 1].map((part) => {
                      const moment = from + span * part;
                      return label(timeClass(part), { left: x(moment), top: HEIGHT - BOTTOM + 4 }, clock.format(new Date(moment)));
                    });
                    labels.replaceChildren(...values, ...times);
                  }
                  return { lines, labels, draw };
                }

                /** The path of points without a gap: a line, or an area down to the lower values. */
                function runPath(run, isArea) {
                  if (!run.length) return '';
                  const upper = run.map(({ x, high }) => `${x},${high}`).join('L');
                  if (!isArea) return `M${upper}`;
                  return `M${upper}L${run.slice().reverse().map(({ x, low }) => `${x},${low}`).join('L')}Z`;
                }

                /** The path of one series. If `sums` are given, the series is stacked on them, and its values are added to them. */
                function seriesPath(at, values, { sums, gap, scales }) {
                  let path = '';
                  let run = [];
                  const flush = () => {
                    path += runPath(run, sums !== null);
                    run = [];
                  };
                  at.forEach((moment, row) => {
                    // A time without samples is a gap, not a line.
                    if (row > 0 && moment - at[row - 1] > gap) flush();
                    const low = sums ? sums[row] : 0;
                    const high = low + values[row];
                    if (sums) sums[row] = high;
                    run.push({ x: scales.x(moment).toFixed(1), low: scales.y(low).toFixed(1), high: scales.y(high).toFixed(1) });
                  });
                  flush();
                  return path;
                }

                /** The names of the series and their values at one time, beside the picture. */
                function legendOf(title, series) {
                  const values = series.map(() => el('b', {}, '–'));
                  const list = el('ul', { class: 'legend' }, series.map((each, index) => (
                    el('li', { class: `key-${each.name}` }, el('i', { 'aria-hidden': 'true' }), `${each.label} `, values[index]))));
                  const moment = el('span', { class: 'when' }, '');
                  return { list, caption: el('figcaption', {}, el('span', {}, title), moment), values, moment };
                }

                /** The figures as a table, which is filled while it is open. */
                function figureTable(title, series, fill) {
                  const body = el('tbody');
                  const heads = series.map((each) => el('th', { scope: 'col', class: 'number' }, each.label));
                  const whole = el('table', {}, el('caption', {}, title),
                    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Time'), heads)), body);
                  const node = el('details', {}, el('summary', {}, 'Figures'), el('div', { class: 'scroll' }, whole));
                  const update = () => { if (node.open) body.replaceChildren(...fill()); };
                  node.addEventListener('toggle', update);
                  return { node, update };
                }

                /** The picture with its paths, its grid and its cursor, in a frame. */
                function pictureOf(title, series, { stacked, grid }) {
                  const kind = stacked ? 'area' : 'line';
                  const paths = series.map((each) => svg('path', { class: `line-${each.name} ${kind}`, d: '' }));
                  const cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, x1: OUTSIDE, x2: OUTSIDE });
                  const picture = svg('svg', {
                    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': title, tabindex: '0',
                  }, grid.lines, ...paths, cursor, svg('g', { class: 'marks' }));
                  return {
                    frame: el('div', { class: 'frame' }, picture, grid.labels),
                    picture,
                    paths,
                    moveCursor(x) {
                      cursor.setAttribute('x1', x);
                      cursor.setAttribute('x2', x);
                    },
                  };
                }

                /** Lets a pointer and the keys choose a sample of the picture; `state()` has the samples, -1 is the newest. */
                function followPointer(picture, state, choose) {
                  let chosen = -1;
                  function take(index) {
                    chosen = Math.max(-1, Math.min(index, state().at.length - 1));
                    choose(chosen);
                  }
                  function nearest(clientX) {
                    const { at, from, to } = state();
                    const box = picture.getBoundingClientRect();
                    const moment = from + ((clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT) * (to - from);
                    const distance = (index) => Math.abs(at[index] - moment);
                    let best = -1;
                    at.forEach((_, index) => { if (best < 0 || distance(index) < distance(best)) best = index; });
                    return best;
                  }
                  picture.addEventListener('pointermove', (event) => take(nearest(event.clientX)));
                  picture.addEventListener('pointerleave', () => take(-1));
                  picture.addEventListener('blur', () => take(-1));
                  picture.addEventListener('keydown', (event) => {
                    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
                    const count = state().at.length;
                    if (!step || !count) return;
                    event.preventDefault();
                    take(Math.max(0, (chosen < 0 ? count : chosen) + step));
                  });
                  /** Chooses the newest sample again if the chosen one is gone. */
                  return () => {
                    if (chosen >= state().at.length) chosen = -1;
                    choose(chosen);
                  };
                }

                /** The highest value at each time; the sum if the series are stacked. */
                function highestValues(at, columns, { series, stacked }) {
                  return at.map((_, row) => {
                    const values = series.map((each) => columns[each.name][row]);
                    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
                  });
                }

                /** The state of the picture: the samples, and the time from which and to which they are shown. */
                function stateOf(at, columns, { from, to } = {}) {
                  const begin = from ?? at[0] ?? Date.now() - 1000;
                  const end = to ?? at[at.length - 1] ?? Date.now();
                  return { at, columns, from: begin, to: end <= begin ? begin + 1000 : end };
                }

                /**
                 * Makes a chart. `series` is a list of {name, label, format?}; the class of a series is `line-NAME`.
                 * `update(at, columns, range)` draws it: times in ms, a list of values for each name, and the time that is shown.
                 */
                export function chart(title, series, { stacked = false, unit = '', format = compact, gap = 15000 } = {}) {
                  let state = { at: [], columns: {} };
                  let scales = null;
                  const valueText = (each, row) => `${(each.format ?? format)(state.columns[each.name][row])}${unit}`;
                  const grid = gridOf((value) => `${format(value)}${unit}`);
                  const { frame, picture, paths, moveCursor } = pictureOf(title, series, { stacked, grid });
                  const legend = legendOf(title, series);
                  const figures = figureTable(title, series, tableLines);
                  const redraw = followPointer(picture, () => state, showSample);

                  function tableLines() {
                    const every = Math.max(1, Math.ceil(state.at.length / TABLE_ROWS));
                    const shown = state.at.map((_, row) => row).reverse().filter((_, index) => index % every === 0);
                    return shown.map((row) => el('tr', {}, el('th', { scope: 'row' }, seconds.format(new Date(state.at[row]))),
                      series.map((each) => el('td', { class: 'number' }, valueText(each, row)))));
                  }
                  function showSample(index) {
                    const { at } = state;
                    const row = index < 0 ? at.length - 1 : index;
                    setText(legend.moment, index < 0 || !at.length ? '' : seconds.format(new Date(at[row])));
                    series.forEach((each, position) => setText(legend.values[position], at.length ? valueText(each, row) : '–'));
                    moveCursor(index < 0 ? OUTSIDE : scales.x(at[index]));
                  }
                  function description(highest) {
                    const { at, columns } = state;
                    if (!at.length) return `${title}. No figures yet.`;
                    const now = series.map((each) => (
                      `${each.label} ${(each.format ?? number)(columns[each.name][at.length - 1])}${unit}`));
                    return `${title}. Now ${now.join(', ')}. At most ${format(Math.max(...highest))}${unit}.`;
                  }
                  function update(at, columns, range) {
                    state = stateOf(at, columns, range);
                    const highest = highestValues(at, columns, { series, stacked });
                    scales = scalesOf(state, roundUp(Math.max(1, ...highest)));
                    grid.draw(state, scales);
                    const sums = stacked ? at.map(() => 0) : null;
                    paths.forEach((each, index) => (
                      each.setAttribute('d', seriesPath(at, columns[series[index].name], { sums, gap, scales }))));
                    picture.setAttribute('aria-label', description(highest));
                    redraw();
                    figures.update();
                  }
                  const node = el('figure', { class: 'chart' }, legend.caption, frame, legend.list, figures.node);
                  return { node, update };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA61a_W7bRhL_30-
                xAdySdChaMi7XOymK4SROG8Cpi9S9Hs4wKlpaSawpUiBXlgRVwL3DveE9yc3H7nKXlhMUuAK1yOXuzO58_mY2p6fiQoznaaVEORV
                5VshalJWoVTp-kBORVjKFgUdZCZUtZCzWmZqLVIxXVV1WsZilyzoWaTERai5FnS6kmGazVQVUYF0qVHqfy-QoWyxL4LATMo9F_Ti
                DP1LdyI2KxbhcLNMxPBSrxT2w2YtpVS5EkJxOykXyex0Mjo7GZVEr8evH9zc_iKH47qw70EM_XH78_ocbGOv93Y5dXX7AkVdnZuD
                t9c3N9ScYOrNDN9c_wfvfBkenJyfi17msJO2fTyWyWqznWS5FpvC5KJWo5-
                W6SMTJqSZw_cvNzx_fXwKRTq_LZG6AwCLdZIvVAkVZlesaf5EuSSGGodVsnm8dMjcXb68uf_t8_evPQOmvXXvUeQk7gaFCrsXHQu
                XJ-1TJG1DAh7JapCoMZNH5_m0Qg0Rxal8EZ51JNssUDC2yYqWkMyT2kTl3LeF38n-
                jHGuCbWZWHgWoGI8N9sHq7YteLM7Qwl6RQaGNLMs16B1FJVnE01UxVllZ8MpfluFjmq9kJHZHQmRTwa_i9VB0I1FJtaoK0RvANz4
                jkwOT6ArYxadUzZNpXpZVSI95Oet1NcEIF2kCt7ivWLyKYd1dskiXYTgFsyyrSAzfCH4UJ0w8SqZZMQlDmY7n9BkfxJuhYLKDo30
                jgXqc5nBKsmk8MPkKH0CVZBzLbAw7kP7Jedn1NNzR0hgn7_HvksWgd42PAkdjetj0RbgoF7JQtC3yhJdmSHSIVCRORQjUzNuJCNm
                xOjQ_YkrbvjBSB0LoLkCnB3N466e8E1irPbBDczra14jI3pODjizsD7MqmzRRQ4GR1OJe1tmE3HDhiwIngyBw1vWUT8-
                KZpJDjCdhMCOTHedpXYM14ho2RTs5vZc5zpZ5GEyyR286f4ShIK2ytDPPJhNZBPBBVStp6NgN0eywSDEc7kQup4oUQ_qBTUZaK8y
                3KOFQzLVepoXLFinYRQNag7OTWm0hZiJdWDg63tHTqQ5_J2Cf3f03oyfzcQc0HR9OTWT0p2urwVU4sIf_jX5oT6iflM9nQxfZ7Ca
                D_WoRZgV9WICQcox4WzHLHqVYpxzYHEHh2ndIN1xCfjFyQQ_GdzEcgpNaDw42QhaTYPB0TtedA4mpUoF3nGZi8kqcw6RA9HEqhKu
                yCsxB7a4mVbpuudWOXEhsYrEFZXv6Q6WBXK3DDJxv47wcP6AB4pzXEL_xP9iBibJ9juO8hKw1qeQyT8fyHaSXSSWLMEmS226MO4f
                Ao-MOCwvcLqSFgg0c15P1bHp98lTY71mfrQL2DYPbEFV_QvKIYOisNQRHi6LIPQA5MzrF83tgYw-
                2gbF1wxwIP6HPtozO2oz6HDnmG4ZnrzTbbvLdIeY7LQBeq8PYkIPpSxY7cxnoidoieNMt82sOsDFBUp_CxjCNFF6Kv-BZSL3JlPM
                i5ktMlWapOdZe_7JzHNIvCzkW8Einj4xFmhjOphFrEjEZaCt6LiF1oUcuy6yAWIkgrFwp8FXAX310WaAQY1YFiSBkExOAKybB5JQ
                QeRut_LoqfgLKIfzGgHQuYGWTZV_AKEShYqbmjQMGTURdLZeUZ3EaqW2HDjTPZnP0IdAexKLNPj7e4dB-FCW_w-
                bD4CogARAHw1JTH3063hHV_cjJzM3o1fEOmdV5NpZhBLIGWFrjU8MeztriDiMe8_2_RgdFWxaQrGWVoYw-
                TsWoXi3qEQqTwhvIhwAuTUBQaABySdFwwdksA91on8KFKaSRidZCK6kxIRJ-
                CunD2MhOIFuC1bGBDjog5VLxXodaCzgA4kBnumu0Ms1XNc4JHQeiZS-HvrqRkXgBUbNY5bk2YpfcHv-
                kCu3_EuBNqA0fUezaoX2K9QMlCWOUUAQscxZSygdBAM02mtjoDlTEG9EV334rLDxJ1S0OdyAQwDdYGvFxQi-
                EoIqHvP1z-sFFdxBsu-4sssMhTX6pxUvzmvyCSyOHwJDWWEEkS-S8Q0zFikhs2IBc-yHbyEnYi8ji7IxtCG_-
                Z6TpfMdXd4KOHxphNIe1qU3NPWtFzGBhlLZGjaOyytqeImvmgq3BVYeRZi5nkHcxZmcKixQm6uIsmyW0e5C3Me6FzHCPmQGiZfDf
                f_8niFzEldVKI59V7sMtYhlgjHVJIoqGMFRM5MZJf7g-
                z9z1owe57RzvcHqC8tiPkBLO42nPgbgYYwKtoki7FyPjeLfE9M6kx1a6OYTdgvUciCPfIHAVtqNjQ-
                5IlyjdPi2Gili_a1m5FDFpouRhezYrmXCgt-Dngqf1dYzlKlQg4HHTLM8h5rjla7lsl1VM4QaX-lqPab2r-
                _tystUiUPgcOAKay3TSNoumJMIVcxJZPYYtgMjGJZqBESDXgyTCRieu_NfzMjfQmY7pCM8Xp5afNReFO3Nmq8p9ebopUiPWwAE6L
                J4qggc8rrMdB8hPpEozqhesMleLRVptjSt8YBUhuUPlRj2uypzZ0iHdU6-
                WE0AZTQCnUEUwH_UY0a4OoQxUXAiEOG7TAkg_l5C51BVYpCxkBWcvZzOSI3PxDRfXmC9t-
                MGBg5s_mOQwLoG14COWWjb5mbYQ1AgpwDRwTt_yNKF2tCGFcEKNmeDeNcIHcE-
                0M51yz9HDZUoon1CxU_vjvp4zSYLROMMLJkjBiybieIcM9xAdsLGBkcPRj24RDVug3KiWPwcMyKEkZhjeApgxYXjdQmIYb_pJbsl
                qpK55wR9kRVb-mMn12xJS06gLOfR4R1UA7pw54d6XYICyepQX9VKO1ecU5I9eV9KGwf7Q-
                LPFzBa95H8QLrViwOMoKMKsbkDlPGsm0WAVTE4bgdH5gTIcfOKhtgL0ehZkHP2D7kGfyDu0BAxnwsfaz80nC3BqflyUj_Id7SjcR
                E0BQSNJLdWFUlV2vwIgH2x6wHYTDb4458yZs_fbGldScfsKMLmsbDsDshM4wrwsa0CAGg2ZjK13PQB4qbCYiEZiDnFc904RNsWi0
                8Oorah7tpa1asVuiBzl-
                ifmGVoBEblYs20AI7zXsqAupdfCUOmDDHWm1dWumUldskW6CTu9WL8Acqa5mg0AbsCFXBkgWLMVHjEPmVL0pO4uJHhtrcJxnkFQ-
                qdfZu8EwuCmJmd3R14uqLsvN_DBwJiZVG-xQZgVs3dE8zMYur-
                gXTKGhjvsG4hRkwUbYvi8ziZwnhPhdcOwWeYPnLjdM5fXBMJsWowpdjcghiSY3tcA8zXKgLU60evKEfQEIE1ZLfmw-
                zcXEnE6oNmvwfH_-MNyNSxfNyM4LYoMbfo-sPWqdkb8aDRl5Po0b2gTR98Cdwjlo-
                kwkh0ZxdJwYtTLVvFVmrlMmWhDr9P72tr7fFX92TXgllgU-_v3Oj1KYgdtJy4qqAeuqFOAPkCvnwG3w3tP7G_5mEDuzusFgSWqxm
                obD2kKjhfEAXT2giabspcnMNVlRb_v5TRd5daW6YTWL7twAu2taAPnmnVfu3CEnRFgFDmFBUard-SdbmAxsSmdpZCvM45QmjLWDx
                CFZvCru3raYNy6Eg-
                l5785cPKoHX4OhggPaGB5JE3JgXUMddaxkBlwkFwtzEZN8QMJUgMDP1BqUv8gKE1FNkC91aJgsKFhh4EUe6-
                rDicg5PBbu9j9Qj1kUYbmcmsBxR2Vl77bNVBGt2UqOVmBy2JRquE_Q5bVwpSvMfZB-
                014tp0lq2f31gF10Uo6fT_N2O471u4UHrmIoPFSv8CELYvY3n81LQzkAUiuJVovhu88HHcvZ1lhgvH5Odb73Tt8wMZaUpRrMK4ON
                qy7DQiSBP2AHM_3Ek9rrYdmvV0hwz6zx631ierrod7Quf59SawFf7V2eSTwEumBbqronjSB5E2KH3GLg-pcEPWObwQIpQBLahue7
                9lune5600Ji6PnjxafLUYJcRoy9fYFWaTGTABOwKQirVF-
                3UGG_2Chq2GurBL7sNLwbT8tqnlJFyMo8Qm3KDV3MWqXSCZ8F56i7NK-xTCgyRZ0oc1J4sTe5sxQDae8VStO1Asx0bJlD0lBf3N7
                Zo_ZhGhcvNI17X9ydGvitCLw3xiTL_QLjoVDb04hu2KJp8FMUEs_kOcfcH-_wNNxzZDZUggzNzZNzEQZMdD-Yx-
                xaB7bvGNs66FUD5QaaklT-RC3kNFWodYKNrcNtG6cRqNsEwy-V-
                1RXXyGid1ZCLMIO9PA5rMkpQCNOtKWfKabgva8HMQ3p0Id62LXdukDT4MyxzHKtq8bNT507cv8qgazYZNzkQMzGX6dJDBUyHsMHV
                PQkvjGbotsmP1KTrxBpQ_drLQWYp3tbdA305AbBbJjNL9IFjfhCH2Xi1UdO58T6g-
                MMpovlge9GTS3Yb9F3g7ldIVfUbGUpMdrwIjAES8aVR3wA-jcdIdtmYhrGzWrEPs36cyyu-8-
                KqRGQoU7iscCYT7ws6wxPyDbpb0A398wUiDUu80Oyw5ZC08f0qklXBqZad1rDFt4fEP5E1uMqo45VqGHJoepHB6i2Igg6OqDKXIs
                c78iZ94n4sbTevpUqGQ28--f1c0jFXC-2uqJP4ygbXBQeiKB-Pnbioe9F3mbXwAK2pa9kYhFEMHyBxRrs1wZYF-
                gYoVn6fEZPyM8nTy1qk3kO4hae2b5A4MrpTyJJba0mgdl_yaEDpvk3LW74c4-o11PHg66qTaAlOn4ExDsQty9mgiCpl-CiSZ-
                6R9L2nnazXXAv1u-
                BTIK4fV9lLIGHteWzSTx3iWVPZko0n4nTg4oPOow1KBKKftNmn2jlW9d70rLliX6rDqEORVEdLnRTOTb5Ww9zQ99wQppf65v-
                D7n5VblUJwAA
                """#),
        EmbeddedAsset(
            name: "compose-audience.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The audience of a new message.
                import { el, card, field, select, fieldGroup, wide } from './dom.js';
                import { conditionField } from './condition.js';
                import { textInput } from './compose-content.js';
                import { device } from './trace.js';

                const KINDS = [['topic', 'a topic'], ['groups', 'groups'], ['condition', 'a condition'], ['devices', 'devices'],
                  ['all', 'every device of the app']];

                /** The names of a text, which has spaces or commas between them. */
                const namesOf = (text) => text.trim().split(/[\s,]+/).filter(Boolean);

                /** The form for the audience; `given` is a condition, or null. `onInput` is called when another kind is chosen. */
                export function audienceForm(context, signal, { given, onInput }) {
                  const kind = select(KINDS, given ? 'condition' : 'topic');
                  const topic = textInput({ maxlength: '200', spellcheck: 'false' });
                  const groups = textInput({ placeholder: 'user/42 user/43', spellcheck: 'false' });
                  const devices = el('textarea', {
                    class: 'mono', rows: '2', spellcheck: 'false', placeholder: 'ids or tokens, with spaces between them',
                  });
                  const condition = conditionField(context, signal, { value: given ?? '' });
                  const fieldsByKind = {
                    topic: field('Topic', topic),
                    groups: field('Groups', groups),
                    condition: wide(condition.node, condition.count),
                    devices: wide(field('Devices', devices)),
                    all: el('p', { class: 'soft' }, 'Every registered device gets it.'),
                  };
                  kind.addEventListener('input', onInput);
                  return {
                    node: card('Audience', fieldGroup(field('For', kind), Object.values(fieldsByKind))),
                    kind: () => kind.value,
                    showKind() {
                      for (const [name, node] of Object.entries(fieldsByKind)) node.hidden = name !== kind.value;
                    },
                    /** The part of a SEND that is about its audience. */
                    requestPart() {
                      switch (kind.value) {
                        case 'topic': return { topic: topic.value.trim() };
                        case 'groups': return { groups: namesOf(groups.value) };
                        case 'condition': return { condition: condition.input.value };
                        case 'devices': return { devices: namesOf(devices.value).map(device) };
                        default: return {};
                      }
                    },
                  };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA41VS2_cNhC--
                1dMT5JcVRu4Pa2xLRo4CYIUSYHktlnAtDRaMaZIlaRsB8b-9w6H1MN2DrmspHk_vvl2s4EvHYIYG4m6RjAtCNB4Dz06J45Yncl-
                MNbDI6AqoRa2KaGVqOjhUGHt0-c7a8ahhHvZIJygtaaHrNo0pq--uexyiVIb3UgvjX4bvFams-KZg8cH_14Po39iS1qHv5GPR-
                2feTR4J-t1Fd6KGqPRGbk4Dx_ef7z6DDvY7zNvBllnJWQC4uuhhH12DO24IE5vLJ1rjPbLJ2tjXnaaXg_lGZBGKBWkeIf2-
                1QeTdqHyQ9DdjhQYZvzc16FFjT6uIfQOo20k3UHnXDgBuqDdJYy9z0JbtDfI-oQqK_gfJO64xCfWuovDyEK2P3JsSpvZZ8XlRuU9
                Plm_9WVh183RdVK5dHmr41RKHSxKqY1tg8_sdQEkku4Pso71NcgHaymUIbK9KhUBddG887YpKb2saE-
                qFKhDYWycCt1w7qO9qi5dnzg_bWjrkO0Od1bqiHnTYdpOHnUgpD4CFwD5dQJHQU80rDjBDj8LiE0522X0QH-
                gtUaYQsJANT15MwC8p6Rlz9CLx4U6qPvyOHi1SvaphtQqbrD-pZErVAOM6phiRJx8yzMoGiDnVENWvIaHdrNHxcQn7__RNCEK4qK
                Ks9CZGFRkGNonYyUcI48e6MNCa25D18XPw5cPqtGNgwtb25Ru3DJvpsQt8ZZFiC9rmmeJlX19Lp_tLU7oUbcTrugZTxtkLnEvf7-
                IS4wtsUL2UZdnn1JB8vSomSLOOzZ5N10vVGejObitkxT-cI42jRYLvqqNqP2ySuNPPmkBFfzqSd1kawJ6lvezRCWMi_EmdZTo8QB
                b5gDLB6lo5ujs0h0cETvQPoq40CnMJEA4ko0Dblo_0-w13SlmQxYymbg8_As-tHqNK7QzZapOs_-TkeUrWl66oIui-
                QhTVHCp5tvdCsV78fl6z0UU3PBcgs58wkXx8ZR5zpzH4zzIlUBzBt5XOs-
                UFLJlR0Ct6Vk1JeVL7KxWdXJpsGAqeAKv-x2q5SXnOEUM09cNQhiD-
                bNz28-XhFWhWeCujHEDpKmOxEKs03wtPgf9er_JcdV2Y6QT4SbL-kWHYFIOJw4YzvPfYIoP6JTItu4yrVv-
                kNZOU_oTbydx-8p94sAC32tYqzAveCYoRLjvAwz_UetgsxYnypJglRK1YshiZ6U1WArRuWXQLPutCyKZKez_wFuEASabwgAAA
                """#),
        EmbeddedAsset(
            name: "compose-content.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The content of a new message: a body for each language and the fields of all of them, or the payload as JSON.
                import { el, card, field, select, button, buttonRow, checkbox, fieldGroup, wide, column } from './dom.js';

                export const textInput = (options = {}) => el('input', { autocomplete: 'off', ...options });

                /** The texts of a body. */
                const TEXTS = ['title', 'subtitle', 'body'];

                /** The fields of one body; the default body is for every other language. */
                function bodyFields(onInput, isDefault) {
                  const inputs = {
                    language: textInput({ maxlength: '35', placeholder: 'zh-Hant' }),
                    title: textInput(),
                    subtitle: textInput(),
                    body: el('textarea', { rows: '3' }),
                  };
                  for (const each of Object.values(inputs)) each.addEventListener('input', onInput);
                  const node = fieldGroup(isDefault ? null : field('Language', inputs.language), field('Title', inputs.title),
                    field('Subtitle', inputs.subtitle), wide(field('Body', inputs.body)));
                  return { node, inputs, hasText: () => TEXTS.some((name) => inputs[name].value) };
                }

                /** The bodies of single languages, and the button that adds one. */
                function languageBodies(onChange) {
                  const bodies = [];
                  const node = column();
                  function remove(body, block) {
                    bodies.splice(bodies.indexOf(body), 1);
                    block.remove();
                    onChange();
                  }
                  function add() {
                    const body = bodyFields(onChange, false);
                    const block = el('fieldset', { class: 'card' }, el('legend', {}, 'Language'), body.node,
                      buttonRow(button('Remove', () => remove(body, block), 'quiet')));
                    bodies.push(body);
                    node.append(block);
                    body.inputs.language.focus();
                    onChange();
                  }
                  return { node, addButton: button('Add a language', add), written: () => bodies.filter((each) => each.hasText()) };
                }

                /** The fields of the payload that all languages share. */
                function sharedFields(onInput) {
                  const inputs = {
                    badge: textInput({ type: 'number', min: '0' }),
                    sound: textInput({ placeholder: 'default' }),
                    thread: textInput(),
                    category: textInput(),
                    level: select([['', 'not set'], 'passive', 'active', 'time-sensitive', 'critical']),
                    data: el('textarea', { class: 'mono', rows: '3', spellcheck: 'false', placeholder: '{"type": "raid"}' }),
                  };
                  for (const each of Object.values(inputs)) each.addEventListener('input', onInput);
                  const node = el('details', { class: 'wide' }, el('summary', {}, 'More fields'), fieldGroup(
                    field('Badge', inputs.badge), field('Sound', inputs.sound), field('Thread', inputs.thread),
                    field('Category', inputs.category), field('Interruption level', inputs.level),
                    wide(field('Data of the app, as JSON', inputs.data))));
                  return { node, inputs };
                }

                /** The dictionary `aps` of a visible push. */
                function visibleAPS(texts, shared) {
                  const aps = {};
                  const alert = {};
                  for (const name of TEXTS) if (texts[name].value) alert[name] = texts[name].value;
                  if (Object.keys(alert).length) aps.alert = alert;
                  if (shared.badge.value) aps.badge = Number(shared.badge.value);
                  if (shared.sound.value) aps.sound = shared.sound.value;
                  if (shared.thread.value) aps['thread-id'] = shared.thread.value;
                  if (shared.category.value) aps.category = shared.category.value;
                  if (shared.level.value) aps['interruption-level'] = shared.level.value;
                  return aps;
                }

                /** The data of the app beside `aps`. Throws a text if they cannot be used. */
                function appData(text) {
                  if (!text.trim()) return {};
                  let data;
                  try { data = JSON.parse(text); } catch { throw new Error('The data of the app is not JSON.'); }
                  if (typeof data !== 'object' || Array.isArray(data) || !data) {
                    throw new Error('The data of the app must be an object.');
                  }
                  return data;
                }

                /** The inputs of the content, and the payloads that they describe. The functions throw a text if a field is wrong. */
                function contentInputs(onChange) {
                  const defaultBody = bodyFields(onChange, true);
                  const languages = languageBodies(onChange);
                  const shared = sharedFields(onChange);
                  const pushType = select([['alert', 'alert: shown to the user'], ['background', 'background: silent']]);
                  const raw = el('input', { type: 'checkbox' });
                  const rawText = el('textarea', {
                    class: 'mono', rows: '12', spellcheck: 'false', 'aria-label': 'Payload as JSON',
                  });
                  for (const each of [rawText, pushType]) each.addEventListener('input', onChange);
                  const isSilent = () => pushType.value === 'background';

                  function bodyPayload({ inputs }) {
                    const aps = isSilent() ? { 'content-available': 1 } : visibleAPS(inputs, shared.inputs);
                    return { ...appData(shared.inputs.data.value), aps };
                  }
                  function defaultPayload() {
                    if (!raw.checked) return bodyPayload(defaultBody);
                    try { return JSON.parse(rawText.value); } catch (problem) {
                      throw new Error(`The payload is not JSON: ${problem.message}`);
                    }
                  }
                  raw.addEventListener('change', () => {
                    if (raw.checked) {
                      try { rawText.value = JSON.stringify(bodyPayload(defaultBody), null, 2); } catch { /* The text stays. */ }
                    }
                    onChange();
                  });
                  return {
                    pushType, raw, rawText, defaultBody, languages, shared, isSilent, bodyPayload, defaultPayload,
                    languageBodies: () => (raw.checked ? [] : languages.written()),
                  };
                }

                /** The part of a SEND that is about its content. */
                function requestPart(inputs) {
                  const bodies = inputs.languageBodies();
                  const part = {};
                  if (inputs.raw.checked || inputs.isSilent() || inputs.defaultBody.hasText() || !bodies.length) {
                    part.payload = inputs.defaultPayload();
                  }
                  if (bodies.length) {
                    part.bodies = bodies.map((each) => (
                      { language: each.inputs.language.value.trim(), payload: inputs.bodyPayload(each) }));
                  }
                  return part;
                }

                /** The content as the preview shows it: incomplete languages too. */
                function previewed(inputs) {
                  const payload = inputs.defaultPayload();
                  const bodies = inputs.languageBodies().map((each) => (
                    { language: each.inputs.language.value || '?', payload: inputs.bodyPayload(each) }));
                  return { payload, bodies };
                }

                /** The form for the content. Its functions throw a text if a field cannot be used. */
                export function contentForm(onChange) {
                  const inputs = contentInputs(onChange);
                  const { pushType, raw, rawText, defaultBody, languages, shared } = inputs;
                  defaultBody.node.classList.add('wide');
                  const written = fieldGroup(defaultBody.node, wide(languages.node),
                    el('div', { class: 'buttons wide' }, languages.addButton), shared.node);
                  const choices = fieldGroup(field('Push type', pushType), el('div', {}, checkbox('Write the payload as JSON', raw)));
                  return {
                    node: card('Content', choices, written, rawText),
                    pushType: () => pushType.value,
                    showKind() {
                      written.hidden = raw.checked;
                      rawText.hidden = !raw.checked;
                    },
                    previewed: () => previewed(inputs),
                    requestPart: () => requestPart(inputs),
                  };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA71ZUW_cNhJ-969gggKSAlm-
                9HAva7hB3KR36fWSoDZwBxgGwl1xvWokUSUl23vb_e83MxxSlHadpn24F69EDYfDmW--GdJnZ-
                J6o8RKt71qe6HXQopWPYhGWSvv1AJel7rcirU2QsnVRtSyvRvgi5BtKXqYuq5UXVqaWdf4A4NNLkAev3ZyW2tZCmnFj1cf3hcnVd
                Np04udUHUuVtKUudOQC6tqtepzsRz6Xrf-92f9AHIbtfq81I8s-3ejhy4XD1Wp4Juuh6YVe7E2uhFJcVbqpvjFJucnJ-
                qR1oLN2V706rF_13ZDLy5Eqru-glF43O0zcfEdWJMmFX5NcrBNDr1e6aarVQ8uSPR6DcNFUfhp-wy0n714Qb5DxW7_5KpCvDg7cU
                tev_3P9RWscZP0VV8r0JHYYRmeUTq5jTSNrtStImXn5MRSreVQ9y4SlXXBuFdmKzR8NiEmtPR6aFdoJUn_QBpT3dLOc5j8xunKxO
                5EsGdo3-QLGBJB22J0WboTjXysVXvXb8Aff_0bmN_VcqU2ui6VgaH_bk7_Ids-AdfkpIV2Gavgce-AI5_Q4AVFAj9JoyQFw-
                gHi4t63ftz-IMuSJ35BEvw2YflL4Cf4l7Wg7Kp21SW0edCluXbewD4T5UFnCszBptdk50Hd7S6VOCMEWlp8Jp4JdoBUL5wX9PkJ_
                YVKHILFt57We5lrjneLEC75x2zxNUIChbyXsocylMWvETEBCH0V5aR5Ub1g2nBWWi8F8jFRtprcOVCpARywmNhdaPStJWNokEne4
                Pvt855Gbp4P8IS1qkUwdJW7V2tAkJgBc8CLlnhUfYCnG0RwVM4-kmXpA0g-
                f0GRlQMRF4IEub2IBwuzVPabdBpVKPvVYqOAL6o9epzxiB2qgrb1dWKBPCtakv1-GFN8uDZl6RMuIkF6-
                Ixb55738eLwvZSv0ywewsmThLOTQcQyNoqVsrSuByII9BdxivHOqtaWkQ6siKAPSeJWt2ptsTvMDDiDcwnsqF4k3IxEmbqntLkZ9
                oTTHbxP-Iu0PnrUIEBDKTguW6wG-
                coN4wLFbLrwJjUTQ3i22KG_WKtV4N92pUztIJDL8nghfCGvy6hZATIJCSDuWCqHvLX45lNXVd1DymdYqY7MseUZ-yn2RzOI8vGBc
                ohF3I7gFvYDXDQFMQ0VE5Z9QtUupTlnEf7bYclpR2apTKwsaaC7SR_GYnT6qEtp3OmVMvVIKLaDVBleYRQV7JXd9psj3yqoX7UC6
                656c1NggWp1b1AMN7CcwdYrAg7iYS9u6e-atSpVa2t_MgKIlKtZJ3csuJS9vIIiXtsN7rVMBA4Hcp-p-qaCjwMULYcFJfdc_Ta84
                V4bmRVPt__nysBbqZUvaxqO9kLMnPIUzs0jTRbn6j_0sYjLcnitiWNif8S8REROr6OheMKkRDVBHyNygpFPaor9D4tLN8zAEYpD4
                lRzzvo_IwZOkfSCIuomOErq4zr0BsIsk8g4ITct3fjTIRB9qXiNEvKsqIEAw-KT7Kzn1w_dV_ZagkFB8lomoj85fXHq5T6r5xTM0
                5G0EMN3hhQWSvTh7EIOVj9cEmqkJmo1sKpnZZFmu6GQMmBAOrEmQy_z2prU5qSFa51ytCkwhtBv36Os94hICzXMSRA-
                D3xxTGxmQZCSayBBkDD4ffZTAegaCq0rTR0WpXJ7aghlpup8OiK1_djo4Kp1EwFQW5iRBUB9NQBNLImko-wBhOn8JoCViyVBTg7q
                BUggXwEeMOQojEgtgX2bJEQl0oMFhaawA90YA4QSBzkcAvP8LXoTdVg1fGwJ6zBSYKMwOcenLFzJl24U1EnjVVO2TmcZMBBQGQ7J
                Hb9QMext8Zogzl_uBU4D6CZpCfB6WwMUiaIkfiziws4xRAsE_Hbb-K1MRKqtqXflHIVh5-5p52vKr-
                _eDNY8pBshVOPJkyrvNt1FAvOf9bCJ8-xk-SCbF1FpkiUykKdWarC1W8OgmUTx7BJx2nokgej27tpzHglIvnj_SdX1ssvtHO94ZR
                zM8Zm4eLJBneUdpAN2J0pjwSR764hfigaKjTxBdVjfIDavdEP0HFr8hpA1GDdvkmWcvX5znDpiN5gQgU0BNX9NlrJyAeucOPpl1s
                Uf-hO6LgbTcC2iifFNd61HEfr_Mtvnyr0iTSVPK3lErIahj9OrwsSqvLZE2X-
                hm3Jg79uv6LIHzi7slfkGLwXoPbRa3OsIi4weSKvwoE9Og0gSthq6NR8bZueD1wh8uvAIq_Aywnj8VTeQ2choZiBA15C9i_i4uZP
                csx23Mu4xjrU1aIoPCFN5KgKM5fmZMX-4DTDmPdb8IYTnYF_CwoY1lVeLd5vlC9skqM2Fo2ojSPlS1bguLQzGnba-GUPaefTddSk
                R1y3EN_seHLBl1X7T2zF3jMQ2H8IhRUBIByKxv1OthvscTuK7fesbYHp27tqvU2fckpO1wW5-
                HZC62fjvZGwvdxa5CkyWPDf2ZFp0kWRgIdojpblIiRCtHgeH9MdLPKAwTyOYz4DQT65BnJ05o9csZMAxje3ANewTsHnM6h-
                3J5HtA9A4PvFq7fv3zh2h3jKpR7gAZKG82FK2kb9Cj08WGZ638gfuzCYHUCZgmNGlVHjh8HmGfF2oALyaJSq42Dk2_FwSWWTz6G-
                yeMQwYqFB-7FTElIN5-PaNLTasI-WaSRXXTcTRmqu-
                jqjmhwfiwn9HJ_kvukWsTXSd4up3ufzYs5WjOJqr84ltYVb6PuK8hdrE0WoorK_UVqVCx7radh5nmqPBLkr_Lh1-HhqOO-
                zm0Y6ORV8gfcFui582nG5s2uI7RpqLpF3VAh3kFC_H6jc6RF5TvvedfzA6xytOcJNxZPtEejc3d_knWA-XxAUFmcRnSpRC0D0jNy
                depO1dGyzCnTG9m5Er4mHZkIB_ngSsf36n5ydHf3TFaEI_w4M9xGZaHqkrLRotVGVyuCWWQRn4w_gouogUrGriTLYxv2478z0uTf
                sDl17B8lCbl3doAOF3EL-
                s8JnO9dzJLc2xSuyEJ02AnelsXRHodvniBp_1m1YxMgvLZiU5UlxSDiy3OW8bUxyDw7ENqzET7LgxXztM-
                5sQmkvwhXlwd1IJSY_wE0xdoFxBoAAA
                """#),
        EmbeddedAsset(
            name: "compose.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A new message: content, languages, audience, time, pace; dry run, a test to one device, then the send.
                import {
                  el, card, field, select, button, setText, number, counted, confirm, timeText, pageHead, chosenApp, errorLine,
                  doneLine, buttonRow, column, messageAddress,
                } from './dom.js';
                import { call, sentence } from './api.js';
                import { audienceForm } from './compose-audience.js';
                import { contentForm, textInput } from './compose-content.js';
                import { phones } from './phone.js';
                import { device } from './trace.js';

                /** Above this number of devices the user must type the number. */
                const TYPED_FROM = 100;

                /** The form for label, lane, pace, times and collapse id. `onInput` is called when the collapse id changes. */
                function deliveryForm(onInput) {
                  const label = textInput({ maxlength: '100', placeholder: 'for listings and the log' });
                  const lane = select([['bulk', 'bulk: a broadcast'], ['interactive', 'interactive: a user waits']]);
                  const pace = textInput({ type: 'number', min: '1', placeholder: 'no bound' });
                  const sendAt = textInput({ type: 'datetime-local' });
                  const expiry = select([['', 'its default'], ['0', 'not stored'], ['3600', '1 hour'], ['86400', '1 day'],
                    ['604800', '1 week']]);
                  const collapse = textInput({ maxlength: '64' });
                  collapse.addEventListener('input', onInput);
                  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
                  const sendTime = () => new Date(sendAt.value).getTime();

                  function expiration() {
                    if (expiry.value === '0') return 0;
                    return Math.floor((sendAt.value ? sendTime() : Date.now()) / 1000) + Number(expiry.value);
                  }
                  return {
                    node: card('Delivery', el('div', { class: 'fields roomy' }, field('Label', label), field('Lane', lane),
                      field('Deliveries a second at most', pace), field('Send at', sendAt, `in ${zone}; empty: now`),
                      field('The provider stores it for', expiry), field('Collapse id', collapse))),
                    lane: () => lane.value,
                    /** The part of a SEND that is about its delivery. */
                    requestPart() {
                      const part = {};
                      if (label.value) part.label = label.value;
                      if (pace.value) part.pace = Number(pace.value);
                      if (sendAt.value) part.send_at = sendTime();
                      if (expiry.value) part.expiration = expiration();
                      if (collapse.value) part.collapse_id = collapse.value;
                      return part;
                    },
                  };
                }

                /** The message as phones show it, and its size. */
                function previewCard(context) {
                  const shown = column();
                  const size = el('p', { class: 'soft' });
                  function update(content) {
                    try {
                      const found = content.previewed();
                      shown.replaceChildren(...phones(context.app, found));
                      const bytes = new TextEncoder().encode(JSON.stringify(found.payload)).length;
                      setText(size, `${number(bytes)} of 4,096 bytes`);
                    } catch (problem) {
                      setText(size, problem.message);
                    }
                  }
                  return { node: card('As a phone shows it', shown, size), update };
                }

                /** The lines that say what became of a request: the dry run, an error, and what was sent. */
                function outcomeLines(context) {
                  const dryRun = el('p', { role: 'status', class: 'notice', hidden: true });
                  const error = errorLine();
                  const done = doneLine();
                  return {
                    nodes: [dryRun, error, done],
                    dryRun,
                    error,
                    /** Returns what `body` returns, or null after an error, which is shown. */
                    async attempt(body) {
                      setText(error, '');
                      done.hidden = true;
                      try {
                        return await body();
                      } catch (problem) {
                        setText(error, problem.code ? sentence(problem) : problem.message);
                        return null;
                      }
                    },
                    showSent({ message_id: id, total }, what) {
                      const link = el('a', { href: messageAddress(context.app, id) }, `Message ${id}`);
                      done.replaceChildren(what, ' ', link, ` for ${counted(total, 'device')}.`);
                      done.hidden = false;
                    },
                  };
                }

                /** Sends with one idempotency key for all attempts of one intent, so that a lost answer causes no second message. */
                async function sendOnce(request) {
                  const key = crypto.randomUUID();
                  try {
                    return await call('send', { ...request, key });
                  } catch (problem) {
                    if (problem.effect === 'unknown' || !problem.code) return call('send', { ...request, key });
                    throw problem;
                  }
                }

                /** Asks whether to send to that many devices. */
                function confirmSend(context, request, total) {
                  const devices = counted(total, 'device');
                  const when = request.send_at ? ` at ${timeText(request.send_at)}` : ' now';
                  const pace = request.pace ? `, at most ${number(request.pace)} a second` : '';
                  return confirm(`Send to ${devices}?`, `The message goes to ${devices} of ${context.app}${when}${pace}.`,
                    `Send to ${devices}`, total > TYPED_FROM ? { typed: total } : {});
                }

                /** The dry run and the send; `message` returns the request. */
                function sendActions(context, lines, message) {
                  async function dryRun() {
                    const answer = await lines.attempt(async () => call('send', { ...message(), dry_run: true }));
                    if (!answer) return null;
                    setText(lines.dryRun, `${counted(answer.total, 'device')} would be addressed now. Nothing was sent.`);
                    lines.dryRun.hidden = false;
                    return answer;
                  }
                  async function send() {
                    const request = await lines.attempt(async () => message());
                    const count = request && await dryRun();
                    if (!count || !await confirmSend(context, request, count.total)) return;
                    const answer = await lines.attempt(async () => sendOnce(request));
                    if (answer) lines.showSent(answer, request.send_at ? 'The message is scheduled.' : 'The message is on its way.');
                  }
                  return { dryRun: button('Dry run', () => dryRun()), send: button('Send…', send, 'primary') };
                }

                /** The same message to one device, which the browser remembers. */
                function testForm(lines, message) {
                  const testDevice = textInput({
                    value: localStorage.getItem('carillon-test-device') ?? '', spellcheck: 'false',
                    placeholder: 'your device: id or token',
                  });
                  function testRequest() {
                    if (!testDevice.value.trim()) throw new Error('Name your device first.');
                    const request = message();
                    const label = `test ${request.label ?? ''}`.trim().slice(0, 100);
                    for (const name of ['topic', 'groups', 'condition', 'pace', 'send_at']) delete request[name];
                    const devices = [device(testDevice.value)];
                    return { ...request, audience: 'devices', devices, lane: 'interactive', label, key: crypto.randomUUID() };
                  }
                  async function sendTest() {
                    localStorage.setItem('carillon-test-device', testDevice.value.trim());
                    const answer = await lines.attempt(async () => call('send', testRequest()));
                    if (answer) lines.showSent(answer, 'The test is sent.');
                  }
                  const sendButton = button('Send to this device', sendTest);
                  return { node: card('Try it', field('Test device', testDevice), buttonRow(sendButton)), sendButton };
                }

                function show(main, { parameters, signal, context }) {
                  const content = contentForm(changed);
                  const audience = audienceForm(context, signal, { given: parameters.get('condition'), onInput: changed });
                  const delivery = deliveryForm(changed);
                  const preview = previewCard(context);
                  const lines = outcomeLines(context);
                  const actions = sendActions(context, lines, message);
                  const test = testForm(lines, message);

                  function message() {
                    return {
                      app: context.app, push_type: content.pushType(), audience: audience.kind(), lane: delivery.lane(),
                      ...content.requestPart(), ...audience.requestPart(), ...delivery.requestPart(),
                    };
                  }
                  function changed() {
                    content.showKind();
                    audience.showKind();
                    lines.dryRun.hidden = true;
                    preview.update(content);
                  }
                  if (!context.may(context.app, 'send')) {
                    for (const each of [actions.send, actions.dryRun, test.sendButton]) each.disabled = true;
                    setText(lines.error, `Sending needs the role send for ${context.app || 'an app'}.`);
                  }
                  main.append(pageHead('Compose', chosenApp(context)), el('div', { class: 'two' },
                    column(content.node, audience.node, delivery.node),
                    column(preview.node, test.node, card('Send', lines.nodes, buttonRow(actions.dryRun, actions.send)))));
                  changed();
                }

                export default { title: 'Compose', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA6VZ627byBX-76eYAMaSTBnaiwbBVoY3cJMsNm0ui9j7ozWMaCSOLNYUh-WQVrRaAX2aPlifpN-
                ZM0MOZTndtn9sajiXM-d85zsXnpyIC1GptVgpY-Stmoi5rlpVtakoZXXbYcikQnZ5oaq5SkVbrPC3lnN1JvJmI5quwmvRKtOKVgt
                dKZGr-8JOXaqK_gijqjw7Kla1blqxPRJClamYyyZPxaJQJf4ZVao5jpx1basr-t1eqS8YqLrVTDWYrTtIldNDtSiaFQvCc2rI-KO
                S9HKpcdZFXadCNY1u3hWVSnFeDrHsszvgk17TTmW3wlnu4hd53uApPdqJRaNXIspOcr3K_mais150CF2WJB1paK7EMFXWxd5Ur7I
                fdLMKJs41Jhj1zL_eP4CVT4twRVzvbVV37YH1buLe8nqJm5pguh3Ym8T2CSa1jfSCHJ08fSouZvpewXKFcfoXeuFWGWvQzmBs1ZH
                JN7WyQzwxE09PjiAa3lz95ac3rz__8Onje3Euvj09dXtfYe6CVII_QNiMoACgOUyxWY2QVU72KWVtlCjyTEx1ZTUxFRCKrKBysfb
                4CmYCAkCtMlaQRVfN20JXkL0s7lWzIbXGbqfEIpFltXJAzF7h8Vas5JdSVbftciIiiB9BwBISLnWZqwZjVv7CtEV1y_KSJKW-jcQ
                uOQt2hkOcO3zH19fRrCvvsJf9P4HjzBot87k0bXSTiuuogFVhjRbi0qzgJ022el_LojXRzU1wCqluT3wyDKRks2CrVVHRRR5co9J
                iBt_Kx2KTx160h7fMZavISs9KDUOM16kvdQFSCC9sr9Ea2GAhu9Jdk9SJo3FQqxuV8-DvX1g1R9-
                Kpe4aHvvuxXM_mMsNxnCUwPiL0-ff-Rdrpe7G-
                ugB8bhJXzwfJOfJmczzN_fwqXewqqpUE0P9WIhDPGSGE37R1q5vq7bMXkMhV1AIoUu2cZKBR3R5r_KPNaHPYIT09VcsGWuYFmGTO
                BHn31sOpp1i1n12L8tOJdktmBDTYpyNtT2iraIlPcYMZCGKhYhZ_7xWnJ-fC2g6EY1qu6YSp2d2nvv1XrbLbFFq3cSjI8XLXjZsP
                bEyZZVex0kiTsiRTxPxO_HB4mp0ntXO7qg_gKWqdE4xBWQfR6-
                dG0KjqoyjvLjHEzivlMaQR1EsMKLRerWBcVxwiKN35J1Ryl6aBMOVipg8EoaF8K_cQQUxCW4DjedCtmKlDVmTvGXY5lLZl1HqQJ-
                KaVGJ4y1ZeHcm1KpuNxNcYz3dP4WorG70fQFPYiAbUbREbHRBq5nhmFcDR0Vpj7kkcZvSLSYOCfTMKuV3njZrCfoGE0tx-
                ebDa_ANrgQ2lPBfPFgXY_1a8mNT_71DYP4JC3uYDJzRkINvd2dumPBjVezMaWdknhqDN-EC0uVovqMih4_gdbhqBHFeR0OfZWupw
                6MvXDJCGi8ZfACrQocI1_XeHa70g58RMM7FeIpf7FBM83loR9aAtnZDIHOpg5DGR16z1GvYIrURgWxiil_UOBjVDSKpWr8il7BR_
                MsoFtEOFUuF9CQOSRlb0U3hOvXIcYxetJ7N-mO6mog6dnmCt34Ldh7jYEHsb8_jhMKJp_JBj1YksJqNHK-
                WRYlMqYqzLONL-1tkkhIvu1_Sr-VDZhskiDiESI6StjfVHLzQgBmVfYr_dPnxQ2baBtG0WGxiuwmwtCkRHZMkY9ru5eHsMCaFwF2
                PtxzlYntKsiMfeZ6e_uEFHzt1suzAQu18Ccw2elaq1eAQ4_3c68wZ16_eI7cRsV0Qz1hlWF0RDRCfkNpSazbwANtjD0BlUdmUCsA
                3coOMBg8zNZeIC9bRnQNPbHIxpNsVp7eMMrtoDQhSWjqGGogB-aJNfc0hrGHHT101wlSjSwryppVtZ4ipHMYQrJH-
                YWBZ5LlCLtE2iBWj2E8i0V4-8w6xm3O89Ik4v3oQKHDQNcuU-hvSChf13Rv7zG97evxkdzKsi-
                lM55up2x3FC6SqurIUcoFkKlDeelkADoVx-PakKc2mmiMitET9Me31ECluhyjqcU5yZqwbyjqagUhCl-vvLCmLE7T54GaPA_TBwR
                6j5DscsG1BMqycPALjQATSSX_0wHDs7oiKNmPixeDJCQIXsnPdypJCMyl6P6IAzHcOS9JiadmoxWSvvhqTRZEntNv0vSPS422R76
                Zjpe7zDh0N1QuK_TgRq20tcbx1NWJshcQMrliiZJdNHzHTQpZGHWR3ygoAp6Jd2pIWIR7VE-l4I-
                7Uxh4oCVKMEkPeaue50tlodmqJigCakZVZA3pziQQeNZX2OYlTjYUew653XYqCH8mkjgJCtyUJQNjNpm511oAD9Ornn9--
                ZiQNcBtBjWqmOKJdrWlA3m7j1G7HjvwYAm2kd3hSiwUye04uu-oOiVEViV9_FU9CTPY55286FkIvG8RNtwPnkc4QF-
                aO3FqBABtqMNBW9N-qdyWrjS9Mx8zn2gRkRo-4VPRHW4SMiNAVt-
                fiMRANVGbLznO_WZ-4vAQO8e946xsT8d6MZDeFW0aUSkYPSjc_1_7EVqnPV0Uf3cIpCHI-sbWbRgGduqvH00unquOtu97uJfadho
                nLrabwE04hJJMr9U66O97SjfGPDoYvMUkc2H3q-eH7sPh_KbhyBIM49oDAWzJ8EAddaOvraFLZmZg6MXsut--8Hkb2thnlnMut3t
                42uvYNHrb3nptxTOmTY7aJc9dz5zp2m8wHBN6AM_WH6HZnxQj42Poz7tRHSgd18qUnfELykIo9z_OZPhZOB3LjldkDjhNr3ZU5kg
                chmWhVTkjLxAfdLpFVDRmCJ8PwiIOU6PnDnuiLuwM0tac9Z5_foL5eWU4iX7zjpoNLiG--
                cRt5WwV65LnEPo7lvur2djarLvG6P_tf7P6AnAOZvGl5dR9LeTg9QBtR6JCUjcyXKu9KlWcRufbeW-icyoq13GTRg4rbqWji2pwo
                hNmvgE4W3Ksw4Wp3mEga-
                9c__umqYACrboqVRKme7GWshnJTL89ew5cTKvLRGeicelWNWikirz12pm6x7cUd8lC2BU15zY3KURPH6tkWahNhG1CXKLwpht6q9
                i0sFUdIyYuy1NUz2uKZdxDxEpqm69WqLKHh-R11HAjsERPauC220V3j7kWZD-WQrb5TlZ28V2nROZ_YrKNmzJPhDlxaZqhvVtRH4
                XBHxdAbyufi6ANpNThTAMUASTRyjMGxescJX_tKfWp78cdbjzQet9ffTZ0ImSlxSnyaUkPH7UI5TcxbVa4AuY5aXRdzarPdNrqrq
                SCIKOgUdHH6QTGB_js4RzcJdSFU29P0Ne11E8o5xNprfoz39ZTcjAhonDb4xvnEkx8J5Z5S10fZa6O6NjMSjsmhrEnsvkJuV6FVR
                4AzXwVcKh6z_tn_HWlGgPsvuMdyiUVH4WLBQCFDV_KPlhIgU8gNnHIVRvTX88oZVXKjqvgK5GMLYd8vU731R-
                pJgs8y8SCBJyknD9PQYBtcLl7JoqLAW8sGKIPJDZXbtxWFRkf_cNaAVVyTY2h3WBbibwZ5kON5kJFlgu84Q0zxp2zFLTAGxh1EIC
                aKAy9J-v7xxH2dyEd1s-_aUXkcfqd4KJVrzWDioR5S8NHBdhXOD5f_wSU5X3Itt_-UPZ2NqNmS8mESHzeqe6oaFyW-
                ckSCORGjkrDuzPIzf2roW1IYusIIZVWD-
                _df0O4KykG87_dNUPoZ9z1bUIjfbtQVTelNv9XDV_1241dcM3rnGcoOtlmYEdkjCa1_tmKys_YH7r84nJQN7QRn-Gyvu-
                cFcUkRq3MlN-Nqm_kj8cIFhK8kAjcRvsNExlmA_-Xz0NZnLuyTIHtamOWFkTP6IhdKOs5kXd_CVg2UjVZK5S6d1yXn-
                30V30tMiV0kKwJJ5It4uiW5Pb2nLM9__KUOu_0yGgWfgXvQJ4e_OLRrHfmuh-
                u3eosRkQ1ocz97MNDPZLTOG4YnWkXxI3PhJTM3K8O2ukLS29dzaIUkcRTfY8sSofpiv-
                a6r2pUYxWt7dwNarC9aGD031s5tVXjHwAA
                """#),
        EmbeddedAsset(
            name: "condition.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A field for a condition: its count while it is typed, errors under their column, names that complete.
                import { el, field, setText, table, tableRow, number, counted, fieldGroup, wide } from './dom.js';
                import { call, Refused, sentence } from './api.js';

                /** The maximum of names that are suggested. */
                const SUGGESTED = 8;
                /** The pause after the last key, in milliseconds, before the condition is counted. */
                const REST_MILLISECONDS = 300;

                const NOTE = "As 'level5' in topics && ('en' in topics || locale == 'zh') && !('user/42' in groups). "
                  + 'Names complete within quotes.';

                /** The place of the name that is typed: its kind, and the text before the caret; null outside of quotes. */
                function placeOf(text, caret) {
                  const before = text.slice(0, caret);
                  const quote = before.lastIndexOf("'");
                  if (quote < 0 || (before.split("'").length - 1) % 2 === 0) return null;
                  const after = text.slice(caret).match(/^[^']*'?\s*in\s+(topics|groups)/);
                  return { start: quote + 1, prefix: before.slice(quote + 1), kind: after?.[1] };
                }

                /** The line of a condition that has the error, a caret under its column, and the fault. A column counts bytes. */
                function faultText(condition, problem) {
                  if (!(problem instanceof Refused && problem.column)) return sentence(problem);
                  const bytes = new TextEncoder().encode(condition).slice(0, problem.column - 1);
                  const before = new TextDecoder().decode(bytes);
                  const start = before.lastIndexOf('\n') + 1;
                  const line = condition.slice(start).split('\n')[0];
                  return `${line}\n${' '.repeat(before.length - start)}^ ${problem.message}`;
                }

                /** The count of a condition, its canonical form, the devices of its terms, and its fault. */
                function explanationOf(context, signal, { input, onCount }) {
                  const fault = el('pre', { class: 'caret', hidden: true, role: 'alert' });
                  const count = el('p', { class: 'count', role: 'status' }, '–');
                  const canonical = el('code', {}, '');
                  const sets = table('Devices of each term', ['Term', '#Devices']);
                  let serial = 0;

                  function clear() {
                    setText(count, '–');
                    setText(canonical, '');
                    sets.body.replaceChildren();
                  }
                  function draw(answer) {
                    fault.hidden = true;
                    setText(count, counted(answer.devices, 'device'));
                    setText(canonical, answer.condition);
                    sets.body.replaceChildren(...answer.sets.map((each) => (
                      tableRow([el('code', {}, each.set), `#${number(each.devices)}`]))));
                    onCount(answer.devices);
                  }
                  function drawFault(condition, problem) {
                    clear();
                    fault.hidden = false;
                    setText(fault, faultText(condition, problem));
                    onCount(null);
                  }
                  async function explain() {
                    const condition = input.value;
                    const turn = ++serial;
                    if (!condition.trim()) {
                      clear();
                      fault.hidden = true;
                      return onCount(null);
                    }
                    try {
                      const answer = await call('explain', { app: context.app, condition }, { signal });
                      if (turn === serial) draw(answer);
                    } catch (problem) {
                      if (turn === serial && !signal.aborted) drawFault(condition, problem);
                    }
                  }
                  return { fault, count, canonical, sets, explain, serial: () => serial };
                }

                /** The topics and groups that begin with a prefix, each as name, kind and devices. */
                async function namesWith(place, app, signal) {
                  const wanted = { app, prefix: place.prefix, limit: SUGGESTED };
                  const [topics, groups] = await Promise.all([
                    place.kind === 'groups' ? null : call('topics', wanted, { signal }),
                    place.kind === 'topics' ? null : call('groups', wanted, { signal })]);
                  return [...(topics?.topics ?? []).map((each) => [each.topic, 'topics', each.devices]),
                    ...(groups?.groups ?? []).map((each) => [each.group, 'groups', each.devices])].slice(0, SUGGESTED);
                }

                /** Makes an option of the list; `take(name, kind)` takes its name. */
                function nameOption([name, kind, devices], index, take) {
                  const onpointerdown = (event) => {
                    event.preventDefault();
                    take(name, kind);
                  };
                  return el('li', { role: 'option', id: `suggestion-${index}`, 'aria-selected': 'false', onpointerdown },
                    el('span', {}, name), el('small', {}, `${kind}, ${counted(devices, 'device')}`));
                }

                /** The list of names below the field, one of which may be chosen; `take(name, kind)` takes one. */
                function suggestionList(input, take) {
                  const node = el('ul', { role: 'listbox', id: 'suggestions', hidden: true, 'aria-label': 'Names' });
                  let names = [];
                  let chosen = -1;
                  function choose(index) {
                    chosen = index;
                    [...node.children].forEach((each, position) => each.setAttribute('aria-selected', String(position === index)));
                    if (index >= 0) input.setAttribute('aria-activedescendant', `suggestion-${index}`);
                    else input.removeAttribute('aria-activedescendant');
                  }
                  function close() {
                    node.hidden = true;
                    chosen = -1;
                    input.setAttribute('aria-expanded', 'false');
                    input.removeAttribute('aria-activedescendant');
                  }
                  function open(found) {
                    names = found;
                    node.replaceChildren(...names.map((each, index) => nameOption(each, index, take)));
                    node.hidden = false;
                    input.setAttribute('aria-expanded', 'true');
                    choose(-1);
                  }
                  input.addEventListener('blur', close);
                  input.addEventListener('keydown', (event) => {
                    if (node.hidden) return;
                    const last = node.children.length - 1;
                    const action = {
                      ArrowDown: () => choose(chosen >= last ? 0 : chosen + 1),
                      ArrowUp: () => choose(chosen <= 0 ? last : chosen - 1),
                      Escape: close,
                      Enter: chosen >= 0 ? () => take(names[chosen][0], names[chosen][1]) : undefined,
                    }[event.key];
                    if (!action) return;
                    event.preventDefault();
                    action();
                  });
                  return { node, open, close };
                }

                /** Completes the names of a condition while it is typed; `serial()` is the number of the last count of it. */
                function nameCompletion(context, signal, { input, serial, onTaken }) {
                  const list = suggestionList(input, take);
                  let place = null;

                  function take(name, kind) {
                    const end = place.start + place.prefix.length;
                    const rest = input.value.slice(end).replace(/^[^'\s)]*'?(\s*in\s+(topics|groups))?/, '');
                    const text = `${input.value.slice(0, place.start)}${name}' in ${kind}`;
                    input.value = text + rest;
                    input.setSelectionRange(text.length, text.length);
                    list.close();
                    onTaken();
                  }
                  async function suggest() {
                    place = placeOf(input.value, input.selectionStart);
                    const turn = serial();
                    if (!place || !context.app) return list.close();
                    try {
                      const names = await namesWith(place, context.app, signal);
                      if (turn > serial() || document.activeElement !== input) return;
                      const isComplete = names.length === 1 && names[0][0] === place.prefix;
                      if (!names.length || isComplete) return list.close();
                      list.open(names);
                    } catch {
                      list.close();
                    }
                  }
                  return { node: list.node, suggest };
                }

                /** The field. `onCount` gets the number of devices, or null if it is not known. */
                export function conditionField(context, signal, { value = '', onCount = () => {} } = {}) {
                  const input = el('textarea', {
                    class: 'mono', rows: '3', spellcheck: 'false', autocomplete: 'off', maxlength: '16384', 'data-search': true, value,
                    role: 'combobox', 'aria-expanded': 'false', 'aria-autocomplete': 'list', 'aria-controls': 'suggestions',
                  });
                  const { fault, count, canonical, sets, explain, serial } = explanationOf(context, signal, { input, onCount });
                  let timer = null;
                  function changed() {
                    clearTimeout(timer);
                    timer = setTimeout(explain, REST_MILLISECONDS);
                  }
                  const completion = nameCompletion(context, signal, { input, serial, onTaken: changed });
                  input.addEventListener('input', () => {
                    changed();
                    completion.suggest();
                  });
                  signal.addEventListener('abort', () => clearTimeout(timer));
                  const node = fieldGroup(wide(field('Condition', input, NOTE),
                    el('div', { class: 'suggestions' }, completion.node), fault));
                  if (value) explain();
                  return { node, input, count, canonical, sets, explain };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA51Z23LbyBF991eMvcoCsGBIWm9SW9LSKpeldbnKa6csbeWBpsMRMRQR4cJgQFEKzar8Q_4wX5K-
                DTAgKTm7TySBnu6evp5uHhyo12qamTxV06pWWk2qMs2arCqPVdZY-LkoG7WcZbmB3yqzqrmfmzRWpq6r2qpFmZpaNTOT1UCbL4oy
                VqUuDNDNdAOPinluGpM8yYp5VTdqpUwes8BYWdNcmrsmVo2-
                yo18fKqWwGJRXJk6ZvEojk68ravFPFbLLDVqraZ1VaggOUirIvmHDU46EROdg5BPZrqwhsQAj3Lin9HzjM88OXj-
                XF3OjCr0XVYsClVNff11bZRdXF8bC1ok6vnBE7CPbdTFb2_fnl9cnp-pgfrppGUy1yBR6WnDNlG5Btobcx-rrFRFlueZNWhgG6sr
                A_Y2RNWaHM0rN_ZkfQJBf__13fv37y7O33z8cHYBMl8eHoLu_P7Dx8tzePTstVVBbm5N_ucAxTXVPJtY9f33KgxM6T_6-
                lXlFdjIqMFABf-aBRFSPQ0DUL4--PEHor1GW9soUc-
                eKLWvgg9kFOdP8EEzA6p_LqrG2MQ35DzXYGowI14NTcmWdJHDYXWTleAYXaZE1UAQ9AwCZm9OIAjyXFWLxqK_gaEIQ8tMF-WELEb
                SPk7DhuKIDkZqBSqzbYTpgEQkNs8mJjx0dCctGXEGKiZP0G3vILDvgPGz4BkRZlMVMtnP6hBNGAqxnedZQ2RJbsrrZqZeqKNI_Un
                9AOYdqMNIgaxFXdJ1OpEcJD3FWKuk0M1kFh58GX4JRs-D08_2eVZ-tvshe--rOOaAtBLWK2UbXTfHcpF9dRSreW2m2d2xuxOLaN9
                HMfngmPU4TYZHI7U-ebLu_JhnJVndKwnsyZm25CWqADG-
                R72lEnDN4Drg3DvVi7xJoM7wCw5xq67ut7xJlFgSwlYmXqSCslCwW9ENT0N5BHEK94bMBjUl2zGS5W3C4qLWAa4OuONeAJAu4I3S
                LBXKPy8nFVwnjBJD3zp9oi6K-
                nLI7SfbkedYnhnHMqVvIcn0TpALdwdh8LmEJAW3ddTknkHnG1GLmEQSlHRseDjyImW8t8KT68_l3iqASlibudGNi-U2gJnN-
                ovaW7lbQvpbfW3W416UcH_oh0nMUaDLqsygzGBjKWKKhNTcgpIW6ZEEIq-wHCf4U-
                LEDwhzBwleavwOZgAJnOc2uy41lPgVRMB8AQ-
                q8g0psvaTn_iBjUweBpANAdJPwKz2WAUUs_BklqWpgV7X1AtoQHWVG3gJpbFuAmDWmZvvKbz6nPBN0J4FyzULC4djFfz33_8JfB6
                tRZgPRgGyQlKfDtoixiJ1wzA462xm9GRGRoNTw-
                CSvwTfCUUwIh5QnoFDnZEY7BJKteac5EZDBJKNlGu_Id3AV9d75VRuVaR3Nrmq0nsMHiy_bwAdpLUpQyJY-wLTWi9DXdqlqZ1U9j
                LbHW8Jhj_ZpY40QjmdSOiAHvwtiB5WVY50OfstxZMkkTNEU-
                h5GKKxIzV4pUI6rFp0Eg43nIeUeBBq6vi7vRVjFzrvtI7W41EUOY0lWDduttt4v6C1HqyGynn0ZJdppzq3G7YlivjxOruhJbatVj
                dt78uJ6qdnVrYR5XLF9YsB52dyq3PnZSahWjRQ-_scqfyKantX0Jo6K8LIsd646iNx1Na6rRvwHcCT9X3HlbsxuQLY6KXOGgKQgJ
                r4dpTtej4_VlJ_EvgRe7dcIwGXJKkZ7jZ8TUABfM2olw-iEQiDfq_CDcfuZEA4jSUl-grArkmjx8Oku_bahwsSBy7VutTB-I-dX2
                MRe6xCygRRoo8TBFRiEWdowijhylwDPkSYCK2BsQhnCsQQwUIGIHROMoBK_0aEERb_G3AJKWNjRbZnE_i1fqmxWIADV0zh0A-
                dSpz8PCsyQEkdel93VXfIF4nlFqM2GP4KMwPg9gRjYkjmZKakPvom4BOBOmXIeizxwwwhfFi5XpTEOxnJiU1Gwn8no5GPA4dQyAQ
                nnibimNNTNRxFGzVtSNWJKGLVKerXrJHoiCxZgdNEHPwIy2se0TqV-yxHHXpqnRC14fSrvjEYSaqak_NliICpCaaBcQNvwy5yorF
                qiB6hAz7uIwd88pHYhMPuUOxibYQjGYCrmJj4kVSV8yoDM9dptcTCEsJIVTZ0Rc5M-
                o0hhZ9nhlLJlaVNHalueg7CzpFnVFEEL_BV4UkGYHwssyY8ebG3IgXXY7Cmhrx7YU1uJuD-AE5RaQ_iDWXX7DEUYue6lPaE6kBro
                qcFxJM8BiSIKsK3vZXrtdtNdj2Ooo2xwDbdkHxl8mrJIJ9H-
                oqHhuUsg0wv9D1QqMmsAuj9iAfhUN95nRneg7hQQN6mp0powQKlFrlvU9TxqroTowYdN7uF-Ni0uYaLoF1pynXID5EUX3MA8e6e8
                G3g0QtC4x22mlXwIiSntf3Q0dJTDhHMUdQ8mQj6GCUAkM8hTTiZoHZVlmELxpwDF68b6IdXiwYQYT8aIJPgTXkdumNUSlgN18uxl
                dAT9YomUu7KO7hquMutSY2dmDLVhGt3xqTwNRCFwqw2RXVrvslvG-
                VMcjSbsxhZZkdT37C6evgK0Lugp5BhJE0i_8Qf1rOaA1CcQqKkra4SG_TwpFN_B7ok0q5gSvEhB3uFynsl0e4c2DeLB-z-
                LzOgGZ0VJExfHLU3ZBY6Tc-xoGHCmRLwa3CVL2o4Tf7hFcgDhDfmHssP0G7VSgw8T3c3ivtQkHZkA9VLCW-
                T4pPqiaBKB5Fe13W1PAPZDqHI7SRaINiJ-6k6xF7KD2n54Z__bb779M-QKnCUOLSnX3inz-1Ez6HekIXah1iNW_JXzIPZt-
                XPDvn1CGZzWZe2T45GEUjDZcoU5vSU2a6H3HTA0iMPK7M9-kZ9rDsxvYxp_f0Rmj-mGBePeyjvjSz9bLvSs5uLoa0FMVR7RoshVP
                lMTtJg1HZ13Y7VtA7Ybt8iF1V-
                ePJnKdh4LsG8ZX8DQM1q8Fg7cVWdt5YDWdL5eb_ZtHqjjkHkJjCO9zf7PcgpgewHcW1IJ28wEkwEvCJXO3j999lGuAEMH1gBRqcH
                3lgugxWuUgfY3LcF4Mqq0zRaw6gK11rTulfAwNivKnRWVpRwL1R8o-hcUBMCK33S5bWhJazcOFbeD9EQvZFIuXczJjktfGi-FMe1
                3cF5yW19PT3jVitR6YIuuWPodHHpJRLz_fpVPfVGvHZvuK339gDpegGPDFtTS29ylOlla1B81aqGqqTVZFFgLnNvOodpDn6ppwOJ
                nX7aOz0y67IVg5m6jtRSRAVHOEByvTnE4kMP_Xj1dXraOw4adbwfMY24mbolMdiYc1c-
                Ve_k1pCKNemYCbk8SThsDKCEPBM1lnF_rK5xf9YvOC2wrWoerbKpVKuyatRNCS2E6g90TfwLqQMnrsL9gkJ2lSGXJEHQbSEHUvBX
                a7g2dKteTSLnCWxFZro2GsGrrHN4qVhUZUU7xSX-eglf7dzk-WRmJjce_NeLpnJ_yeAsMZ3Cw0Lfsc_gydFfXv70I0KAVDeIGXU9
                mQUO-3LekFwBzsDrqmLkvIEiPKGCmDzRgWDu9iXaCVjaYBN9t42HbfF7FxFkzt-
                _E3ZFvskKWvK4f2I87I71Kw17W7VLoK4WTUinXOILB9ynyetWxa3_6dqq5tZirp1Jav6R_nbsdJVrPYTJ6DkiMg-Mtbd0RdGJT9o
                62yEDt2Xa4kx7p5bzDkt5_pUJrfvzNsT_bkP6HQZvXHIFsbst_pcZdVNsmt32du1-
                LOHazbsCiopksxm1_9hRiEfdnnIH5hHJ34hArjn_A3HroB8uHwAA
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
                /* A time with its zone needs this width. */
                .fields.roomy { grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); }
                .wide { grid-column: 1 / -1; }
                .fields > .buttons, form.fields > .buttons { align-self: end; }
                .two > *, .grid > .card, .grid > .phones { align-self: start; min-width: 0; }
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
                .line-apns { stroke: var(--accent); } .area.line-apns { fill: var(--accent); stroke: none; opacity: 0.85; } .key-apns i { background: var(--accent); }
                .line-fcm { stroke: var(--good); } .area.line-fcm { fill: var(--good); stroke: none; opacity: 0.85; } .key-fcm i { background: var(--good); }
                .line-web { stroke: var(--other); } .area.line-web { fill: var(--other); stroke: none; opacity: 0.85; } .key-web i { background: var(--other); }
                .line-in_flight, .line-batch_p50 { stroke: var(--accent); } .key-in_flight i, .key-batch_p50 i { background: var(--accent); }
                .line-bulk_waiting, .line-batch_p99 { stroke: var(--other); stroke-dasharray: 6 3; } .key-bulk_waiting i, .key-batch_p99 i { background: var(--other); }
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

                .payload { margin: 0.4rem 0 0; max-height: 22rem; overflow: auto; background: var(--ground); border-radius: 7px; padding: 0.5rem 0.7rem; white-space: pre-wrap; overflow-wrap: anywhere; }
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
                  nav { display: flex; flex-wrap: wrap; gap: 0.2rem; }
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
                H4sIAAAAAAACA80b247jSPW9v8LMaqTuUeyxnTidpLUr0CIkHuCBBYQ0Gq3KdjnxtmMbX_oyq5b4B8Q-IB74DL6HL-GcurlcLifp
                YVmh1U46TlWd-7WOd01Vdc73V46TVEXVuG1yoEe6c4p8f-iclDT3d_Cb6-6bqi_TnfNFFmXrbHMHj9q-
                yUhC8VmW4YOOPnXwLYiDLLxlK6oMH0SbtX8b4oMiL3F9mtElJfggy2mBp27i7ZJEHBRJElrivjCL4tS_U48kAAFOPBRA6C1Ns1gg
                W1V4aJDdkhUDgw_UQj8LKSMgJrgqXobrgIrvclEW0zVd4cODQJBExPflA7WM0Czd4tOqO9AGnqxhXZJyNBqS5n27cwK_fsI1x6qs
                dk6fsz_aGni3cN588yvnN_D1Dfz5NWkT2ELUg1_S78gfe-cbUrbymdp6d_Vy9fMjxeXXdUMz2rTuWIQovBsm2h0KeVdW3fWHlHTE
                7XDBl2-
                YjN985GtGQg7CIArisZADEtBwrckZOLSlmSZnEpI4TjU5h8kyXFJdzuv4drXZ3Al4StIbQrYjoQoQPg3WS38q7DAMk9WtPEaIe52
                ly21iiju4XUZcG7m4s2yTbdaGuFdRkAWpJu7MT_z10hT3Mg6zYKWLO_bJChAHRF5AHozPIxajDN58tNiXxbJ-Aqb_KCz_v2C4jdl
                Cn53vbb7szrHZS9k1pAVIx6qhYAfcUuBTsveBNNec9zcDi_lDxl14-
                gIHv4MtcfXktvmnvNzv4O8mpY0LjxDsh0OeprRExNK8rQvyvHPKqqTOz_JjXTUdKRl2h-5YwJKsQvkEUf30PvBWkdM-tx09un2-
                cFxS1wV1-
                RP0HXRfUecPvwa_8LsqrroKnv0WPpjHgIctfLgtbXKQc5s0VVHEpHH3fdchL9uOxAVFyHGVPgPkI2n2eblzQPoxSe6lYnJy-
                Tegl_HW4Azi7MKTHEhxy_4IIJOdA-f3BQCEB-3dQPq-yUHy-C9sP8KzDngaZI1DekD9vRMsvaihR-
                eYl0fydO0v8EcAAt9BOVCW6FL9hwNjWrBwDiH8v1w49cLpi4WT5fu-AdeaFmOaapKmTDo-buzx1yJvQcG754JyieAPROqPpJHbAS
                CAxLrABNqgHrhVlrUUcAnrJ46JEB5qAVIEwgMyBHMeBeLrCKAXFCXgoh9nCLm-
                5we4FE4JjVNmjoCVy_FK39suLYt9trg9kgJY46FWm_ThMylDedTmtuH4JFUKrKyRnx7GHgkzI8e8eJZH4C-zR-yyKulb9yFvc9A3
                OKDqO25IoQda7rRVkacmr8WaMZOFWcm4uuKMPxIQMIOhny3F6fVlS2kJP9VVm3d5BcpAYoDZd_D7Y552B-
                AynqR0C79UD7TJiupx53DjBb0v8tqtCS7P4cjuOvLf3jAI7X1ez5xfUPQiLqrrIyhQVTPt--
                TmoEVPO2drszTh_W90jfXWaBGB4CiDqEjmMJiYrw6UAIfgITOvBvEPwKSWp-FIvir6RzJBfurIIBYoX4aMsuqsoMA2_NdN84YmnB
                OgaP0RmLcntdTlgU1tlyf3zwNbDOOWInDhdHQNjPK4IWWqO1IOl4CPL90c_AnoBaoQbQRQ34ssZniLZjEyVo6czbkxs09pUjWE48
                1VSxNOyDmykuLhSLYPe0BUapjHsVA0iu9ZXhQTR_NyVZIHnUjhMpEe4W1wAXqqxwMQzTwJ0_nHhtQToXzXA6ezZxbuWPBny92Ydo
                8UNVujZCVIWXPsDIO7RdivYJHusUPBHIb47oDCxaA5H2fE0g8YVdykbxpA_aN1i5aomPFJsdTmFPH8-zg94Q-
                RJbcsGI38XIWOu3tmXk7qXkuLbFA9UIKuqopWRSCXKTlXY5tYuYXPuVDv8VBNlf6cXE8ZxUqXL8PttNnzNRJLZZqob0BW-
                fwI6RmV3hidofIWDBR4T3KsryFGNZi5gON_eFwwnbgRmmFjirRKTshAZkcayJggOXCFdW04OdLWfP-tSDC4_wHtQ9QyyO0G56j9Z
                PBVwA412AYTdYs5Td3dBbF2eaksFAleUbWTOA7p9Yyii10xJH5VOagkDxzStWIS6EH4lPyRuZlgVMtyNCC9QB0z-
                KHtFvIfsTgYCStc24Q6HHXlYRSbqjuLLVzhuJs76fS5H9tKA2JHepwD7RwLvIQ0qdXFmLFyVkSGx-S_8W_jgL5lGHINhw8_mrUCc
                EGnrACoEIxlsvZw50zskPY0I9-G1pR018gNqG66hczA4eMabWrBRXfDE3Ke-
                3SP1ecBG7L7JRw2BRVsOKiQ5f4IKS9oa4F1kpbVwigjbgymioN_IqGvTbVksGOdqrioknsjN4lm8npbHRHiUpY6D6lGGN3ZEwWJA
                TwuLyoLlhLxsoLkDYsCAhXekZW_l_JAZ8G5YA6QGIB2Rsm0pEshMjlS9h0GSXGzXxnS5A5UHuVBgWN3BqpDMT7QHbHvILoDErG2a
                ypgwC6mWdVQxmxhyG_-_fd_Om_Y0gzkZs-KZIPlHA248DUauTI1kjZN1dhDy6gAh51nMgF-
                1A5Ms2PdBW23rzKFrxxj2ahDoh2D3Uu-6MbOxH_8jTMRqiPW6sBiUCL3NPh41vQY9BXILEjdUlaqsL-MNGJcYcuqmNSY58IxLPNl
                nnnHCrHL471MrOIKYtIRf1DGxcIQcEYQMkD7X5Ww3cFKytTjnCeOJ2J2Z9MdFk6X6tkhEC38wS3_EF_vhhYa586M5wUSwQ-
                RQuJ9BEp5T6trdgVpwSgPaMYMqnEkU8Iu9cr-GNMGMDuIPw1eNLx9OEcTa54BNFtJw_uQx_zpGlS9bfbxwuLlnFUE8a6DmhEOb2Q
                FCBh3-RE9LIc1V-uhgQjTsQnHzFQZ0WnhQWDrLo-
                mmL0JU5u05YQfDqOhQ2HrSmlQ07kWlL4mHTfvTvgZsJcDa8AoWvKSBUARSjUW-
                BuuZZG1vN1u0Wws6jy1gxN165lcYU6ISAPkp-3zZ5e4g0fDHzV9Gp9v954__EuEILYurS6IQyMsxnHnFA549owH_6uOAwbQs-
                HXFnIvwIFdOlhx-MsPOg4xSc9lFJY4eYkgSHomitVNtW9oizZKashl4ZREtTVHEUqrAMY9JkPPd5pbHav8NFJMSRbqa-
                apdlV8UejvdmA48X3eufIJMMne-VFF7om9D6To6QkLMfcfq0_nAWtbPb5mhoMG26YnyTshTSSiX4cHeyktcmA1TWdti90nsbUZgc
                R8VvuGdZAXuS365TlTGZbWtERHeI4HmIZy27Nn3LwvMq477bXpizyqIDHF6wf2zePu2by9EGmRPS6YO2fi1Iq3Ys0QZW0UGId-AF
                v8Eizt4_zp5rEvV3lZ91Ant7SgCXxi1gCGTtQtXl5CkMqHpFB9_5xiUyqXrSmrJ1TRKMaNerCiJJ9zH76i6UP3XNMvkwNN7uPq6a
                Pexw7MRnYwBYQawSOW3T9ogZ15RAAz7fdonZwZEY4LElnQa1IAs2faJdPE8ZaVOHvYIq-
                4jPoZymcoG4SmhoPqzFelt_9dnyUIRn2WEfHKtt6_c37BckSQDSTwOWRNnzBul5QCZt0hb7nQPOfde4mw11TV8XlexS9AbWW2gAA
                InXT8nPeOG-ic-kp13xZgHFBeT55jpNNa6eCsVIfpK-cdeA_W2YL1WB5pX-sDUG3unumOdenuQNrrr5hDvBnUeoWW8HKlOqSG-
                Y4SwCjyf1qD1u_bbOac9E2LyNRVzu1iJsfk1PFChdfToLxYDqc3o4LYGtDFZrkDq-vhFiQakEhpRvqiG7Z4dZODvT-fDjsnoVuey
                psnBSUl5X7mSsmWlem_jEOOEps6-s99TrsJh0Z5nQ6Up2h2SmTRz2PO0L-
                yezLNMs71ws87SyiuclJUe0XIpe3MYGVPdgZO2a4EtQugJW9xC0qHiwB0KkufXZlsw4dHBvnJbQ8kxVTUd0If8FvjP1A5X_sO_vf
                eWYqehaAGfcmsG5b9Gr4WMm4gIm2q2lATPD7wgVAnXAEEqMd1CJoUJjduwknxW8RLByNkQYyRD7zUfGszUg0hti7L90MraFqT2qr
                uV94YKlAeVNcnO8IS8orfMHlZQ4501KFqKIQWSHe1VCFQAVesH1-
                Rs3REGwJ4Oy03uqpPDmBOHERNSveZHccSzFb2sW1tshF3bsPZXNPqO4VndekDcK3VepMCrofejTkEVEfhGzCyXkPSkVzj_Mdbx3X
                W9RNETlcNjsjdTzO7_3RtWetRNgAxsx4h8Yx_2MBi4XiLIoAFUZFUY4v6nu7MDlvSVUB5lsEfbKPbAlHoxPh6Nl4EcpxcPHEfx5E
                X-T4bduCw-WZXpZWbi0CJXXjedxVmkMyCueKyADQhQ4hVbEwJuJemQfSWOBVzEXVeQfe0TC_3woF2t3f3mipHAIpNy9PH7EY2P9P
                y0tKepScnL-Tp-XyrTKZKcv5jqIPtAyFLjAziKrWRS5eTmx0xvfE1kqT0wVXVMORy7AGZCG8oiVl2Pt6mFGq0Vh7AtUyf1IjYQff
                0WTsiX_AnhHFlviYXKPOiXOIbT_BVlfmArqrjdVz5ujGqAjexXiIWzyCm7qoYEEjmvhVNgDFCQwNgwEhbrOMkllqRUlvyk20GgQ2
                pWbAcYzKkkjouYql1CuoSSbL9-
                dmuDpdEcrxIwfi6z1Qt3HyRKj3SqfqwIWcTHb5QR0cuuwQf3G3HRwETCOXltxmblFbqTbrk8G0d-
                SdliUDU1kFt1d4LhRP3xf23jwTCdrk3ENhuZxk19epr9OoCLf1MEzM49FK2QODHhOOBqrNmrGyKTahhYzvojDmltANvAGlNfxQV1
                KTUu_S2cVxgRCoDVcXzqT7Gi1g3veYP1mZtgEzDIXNcASK-DtZ-SkGkX6xIlG0y-CMky2XkG9MwYziQvDA2C-q-
                oEu6zYiZxG1m7lHVSEDdtwdLqh-
                uNpDob50wCiHb367eDiXMF8Eq2ATZtAZaGkW5vLW0j-3YmyuhGPbJhjElMUtrmf3bnhu049R5eVKVk3nflQrlskdg9gwM-
                jamGNXLV5Ix7KUrg07rLNh0zlbiGr9-hHFU1g7nsHF2TT-
                idZSu45nShPMJUyjzDrVuqGtMzMobB_bqhvzCHAGb8dsha7U1btXkDO-hwzi9TGF2Rp6LiowuNcWFLDamsChWEgpHkpeTC2dvHGf
                7R9FwwX43R_8pPUsgFnWvnvs3Ad1ZpjEuGdW5iCocie_3e9pi1dfOlKHGIvYCiK1SVNP5EEXZmAT2Iti7Kewff5ReBxuzq8EL1x9
                vmoyb5qgxAo-cpdkXCTZvdZ-
                64qn5oFeBMbqrT9XrfClyY0Aj0n2UgRxz_59j0zOdy1N6OEaSz4Xzmxeaftk1Pb1kOhz1GX7txrdPoSiSXjFih_kBa6bpPF6urLY
                LDkC-eqYpSsTHn_HdQPEClvFOFFM37cWo6f2T41he-OAw9dcswACSIQQI2xu983HxwI0lBPKrDn2IHREz3mA4XTCHo228mzYZBHM
                c60y9_-
                p7lg1rOaoLDMcR4_X6BLZvTr7zlTizhvcXtkHyQCLJRmIvvkPEHWK09TQdoWWWlW2XvbfRTHOgMVX1gmA_a5HYeHtyQlqQrwifCP
                JFex1Zc48sR8PbhQtp3NhodIYx2dFYrOijWl7shNK-T2gK8Um-
                juLyn2iZsPc88foHX2s7O2jAembCkBhN6BHbMdSsahAYS0aAFJ7jSyiGT_qalA-
                k_T0kI4wwHAZZqBstOYlsxgfezwMDXPDCUCtAxue9XP0HvzuqHNA_AAA
                """#),
        EmbeddedAsset(
            name: "credentials.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The credentials for APNs and FCM: their facts, when they end, whether they are accepted.
                import {
                  el, card, table, tableRow, rows, fill, setText, number, time, chip, showChip, pageHead, errorLine, softLine,
                } from './dom.js';
                import { api, pollWithErrors } from './api.js';

                const DAY = 86400000;
                const ENVIRONMENTS = ['production', 'sandbox', 'fcm', 'web'];
                const USE_NOTE = 'All since the start of the server; the times of the last use and the last refusal are right to five '
                  + 'seconds. A refusal is an answer of status 401 or 403; after ExpiredProviderToken the server signs a new token by '
                  + 'itself.';
                const TRIAL_NOTE = 'A refused credential is tried again by itself after 1, 5, 15 and 60 minutes, then every hour. '
                  + 'After a change of apps.json, reload the server.';

                /** When a credential expires, and how many days are left. */
                function expiry(each) {
                  if (!each.not_after) return 'never';
                  const days = Math.floor((each.not_after - Date.now()) / DAY);
                  const kind = days < 30 ? 'held' : 'done';
                  const left = days < 0 ? chip('expired', 'bad') : chip(`${number(days)} days`, kind);
                  return el('span', {}, time(each.not_after), ' ', left);
                }

                /** Shows a time with a text after it, and leaves the cell alone if it shows that already. */
                function showTime(cell, ms, text = '') {
                  const node = el('span', {}, time(ms), text && ` ${text}`);
                  if (cell.textContent !== node.textContent) cell.replaceChildren(node);
                }

                /** The card of the credentials and the certificate of the server. */
                function credentialsCard() {
                  const list = table('Credentials', ['Credential', 'Kind', 'Team or project', 'Key', 'Expires', 'Apps']);
                  const server = softLine();
                  function appsOf(credential, apps) {
                    const names = apps.flatMap((app) => ENVIRONMENTS.filter((name) => app[name] === credential)
                      .map((name) => `${app.app} (${name})`));
                    return names.join(', ') || 'none';
                  }
                  function update(settings) {
                    const create = (each) => tableRow([each.credential, each.kind, each.team_id ?? each.project ?? '–',
                      each.key_id ?? '–', expiry(each), appsOf(each.credential, settings.apps)]);
                    rows(list.body, settings.credentials, (each) => JSON.stringify(each), create);
                    const end = settings.certificate_not_after;
                    server.replaceChildren(...(end ? ['The certificate of this server expires ', time(end), '.'] : []));
                  }
                  return { node: card('Credentials', list.node, server), update };
                }

                function poolState(pool) {
                  if (pool.parked) return ['refused', 'bad'];
                  if (pool.failure?.unreachable) return ['unreachable', 'bad'];
                  return pool.attempts ? ['accepted', 'done'] : ['not used yet', ''];
                }

                /** The card of the use of the credentials. */
                function useCard() {
                  const list = table('Use', ['Credential', 'State', 'Last use', 'Last refusal', '#Connections', '#Pushes',
                    '#Failures to connect', 'Last failure']);
                  const create = (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'),
                    '', '', '#', '#', '#', '']);
                  function updateRow(row, pool, use) {
                    showChip(row.cells[1], ...poolState(pool));
                    showTime(row.cells[2], use?.used_at);
                    showTime(row.cells[3], use?.refused_at, use?.refused_at && `${use.status} ${use.reason}`);
                    fill(row, [undefined, undefined, undefined, undefined, number(pool.open), number(pool.attempts),
                      number(pool.failure?.count ?? 0), pool.failure ? `${pool.failure.reason}` : '–']);
                  }
                  function update({ statistics, credential_uses: uses }) {
                    const failureOf = (index) => (statistics.failures ?? []).find((each) => each.pool === index);
                    const pools = statistics.pools.map((pool, index) => ({ ...pool, failure: failureOf(index) }));
                    rows(list.body, pools, (each) => `${each.credential}/${each.environment}`, create, (row, pool) => {
                      const isOfPool = (use) => use.credential === pool.credential && use.environment === pool.environment;
                      updateRow(row, pool, uses.find(isOfPool));
                    });
                  }
                  return { node: card('Use', list.node, softLine(USE_NOTE), softLine(TRIAL_NOTE)), update };
                }

                function show(main, { signal }) {
                  const error = errorLine();
                  const credentials = credentialsCard();
                  const use = useCard();
                  main.append(pageHead('Credentials'), error, credentials.node, use.node);
                  const read = (path, body) => api(path, body, { poll: true, signal });
                  pollWithErrors(signal, error, async () => {
                    // No sample has such a high number, so the answer comes without history.
                    const after = Number.MAX_SAFE_INTEGER;
                    const [settings, overview] = await Promise.all([read('settings', {}), read('overview', { after })]);
                    setText(error, '');
                    credentials.update(settings);
                    use.update(overview);
                  });
                }

                export default { title: 'Credentials', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA4VY_W7bOBL_P08xixYrqatT0mt3sUjOFxhZd6-7jVM03o-
                DYSSMRMVsZVEQqbiG18C9w73hPcnN8EOi3WS3aBuRHA6HM7_5zTDHxzBbcshbXvBaC1YpKGUL4_dTBawu4M3F5SnoJRctlCzXKoX
                1ktc0swFeF2aIg9bOsJYDy3PeaF5kR2LVyFbD9giAVynkrEV5ze4q7n58kOsUWrlGraWoUERxPeOfdQp1t7rjLYqJFQrnS9Hg4lK
                uL8xXw-
                75vzhDbbxtZftO1CikZKnN19EOylauIMqOC7nKPqrorDcFWCNwv6yq34ReTmi3gkEeV638US5rpeGH8b9hBN9_9_qE_py52cn017
                cfrqaXk-nsGpfnUdPKosu1kHWUQqTQb3fyM32W-Yp-rPldtPC7f7me3EyvZhPcGY2rCpSoc07uA6UZ2ihLO-DtA2_PzDd5QfmFiq
                GSTnETnn6i5WWnWGUi0Ir7pQYt0akPHCJ0_zdoFcfjC5XBuJcVFGL8q9YYP9SO5-
                tOweuTl4AQeH3y6gxYqXFt8rkRCJD3rXwQBW9n8pOFgDMSr3Bfoy6o-RqPpcW7jT9XaMWrMov89Wcf3o7fDQ6wxvAiQCDZpVuBc-
                yeCaPLKnHWvEzh2xRefmsc8N0JrETdaY4Y0oRMjgZtYCm7NvMmjM02hjBi9T2nm7KmURhoWSP8eCVZEdyGTD06fvECfiN1LDSMGz
                _gSXQyohFWrN5AwTbK-L3ipc7gxfFR2dUGDXbDJuYsXyYmD0QJ8Vc0zGqpb8x9EjRBd20NUU224-kA1lVG8QgumV5mZSVlG8f7W-
                Fv8APTHCfWcZLAMeE1GfZ_EmjmyKr5B7w6gXOIlrwqIjiFqJA1D84i2wdZEqWkiyN75YJQfMeKKMGtZuH2-
                dbmaExbkp3ZeZuaM40J7lK8iiPVMEqM7c7m88ElElQNuEwW4M6ddf41upcgRRtgjblK30gNDgNC2yBUnD1galD0co7JxCq8FnlZa
                MMXtMRwU9UiXWz2g0PrM7KHdqawIgTRCQjLyEbLuqaWBcfJx26yUonb9PXXcAvPt_S9uzUOoFCT5ozmLmStEUTw1Whk9IWTiTE9a
                3lTsZwjw1VFy-uYxAZ_GJJGAvUsEBK2J4Kct1qUIkdI7LPI_r2DrReoMQ7vWglFDjDsHEcXgyTeeh6MCQ8_Y6jp54yzFREGsuBHn
                muzxDf0w_IG7Y3GmHHRIgCno45Rz9uxWeytpBS9KuPB2NRMWWP70DAixpHN57Ji-
                pI1cYyjBEb_3OPpDAsMAieOaYtZRak5DRYwwqAM5yRGP0C2Il29OAIed2T4bwcxgh_nd8ltYozu0W7syT5KUcd06QT--APT2mfaL
                rxf1xQYpxgrnhb1_cG90BoK4ggcdeD5vmDGc5M-oV_MBCWe-9QYkBtRwPm5HbvA0Dj633_-
                G6XuhnYf3zhZu7bHWakPwxdnerszE5SFdwNmXEwYyu5ksQmkAsylwaV-ur6aZgrJvr4XZX-
                mvb1TaR3CDZMN6gak3_REYuUd4g-zKcuymJScI4xnj-UKFh0HScfyxEmWrpDRMJhZtEDymy9syHcDxW1NRp-
                a9DzMGeMLWk6ddtRkIw87k9s9Hhopq2tNkKCvoVrQKGtY-
                4kXfaWYR65qelpenIXSJRNV1_LzrKtbcikhJ9gbzO7tdwJGBdOarxqtjL98R0fSpmwYRyCuTR9SwIabpCctT7AVtStfEtc-LaHMX
                9DRL4o_QkPGafTxzjVG_bfrc2j8DLm25uYgQ0fP3ndqScxkMBM9e2Ndpqhryq1or8a5c4-
                9_jRBkSoO8mWHtdlN8vpBtLJe4cIO62VfVRJnivEkWbj_nzv9gD7ouJaaaApaSpf3POKbZVrOqL6o-ctFCpgGB0BzadYXw0H-
                7wujEWGEQb5h-
                mnJV17SwRKFv5gwFfL5FkeZ7TN3YEfoSWzEXNEE8xCwd5p3dcFLrAzIa3_56ZoRA17Z8DrZn_J4Tjz3hYt9vuSyqw1NniTWpX4J0
                wBtD2d6s6mXIuJcJE9R_NY01ohkkas0wP8N3l6dkp_wCbLP_-
                6Qq5IQhsTOPxuIxYMib4cic5GUsL7VRTyg0RI_Gmyqm1UREiotUeUMNJopW_UsnIKDtx45qbftdDDSW7hLnigDRnPI-49kyPHj-
                WETDff2MDcKti6M9jICS9R7c1eITQ6gBEEraN3JCyZ-wRwikqSCEwexYPLMnfVUyinre2-Ed8Luz-uEJbOwPvg-yD8Qk2BueDUlT
                1YQSsx4hS8mbFDNkwyvuAvZ1DyWqZP1j-
                Z4n9H6hnL0ZY84CBKXjwa2pgU6lBoBrJSxf5vvV8LEPdXTPf63F6cYuGbXn0HdOgWzwadPCgQi17KJYIquSS_5U3wtduRAf2XSs_
                _Ej-1abwRTmzqHOIDS8TFMJSi2aioOS4bNQJfTm2OJb-n-
                txFKmhLmXsy5pOaT3iay0yiotGw3WZBj9qkygqnZnl2Of7-5Hr-Z3LydziY_Tj6E6Tj3rU0KEruEB8HXC-pr1wwfMvjuXgl0EkNm
                nLfGt17cPEaSFOys30qz7vRd35u5363EzgX4xnEGBAE5bEqtBAXIrfgTLLbt8wT7JfrdClIx6yr6HYsWukKcH7RCBE-
                C7P8BKnVA7HISAAA
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

                /** Sets the text of a node only if it differs: a node that stays keeps its place and its reader. */
                export function setText(node, text) {
                  const wanted = String(text);
                  if (node.textContent !== wanted) node.textContent = wanted;
                }

                /** Gives `parent` one child for each of `items`, by key. Nodes that stay are not replaced, so focus stays too. */
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
                  const heads = columns.map((name) => {
                    const kind = name.startsWith('#') ? 'number' : null;
                    return el('th', { scope: 'col', class: kind }, name.replace('#', ''));
                  });
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

                // Parts of pages

                /** The head of a page: its title, and the nodes beside it. */
                export const pageHead = (title, ...others) => el('div', { class: 'head' }, el('h1', {}, title), others);
                /** The chosen app, for the head of a page. */
                export const chosenApp = (context) => el('span', { class: 'soft' }, context.app || 'choose an app');
                /** A line for errors, empty at first. */
                export const errorLine = (text) => el('p', { class: 'error', role: 'alert' }, text);
                /** A line that says what was done, hidden at first. */
                export const doneLine = () => el('p', { class: 'fine', role: 'status', hidden: true });
                export const softLine = (...children) => el('p', { class: 'soft' }, children);
                export const emptyLine = (text) => el('p', { class: 'empty' }, text);
                export const fieldGroup = (...children) => el('div', { class: 'fields' }, children);
                export const checkbox = (label, input) => el('label', { class: 'check' }, input, label);
                export const wide = (...children) => el('div', { class: 'wide' }, children);
                export const buttonRow = (...children) => el('div', { class: 'buttons' }, children);
                /** Cards one below the other. */
                export const column = (...children) => el('div', { class: 'phones' }, children);
                /** Cards side by side, as many as fit. */
                export const cardGrid = (...children) => el('div', { class: 'grid' }, children);
                /** The terms and descriptions of pairs. */
                export const descriptions = (pairs) => pairs.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]);
                export const factList = (pairs) => el('dl', { class: 'facts' }, descriptions(pairs));
                export const messageAddress = (app, id) => `#/message/${encodeURIComponent(app)}/${id}`;
                export const messageLink = (app, id) => el('a', { href: messageAddress(app, id) }, String(id));
                export const lookupLink = (name) => el('a', { href: `#/lookup?q=${encodeURIComponent(name)}` }, name);
                export const progressBar = (id) => el('progress', { max: '1', 'aria-label': `progress of message ${id}` });

                // Figures

                const whole = new Intl.NumberFormat('en');
                const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
                const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
                const clock = new Intl.DateTimeFormat('en-GB', {
                  year: 'numeric', month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
                  timeZoneName: 'short',
                });

                export const number = (value) => whole.format(value ?? 0);
                export const compact = (value) => short.format(value ?? 0);
                export const share = (part, total) => {
                  if (!total) return '–';
                  // A small part that is not zero must not read as 0%.
                  return part > 0 && part / total < 0.001 ? '<0.1%' : percent.format(part / total);
                };
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

                /** A state as a word with a color and a shape. */
                export function chip(word, kind = '') {
                  return el('span', { class: `chip ${kind}` }, word);
                }

                /** Shows a chip in a node, unless the node has its word already. */
                export function showChip(node, word, kind) {
                  if (node.textContent !== word) node.replaceChildren(chip(word, kind));
                }

                /** The kinds of chip of the states of a message. */
                const STATES = { sending: 'busy', finished: 'done', paused: 'held', scheduled: 'held', waiting: 'busy' };
                /** Shows the state of a message in a node, unless the node has it already. */
                export function showState(node, state) { showChip(node, state, STATES[state] ?? ''); }

                const FAILED = new Set(['gave-up', 'no-credential', 'token-unregistered', 'token-expired', 'bad-token',
                  'token-not-for-topic', 'payload-too-large', 'topic-disallowed', 'bad-topic', 'bad-request', 'forbidden', 'refused']);
                /** What an outcome means: delivered, failed, pending or not sent. */
                export function outcomeKind(outcome) {
                  if (outcome === 'delivered') return 'delivered';
                  if (!outcome || outcome === 'pending') return 'pending';
                  return FAILED.has(outcome) || typeof outcome === 'number' ? 'failed' : 'not-sent';
                }

                // Dialogs

                /** Shows a dialog with a form; `titleID` is the id of its title. Resolves with true if the answer is yes. */
                export function ask(titleID, form) {
                  return new Promise((resolve) => {
                    const onclose = () => { resolve(dialog.returnValue === 'yes'); dialog.remove(); };
                    const dialog = el('dialog', { 'aria-labelledby': titleID, onclose }, form);
                    document.body.append(dialog);
                    dialog.showModal();
                  });
                }

                /** The button that closes a dialog without an answer. */
                export const backButton = () => el('button', { value: 'no', formnovalidate: true, class: 'quiet' }, 'Back');

                /** Asks with a dialog; true if the answer is yes. With `typed`, the number must be typed. */
                export function confirm(title, text, yes, { typed, danger } = {}) {
                  const input = typed === undefined ? null : el('input', { inputmode: 'numeric', autocomplete: 'off' });
                  const go = el('button', { class: danger ? 'danger' : 'primary', value: 'yes', disabled: !!input }, yes);
                  const isTyped = () => input.value.replace(/[\s,.]/g, '') === String(typed);
                  if (input) input.addEventListener('input', () => { go.disabled = !isTyped(); });
                  return ask('question', el('form', { method: 'dialog' }, el('h2', { id: 'question' }, title), el('p', {}, text),
                    input ? field(`Type ${number(typed)} to confirm`, input) : null, buttonRow(backButton(), go)));
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA6Uaa27bRvq_TzFB0yWVypScFsVCjms4zw3apEXttsB6DYgSR9KsSQ7LGVpRUwG9w95hb7AX2KP0JPs9ZsihJKdB
                94dNch7fa773aDQSL3JZyNKaoVioZVNLI9IyE1YV0iTiIs-Fle-
                sWGqYUKXVwq6kqNKlFKnhqVJn0kzgYVeqXMJ8ammRkfWdrOFRZrDViCKtb5sqOToaPXok3qS3hElIRp-
                Iqa6s0qWZihVATq2t1ayxEuia6vL33_6N42WWyxpGkMLpPE-NmSbi0ehIvqt0bcWiKecIA4DGZVrIoXAwxZl4vx2KJEnmK5VntSw
                H4v2REHOYYwZgRabnDZEyr2VqpZMLARqcwuKFrkXMO65v5WYo7tK8kTdCL8S3s3_KuU1gea2kiR3WASMRQi1ETIvF2dmZaMpMLlQ
                pM_Hrr6IbLhuQdW9kkeZGDpBIq8pGnrawAHtibFpb85OyqzjSZQS4kI0kzbIXd0DHN8pYWcqa1-
                ZqLuPHA0fygCFJgO7BEb6IZiMHydHBW4IdNGmkvfAnFHfCIDC2hpdzEUViEuDbwh9TWFWgEXFwFskiT238ugShKLsZJAuVW6A8pv
                mBOPtK0Jt44KX0l78EI604B4SnlrapS0J1erQ9rGx4ZJc_vjqoOuZu6XSnU8H_Q33eXsbRytpqMhqt1-tk_Xmi6-
                Xo8Xg8HgGmaCj-hHp1hPlTv-c4CO49Qr9XWJfSGrJfMm7AnjKHusw3qC7KikwtFmCHEz9FJg8KuTHiVsoKrB1AVHk6l2Sp-
                AUyyWR9WOLSXgGqGEENCWso3XVaWjCVM3EJ_JXLmOaRdtRc4g1HnoGN4MGiQvAOJ5lw0k-1rL5Sd3C40yoFedgpcCidXuFZyHS-
                QvanysrCTIdithFoTOIt-
                ruOZwG70fkBi8RyNhRGA4R5Y5xMrNYHGa_12sSMfCgIy1DQ4bEGDUVTZfAMpXFb6nUJjPCuBCE83XwN9nt-LuK9QTAXuQbtr2K2j
                R2J4iScdkyokwKW0StZnJM2kMNjg8GekrKVoJRJSYm00OM9YEQJuHN2ojDJh1LLQt_JeHDKm5IM7BIUl02BPAX-
                wZiYScAoO4YXqjb2GZ7RDjVIJFJBvHgqnH0C2E5_Oo7YpyEWZ8FMzFIGPt9xggs89bCQz4fBeB6M28YScWzwdn-M_HR6zpvbNQwZ
                tJc5HnSc80tSgiJfqlkOPATO2IlFlRBs7VNa6eA7OOx6nb5fCJvOcinWEDXAducpxSmy0bnOm6IUKzBTDPv-
                m7R8JpeAgHd9QtG5bIoZOICDWk0oYgd76ACZfigOVXqmM9RUCNmRxfcoUFUiBwXOQFhH6XBQR8NDvlUlqTTM9ULjJxDOIBYxwRiR
                MICwAJ3zI8Qr8MTvhZnrSk5EBOjgm_KLCUPesqNOnI0j3CFEOFaibWhcK51Lzw5KImo5H9KgEwziA6DuazB0ZAC_boa-a_dBchjA
                KhRQ6LlZJSe0OlN3xIWjOzLzWufICNABPMh3MDaGTxhFJms4VaIjSmuVHufpTObRpFUKwEq8OKRie9ppEXgYDgzE4YR8NqeNlAui
                _lDwOKA9kAemTn3u157v9ZrzJWfJ4Ul5kfA8awQHu12VUOYt4YHTsJtKAsFdjhIZ8gYRphI0uqs0-
                yqShcJtYe_pFgoumHXAKQE7GfiMCN11FDnlGbSSfanyHOWD8iV5kWABXkkBeS5xmoS6Su8w7MrioBAhgcpjAOKlxFJ0EgO38AJCm
                5MaAgfVCIR3T7I6cMI4DSRMh_xnpHuvYDqH6IAyigDmoM0XgMGERHJNLNy43MFbZKutCyUhpJM8MRMhRb9HbLAwpvkhZd1gKejO-
                yFYZeSQaDZRlMRPFw_f02by0jAdB19w1OOB-EycbKfOTfidZwCr8xw-MYPha1Q4NkjUOTixCaIFzaLBQUvdTZcIeSI7DL2kkI0cj
                HMOAzKbbQDy9OF7lW2Pce_UKXybkleNWcVIhinSnMlQ2aS3hZwi4m3z-
                8Bcdp0RCSTCLUECCke0nwzmkOrGrct0pr2XbRNptNb5A7eDHQLmbnv-4Hqt64yV5AYgXNR1ukmUoafbcc5Z3wROAJ5D-
                rrZcwW69eBM3kQgZOQtUMAu9-
                4VUqgONOrovR7fJK3m76bjTjguTjbWatQOSoGB4XIOxnM79KEP_AlyjATyUiIQzQjE344EQa0FEVDewzhP64zwKZvLnfLHYTJy3s
                rCHzVuo5PGBavH7nwIyKB3_EejkfgO_QIGE2wpGDbZK_B1GPE4xuDEhCzX0UHtiRUXogbCi1GgEcqGJs30486_IZweDxr21qblYF
                dRKQS31J_sUO82n7Z0zlfagM1CfTWkdNTu0b5PF--
                5qCokDK2VSh4v0Srti9PohWXD4ZVYy6HTiQAMwMGyFkYiR9OFgAxRcgFT1xqbJbKoLFQpYGSYPO-TQ-u-wV1Ot1paqh4htK7LH9I
                cUs4o0J0APRdHWPus8W0NKWMG1RUkMirLUFz3EoPLPC330IHhqCMDIottTORBT7j9sN3VZZSih3tIkat7ZN5pa19mKNOPkRmui-
                4zMHKKr2rdVPeRddCNmg-
                SNl_J-e1Mv0OQLpapsmo6CrvA0losbiGgtNKHmR3Aa5XJj6UT136QSnZIkOh9LETesMc6Kt0zcDiGqnegGiCiDZKhHjA9Lms-
                Eme1AqAfQEmeZ7ah5xD7oUVabvC5OOSO0C--
                qinufxT2Jaw9hPuKejN1wRk3h3RXW5EfVf3CzNlVuOwMewXKOUHegC04bBTErqzn5hMtoGwk83GWqi_2jlkW5uKDmz31TufUh-
                zjo519_cOFLOaQTLdnF2ohjQG3epGBSAzxQs5Xcadw-snILRg9fC_LOcSIH75__UwXFRxlaXHtYDuiLGZ6GDBY9e0uVKQ5JZJXtV
                xMdmjolgIHrs2gsj3Cc61vm8qDb6vYXdjAAa88__nsIAu0czv1NekumqrWS6TqaYqVTxxw4GcIWZFiPXiyV_9N_SpUJsenYHmRV8
                Wg_ZIvCo6O-jUv9pNelzZPuPp5qesitXEkSwxOzg2vkNAPLR1STQtOHVSASvGiSinJA4JV0RQv65RSjudqCTnBRJwQVY51Wc-
                50fdh-MZuKHa49R8HfJ7r-W0I-nlq5ZUqZAf8-NVThA-
                Z3EamkLNjaShrNUcEELxXGFlQAPCdpRv4enycISaMXrqpewOFKiFv7w1BsqXLLBwCTHhR83dQjLegCh38Izqqnl6UvhgOymU6Oaw
                IkYE2Px3vhRQ-hP5ewvTHe80qpTYWdichslg42rxNzam55oZc8hv9_tu_IkyGQc8uBFUf2OVyzQRlqNX6i6y1KBoqByz1ltHrjj9
                NuiSa9nwlxliD0vuIcYsnYpyMxydYuT8ZJyefYuHuFMFzE67HMmVPHI3roPoauoQRdj8P37OcnaC2YDo4uX34viuPT_ztSGQi9EJ
                7RdBsY6WJ90qfpsQsGMrDCNUs-lrR4w0_XvHjCh5UsWBfEzfA-rH_Bpu1YSFCE2uILlLENPcVEDd-_AXKjPY-YZxJLssllM_H4gS
                7oLR0xEtPeeFn8HUa1oAgiA7iGPNVJgbYHwP7b1K7SiDxKTNCjPU_PhOrX6p3MotPSHKE_Br_36CcDpSLWVOTp4h90xc1CiLjE6S
                0IwWHHiEh40GLYgwo_vsfMz3t7cIlwcaATsCwFYWZdhU72yOeCOwd0V4PzE89EV_24Lnxlohu3QmK5QTkgHR1VHULPv_yAGkLCBV
                1u2iE2LboOkSPdD__Kc8fgv7XL7_4CPBEw1as7gOP8wEV09OeQhwEyYi3IrsPJi0IcE-D1g46P98d-
                wUTQOwYwTvfNp2KH66eQV4IzvXuvnYjAOjpzgP8CGp9X45BsCXPFLR6sZnv4gGGAgRzutOsBOgUcHApfkzoDU7_9eW3LlEYuOLy0
                BQlfxh2vGOie4TBfm8AYV-51lPBaRbq83l_d0gpWpxnyAkTKym61U-5n-
                FvCXQOxSSmmik680oeFCTkqFXMDZagH7HTvN2tbae4C84dd3BCgxC63t3lSq-
                RHFoGx8zXjUNwJTkmKL4JQFcS6BqJ7DTH098cvmoEgM-
                QUobT0dspwOErRSTL313RDcAzl5PHO4wH3VzM03GIMiliwWknCdpwh8BlWEQtn-Xl1cXVi0u8JqGfToAiUPVjsGOHN-
                RmJTEHwEIZRqq0MfS9wv4a5AhQy2VNHg6tU2UDKNjJ74Tb0tMj54-F_YdivrTdXRchwMixI38aHzqOr-nrxrfGIZg4gby8eP3Ni-
                fBfeV1tEzv5HGDpXZU6uN5LaHytyrFqiKy-hYysabE-
                w0DdZLMulEgVLmBWZod0yBlUW4esoljMBaYqChri6p0k2taqSFDrpeSYcEspGAGchO9DsG5XfhRy58biGj4CRBn1JzAD8jx8cSiG
                1fN_YRpTVoK3VhIsyScQFqCaWQyV3dIPBx6CgEanhVrgwBrxKzH0K9mDkjfQfoaVC927516ezTUUm-RRF361Y35IPHA74Eg3tvuC
                Ao2-5HAD_Lp0SVwSwwAcu39Hjx_kXKOFSHyTDkSngnyGrFhjcRzOGi9NH0XkdGg91no8E7FlBzr6-
                dTTBtRf1XGV8SulZiI76XROf4GgG9bsHOk2EbhENaQLcPGjTx8z5ma29ghoNZf0XN3qKvf1bpQRsaY4iCavY409l-
                xhed7XZRa4cqY2UkY2I_dxQoQg7bRTvt79G14LeNkcea6CvhBXjco9HK6ApiIlgFPytbxwvDa37TgFaD_EQlD9CuYEjTsNzpL83j
                3_gW9oGtdUwZPaHZODLSA2pgk8_3exSyd3z5tu9-HutyuDQ-
                6EjH9pYYhheGSG4Jt4zv6uVGSe3vRU4DbxT9za7z6MGmnH1IIvMoCBQMtzqZDdo5cX1FVMpOk4NnhUKnLhaoL35Lmbv4Gf-
                jG7foMq8NyCbC2e5fl1J9zV27Zzq_Jzvn-kS-DaSFf2-
                BbQbfEQT2aNlZjWYc_vIAJvVhEvXvspXb6E0jZidARB1bKb2SlVa2KtMYY5c8CVRU4AS85o3D04AETvyVmA1TKXDE37mxpGV-
                KtPfto-t_mGFyM1oO-Z7jrPs9EO5tfxDkOp0MYu-
                3cK1UvLktdeIJBPQPHCVkUGEuh6YekTvnuw6UC2oZN1IkKDBFZLa0_s0H3Zp1e0Vwl9B2i313eMiXnySlc3cbOUWKRFtVMrdbKE2
                9Gk3b9i7fPw-71mrcGQ6mmUs94Ozkfxa0Nn31KQAA
                """#),
        EmbeddedAsset(
            name: "events.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The events of the server, as they happen.
                import {
                  el, table, time, setText, field, select, counted, button, pageHead, errorLine, buttonRow, fieldGroup, messageAddress,
                } from './dom.js';
                import { events as stream, sentence } from './api.js';

                const KINDS = ['message-finished', 'delivery-failed', 'device-quarantined', 'token-replaced', 'device-moved',
                  'message-updated', 'connection-up', 'connection-down', 'credential-refused', 'bad-tokens-began', 'bad-tokens-ended',
                  'pool-unreachable', 'pool-reachable'];
                /** The maximum of events that are shown. */
                const SHOWN = 500;
                const OLDEST = '18446744073709551614';

                /** The subject of an event: texts and links. */
                function about(event, context) {
                  const parts = [];
                  const app = event.app ?? context.app;
                  const lookup = `#/lookup?app=${encodeURIComponent(app)}&q=${event.device_id}`;
                  if (event.message_id) {
                    parts.push(el('a', { href: messageAddress(app, event.message_id) }, `message ${event.message_id}`), ' ');
                  }
                  if (event.device_id) parts.push(el('a', { href: lookup }, `device ${event.device_id}`), ' ');
                  if (event.outcome) parts.push(`${event.outcome} `);
                  if (event.count) parts.push(`${counted(event.count, 'device')} `);
                  if (event.traceparent) {
                    parts.push(el('small', {}, 'trace ', el('code', {}, event.traceparent.split('-')[1])));
                  }
                  if (event.kind === 'gap') {
                    parts.push(`events ${event.missed_from} to ${event.missed_to - 1} were removed before they could be shown`);
                  }
                  return parts;
                }

                function eventRow(event, context) {
                  const cells = [time(event.at), String(event.kind), event.app ?? '–', about(event, context), event.text ?? ''];
                  return el('tr', { class: event.kind === 'gap' ? 'gap' : null },
                    el('td', { class: 'number' }, String(event.sequence)), cells.map((each) => el('td', {}, each)));
                }

                /** The list of the events, the newest first; `text` has the words that a row must have to be shown. */
                function eventList(context, text) {
                  const list = table('Events', ['#Number', 'Time', 'Kind', 'App', 'About', 'Text']);
                  list.node.classList.add('log');
                  let shown = [];
                  const wanted = () => text.value.trim().toLowerCase();
                  const matches = (row) => row.textContent.toLowerCase().includes(wanted());
                  text.addEventListener('input', () => { for (const row of shown) row.hidden = !matches(row); });
                  return {
                    node: list.node,
                    add(event) {
                      const row = eventRow(event, context);
                      row.hidden = !matches(row);
                      list.body.prepend(row);
                      shown.unshift(row);
                      while (shown.length > SHOWN) shown.pop().remove();
                    },
                    clear() {
                      shown = [];
                      list.body.replaceChildren();
                    },
                  };
                }

                /** Resolves when the page is shown. */
                async function whileHidden() {
                  if (!document.hidden) return;
                  await new Promise((resolve) => { document.addEventListener('visibilitychange', resolve, { once: true }); });
                }

                /** Calls `body` with a controller that aborts with the signal, and when the page is hidden. */
                async function whileShown(signal, body) {
                  const controller = new AbortController();
                  const stop = () => controller.abort();
                  const hide = () => { if (document.hidden) controller.abort(); };
                  signal.addEventListener('abort', stop);
                  document.addEventListener('visibilitychange', hide);
                  try {
                    await body(controller);
                  } finally {
                    signal.removeEventListener('abort', stop);
                    document.removeEventListener('visibilitychange', hide);
                  }
                }

                /**
                 * Follows the events until the signal aborts, from the event after the last one; it begins again after a loss.
                 * `wanted()` is the request, `add` gets each event, and `error` and `state` are lines. Returns a function that begins
                 * again.
                 */
                function followEvents(signal, { wanted, add, error, state }) {
                  let attempt = null;
                  let failures = 0;
                  let isForbidden = false;
                  function opened() {
                    failures = 0;
                    setText(error, '');
                    setText(state, 'live');
                  }
                  async function read(controller) {
                    attempt = controller;
                    try {
                      await stream(wanted(), controller.signal, opened, add);
                    } catch (problem) {
                      if (problem.name === 'AbortError' || signal.aborted) return;
                      failures += 1;
                      setText(error, sentence(problem));
                      isForbidden = problem.code === 'FORBIDDEN';
                    }
                  }
                  async function follow() {
                    while (!signal.aborted) {
                      await whileHidden();
                      await whileShown(signal, read);
                      if (isForbidden) return setText(state, '');
                      if (signal.aborted) return;
                      setText(state, 'connecting');
                      const pause = Math.min(10000, 1000 * 2 ** failures);
                      if (failures) await new Promise((resolve) => { setTimeout(resolve, pause); });
                    }
                  }
                  follow();
                  return () => attempt?.abort();
                }

                function show(main, { parameters, signal, context }) {
                  const kind = select([['', 'every kind'], ...KINDS], parameters.get('kind') ?? '');
                  const text = el('input', { 'data-search': true, placeholder: 'message, device or word', spellcheck: 'false' });
                  const error = errorLine();
                  const state = el('span', { class: 'soft', role: 'status' }, 'connecting');
                  const list = eventList(context, text);
                  let last = null;
                  main.append(pageHead('Events', state, buttonRow(button('Clear', list.clear))),
                    el('section', { class: 'card' }, fieldGroup(field('Kind', kind), field('Shows only', text)), error, list.node));
                  const restart = followEvents(signal, {
                    wanted: () => ({ from: last ?? OLDEST, ...(kind.value ? { kinds: [kind.value] } : {}) }),
                    add(event) {
                      last = event.sequence;
                      list.add(event);
                    },
                    error,
                    state,
                  });
                  kind.addEventListener('change', () => {
                    list.clear();
                    last = null;
                    restart();
                  });
                }

                export default { title: 'Events', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA5VY627byBX-76eYYIuSTCnabp1Na0NrpI7TBJsmhZ2iPwxjORJH0qzJGYYztGJ4Bew77Bv2SXrOmRleJNmL-
                odFnrmc23duPDxkX1aCiXuhrGF6wSy8GdHciyZl3ODrA1vxuhYqO5BVrRvLHg8YE2XKLJ-VAn5kBf-NsF_EN5uyhRRlge-lmMPrX
                LfKCiDMWmu1SlnNl-
                K94EARTaObj1KJsHil1_78Pxrd1imrhDGw_U1RNPCUHmzYotEVi7LDQlfZzyY662QKKoDMxjaCVygCcFZzwfpjvJbu2MFcK2PZjx
                8-vb1mU3YTeVaThVTSrEQRpSwqRCnBEA-TBZdlIN3LuZh8bXnDlQXZiWr1nVCTRtQln4_2Vfoe38FgHYO2Lrh1m0AGBUaSWgF1i1
                DotSJSIwrQQ_IS7l-
                0xp2c8WJCTM1kJpZcbdGEKgLbWuty0iqwyHyF_sKdROspt2cHhy9fEg4q_k1WbYVA8Pa0K24ZbwAUK5AoYy8Pvemu33_-
                zycw3aujozNP-vzx7eX1F6BFx389Ofn-9cnJ0eu_vD7626tXx98fn6DVAx_Tzn4GRZEPV47VKbOAH3CgKlgp1Z0hXotWkT0Yn-nW
                xrQTQaVwc0JQdLxr3sBh8CRoE2gAW6DQmQyfz8_DSXzt95Va37W4Nf_u0D2fw_r0D4-
                AHl2If199uNAAMwX3xLCQbP74FRfpXufon2SxyfFCuWBOyMz7G1acmMyJmNWtWcWijCMOrnhkK_Dq6RbQkUnKdq_ZpCz37yzw79c
                3eQK-ZVGCcmxGsnRCJs8J4c2AXNwBtkfJAY_-fnDNXFdidHseDvvFDcu3TlFq2D7j88VwSxdOUbJ7iW0g5OAKoewTdjYVL0tUc4O
                RitsZvOEKOtcv7FyWmbqUNo4mUXJzfJske6x6JwGq0ynAfcnraA_33MdQ5ytpIH5_wmS0YVZv04EyYccbthYQbo2g3MFmYqHhlfI
                wWKNEiovFvBOpEbZtlON8drA56KOG7oe0-kzgzEVZUuBgHveacQtuvraNVMuBrkk6jqXov7_-
                BubbG5mdReGF9kYUl15SNL5tCHrzkhtzyvZZlJ3731Om2rIEYJKB6XAxPByptpqJJkLojqQ24muLFSABeUjPrOJ1HGPmS9j0h8FV
                CAGkop83fZ4qpbGhKjpnpvSsxFrAykI2xp6xHLXMoUxSvWRr3RQhcbJGr1nVwt4Vvxfo9NkwlY4d9RG4xd6CKdt2FMkydVU3ji5J
                GhD9Jvruk1Mf4P0FfIi_P4Ih8fdNTXXlDbqI1uHO6JaAg9dlCiIgIysi74wXRRyVeuniuxTWibqVVtccIxSIMRmR8uk9L1sB8SOr
                OMms_qgBxBfciDjpz1XczlcCsRaDVegs_BJELlBphMvwZCbVvGwLYWLHMXZB6PJ3UVwGkwklmjiSqiYdnVCPDMKGxY4x-
                gCcSLokxHMlC6iqIMkLLxRJdMY2yQClLp7RRKe9tRwG0VDkshD1QUdkNX0y7M783mdE8DuI30wXD1kNbQXU89GqA1CrzEou7Ghlv
                YJOhcVuQynU0q7YD65WJ_5YrWuwrcsvsT_oQ2teCt7EvU5j74_l8t3OBTCEoqVGN226ILoSRpf34PT1CpTF6MD-
                j0kzCAJuHtScdaFAKrwn63hRMOW-KPS8rRAjznCJ9xJy5WsuLcYk-xekVgnYiRvH12OhO7sLm3tp5ExCqn-AbkgtMXr8WUwwGpIH
                NCZNKxAaBA-v2AXHtJmjKXK2lmBmTm5udFmKxkf_TGNTQqvUV8ul4tA4Y4uzYw-n1pMGuUZzxeEGZDtK4j3nKRniDbK-
                6KjDMDRW113w9gczkna4ESQS3cZH8sKOE_acR-8zr-seg9M2sDKKQcz-P-egUC4NNA8ep879aJK4F8cVR8jQIEUZdnqhHPZ_T66B
                ZHsPPCfcxsPkgL1k70AevTaDGsKgqZHlABIeKambU7qNjC8sYQkKEcdCpMQZQ1XFUirolJdcKr-
                HQ_dmTIb88pAtc4QVHm6wDBrIQzmYOGdLASJgtWM-
                PSEec5rGcvdsLIwoObX90IoLaMWvKNiAZw9LgrgTBdmSNCjAoKotSHVXqjrsPvoCkmIW9VMgmh1YQoCRp7DycGtFVWPFw-If6hFO
                Ym1DReQo0KR5p5tZSKcLXhqBS50UGvIn2sODYPsKFmbX2IsSRcmYTrIBHafBvr3eilKYp4oh_gI4OzX6NXd7D-
                AAYTe4dtUuHUZXsJ5ThmwXMi6bYwFhcd1oaA2qPn1jxHpipnglXGtFqeESVY3YL790gYpUUQzT6shYf5qy4678jO0V5uxOgK4ajT
                0TRMG224ny7vPV3z-8fXv5KfKq7Detg1HnQF_jXmxLPjbmqIyc7S6NEyp6rxcb7DYQPdhkBw_R6MTzhtw-
                G0Z9texvCZMsTPlgrn9yu4LRQMXHR_CXMvyBOPszg-oT3DISoCP-fkFEaaBVxMa9q3bEt-
                uBemcE6w86I1cSPLTP-8oxHD2wvscV5ASMeBhNAH-QqCDHBZP7pijEvFPeTQD-
                61F8cxNh1yrwIwwtRbcpy7KMPtvcpoNrM0hqcURbEjdvDAoZsZlStx-
                6xEeYKbnlEwMNz3wVuRoPF2JLs9JlIZrT7pNNyvw4DB0l9vZYJGqYJqBpm9_BNso4kbeb40iRgSzDJ65xAcZU5-
                QxNX286UcZoxcoH0S9wDfY2hoabHYQM5oKnpofQo6k-
                tGnUvRLRl_1ijh8kBvMFB6k3Ve52D3F0QU2iLCB2kDqFmFi6scy4z5ejRSac7AYKtB_2IvpMQ5Tip8tPRHj0kCpKx8ir0PSFYmuC
                08GFgAAW5h8MfXvLTcuZ1BOPfXIjR-p0p46swBc3JcrwlaM4rh5BgbQR5IO9LjpybeQck9hZEzA5U-
                OA97g4zl01EX3h0Y9uFPV1R9yA4YhbSEJdpukrvvwjdpBx8G38-76LQSwYDe37jtb8Y2-
                phZiwdsSv6paaQmIPTTAPdjh_Q_RSgcFORYAAA
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
            name: "lookup-device.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The cards of one device: its record, its groups and topics, and why it did or did not get a message.
                import {
                  el, card, table, tableRow, number, time, button, chip, confirm, buttonRow, column, emptyLine, factList, lookupLink,
                  softLine,
                } from './dom.js';
                import { traceForm } from './trace.js';

                /** The maximum of groups and topics that are read. */
                const MEMBERSHIPS = 1000;

                function facts(found) {
                  const attributes = (found.attributes ?? []).map((each) => `${each.key} = ${each.value}`).join(', ');
                  return factList([
                    ['Device', number(found.device_id).replace(/,/g, '')], ['Token', el('code', {}, found.token)],
                    ['Kind', `${found.kind}, ${found.environment}`], ['Locale', found.locale ?? '–'],
                    ['Time zone', found.time_zone ?? '–'], ['Registered', time(found.registered_at)],
                    ['Token seen', time(found.seen_at)], ['Attributes', attributes || '–']]);
                }

                /** The buttons that change the device. */
                function changeButtons(page, found, isMuted) {
                  const id = found.device_id;
                  const mute = () => page.change('update_device', { device: id, muted: !isMuted },
                    isMuted ? 'The device gets pushes again.' : 'The device gets no pushes.');
                  const restore = () => page.change('restore', { device: id }, 'The device is in its audiences again.');
                  async function remove() {
                    const text = 'One device leaves its groups and topics, and gets no push. '
                      + 'It comes back only when its app registers it again.';
                    if (!await confirm(`Remove device ${id}?`, text, 'Remove 1 device', { danger: true })) return;
                    await page.change('unregister', { device: id, at: 0 }, 'The device is removed.');
                    page.clear();
                  }
                  return [button(isMuted ? 'Unmute' : 'Mute', mute),
                    found.state === 'quarantined' ? button('Restore', restore) : null, button('Remove…', remove, 'danger')];
                }

                function groupTable(groups) {
                  if (!groups.length) return emptyLine('It is in no group.');
                  const list = table('Groups', ['Group', 'Mute']);
                  const row = (each) => tableRow([lookupLink(each.group), each.muted ? chip('muted', 'held') : '–']);
                  list.body.append(...groups.map(row));
                  return list.node;
                }

                function topicTable(topics) {
                  if (!topics.length) return emptyLine('It is in no topic.');
                  const list = table('Topics', ['Topic', 'Held by']);
                  const holder = ({ source }) => (source ? el('span', {}, 'group ', lookupLink(source)) : 'the device itself');
                  list.body.append(...topics.map((each) => tableRow([lookupLink(each.topic), holder(each)])));
                  return list.node;
                }

                /** The card of the device itself. */
                function deviceCard(page, found, muted) {
                  const isMuted = muted.includes('device');
                  const chips = [chip(found.state, found.state === 'active' ? 'done' : 'bad'),
                    isMuted ? chip('muted', 'held') : null, muted.includes('group') ? chip('a group is muted', 'held') : null];
                  const buttons = page.mayChange() ? changeButtons(page, found, isMuted) : [];
                  return card(`Device ${found.device_id}`, buttonRow(chips), facts(found), buttonRow(buttons));
                }

                /** The cards of a device, given by its id or token. A message of `suggested` is explained at once. */
                export async function deviceCards(page, device, suggested) {
                  const [found, members] = await Promise.all([
                    page.request('lookup', { device }), page.request('memberships', { device, limit: MEMBERSHIPS })]);
                  const trace = traceForm(page.context, { app: page.context.app, device: String(found.device_id), suggested });
                  return [deviceCard(page, found, members.muted), column(
                    card('Groups and topics', groupTable(members.groups), topicTable(members.topics),
                      members.next ? softLine('There are more topics.') : null),
                    card('Why did this device (not) get a message?', trace))];
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA41XXY7bNhB-
                31NMgACkUkHevHqxXeSvTdAEDTZb9MEw1rRE28xKpENRu3E3BnKH3qEHy0k6Q1IybWfTvtjScDgcfvPNj0YjuFpJKIWtWjALMFpC
                JW9VKcegXAtWlsZWuX9eWtOtWxC6AmfWqmxz_3y32uAyVKoCY_2fNg6W0oGARratWMriRDVrYx3cnwDIOvfn5eDEvJbx79Lc5aC7
                Zi4tSlSD8nnnnNGovFJr_DV6oWzTi71-
                aequQQ3ZrN3mrdK4aSFK91a1LofamJtujdKbHE9tzcJ5jZMtLKxpgBWjyjTFx5adDd6Bs6KUvxjbwE7Ly4LeyejJE49XIz6rpmsI
                sSNUwK0E3t1KBE9UBTwZnaDvrYN3r949f3X54fWb9x_gHJ6enp6ixUWnS6eM9o63fGE6XWUep7BJOGcVXlm2uCcsF4ns4gIm06xo
                xJpzKcpVBuc_w-
                zxPT0XN3KzxV3x7VbUndzOsuKjUZqzHFh2hsdY6TqrB9z4BGUAE_bSs4D1QYlHB25cqyorrFzXiAwf5aMlGmPZNMdtV-ZGatwla8
                5KU5GB-
                y2Gxe92tIh68YjflK5wHd0Nyzf4jrr9q9S3yhrdSO22M2_8rSlFTSaDQu1fCQP27evfbLB7hfSBv5DKgyYR6pokiTIqXsolXllaS
                W6QTrylHeTXwu389XeDVvoLJuokCYqo9GwIDiolkfryJR48Rdi3OyoFOkfWlCuhlxKf-yz09Bk4Epafhx18jZkVL4gJ2r7DY_aog
                5l4DgdhOxtWG1QnSnnGkKkiWOesW1fCyeuqJ8D9riLgQbSvGsOjeCBsAzr9K8J7NXhPVaCFddeuEACxFEoXDMbHGtpEpSJwMnhoZ
                euMfcDJuHjgHnqzZ121oLQvXqKrlNTlzg9_kGg3uoQBXysbcyt5ALF3w8nPDn1gvw-lEWopbtHSD4pieq0CmDcH8BOwNxhkg2UR5
                qK8wXJbb7CAyujjeg099ch67-pZQHgB_JG4E8r1tZDPLr3DvVuP71W1vZjl3mUEIq4-
                hTSUBJ8dY6XrJGyzLOZ_OCJY3yeD7j06YoJwYzj9DuIBxSpCDNEeYma5l2x3VWcS2M8T9vyhiWGeJiRjgXFZYFnMNyeIu-cYlE-d
                sEI7LOwVw93RHN68Z0fkSYb2dFfXeaJCXn77-
                o9Xome8SEAHS5lP0YEXPshX1KZ4iHdgiI9IEBS11Eu36uHcdSROEQ80RDp45T2S14gtssv3QM5-
                9cYY1RH_SFXaozBN88LcUU4M5b7vn3yya3l-
                tfDHZViM6aWJCFM75cy_kfmVrCtG8ITq5M8hp4q5qTYFUlLqihdFEe9JnQYdyNLe4dU1Fvt91Hw-BNRCaiSoBcH_RM0r_wC1K2-
                MhfaDj3St13gtmG_2gFuZupKWsLvHeaCzJWUAIcjj24VvW-1a6Ni2mL81sHSaiMqZx8wlzHetrBfsQQDjlfdb9cOx8-oYu-
                B02DHNfoB731BotqLB5Mi1_V4Sll6g8n4jaY7aSMzN87BUKF3WXSVbzmJZSRAmbtGgMvEkS7I1P05dHDjUraSsZRX1aoJzLpCLhw
                3lIcKGfD50ykcM1_t9IiQdsen7JqY79_tefB5qViM2L0IZDOb-
                u_mOcRpLAkSh4LOXfXU-6MXbWTLMcg9dlu_Ngel69C3LjoLtB3cRA5rDElHVSH3fUsJQ7ueuAp718zhtmLXdconFUVYzwkZ-xmmO
                yiiWdWxLcfJAKQ3GB21yR50eh_7swWZKoEnPLEmDZDtFeEOjeY8TtmplIeo6jp0edis_dWiEs5ASSd_BdM0PdKJRAi9RxHxVjcL-
                lM7c2ywtBn6spxrSj_w89CmjQ_e8p3Y8hlRIyZwPLfADjnZ6eTQXJyDgiQkZJg9mXLhCKNBZ_1XDwwhC2rEtJEMGXjXpSb2B2Jvy
                tPL2a7EC53ES6cWahpuL4euIUyvHkYu-XhqavWLRGpIlGghu_YlffvS951ZIoBghjh9_2f7X3wVNy4RyFvrqvxzY8-R0DgAA
                """#),
        EmbeddedAsset(
            name: "lookup-names.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The cards of groups and topics.
                import {
                  el, card, table, tableRow, setText, number, button, chip, confirm, counted, buttonRow, emptyLine, lookupLink,
                } from './dom.js';

                /** Devices that one click lists. */
                const DEVICES = 100;
                /** The maximum of topics of a group that are read. */
                const TOPICS = 1000;
                /** The maximum of groups, and of topics, that begin with a text. */
                const NAMES = 20;

                /** The number of devices, and a list of them that grows; `name` and `body` are the request that reads them. */
                function deviceList(page, { name, body, devices }) {
                  const list = el('p', { class: 'mono' });
                  const more = button('List devices', load);
                  let cursor = '0';
                  async function load() {
                    const found = await page.request(name, { ...body, cursor, limit: DEVICES });
                    for (const id of found.devices) list.append(el('a', { href: `#/lookup?q=${id}` }, String(id)), ' ');
                    cursor = found.next;
                    setText(more, 'More');
                    more.hidden = cursor === '0';
                  }
                  return [el('p', {}, counted(devices, 'device')), list, buttonRow(more)];
                }

                /** The button that mutes or unmutes a group. */
                function muteButton(page, { group, muted, devices }) {
                  async function change() {
                    const count = counted(devices, 'device');
                    const text = `${count} of the group, and those that join it, get no pushes.`;
                    if (!muted && !await confirm(`Mute ${group}?`, text, `Mute ${count}`)) return;
                    await page.change('update_group', { group, muted: !muted },
                      muted ? 'The group gets pushes again.' : 'The group gets no pushes.');
                  }
                  return button(muted ? 'Unmute' : 'Mute…', change);
                }

                async function groupCards(page, found) {
                  const { group, muted, devices } = found;
                  const { topics } = await page.request('group_topics', { group, limit: TOPICS });
                  const list = table('Topics of the group', ['Topic']);
                  list.body.append(...topics.map((each) => tableRow([lookupLink(each)])));
                  const row = buttonRow(muted ? chip('muted', 'held') : null, page.mayChange() ? muteButton(page, found) : null);
                  return [card(`Group ${group}`, row, deviceList(page, { name: 'group_devices', body: { group }, devices })),
                    card('Topics of the group', topics.length ? list.node : emptyLine('The group is subscribed to no topic.'))];
                }

                function topicCard(page, { topic, devices }) {
                  return card(`Topic ${topic}`, deviceList(page, { name: 'topic_devices', body: { topic }, devices }));
                }

                /** The card with names, each as kind, name and number of devices. */
                function namesCard(names) {
                  const list = table('Names that begin so', ['Kind', 'Name', '#Devices']);
                  list.body.append(...names.map(([kind, name, count]) => tableRow([kind, lookupLink(name), `#${number(count)}`])));
                  return card('Names that begin so', list.node);
                }

                /** The cards of the group and the topic with a name, and of others that begin with it; none if there are none. */
                export async function nameCards(page, text) {
                  const [{ groups }, { topics }] = await Promise.all([
                    page.request('groups', { prefix: text, limit: NAMES }), page.request('topics', { prefix: text, limit: NAMES })]);
                  const group = groups.find((each) => each.group === text);
                  const topic = topics.find((each) => each.topic === text);
                  const others = [...groups.map((each) => ['group', each.group, each.devices]),
                    ...topics.map((each) => ['topic', each.topic, each.devices])].filter((each) => each[1] !== text);
                  const cards = group ? await groupCards(page, group) : [];
                  if (topic) cards.push(topicCard(page, topic));
                  if (others.length) cards.push(namesCard(others));
                  return cards;
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA31W227bRhB911dMYCNLBgTt9FGCarROUARN0qBx-yII4UpcSRuLl3DJ2IZAoF_TD-uXdC5LipKsPCSid-c-
                Z87s1RXcbQwsdZU6KFawroqmdKDzFOqitEsXj2xWFlUNuxGA2UYsGkGtF1vjf_4sHiJwpr4zj3UEeZMtTBXBoqnrIkf5jS3x_yJf
                2SqjjyavTdrds67Jyvrpvc3R4LYo7psSv--jUQurqshAxVdpkcVfnZqMRlevXsEb890ujYN6o2socox-
                a5f3sLWudjG8uhqhM1fDm7d_v7t9-
                xmm8Pr6esKalGqmH23WZJSsZEhfWhIXk7oyUBmdDmzd_fHp3a039bwtKVzEletNR2JwYdY2hwdbb9BRjVUaWP74yweO8adrnx3Zl
                RqSnVRyFbuac2TzG5OJbfT74CaQ5DozCUsliyJ9SjgLFMNMvjUGtVia0nKszSGsmnxZ2yL3bt6j9aDUa-zDDsggdgltRV0U0IYMA
                4mcY5kiJgJVKtJYbrVzY1BZkRcKZSe9aFZgMFPf8kCRn86mop7rlIW3poZlU7miQmF1rehMu6d8CX2gJBtIFJ3xFSIqRQX9oG0NF
                H7scw4khx3EcSyJiHV0aTNbj3uISKyApioIxKrlNrLt2IcacsqxLkuTpwHlrTnvTWVWY0gurgS8N9-
                mlzubtgm0EXyuK5uvA5uGYQQKlHfUZykOcsSEXPgxCqhiqPABfzodOoo3Nk1NjoqdhWlfqRb_VaZuqhxmfVPafuKCHkpKvhSFRBk
                NZpH9hvPJqN2DUS4FP1lTIwzQb5PLpx-cQzTR1a_S6w5NLBXxTXqCp6MeLzc6X5ujLnMWlPfZbCYDaRoyFE4udyzf-
                pnpwmB62xTOSFZfCxxPi3VYIwDzAsrGbYyLE7FoVxC84MDh5Ut4ITDzfBYkH_ACLndsuL1JInYdQXcu7pMw9K0RkwOo-
                mRVU6a6Nl_Yjjqu2Bh8AG3E-iDHcAPqrsuKgnc-dNBrbfNYwfhEYJ-eVGyAGj-evem_uMdshLL5759_VeSbEzJCjvrGXm5pk_i2M
                7iHlHEWB90kTAainp3b50dbsaUvIjQsmB9tz9hDFvKExTsrUHc9-ffAQDMzOVdzISSad2KObuiRSPxazHQZBEYvNyFMf-
                73YDDbLzC5nYfhIAQk654Hedx8rWlJBor_wiDUxmxTFWLh82aLK5cTz_TTbTcYN6cj5mstKuyx4wJa2EHyG0OgAyritKLNe4b3se
                NS3j1JUxXGXZWJ2fYzHAoo2c-ZsvqibU2-xiV4I4XNi9RgwP32DwZYtQ5cs3DLyi4MPUUIt2wEYev5qccdnxPu-hz45IRmfEGkHh
                wn1oNFqR7nS8Eiz5SCz49KccCc5EnWPllCriJEINvBvc0R_XTIVHSy7g_plJU5P_56Zgd7SH-k6-GTwxUM6d_RHcGK7un3wr-gfo
                By9iQgn-
                2j9ctkfoR5ERggn2RxuSQXlzvJLWC9sE26cRj24kzcPUZOi3qIL0_nxjfEv7MkXv8cK_C6cievMVtPEFj4grRsDh8p9GqiE-
                6AeeSX7xHNkeEhyxHhD3sy23Wv6DYa0Ni857FP-Kq1zsR6uw1mPDrPMJtwWolPC_s49kvFU5s8GdswOtIbcOEP9eYDQpICTn3E8Q
                o7OaA1-oi9CD40ONO9rpR72g33c7pe5FTXN2QKMwSbd35IqTPVkcc-Cv_tp2TuieccKc-kIp0FTwqHFuYY9rZGgB4GPns9hxenUQ
                v2fLWQxqSfJ3uPD4iLZ3PSpQcEOw_FQEwLODhmLZEIOwUpkGfMA8U9HYjMyUA5mpf_AUs2_I3ZDQAA
                """#),
        EmbeddedAsset(
            name: "lookup.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // One box for a token, a device, a group or a topic, and the cards with what is stored of it.
                import {
                  el, setText, field, pageHead, chosenApp, errorLine, doneLine, buttonRow, cardGrid,
                } from './dom.js';
                import { call, sentence } from './api.js';
                import { deviceCards } from './lookup-device.js';
                import { nameCards } from './lookup-names.js';
                import { device } from './trace.js';

                /** The form with the box; `onSearch` gets its text. */
                function searchForm(box, onSearch) {
                  const onsubmit = (event) => {
                    event.preventDefault();
                    history.replaceState(null, '', `#/lookup?q=${encodeURIComponent(box.value.trim())}`);
                    onSearch();
                  };
                  return el('form', { class: 'fields', onsubmit }, field('Device id, token, group or topic', box),
                    buttonRow(el('button', { type: 'submit', class: 'primary' }, 'Look up')));
                }

                /** What the cards need: requests about the app, and changes after which the search is made again. */
                function lookupPage(context, signal, { error, done, result, search }) {
                  const request = (name, body) => call(name, { app: context.app, ...body }, { signal });
                  return {
                    context,
                    request,
                    mayChange: () => context.may(context.app, 'register'),
                    async change(name, body, text) {
                      setText(error, '');
                      try {
                        const answer = await request(name, body);
                        setText(done, text);
                        done.hidden = false;
                        await search();
                        return answer;
                      } catch (problem) {
                        setText(error, sentence(problem));
                        return null;
                      }
                    },
                    clear() {
                      result.replaceChildren();
                      setText(error, '');
                    },
                  };
                }

                function show(main, { parameters, signal, context }) {
                  const box = el('input', {
                    value: parameters.get('q') ?? '', 'data-search': true, spellcheck: 'false', autocomplete: 'off',
                    placeholder: '5008, a token, user/42 or level5',
                  });
                  const error = errorLine();
                  const done = doneLine();
                  const result = cardGrid();
                  const page = lookupPage(context, signal, { error, done, result, search });

                  async function searchFor(text) {
                    const target = device(text);
                    if (typeof target === 'object' || /^\d+$/.test(text)) {
                      return result.replaceChildren(...await deviceCards(page, target, parameters.get('message')));
                    }
                    const cards = await nameCards(page, text);
                    result.replaceChildren(...cards);
                    if (!cards.length) setText(error, `There is no group and no topic that begins with “${text}”.`);
                  }
                  async function search() {
                    const text = box.value.trim();
                    setText(error, '');
                    if (!text) return;
                    if (!context.app) return setText(error, 'Choose an app on the left.');
                    try {
                      await searchFor(text);
                    } catch (problem) {
                      if (signal.aborted) return;
                      const isMissing = problem.code === 'NOT_FOUND';
                      result.replaceChildren();
                      setText(error, isMissing ? 'No such device is registered in this app.' : sentence(problem));
                    }
                  }
                  const form = searchForm(box, () => {
                    done.hidden = true;
                    search();
                  });
                  main.append(pageHead('Look up', chosenApp(context)), el('section', { class: 'card' }, form, error, done), result);
                  if (box.value) search(); else box.focus();
                }

                export default { title: 'Look up', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA6VW227cNhB991dM0QCiUkUbFA1QrLENCgdpCyRxkTjoS9GaK41WTLSkQlJ2Fs4C-
                ZD25_IlnSHFlWx3X1o_rCUONZczZy6LBZxrhLX5CI2xIMGb96gLeqjxSlXITxtrhh5Gaa8qOtM1-
                BahkrZ2cK18C9et9KAcOG8s1mAaUL48UdveWA83JwDYFeDQX-BHX0CjsKsL6OUGf0ZJT1VrHOof-
                74AtNbYF0qT7dpojE_rwXujX5vrIhj9yaq6ONlDY80WsnJRm235zmWnB4N0qwsGtUddIUxXZa_uXI2RnoVYpnudMe-H_lEU3vlCy
                -2x-yxy_2pgdtdbmXSeLB4-
                hAvCkuDfRigZWUrIKVwa_QalrdpL2KB3hKgDT_iV8HBx0gy68spoipGvPKfPBX1VQPooD7BXRjtPZ25Yb5WHFQi8IlByWP0Q5JQY
                fi97G_4_w0YOnRf5aZC1ivO5Ky32Hbn8xkuPQg8MbZYVcPn1GPbTD6sHNwS0qfHt61_ODEWuSRs7VF7JbsDSW7UVeb6_HDUnL6Ol
                Pf9Y9IPVRBSRMRikn9LYSeeWkAXCuKyYItmPLBLZswgvMSKx98DYwFf6ivzIi2D3QCTBduJbsOR3PZKhqJ1OkuWeHJd2l7HB7AVF
                C0Of5Tm5vY_J-
                42ZP1WDRqyXFMuHAR3lS67NEMWSyc2VU7VSb5BEjUdLhaOqmPOYSC6irazp_kYqfTvVEexfqWoE5dWHUnJqo2XHEYTCiUVTkAOO8
                lgkpfs5G0bnmAxMV4an3gVGcNWMZzfs8BJGO2XwvixLvspQ3IyGSfMsd5FRybfwMhqLL1u5OwvRL0FEg6N6EohbpjKLGyIf2mxMn
                HQ7XY3YzdwuQkXko2VILUaMYGTZyDcAb3eHWwkJqd015WAF8lqqAzBzVE4PXyTNEd9gdRLyYdmqukZN2hrZOZyEUbmb8T3-
                jaBFJ9LxnpLgKWOit2bd4TafOX0nuNTdDlfv6-
                ZaPWgO__cRzqojd8SkPPIlFfpZq7raop68PYZrULcPxTB1pJbKa0vsZZr00hKalEg3cXXM9G1W8gxahepXuh-
                4BKNvoX8sZ3pKaoYi-
                5Dl8PRpaENZLb18FPHNlpTogRLkeuy6qsXqPbcPTgjdlIM3FXWnjhTRsWmaLMIRom5NV6Ol8yePH39fTMNwcGgX333LDaWjLtk9C
                R9F4kffAyrsfZpdYiZkbpAsDbO5KKJOwjTU5kKejiT6P0VP8yVVzv15IeaVE016aQlcdjb0VDFjuWpAcI-kyZ5urVYE4fodVj6DT
                59g8cfv9TcPFqXnEgpfzukV6HiEZdRXYo3MRrHg8IvRVnEv_TRlHV2InXhidwwjduJU1YdpnVROQR33J6iYhf5VOCg71BtPo_VOO
                VzSBLfIrVubcfpwp6eXMIGovdOMWFNH0-
                O69OXzXw9u2JH9l89_l3Eo7o_lStxJEpfOCu7O1ujrsToNMcSEx1zMQ5sab5Le03PWGtrQKCoeCzSFw8TqsPFlsjDvr_OOd2DamK
                ej_Y19icQuaWpaj_VtX1P8yr1Uzim9IRBGJSVvHpGQr84v_nx-
                _vbVs-z0v7W2ST11l1cG3EDejiscJTjNJVpyFaNAR4RImcHyaD_ej8mN7odFb3VvbROzlez2NOF-lpI7W5nCL3dZzhvqWqRtWhzW
                lNlenXpHnhehxzoMDLu1ZDHFw57DLhbz1pKn3hKMcqIO7Msnr0ixC6tr2ZhqcCLuSPgxrMF13Cx501K-4-
                47eckDg4fIP8JLVZCODAAA
                """#),
        EmbeddedAsset(
            name: "message-actions.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The actions on a message: pause, resume, start, pace, cancel, send again.
                import {
                  el, field, button, buttonRow, checkbox, backButton, setText, number, counted, timeText, ask, confirm, messageAddress,
                } from './dom.js';

                /** Outcomes that another attempt would not change, or that are no failure. */
                const FINAL = ['delivered', 'pending', 'unregistered', 'quarantined', 'token-unregistered', 'token-expired', 'left'];

                /** The number of devices without an outcome. */
                export const devicesLeft = (status) => status.outcomes.find((each) => each.outcome === 'pending')?.devices ?? 0;

                async function start({ id, status, act }) {
                  const devices = counted(status().total, 'device');
                  const text = `It is scheduled for ${timeText(status().send_at)}. It was for ${devices} when it was accepted; `
                    + 'a topic, groups or a condition are looked up again at the start.';
                  if (await confirm(`Start message ${id} now?`, text, `Start now for ${devices}`)) {
                    await act('update_message', { action: 'resume' }, 'The message starts.');
                  }
                }

                async function cancel({ id, status, act }) {
                  const devices = counted(devicesLeft(status()), 'device');
                  const text = `${devices} of ${number(status().total)} have no outcome yet. They will not get it. `
                    + 'This cannot be undone; the message can be sent again to them later.';
                  if (await confirm(`Cancel message ${id}?`, text, `Cancel for ${devices}`, { danger: true })) {
                    await act('update_message', { action: 'cancel' }, `The message is cancelled for ${devices}.`);
                  }
                }

                async function changePace({ id, status, act }) {
                  const input = el('input', {
                    type: 'number', min: '1', max: '4294967295', value: status().pace ?? '', placeholder: 'no bound',
                  });
                  const isSure = await ask('pace-title', el('form', { method: 'dialog' },
                    el('h2', { id: 'pace-title' }, `Pace of message ${id}`),
                    el('p', {}, `${counted(devicesLeft(status()), 'device')} are left.`),
                    field('Deliveries a second at most', input, 'Empty: no bound.'),
                    buttonRow(backButton(), el('button', { class: 'primary', value: 'yes' }, 'Set the pace'))));
                  if (!isSure) return;
                  const pace = input.value ? { pace: Number(input.value) } : {};
                  await act('update_message', { action: 'pace', ...pace },
                    input.value ? `At most ${number(pace.pace)} deliveries a second.` : 'The pace has no bound.');
                }

                /** Asks for which outcomes the message is sent again. Resolves with these, or with null. */
                async function chooseOutcomes(id, candidates) {
                  const boxes = candidates.map((each) => el('input', {
                    type: 'checkbox', value: String(each.outcome), checked: !FINAL.includes(each.outcome),
                  }));
                  const go = el('button', { class: 'primary', value: 'yes' }, '');
                  const chosen = () => candidates.filter((_, index) => boxes[index].checked);
                  function update() {
                    const count = chosen().reduce((sum, each) => sum + each.devices, 0);
                    setText(go, `Send again to ${counted(count, 'device')}`);
                    go.disabled = count === 0;
                  }
                  update();
                  const isSure = await ask('resend-title', el('form', { method: 'dialog', onchange: update },
                    el('h2', { id: 'resend-title' }, `Send message ${id} again?`),
                    el('p', {}, 'A new message with the same content, for the devices that ended so:'),
                    candidates.map((each, index) => checkbox(`${each.outcome}: ${counted(each.devices, 'device')}`, boxes[index])),
                    buttonRow(backButton(), go)));
                  return isSure ? chosen().map((each) => each.outcome) : null;
                }

                const isEnded = (outcome) => outcome !== 'delivered' && outcome !== 'pending';

                async function resend({ app, id, status, act }) {
                  const outcomes = await chooseOutcomes(id, status().outcomes.filter((each) => isEnded(each.outcome)));
                  if (!outcomes) return;
                  const answer = await act('resend', { key: crypto.randomUUID(), outcomes }, 'The message is sent again.');
                  if (answer) location.hash = messageAddress(app, answer.message_id);
                }

                /**
                 * The buttons of a message, hidden at first. `message` has `app`, `id`, `maySend`, `status()`, which is the newest
                 * status, and `act(name, body, text)`, which makes a request about the message and shows the text.
                 */
                export function messageActions(message) {
                  const updateMessage = (action, text) => message.act('update_message', { action }, text);
                  const buttons = {
                    pause: button('Pause', () => updateMessage('pause', 'The message is paused.')),
                    resume: button('Resume', () => updateMessage('resume', 'The message goes on.')),
                    start: button('Start now…', () => start(message)),
                    pace: button('Pace…', () => changePace(message)),
                    cancel: button('Cancel…', () => cancel(message), 'danger'),
                    resend: button('Send again…', () => resend(message)),
                  };
                  for (const each of Object.values(buttons)) each.hidden = true;
                  return {
                    nodes: Object.values(buttons),
                    /** Shows the buttons that fit the state of the message. */
                    update(status) {
                      const isOne = (...states) => message.maySend && states.includes(status.state);
                      buttons.pause.hidden = !isOne('waiting', 'sending', 'scheduled');
                      buttons.resume.hidden = !isOne('paused');
                      buttons.start.hidden = !isOne('scheduled');
                      buttons.pace.hidden = buttons.cancel.hidden = !isOne('waiting', 'sending', 'scheduled', 'paused');
                      buttons.resend.hidden = !isOne('finished') || !status.outcomes.some((each) => isEnded(each.outcome));
                    },
                  };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA5VYbW_bNhD-7l9xAYpJ6jylK_aCOvCC7A0osK1D030ahpqWaIuLJGoiFcfIDOzX7Iftl-yOR-rFbtI2H2KJRx6P
                d889d9T5ObwpJIjMKl0b0DUIqKQxYisX0IjOyDm00nQV_horWjvH0QxfMlFnssRBWecgtkLV6UxVjW4t3M8ASLRRssznsO6s1XX4
                fa13uLiQ2c1a3-GgyG6-
                9ROMtG_kHe5Qd9VatjhNd7WVqMKqSrJImBsarzeqrebB0qs8RxvNfHaATasriNLzXFfpnya6mM3Onz6FV53NNE4GWwgLota2kC0I
                a2XVWNjprswBB9EuUW_xcLr1M1uJ47ARquxamcLT8xnubSz8-
                PKXq59gCb9HuSzVrWxlHs0hatAZqt7SY1e3cquMDaK_OtGK2qqaX62-kfVnx5N4VN41yg-UcmOjP_wpKFDsGtAbyOWtyvBIO2UL3
                dGpQPMxnZ2ohGLB5vq5P6E2NDrGQNrOJLD8Bvgx9StNulF1HsdSZIUT00MQwnK5HI6YXKbBgstLeIYmCrOvM9h0tcMSoyW-
                B5XP_S5zghkcEgeQiWFolI-1ty1OUqutQBBFPCVKLvpFFpGAK1YvLSgDBsGUd6XMYYNhe3IfsDJoIoi-FTY5pIBLdsL4mX7zA-
                wKWYNikcgy2aAhF7DCDQE-hUiA1Y3K5rBtddcYQocgU3LlDkogKTVGLoeu4VRAaCGAJPsgjch0tYFY7ISyAb3x6pqkAcNoj8oPiL
                bd5WrujjgHPwPHjixeJexEAFaJfo2jrsmFlW-
                9PkTPvU_rBUScwhEc0KEEo7CpM9Ck7N3D7HASRU7zjw_jCHF9IJJHozmKB6L7yT0j_QgPyQEKceuSMqByL21KqbHHTChLl8Zbicj
                A0T6CbwoECh6FhGsJXZ3rWl64EAVPoJREiBXrY2g1TaigRK-2DwbxO-egaRRHEfTio_BRbHKimnYBtu0kevMjA8pxcQFdjQPK50T
                RkBBh13T1cJQd7_2KxP6-SKu66ShciInIPZNZznC7b7BkRBw2HK0U2fk5PYk7fPri-YsvXnz19fMXX-
                LQrSg7nN0Hl2oK8UiEsqbEl0KXOXknwkivEVPIhmT7CDfKXCMnoyneY-YmjkjNZ1bZkrxFJqIHKue4SiJL5qgvV6LUW3Kcs5omFc
                _dFEXikQbnW_IJ4XES31UyLG5oLc18cv-
                h2D8wZaA4DZpcqYyj77mYKEwlgVAkjiEqqbQhPzt_o54fsGjtFxA8g9nLSvoCGw9VNU7YESxz58xKYQwdtVWVaPdDNKK9NEwR15L
                5i7wRJfgXwH_GXk-wJ7BdWw_RcAFcsomp0weXuBcNL-AXTuWRMIEDLNBvpOADEe9smUOaMlh8_KYbrq7YWQN90Fy3AL2en3o3XaE
                ZjhGd0gILwMitF5QqVHmvzA0XjV2hsiJQj5kQCJWinjxSeC2NLm99faaJhvsK91p3Zemq9Ekeam1k6FZiykTM5lyRV8w4DbF3Yrr
                tpWklmnHhfig_Q-s1hP3atljQ43GpT3yLJjElzlyvk6o6K7scjZrOc0k5ysqt9uTwcYAbFwR0AjqS-
                hR3ktERN6pEKo7jt5QLubxzcueK3937H6m32mnrvcqoigPD-l0oWcmDbjekIOy4OuS_GAvlHHo_4hsWEHdmn9ZzeObUQ-
                hX462mUt33wVQ4BjJwv-
                PkX_nVW53myog1EfUymIMd1jMmaejNfpzysLLjzh9GegjAmql-4bU_RIMTrY4I3fmmvYo77eW7yDC6glru-ukhBcAILNh4FivJJx
                vXZsu-
                e3AtN26DDjF6EVjtXRAfxz8AOkYGHmPzsBhFYRrAUTDmE_wk72HSrfZcyPQXAnI5oOgoC8e5gkxDee9IJcTzB3dahHo_CVeFzuaM
                -u3hfgGffDIVhVb8tPfm8GEtF00zf7yg91wWUPUODurL9OiawJnYn9QfZcoOo7oRVp5WDlGbHd5oluM6wPY7ON5ILHVZu2-
                sTvEChfe63357-T0Fo7f8uKmdMnHUG8E7JdisZ4LclCLdF7jx9BYZO5_x3NSL3qq8LwYz4JsYY8RQc9BfmedQqDyXrv_H9tBQD-p
                FK1dcVqgcMbdSOf2vxJ7Sih6Di_GZa4zi6oJpJI2lPfsIYh6uyEu1oEv5Wud77jaHtZW4cTWulX91kly8pgviuFiRElPoHW9Cq9P
                Z6NbYAym4hj8PxP51jB_mkZ-
                9XkQyF2xvEkHDL0ofr_AURbdkQEbw8NITt_scsfDDcfQrvaIGLhMTO6gTZOExMNw41Xaf6XwxGpS-
                5ovSA1rbIJ2o3WpJX04Gpe5WNejsb3H__fNvr5mvx8GhfiG3S8MBMzleMurSj9Zxyz-
                s5FvHZC3f48I64kB3_4gGPyASRzb35WysxfPKZHfXwxGVxxw1YgBKilfrP2XmWzMT-1jiNccxhE-
                Tpbv9jAiVA11rbDQWD2hge6kru-4BHJDiKshG9Zdv63r3EfBd00XrfXENX0J436HOvqodlrHZdFrMBMg-
                bYmPWTo0R_5zihv2dT5UE5M67A1HP3PbxBHRnv9oZIbvR_1njehED6PwVBFj-3Q-f4U4mf7IDq5r7heEUcbQxx-
                APow9YBoD6lTlRtXKFLQC_v4bzo6_Uhn8_97iw3sdPEYPs_8BOCIZx-sUAAA
                """#),
        EmbeddedAsset(
            name: "message-recipients.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The recipients of a message with their outcomes, some at a time.
                import {
                  el, card, table, tableRow, rows, setText, number, counted, field, button, buttonRow, fieldGroup, softLine,
                } from './dom.js';
                import { call, sentence } from './api.js';

                /** Rows that one click adds. */
                const ROWS = 50;
                /** A large message may have few failures: at most this many pages are read for one click. */
                const PAGES = 20;
                const PAGE_ROWS = 1000;

                const isFailure = ({ outcome }) => outcome !== 'delivered' && outcome !== 'pending' && outcome !== null;

                /** Reads the recipients in their order; `isWanted` says which of them are kept. */
                function recipientReader(app, id, signal) {
                  let cursor = '0';
                  let found = [];
                  return {
                    found: () => found,
                    isAtEnd: () => cursor === '0',
                    restart() {
                      cursor = '0';
                      found = [];
                    },
                    async readUntil(wanted, isWanted) {
                      for (let page = 0; page < PAGES && found.length < wanted; page += 1) {
                        const body = { app, message_id: id, cursor, limit: PAGE_ROWS };
                        const answer = await call('message_outcomes', body, { signal });
                        found = found.concat(answer.recipients.filter(isWanted));
                        cursor = answer.next;
                        if (cursor === '0') break;
                      }
                    },
                  };
                }

                function recipientRow(each, id) {
                  const link = (text) => el('a', { href: `#/lookup?q=${each.device_id}&message=${id}` }, text);
                  return tableRow([each.device_id ? link(String(each.device_id)) : 'not registered',
                    String(each.outcome ?? 'pending'), each.device_id ? link('why') : '']);
                }

                /** The card that lists recipients. */
                export function recipientsCard(app, id, signal) {
                  const kind = el('select', {}, el('option', { value: 'failed' }, 'not delivered'), el('option', { value: '' }, 'all'));
                  const list = table('Recipients', ['Device', 'Outcome', '']);
                  const note = softLine('');
                  const more = button('List recipients', load);
                  const reader = recipientReader(app, id, signal);
                  list.node.hidden = true;
                  kind.addEventListener('change', () => {
                    reader.restart();
                    rows(list.body, [], () => 0);
                    setText(more, 'List recipients');
                    more.disabled = false;
                    setText(note, '');
                  });

                  async function load() {
                    more.disabled = true;
                    const wanted = reader.found().length + ROWS;
                    try {
                      await reader.readUntil(wanted, (each) => !kind.value || isFailure(each));
                    } catch (problem) {
                      return setText(note, sentence(problem));
                    }
                    draw(reader.found(), wanted);
                  }

                  function draw(found, wanted) {
                    list.node.hidden = found.length === 0;
                    const key = (each) => `${each.device_id} ${found.indexOf(each)}`;
                    rows(list.body, found.slice(0, wanted), key, (each) => recipientRow(each, id));
                    const all = `${counted(found.length, 'recipient')}${kind.value ? ' without delivery' : ''}`;
                    setText(note, reader.isAtEnd() ? all : `${number(found.length)} so far`);
                    setText(more, 'More');
                    more.disabled = reader.isAtEnd();
                  }
                  return card('Recipients', fieldGroup(field('Show', kind)), list.node, note, buttonRow(more));
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA4VW32_bNhB-919xxYJKagXFG7CXpF4QbF1fWmRoO_QhKGpGoiLOMumRVBzD9f--u6MoyYmLvViy7vd3dx95fg6f
                GwlWlmqjpPYOTA0C1tI5cS9hq3wDvpHKgul8afB7Dg4fIDyqebWWxUytN8Z62M8AZJtDKWyVgxd3rewfH802B2u2ZCv9Z_noc9Dd
                -k5a1Dad9hINaiVbfNx13hsdn2zJknfWdBuKXfv3Sst8doDamjUkxXll1sU_LrkcEsEU2pZioWddShhVxUYF1dn5q1eA3h1Wh6UY
                LaFsVbkCUVWugFfns9Jo5-
                HjzZdPsIBf55dscQ2tsIhLxGctdtCIBwm13EItVNtZ6S4InLVBa98ohzp6BxvUdiAsQS0qqI0dY07C_XX97i3F-wXjjV--
                9Vn8PJ_j916g3J8hHgrSfWwPHDJY_Db8e7FYQFLJVj1IK6sEXr48Fm2krpS-fybQXdtGkDBfQuloSJSOU2EraS9hqdwXQX1cghM7
                B9tGlQ2NEmqtueyV3HgutO506ZXRozuKIG0qNthfhSPg1L0WbcYD1UoPZWcd4oXpzrFz4VuNY1Php9uv9MVK31nNBhBEF5AyEPwn
                5-_KXfu3oyR6XbDfoILN88L6NOtdwbPYQ4AhNsAhGAu30yW392_tVZtuRRjsCM3olLqfUhU0Fehofhne3vT9x2ZwjKKV-
                h4X8A0EX73aa5yE0RnmyPNwZ6od-toD49gP6DeF9RKmoY4cWrVW_mIyVYfLJ36EdltJFYutUJ5XKU2iu0gCSc7xcgwXuoVzNzqKA
                IUi0G0pfBr8FuMQFbVqPfZ9wGfiYYC9t9LIGaNU1ZAety-DOwR-
                FVUOY1-wvsPs1NCZbSpF2dDIBTBD-a3SK9oojxF5TiSWLxKqtLGyvoDlT-etMatuc_Xv4mxPLopKPqiSsD687IFCCf5bYgrAjiZD
                GhkxvT22hSuOnX7yFjcyPRZmGVxAoo1HL_fKed7mMHZT_bjCV1fjamc5nA6UbJtdwn6TrxmjROtOpwExeODFFmO5yeLzBstHptnn
                mLrf0fD0HgdwV4rngiB1spWlJ1wRI_pgNuSMgX4QbScxLyJUYi3U4NpHIst-aBO0cWiTME-xq_izCNinycchYTS9Tf5gZPA1uQn4
                0StjEs0xOO1pPHzSJJkI14Y5OBxYafKeQtlphNaIaqJvme7Q4v8IkLkOvRXaVLJoVFVJTUXYTpKIwCzwuHr7gC4oqtToJCkboe-p
                hEBz-57YKEIx8FtYFDqSU44Qlvn2a7Sa9xr9cZ1SjQjK09p6LZIWlXKELu-
                9aJ08dkAIEqpsQVwxi4Q5jBHBNDDvU5ex6AhiIEQGkStjqkmzyJiv-eAOBt7uBrIMnDag8ZSqeYsYgBeMLg8VfP8-
                HrZBo6_7gJvi8ZxLN9ZgnuuRlPtdP64-
                3kcG9eiGfysrtulxNXlfZgCNIBvAYu1wuEWlPviJiTk6TIgx51MoV5LOjbH05TNWg7N9cIGYyMebOugelqenKKg6vNnIdD5kl1Oc
                KcKnmTibZoZbjJlhPv0lMZ0WgtM0uEiyw9l-
                0jGkP766Ih9G0tglzHQx6ePO9LD3NwQcwiuOfUGxw0X1KHR2QCrAKbfL02vyAR8_2o2noUJrh4kh6n1CUOP1N-
                XXNPnUmC0KqOAsy8eO5xDKGe7OnFDG5P4fG5YKkukLAAA
                """#),
        EmbeddedAsset(
            name: "message.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // One message: its progress, its outcomes, its recipients, and its actions.
                import {
                  el, card, table, tableRow, fill, rows, setText, number, duration, time, share, outcomeKind, counted, showState,
                  pageHead, errorLine, doneLine, softLine, buttonRow, column, cardGrid, descriptions,
                } from './dom.js';
                import { api, call, pollWithErrors, sentence } from './api.js';
                import { chart } from './chart.js';
                import { devicesLeft, messageActions } from './message-actions.js';
                import { recipientsCard } from './message-recipients.js';
                import { phones } from './phone.js';
                import { traceForm } from './trace.js';

                /** The order of the outcomes in the table. */
                const ORDER = ['pending', 'delivered', 'failed', 'not-sent'];

                /** The payloads that devices get, by language. They do not change, so they are read once. */
                function contentCard(app, id, signal) {
                  const shown = column();
                  const text = el('pre', { class: 'payload', tabindex: '0', 'aria-label': 'Content as JSON' });
                  const whole = el('details', { hidden: true }, el('summary', {}, 'Content as JSON'), text);
                  const missing = el('p', { class: 'soft', role: 'status' }, '');
                  api('content', { app, message_id: id }, { poll: true, signal }).then((found) => {
                    shown.replaceChildren(...phones(app, found));
                    setText(text, JSON.stringify(found, null, 2));
                    whole.hidden = false;
                  }, (problem) => { if (!signal.aborted) setText(missing, sentence(problem)); });
                  return card('As a phone shows it', shown, whole, missing);
                }

                /** The names and values of the facts of a message beside its progress. Facts without a value are left out. */
                function factsOf(status) {
                  const trace = status.traceparent && el('code', {}, status.traceparent.split('-')[1]);
                  const began = status.send_at ?? status.accepted_at;
                  const facts = [
                    ['Label', status.label], ['Sender', status.sender ?? 'not known'], ['Trace', trace],
                    ['Audience', status.audience ? el('code', {}, status.audience) : 'a list of devices'],
                    ['Accepted', time(status.accepted_at)],
                    ['Scheduled', status.send_at ? time(status.send_at) : null],
                    ['Finished', status.finished_at ? time(status.finished_at) : null],
                    ['Took', status.finished_at ? duration(status.finished_at - began) : null],
                    ['Pace', status.pace ? `at most ${number(status.pace)}/s` : 'no bound'],
                    ['Received', status.received ? counted(status.received, 'receipt') : null],
                    ['Opened', status.opened ? counted(status.opened, 'receipt') : null],
                  ];
                  return facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
                }

                /** The card with the facts, which are replaced only if they differ. */
                function aboutCard() {
                  const list = el('dl', { class: 'facts' });
                  let drawn = '';
                  function update(status) {
                    const about = JSON.stringify([status.audience, status.label, status.sender, status.traceparent, status.accepted_at,
                      status.finished_at, status.send_at, status.pace, status.received, status.opened]);
                    if (about === drawn) return;
                    drawn = about;
                    list.replaceChildren(...descriptions(factsOf(status)));
                  }
                  return { node: card('About', list), update };
                }

                /** The card with each outcome, its devices and its share. */
                function outcomesCard() {
                  const list = table('Outcomes', ['Outcome', '#Devices', '#Share', '']);
                  const place = (each) => ORDER.indexOf(outcomeKind(each.outcome));
                  const create = (each) => tableRow([
                    String(each.outcome), '#', '#', el('div', { class: `bar ${outcomeKind(each.outcome)}` })]);
                  function update({ outcomes, total }) {
                    const largest = Math.max(1, ...outcomes.map((each) => each.devices));
                    const sorted = [...outcomes].sort((one, other) => place(one) - place(other) || other.devices - one.devices);
                    rows(list.body, sorted, (each) => each.outcome, create, (row, each) => {
                      fill(row, [undefined, number(each.devices), share(each.devices, total)]);
                      row.querySelector('.bar').style.width = `${Math.max(1, each.devices / largest * 100)}%`;
                    });
                  }
                  return { node: card('Outcomes', list.node), update };
                }

                /** The points of the curve: the points that the server has kept, and the present state. */
                function pointsOf(status, known) {
                  const sum = (kind) => status.outcomes.filter((each) => outcomeKind(each.outcome) === kind)
                    .reduce((total, each) => total + each.devices, 0);
                  const points = [...known, [status.finished_at || Date.now(), sum('delivered'), sum('failed'), sum('not-sent')]];
                  if (!known.length) points.unshift([status.send_at ?? status.accepted_at, 0, 0, 0]);
                  return points;
                }

                /** The card with the bar, its text, and the curve of the outcomes. */
                function progressCard(id) {
                  const bar = el('progress', { max: '1', 'aria-label': `progress of message ${id}` });
                  const text = el('p', { class: 'nowrap' }, '–');
                  const curve = chart('Devices that have an outcome, over time', [
                    { name: 'delivered', label: 'delivered' }, { name: 'failed', label: 'failed' },
                    { name: 'not_sent', label: 'not sent' }], { stacked: true, gap: Infinity });
                  const note = softLine();

                  function drawText(status) {
                    const ended = status.total - devicesLeft(status);
                    bar.value = status.total ? ended / status.total : 1;
                    const rate = status.rate ? `, ${number(status.rate)}/s` : '';
                    const left = status.remaining_ms ? `, ${duration(status.remaining_ms)} left` : '';
                    const devices = counted(status.total, 'device');
                    setText(text, `${number(ended)} of ${devices} (${share(ended, status.total)})${rate}${left}`);
                  }
                  function drawCurve({ status, progress }) {
                    const points = pointsOf(status, progress);
                    const valuesAt = (index) => points.map((each) => each[index]);
                    curve.update(valuesAt(0), { delivered: valuesAt(1), failed: valuesAt(2), not_sent: valuesAt(3) });
                    // The text stays while the message is sent: a line more or less would move what is below it.
                    setText(note, progress.length > 1 || !status.finished_at
                      ? 'One point each five seconds while the message is sent.'
                      : 'Only its beginning and its present state are known: the server keeps points in memory, while a message is '
                        + 'sent, until it restarts.');
                  }
                  return {
                    node: card('Progress', bar, text, curve.node, note),
                    text: () => text.textContent,
                    update(answer) {
                      drawText(answer.status);
                      drawCurve(answer);
                    },
                  };
                }

                function show(main, { parts, signal, context }) {
                  const [app, id] = parts;
                  if (app && context.app !== app) context.app = app;
                  const error = errorLine();
                  const done = doneLine();
                  const state = el('span');
                  const progress = progressCard(id);
                  const outcomes = outcomesCard();
                  const about = aboutCard();
                  let status = null;
                  const actions = messageActions({ app, id, maySend: context.may(app, 'send'), status: () => status, act });
                  main.append(pageHead(`Message ${id}`, state, el('span', { class: 'soft' }, app), buttonRow(actions.nodes)),
                    error, done, el('div', { class: 'two' }, cardGrid(progress.node, outcomes.node),
                      column(about.node, contentCard(app, id, signal))),
                    recipientsCard(app, id, signal),
                    card('Why did a device (not) get it?', traceForm(context, { app, message: id })));

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
                  async function load() {
                    const answer = await api('message', { app, message_id: id }, { poll: true, signal });
                    status = answer.status;
                    showState(state, status.state);
                    for (const part of [about, outcomes, actions]) part.update(status);
                    progress.update(answer);
                    context.say(`Message ${id} is ${status.state}: ${progress.text()}.`);
                  }
                  pollWithErrors(signal, error, load);
                }

                export default { title: 'Message', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA51Z227cOBJ9z1cw2OyIyspyPPvmwBMEyWRvyWYQB5gHoxHTLXa31mpJo0ucRk8D-
                w_7h_sle6qKlCh1Ow87GMQtslgk63LqwvNz9bG0amvb1qztpcq7VtVNtW4wkPBX1XfLCvPy1dhlXue27PBtyozHzLLLq7JNn-
                Tbumo6tX-ilC0StTRNlqjO3BXW_flUPSRqlReYbKoHsGht99l-
                6xJV9ts72yQq6xtD3LAg32JZuzEN_rhD_CMvwXFZ9WVnM5qsHq4709kEO9Y4_1-
                twbBtmqp5n5dYl1WllV9tterk113fdVXJR1lWRb8t5aR_aXKszWy7bPKaL5Q8OahVU21VlJ5n1Tb9Vxu9HO6oTJ3TQrpLXRXFr3m
                3-
                Zk25lvhfOXSqnE9qGfrl7hZF1Dw94wms1_zpW3f2xVE5HT0WqQdrHQTZ14PUx6jxt7glieWjQSzlfUG0gs34oEZUdeYpX1XNduAj
                seE7sn58-fq88aqqslso6qV6ujD2ZTKS_5m40jV8_MnS1ygUx8_vf35k7pSN1Ftyywv11GioswW-Vfb2Iw-ViYv5FdZdWck8GgR7
                FabXVGZrAV303kxqrWFGO92qjDlusfVU6LdwUgUmJBCyjVbCp1pp2B4EJ7JVAVV8uFWfckiht2QgjsSqDZ1Ddcga8zXpSliNn-
                5BtlniWuImen45TDTwegxYQsd1Y3FNWAPhWnbSxW5o0fsMrB3-w2DL-
                impsnNWWHubBFh6I2cQZlW_f364z8jdQj4P2yqwroNMttBWC1vssmzzJaX0FoP60x4vu23W9PsaB4jR3zjhE8bMN_mbQud-PNPTk
                9uFpF3F5a-4Jx9G9FOUcQc4Ac6cuLjhSw-
                Z4pf8gwIlBH5np1KDupFixum0Eyp9QoIkMXq6icWthJBp42tCxjem01eZA3I0jQVExYdySI-
                hfLAoztGH7po2nYNbpWvdsKeMImc-0e_hGWaigRx95UpWkszOK0GZMKCt3Ikla-UfipnTs0d_MTisH5HJ70RJYbF8Uunw8Z2fVMy
                KunoNQBWXJGvCZ8hwfGNEzlT4jWCxYfRB0pDHkYg_dUUPX4651sBJ_jDeLmrO9vmmZ2Af6reMd0DcA3uCmLmwl5RAI_Ih6dOwXw_
                rrQoPfQDxgOITGZS_qzBCFb2ww9sRMsqs84Aj4nSti7yTkdnUXxzsQgM8c6uTTnyhUCzL3D3V6_8iFmCB6SP0XGV3B_gwlq9id6z
                Rw0bs4MtEkxcg59txpmWv4k9gY66L6GCiCk_02HJY-
                nvInGMX_dZTgoeORg3ol49cmtPECt4j1FFjvNCUw7AopG1u1gkcVIf3zceaK-XG5v1gpZzSU1Wu1Ham0x_YPAuL_N2E65fuZFjHs
                HMEZ_PVXX_GA8f90_wUWei6CN-v5hQtrVhud5iwbaC2J7tJafQwXx8OG9vSbRlpe7IyUeJfrJLi_ASXLJxI2DqMg49mwGq8c-
                6i44O9xGRK-RW8fcxLxl_jNMigAO2Wwim6HApfZOIQy4Yc8Q3n15d8VLyqnEE17QQJzafDDMgB3BBaMPePoIE4Uu-
                3LhIyOBK0bDYEcJxjMzy1co2UxwA4vUSGkMMYFN2AamYhAzeyoevwiJcN4bDZhTRyMC3rzOkehN48cx5S6yY4fjNzKumPj7z61PI
                k5wAElGwOmHGc_eamOaRWc0sY-GiDMUOdx0oiUUROwsQAi8dJpIhku2p6Bcms3oGzxLVDqN57ZEEZQjaLuoQd6iJWCMDENmrwyMW
                Yw2sxCV1Uif4lMvXCJzHT-
                3EJ4GPmQonhTr66MgiAlr3QdnQH946UKTf18SefkVhfGCBgJOm87GfcGKZclYFUQRVBZOkbiAOeCyRAnZTJr6U0RJBrtnepgzoTJ
                H7h00-_xra_O2daQBQj-5_uIU7yE3m5r8PCrKu6jgrmvhCYZq1ZQF-MN0m3Zpv-iJRsAa_DkO1Hm_DGzt1-VTHpa-cuVCkDFYvUh
                rWuqJSqgIINMyFRU2DMeDafcjk778Lmd8D81RF-
                B1lQ6oGNZvxXZXtErd1ombHHExMtIL5hsq4gWjvfJNKTJm6GdDP15h6cmFXYU4GnWBj75J8vPS33ja7a1vYZVc1OkqhwigG2OyQF
                D7kGbzgSt0-24dCD5mq80Ezz9XFixfx4Y-3wv7wfU8M7J8FRHOPeWRd5WU3JHrLvvkKNt04wdUQfbcWU43aIMm_B7BJLc-
                EyP0oLyOUmPmr8BgQJJEEaFLv9FtylPvcJece4Lzh-dg16OtRB2DwYz4sIoBb1sOkNCsmULh4wJ_UVH0vQgyQm4sR84lhFCeSDJj
                pW7oyKDRZRb_VQcXpR1zZ6T-H2jNecKTmxJ83SQtbrjscUvZP-
                7Ld5KtuCEnfzVVxA_l_EZYDwuk7MRsWKeArRY1XKZvBvPKeqdYl_QzFeRbqlJDKF6pCxEAGC0fovjgqS289FW3oy4tn-
                zxjSDtdAE-yAQivMbWUjP_993-
                iEIr5IlfSOdGRw38x6o3BlCnHIFSRfVNmSnGDjWjPFdHltJHA556MSfXpSIc2g6dzAyCa8oQlfGmlpvWkVCPwkDosiCX0vLy3ma9
                p16a-VH8ryQa73UQ2WMjVkutYUd8gDASUAHAleSoTolQmC0ot9o-
                zsJHklwn4QL2p5ISzNa8cq_Pp8KW6CENEI7HRpzb0hRQ8OUq-
                aWZIvqOQA9eSIwe7NRBIuf6ybT2neWkQ0sQHZnDM1qPu1TzfdggSCUF0sh1wOxyfZYBNYMw4iPA8KP1s76IGTScTCcWH-
                Nmernt4tqejHW4HeJ9o8A0Zs94rD6aD38zC-YBfR_DrV0xitpT6r0mkmtMcic4CQseB_4ZpfKBjB0tdouE56Rdxwq1I5yCXwx76A
                jPiEMHgjxj03hAM_zl2Nq7U-TmDF0MALrNrqcwoLOOTh4y8VcKAimBqUFcN9RChbYjooeqLDENw-QdyfhDD5aoHgF86USd50igoh
                8nqJ3VBcP_0OAq4cI8Cn5riLDXJbVe4O7hCxtl3TptGjsElMaAyqaOTrfOSzHXIhScxlosrDhmXYWS-
                t7ZuvfLzEjtBArvE7W3Cnf2mCnEwarlqgcXnBfZC6MAmDVQfHSUZvCpMNH4Z8Z0jifiC2ATRsVqRevBCmrxUWoIwfqf0j2sdCoUz
                I1O2D5QG-tRsQC-ZSCdopALXcAtdjkQ8JdcZvIhaYJqggLuFdEvfKEykQQvzOoSh7Ma1ahfkTUTvQzbGqTZ2i1L6pAoZf-PJIA-
                NOM3vDBTE_HtD2OGllwfM-QeIcEr0LsGvrU0ZxrgBBq6OgvJINLTPr2ZF1EjiK-
                KgGPfltUhcSasgWOHeFa5mDw3a9Wipxb01O2qKXQ5SwYA0V8nwJC9i7t40PFaBuXN_UhgJE-
                TaP9no2w-TTEG42GSU0FGLmaI06Sd4ztH-_YOMFaWMmCErRx6CTpZiUfdQMTf_BqQHuBCjHzImSbydnbqWPovXEX7vUcCfZvoYc0
                QmROKOv26ovZLB1yXuKEKzmN4w4NivfLORXl6008a8nS69dK70qfPe7srlGIMgLE25CwTIFRf3-
                H073cGnk13ko2TX7AY_dkbDTkp29mAAN_Qc5rie7OxzHUr7DbFg3Ew0NDw1MBhQoXjccKf_ZD96KNFjlSbIJmdyuIEjdcDvsUG_n
                23r7niiGT_l6p1FQPRwLFA5y7QtNZUOv304gfwfbx8uU_HeO8HPl8MzCL-
                Hauc_vtigL7d-BcjSDmvoARKZzQ1bcRI0FpwnLWKmSaedN-
                EzeMkU54dchOGhBTxMfZsCFrKn4FyHSwwM3GiZjg_pmDVNH1e1R3inN5K69DHtN36RRLVv-oJfJvOOH6E-DBIn-
                VAU-R8ogpzu9R4AAA
                """#),
        EmbeddedAsset(
            name: "messages.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Messages of an app: first the ones that are being sent, then a list with filters.
                import {
                  el, card, table, tableRow, fill, rows, setText, number, duration, time, field, select, button, share, showState,
                  pageHead, chosenApp, errorLine, buttonRow, emptyLine, messageAddress, messageLink, progressBar,
                } from './dom.js';
                import { call, poll, sentence } from './api.js';

                const TYPES = [['', 'any type'], 'alert', 'background', 'location', 'voip', 'complication', 'fileprovider', 'mdm',
                  'liveactivity', 'pushtotalk', 'widgets', 'controls'];
                /** Rows of a page. */
                const ROWS = 50;
                /** MESSAGES has no filter of types: with a type, READ_ROWS messages are read at a time, READS times at most. */
                const READ_ROWS = 200;
                const READS = 5;
                const STATES = [['', 'any state'], 'waiting', 'sending', 'paused', 'scheduled', 'finished'];

                /** The filters, as the address of the page has them, and the number of a message to open. */
                function filterForm(parameters, context, onApply) {
                  const given = (name) => parameters.get(name) ?? '';
                  const filters = {
                    state: select(STATES, given('state')),
                    type: select(TYPES, given('type')),
                    label: el('input', { value: given('label'), maxlength: '100', 'data-search': true, spellcheck: 'false' }),
                    sender: el('input', { value: given('sender'), maxlength: '255', spellcheck: 'false' }),
                  };
                  const messageNumber = el('input', {
                    inputmode: 'numeric', pattern: '[0-9]+', placeholder: 'number', 'aria-label': 'Open the message with this number',
                  });
                  function apply() {
                    const chosen = new URLSearchParams();
                    for (const [name, node] of Object.entries(filters)) if (node.value) chosen.set(name, node.value);
                    history.replaceState(null, '', `#/messages${chosen.size ? `?${chosen}` : ''}`);
                    onApply();
                  }
                  const onsubmit = (event) => {
                    event.preventDefault();
                    if (messageNumber.value) location.hash = messageAddress(context.app, messageNumber.value);
                    else apply();
                  };
                  const node = el('form', { class: 'fields', onsubmit, onchange: apply }, field('State', filters.state),
                    field('Type', filters.type), field('Label begins with', filters.label), field('Sender', filters.sender),
                    field('Message', messageNumber));
                  return {
                    node,
                    type: () => filters.type.value,
                    /** The filters that the server applies. */
                    requestPart() {
                      const { type, ...others } = filters;
                      const set = Object.entries(others).filter(([, input]) => input.value);
                      return Object.fromEntries(set.map(([name, input]) => [name, input.value]));
                    },
                  };
                }

                /** Reads a page of messages of a type, or of all: its messages, and where the next one begins. */
                async function readPage(wanted, type, signal) {
                  const limit = type ? READ_ROWS : ROWS;
                  let found = [];
                  let before = wanted.before;
                  for (let count = 0; count < (type ? READS : 1); count += 1) {
                    const answer = await call('messages', { ...wanted, limit, before }, { poll: true, signal });
                    const all = answer.messages.map((each, index) => ({ ...each, ...answer.details?.[index] }));
                    found = found.concat(all.filter((each) => !type || each.push_type === type));
                    before = answer.next;
                    if (found.length > ROWS) return { found: found.slice(0, ROWS), next: String(found[ROWS - 1].message_id) };
                    if (found.length === ROWS || before === '0') break;
                  }
                  return { found, next: before };
                }

                /** The table of messages. */
                function messageTable(context) {
                  const list = table('Messages', ['Message', 'State', 'Label', 'Sender', 'Accepted', 'Type', 'Progress', '#Devices',
                    '#Delivered', '#Not delivered']);
                  const create = (each) => tableRow([messageLink(each.app ?? context.app, each.message_id), el('span'),
                    each.label || '–', each.sender || '–', time(each.accepted_at), each.push_type, progressBar(each.message_id),
                    '#', '#', '#']);
                  function update(row, each) {
                    showState(row.cells[1], each.state);
                    row.querySelector('progress').value = each.total ? each.ended / each.total : 1;
                    const delivered = each.delivered === undefined ? '–'
                      : `${number(each.delivered)} (${share(each.delivered, each.total)})`;
                    fill(row, [undefined, undefined, undefined, undefined, undefined, undefined, undefined, number(each.total),
                      delivered, each.failed === undefined ? '–' : number(each.failed)]);
                  }
                  return {
                    node: list.node,
                    draw(found) {
                      list.node.hidden = found.length === 0;
                      rows(list.body, found, (each) => each.message_id, create, update);
                    },
                  };
                }

                /** The card of all messages: a page of them, and the way to the older ones. */
                function allMessages(parameters, context, { signal, error }) {
                  const form = filterForm(parameters, context, showNewest);
                  const empty = emptyLine('No message matches.');
                  const list = messageTable(context);
                  const older = button('Older', showOlder);
                  const newest = button('Newest', showNewest);
                  let places = ['0'];
                  let next = '0';

                  function showNewest() {
                    places = ['0'];
                    load();
                  }
                  function showOlder() {
                    places.push(next);
                    load();
                  }
                  async function load() {
                    if (!context.app) return setText(error, 'Choose an app on the left.');
                    const wanted = { app: context.app, before: places[places.length - 1], ...form.requestPart() };
                    try {
                      const page = await readPage(wanted, form.type(), signal);
                      setText(error, '');
                      next = page.next;
                      draw(page.found);
                    } catch (problem) {
                      if (signal.aborted) return;
                      setText(error, sentence(problem));
                      throw problem;
                    }
                  }
                  function draw(found) {
                    older.disabled = next === '0';
                    newest.disabled = places.length === 1;
                    empty.hidden = found.length > 0;
                    setText(empty, next === '0' ? 'No message matches.'
                      : 'None of the messages that were looked at matches. Choose Older to look further.');
                    list.draw(found);
                  }
                  return { node: card('All messages', form.node, empty, list.node, buttonRow(newest, older)), load };
                }

                /** The card of the messages of the app that are being sent, hidden while there is none. */
                function runningMessages(context) {
                  const list = table('Running', ['Message', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left', '#In flight']);
                  const node = card('Running', list.node);
                  node.hidden = true;
                  const create = (each) => tableRow([messageLink(each.app ?? context.app, each.message_id), each.lane,
                    progressBar(each.message_id), '#', '#', '#', '#']);
                  function updateRow(row, each) {
                    row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
                    const ended = `${number(each.ended)} of ${number(each.total)} (${share(each.ended, each.total)})`;
                    const left = each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–';
                    fill(row, [undefined, undefined, undefined, ended, `${number(each.rate)}/s`, left, number(each.in_flight)]);
                  }
                  function say([first, ...others]) {
                    const count = others.length ? `${number(others.length + 1)} messages are` : '1 message is';
                    context.say(`${count} under way. Message ${first.message_id}: ${share(first.ended, first.total)}.`);
                  }
                  function update(now) {
                    const found = now.sending.filter((each) => each.app === context.app);
                    node.hidden = found.length === 0;
                    rows(list.body, found, (each) => each.message_id, create, updateRow);
                    if (found.length) say(found);
                  }
                  return { node, update };
                }

                function show(main, { parameters, signal, context }) {
                  const error = errorLine();
                  const running = runningMessages(context);
                  const all = allMessages(parameters, context, { signal, error });
                  const compose = context.may(context.app, 'send') ? el('a', { href: '#/compose' }, 'Compose a message') : null;
                  main.append(pageHead('Messages', chosenApp(context), buttonRow(compose)), error, running.node, all.node);
                  poll(signal, all.load);
                  if (context.may('*', 'observe', 'admin')) {
                    poll(signal, async () => running.update(await call('statistics', {}, { poll: true, signal })));
                  }
                }

                export default { title: 'Messages', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA7VZbY_buBH-nl_BQwJQShSt94B8qLebxfaSvgC5JNjdoigMI0tLtK1bvZWi13H3DPQ_9B_2l3RmOKQkezeHw7Vf
                bIkcDuf1mSF1ciJ-1F2nVroTzVKoWqi2nYplYTor7FqLpoYZu1ZWKKPFQhf1SnS6tgnOArUoC6DcFnYNi0qrTZc-
                K6q2MVY8PBNCl4nIlMmBXC1KzX9XzTZBcpg0zbZLgKO90V-
                Bab2pFtokIt8YZYumhgVFpZFYlznSlToDssXGWpzs1iAV_jXba6usTmDLFpT5s1ZAna0bEPWybROhjWnMh6LWfi2JoKvW7txo5ax
                wmecGnsI7TN4lojXNCof_oEzybC-WpqmETE_ypkp_6uRZUBhURZ3aBn_RSrrOtOgXqLZwC55lTQ1mu_n75_fX4lzMZlImQqp6J-
                yu1XKOL6U2FkcXKrtbmWZT5_hWNhkZBp_vm6LF_6yp2rLox8GyGkS-
                L3Jt8L3KK4mWkWVxr1Vmi_vC7nCi3XRr21hV3uHbtshX2naOY21NU3Zyfvbs5OVLAdZy8UHWTcXLE9bg6tPfUIE3E0f34_vr68s_
                gU5r1Ym64ZDAlahXN3WBougtEVfvL999IQ6Vj0EMMgPOExhw7Hsku6bnDoerprNDCQKTc_H9BOToh0kyP3B9c3lzaOwOY4asvVWF
                hdDGCfBbzo-
                t2nSazN5la51vSveyLOqig3e0Dql9A4nC0Z8I1VHiKBdJpDu8ot3IKvBSAVGd07CLd2daNoKwjWhaXZOOy02doVuZ_R8bU0WtMqr
                SbjN0FCVOg3Fe7mLKOqfxCrxdg8JRDeSxOH8r-
                pUpeJrHLy6EhJD0q1gPWIechLPRlDMvclZMHO9IOgPGcUKk6NVASbEdCCmsPV2pFrqcAjZEsqjbDUb5g7hX5QZWMz2RyBjyUH0td
                b2y66mQp5MJmj9XVr3utDLZWk6FNRtEgFaXJfgouwO6pSo7LcWet0OHavPt_RzN4Ybfv3kjv8V735uNnffR-
                fN8vBmJQW9Vk8OmEtyuTZHBXKssmLuGsdnk9e_mr3CoVJleNyUJLV2EUMSaQr12hoHxTxAiFEI-bCi17LrohF-
                CEsYoYogihTESxSyRk9yhJIhc663469WHa7LsZwyVLqLlwKAxInLkM4waAGpQZI5x-2nxE7g7BbAzhe4iDp84FsUSIg-
                oUrJ0zPukHQeeY8GTbheQ3TZmlxpNJiBEj-oNgimm7O3zE48TLx48t-
                KfWlyI2ws_sr8VYBy5v2WenBdOkX1wF_xsFlVhMT00RICl_HBmofe0NfT_Ti_VprTeEKjUyNVeO4_LKeT4GriO60nEeZoqLEaPMX
                DsNQSXd9LZOMDQWhxX4I2KYjgrVddhUGJ1ROD2auFTtlb1CoKN2Ik919BIklllEso15TCnCpPcYLb2FJi8cVj_ASMQOoFVUXcUdA
                NKis6e9Npl1WAvGhhvxv2HPLBLTAYw2m5MzY5BEwyRJiKnDaV0xnQ0B8DsmhhMmE6be8hRtAtELMEs0hv9j43uLAS-DRnijf_AFS
                tN0wZYALc9-
                II5n41IIb5h6iAr3KI4dSuiaJY4OJiTBvQ4ioOgOPPBBuI984IN0kq1wMSl0YDRcMTxm8fMcc94tXcV6wpqbMflHLO4GjaBrGzj6
                lIJUF3YLpC44rUFhbQrYRDX2CZySJA9Vbersx52sKJ_hrXRVkEaYDNIG3TFqlblsGSVhctJnIe07mv7lDoNVKUE-
                y6xG8JSPvcjCw1JgfnhdkjdO2EfQheSZLAIeU_O-
                PH3Ihrsg3ucxn7u1Tm8jGBS1d2WkF1hr0CdXiS9TSgbITi8fqRH4qXa4yw2haFakeIMzmGDskTutE3qGTtPQ9O2Rrfm-
                iv5OaLN3Cg88JpcW1WU3UU6I8o58A_w7exF_ylsB1gVwX4hHpEVcf6OLPLzzwJHUuwPv9DI-blziucY7M17YxD0COn2cWVUvCXXx
                SGVnRRTFqaDxlVHk8QRJRRNU3ENoV6vHJ8ZBcBrcTr3VvlS5LGDxke2Q0lpBSjhpYQhOZGxWEAg3vlCMJbH7-
                xdFjIFIYQOLcM0GfdmPHqDVB7px1HdUVDTvMc7jJnZAPwCLjuApREPn_Iyy3RrXffJ4Cw_86EEn5-
                _0_dgx0466MN37PWNW_H8Y2NFHkbmcV9VMrCI1VQFfQj4E1o0G5yBaBqrF7aLo2JGEwPHJFSiulbVknGeKKgyoE_kf_71b8nLXDk
                YjGKTz1uxxl-
                UjZODaBwdyKIjAdgEpLn7mY-7oE2bY2dh6AhIanOr64-ROJVm0PV1s9O5l5XKpAs6nIZiYXbX1Os2JpJeIhk74MVSjcvoeAUQQy-
                obi5OhjMAOkMQCF7y6wcDEMUQqBpOH_B24UzG1WIqbl88uLYvGi-
                L9yJ68UDn5IOZZCBGvI9vGSrgVO4sMwubJeK3Pw6Fc1smLPuhQEsAsafUBUWHjBxpPI8Pczq0C1NKvrTvHHKjtg4w-
                hofSNJ1kefUCx9ByiQUZjgKR7Ri0eS7xKNHnz8H8ZhwjiUcdo_XY0QZvCfhihuAZjqo0eOT41bt8KRIdzR4VKCbmjEuASMPNo8fG
                h-
                4EvH9CBSMAWphlxmanKcPnpg0H_UWOqcBrNDFCoawv2CJ5McmnFQqZeE41aVysIIx8lEo7amcpud8hxPJT6UDSBSCnge0NQk1IHZ
                SyiORsTmgAwceemdQKEJXQa0N1Q446A8ApGcQOsVjBsCiUXl_8BitJmEPFhPARbXX-HD9QU_lJv3ZEqrgdwNYDtWWL9Yi8i9g4Q_
                rpsEjBh0FIWQofkq9tOwMbzzXyOAlgLsQHEG-
                q5FTFnvG0nOyYKGmrgTjJx031Vyzrdkd9NcU4r61OuoWiRMCfxSHptGn46GCMsyw8-
                jCqm9PGAFo1MEA5yOkH0SliADIIfaqHh3Qtm7TVC0aAxJ56z4hg7_4C6yCSHYN6CF4mPc9jI5jgKKgT_Oiw6TI6aCOmp1zYDpdMR
                iHNGOnIDHXGUrJJ4DurYe5oBESJ6MNEYofy-VQiWC29njVnyvo9LXFM0PZNHeaLvj8WsFRSUmBoIYkYBGDp6YQmIS5A-
                sc9XEO7xFFI3k5wFDJEURFQLBKfVnoL4QjZ8bEWTyGYMMkewKlR9rxO-bUo3flbO7tGuoVUsI03tOAocaIbTZ1DasCav9iM3nlFh
                z2kh9Ufdwjvsfug56uuNN8fgP9FqU_vf2lFsuyWK3tqEXkiwdn136_YEAiHVdPPOX8n3tM11PWXNW_2Q-Oe8GnG0KU56gn_J-
                2epMhxDqK88POjYaha4OQGk9wo3bQzhH5460cxwt410to0A8X4eNKNGAMuD3Y3gtOC16K08lkEmNqYw_26_tElvFAUeQd70-
                624RkHLeIRf3FheKguesLqNpFM_pENbiRmR_cavJp3016gLsYCDGeeQXn_f3oOwRdJJ4GoCs6GcxKkYlSADfaaE_qGmzKUv9BDdx
                HMg5icT8V3nluii3jXth96e2xxnxiqZvtWEt_sIeJlL9bHJ_pQ1ohgg-
                bhLPQJv9y4_tb215IrvjxE3tM_vwGpnsWDMSjPiqqVFHT9cqgN_VNLes6bmtdp3vefxGMBljH-AvTTyFxT8v3Nb--xx4gY1O1WPh
                6t1RgihH00ZcJGSOswLFa0UXT2uglxObzE14v8YZJ_sDMwockGdNxqSxxQ7QTcgRukf9COrqLCB9Lg6rDysg7YU3kLocNxDUUL5N
                CMcCrrshrjTNYRmkGfT9UVb5EPG4WdCVL3zjyqqhlHBrjESdqgN2lr9-dE2N4J4cHdYjTIqNbuafv3mKONggp_ZW-3-
                burh9vewtb4neagX0w2jAC_wsteLqJMh8AAA
                """#),
        EmbeddedAsset(
            name: "overview-tables.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The tables of the overview. Each has its node and `update`.
                import {
                  el, card, table, tableRow, fill, rows, setText, number, compact, duration, bytes, share, showChip, softLine,
                  emptyLine, messageLink, progressBar,
                } from './dom.js';
                import { SILENT } from './alarms.js';

                /** The maximum of connections that are listed. */
                const LISTED_CONNECTIONS = 50;
                /** The maximum of requests that are listed. */
                const LISTED_REQUESTS = 12;

                /** The messages that are being sent. */
                export function runningCard() {
                  const list = table('Messages under way', ['Message', 'App', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left']);
                  const idle = emptyLine('No message is being sent.');
                  const create = (each) => tableRow([messageLink(each.app, each.message_id), each.app, each.lane,
                    progressBar(each.message_id), '#', '#', '#']);
                  function update(now) {
                    idle.hidden = now.sending.length > 0;
                    list.node.hidden = now.sending.length === 0;
                    rows(list.body, now.sending, (each) => each.message_id, create, (row, each) => {
                      row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
                      const left = each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–';
                      fill(row, [undefined, undefined, undefined, undefined, `#${number(each.ended)} of ${number(each.total)}`,
                        `#${number(each.rate)}/s`, `#${left}`]);
                    });
                  }
                  return { node: card('Messages under way', idle, list.node), update };
                }

                /** The nodes as this node saw them last. It knows only its own lease. */
                export function nodesCard() {
                  const list = table('Nodes',
                    ['Node', 'State', '#Position', '#Entries behind', '#Heard of', '#Lease left', 'Address', 'Version']);
                  const node = card('Nodes of the cluster', list.node);
                  node.hidden = true;
                  const create = (each) => tableRow([each.is_this ? el('strong', {}, `${each.node} (this node)`) : each.node,
                    el('span'), '#', '#', '#', '#', '', '']);
                  function stateOf(each) {
                    if (!each.is_live) return ['over', ''];
                    return each.silence_ms > SILENT ? ['silent', 'bad'] : ['live', 'done'];
                  }
                  function update(nodes) {
                    node.hidden = nodes.length === 0;
                    rows(list.body, nodes, (each) => each.node, create, (row, each) => {
                      showChip(row.cells[1], ...stateOf(each));
                      fill(row, [undefined, undefined, number(each.position), number(each.lag), `${duration(each.silence_ms)} ago`,
                        each.lease_ms === undefined ? '–' : duration(each.lease_ms), each.address || '–', each.version || '–']);
                    });
                  }
                  return { node, update };
                }

                /** The pools: their connections, and the answers of their providers. */
                export function poolsTable() {
                  const list = table('Connections by credential', ['Credential', 'State', '#Open', '#Opening', '#Draining',
                    '#In flight', '#Streams', '#Throttle', '#Attempts', 'Answers']);
                  const create = (each) => tableRow([`${each.credential} / ${each.environment}`, el('span'),
                    '#', '#', '#', '#', '#', '#', '#', '']);
                  function stateOf(pool, failure) {
                    if (pool.parked) return ['refused', 'bad'];
                    if (failure?.unreachable) return ['unreachable', 'bad'];
                    return pool.open ? ['connected', 'done'] : ['idle', ''];
                  }
                  const answerText = (each) => (
                    `${each.status || 'other'}${each.reason ? ` ${each.reason}` : ''} ${compact(each.count)}`);
                  function update(now) {
                    const pools = now.pools.map((pool, index) => ({ ...pool, index }));
                    rows(list.body, pools, (each) => `${each.credential}/${each.environment}`, create, (row, each) => {
                      const failure = (now.failures ?? []).find((one) => one.pool === each.index);
                      showChip(row.cells[1], ...stateOf(each, failure));
                      const answers = now.answers.filter((one) => one.pool === each.index).map(answerText);
                      fill(row, [undefined, undefined, number(each.open), number(each.opening), number(each.draining),
                        number(each.in_flight), number(each.streams), each.throttle ? `${number(each.throttle)}/s` : '–',
                        number(each.attempts), answers.join(', ') || '–']);
                    });
                  }
                  return { node: list.node, update };
                }

                /** Each connection: the window is the bytes of bodies that the provider takes at a time, the round trip is TCP's. */
                export function connectionsTable() {
                  const list = table('Each open connection', ['Credential', 'Connection', '#In flight', '#Streams', '#Window',
                    '#Round trip', '#Answers', '#Limit']);
                  const unlisted = softLine();
                  const create = (each) => tableRow([`${each.credential} / ${each.environment}`, each.connection,
                    '#', '#', '#', '#', '#', '#']);
                  const key = (each) => `${each.credential}/${each.environment}/${each.connection}`;
                  function update(found) {
                    list.node.hidden = found.length === 0;
                    rows(list.body, found.slice(0, LISTED_CONNECTIONS), key, create, (row, each) => {
                      const roundTrip = each.round_trip_micros === undefined ? '–' : duration(each.round_trip_micros / 1000);
                      fill(row, [undefined, undefined, number(each.in_flight), number(each.streams), bytes(each.window_bytes),
                        roundTrip, number(each.answers), each.rate === undefined ? '–' : `${number(each.rate)}/s`]);
                    });
                    const others = found.length - LISTED_CONNECTIONS;
                    setText(unlisted, others > 0
                      ? `${number(others)} more connections are not listed; the metrics have all of them.` : '');
                  }
                  return { nodes: [list.node, unlisted], update };
                }

                export function lanesCard() {
                  const list = table('Lanes', ['Lane', '#Messages', '#Waiting', '#Delayed', '#In flight']);
                  const create = (each) => tableRow([each.lane, '#', '#', '#', '#']);
                  function update(now) {
                    rows(list.body, now.lanes, (each) => each.lane, create, (row, each) => fill(row,
                      [undefined, number(each.messages), number(each.waiting), number(each.delayed), number(each.in_flight)]));
                  }
                  return { node: card('Lanes', list.node), update };
                }

                export function outcomesCard() {
                  const list = table('Outcomes since the start', ['Outcome', '#Devices', '#Share']);
                  const create = (each) => tableRow([String(each.outcome), '#', '#']);
                  function update(now) {
                    const ended = now.outcomes.reduce((sum, each) => sum + each.devices, 0);
                    rows(list.body, now.outcomes, (each) => each.outcome, create, (row, each) => fill(row,
                      [undefined, number(each.devices), share(each.devices, ended)]));
                  }
                  return { node: card('Outcomes since the start', list.node), update };
                }

                export function requestsCard() {
                  const list = table('Requests since the start', ['Request', 'Result', '#Count', '#Mean time']);
                  const create = (each) => tableRow([String(each.opcode), each.code ?? 'ok', '#', '#']);
                  function update(now) {
                    const listed = now.requests.slice(0, LISTED_REQUESTS);
                    rows(list.body, listed, (each) => `${each.opcode} ${each.code}`, create, (row, each) => fill(row,
                      [undefined, undefined, number(each.count), duration(each.micros / each.count / 1000)]));
                  }
                  return { node: card('Requests since the start', list.node), update };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA7VZbW_juBH-nl_BIgdI2urkbIF-2SC72PoCNECa7CW-6wcjiBmLjnmRRJek7DVyAu4_9B_2l3RmSMryW-
                zdoh82Ft-Gw5lnnhlyez02mApm-VMhDFMTZqGl5kLPpVhk7JKPp2zKDZPWsErlgvEqZ6N6lnMrRtmJLGdKW_Z6wpgoUjbmOk-dMP
                9zpxYpm8gCBrVamJQZYQfiq01ZVZdPQsMaVc74GDryWnMrVZWyp6UVOHXKtcAftehP5Qy-
                1MRey0qkuF05s0tqsFIYw58FNF5SNtPqWUPH37hOTxo20apkUdbLVZn9ZqLzVmN2f3V9eTNgqym84Lo0btZJ7907MkzJv8qyLtEy
                Y1VVYowaGrAStwy0Y4U0VuQZe9c7gXFj2fXV_eDyp8f-7c3NZX9wdXtzzy7YX8_Od0nU4l-
                1MPYIcXeXP_9yeT9AWe__0lXPHb0j4UnI6hmsXFmSIr7ScSd1RZozXVcVTOiDo-KE_Ob2wY1BOPksjv4RxNZVLjRb8GWUsmHohu_
                o82yGP9e8ouYXb3X8Pr2ERTl93QFK6GMgSzicmNjoITlvN5V5IWDT1pVxdKPCkZg03bNEnWVjLUAuLIwFwDNhFx9brMXDDhhoOOM
                zQA59-aFHmSe-ZzVWcAcr1gVQvL0sOo1Wf9xZWtu6qIgrtXCWZXTAbCrzXFSgLgxkcJgcDpUVonq2U_aRnZ3TTLR_hgH25vSLi4u
                wAKMpplVPKl-
                m3dlpxzAbJ0i98WCKxshs5zl9SWwGoNTLe1EA2JWOo2CQKMnmvKjJYyjVKssL9sk1BPqc9bojH4KqLcbA_2GxRg9-amM-jjsLf-y
                ITIJMWvCOvT87O0tAdPSfP_4dBfHIL-
                48QwTsBKAEJz34OTr94dWxUNzZsMHIXB8gtZJmlPr92NZS1C5pembkpOJJm5GDB2MN_TbwTwtb6wrIBz39gehyT7AhctIVKgB5Dl
                2sOT9pVvGPY4ZxjH_pCdrwBZJ4yQoOi9mVZS-ADeD2qlgSjatFBa7gRuwkCJJ4gB5ucE7krDGkFsbDvQ3R_kUZicI8G1gtBQbzVF
                aOFv4uQD6YmRrXqIrjBuSVPA888qvQBoV0GYNOeOENR2qEnDUuaqBOHXWNhuvWY8rqWhxJJORXaR7JsoDyIo6M1ap6hi1eG_DzD6
                80BTdoWNw6IBkhPtshZyVaPeNVtEkh4Q_92-
                ATgwa9nXjlPKNMWPynoFoh5yIJoBpGmLadHE8RboBmGwkUMhaPpQHO8anvE6yhfrL8E8-
                jB9B8GKFY7MkVkPtDwO42zYH1g1qbzAVDR3FWjnl-g63Iaod4KhQFOJyNRVGY4fuHlGVZtma15GiK6EbzzOM3We8u-
                HNCfm9Za8O0wB38WXVowi1DgKPh0RLtjmB94jCw-Lq4ML3NUS4i2O-_uwW-e-6io-0-QDZ7-GOmVGE-
                YABJ3S1wUqrzMK54ZRawlQ8zmAXpYC6BqMxO-iCBA6KJ_fzR71RST0t0NeDGSl5QldHvNjuscjsTVfshKQ6j0580l65Bp49Oryo2
                KeTzlDB9em8BRqUrSwZTrawtnLDP1mLZQSOf3RHXiOZNagihv1K8gTTlO0U1l0ATJQxAxuhGvtcwSg_92UcEaFyoprksai26jIAD
                2YzrF0yYLR9oMamNq8QouM_b-V7Ep6yuNCqNJ-
                ss7PRuLPZTaD8FbiAO8bhxOznSIB7BHLbio6a1rYMU3gLW7BvTDsG2eObaoV4B8HTU-AFQzSjceMTWepoRlgVRA73-
                SuHiaazqykLyPlSrOd0Iv774ou-
                s5LPYWx7yl_jqdH1Fqun0Qtwlu0mOpHRJbgd6eruxc4ADncbel2hKVNo3IWWBax6SDMgmj2NwCi2FX9KauMilETrT-TfR6gqDyXq
                FF8jC2c-
                3QIUCMvNhJcjUK3B8H3cjKpPtLqCIjd7cM0eyouvusKweHY9sLDOOUQI7W08qiMeNotGPUFkYKtbde3FPRkkaLJj9pmQVY_AkxzL
                8h1Xhs4Ps6SK_IniifLYAu6sF3rSwRbdu5HnArQxXShwIjA8M-ILVJviZWbjQpTSqIb4gVWg5Q0GD_pdod2boZJdD-YGUJXpZLdq
                RGvrdwbeY_590zjZF3LUau1Tg6Z-
                KUVnK9TtqXbk7OWgXnh_i_0uecFwVTnQ4WXSVfBHLNRWOpJjQt9q2Ge1iyQkaLPDkjpsqjR9R77l5ppBjEZ-lO55KIADgKEcSHwF
                vgLgLd0rseES_PpZyrNWxFdf2up67Z34XAR0mDgo01-ki8JF6OkTUHm1dhCeHwD10Jd53xNGeC-
                o6iwRbUoo1m678cYeL3Cr_iheH6EiDhI_szJ-iS4huEMrjUkGm6j6k4ZNVpax_-DonRikF-
                GJs2JTPof4sCl97lpnL8LvpD6rYYZcAvWIPG1y4yUr47nPououPXIb4Jzx3nYY7u6MXDreFUI-Kgi_969eKkI6uLFdvUXsj_o0SZ
                tebEB1w647lttgTZi3cvSeHe5AeHh83gL5w5thMt84wyb5geUjefiUJTtj7JLLpWVVbqAMPOvfWT2NGwiWO8Aeljrbkbz_oPTsH3
                nIev8eX6eO9CrkIDOKLEScy-Qa3uh3cC5urrMLZoPTNayDT2NRlx4HQYn9m3uykdcrOkv3vhkHcFkz8wP-
                MFK9F4t_043XV3LvbIQC84aijMREe3A9g4i68y-_ChB9E390JUxeu3OjjLcNTA6-oPPpOfMzG7iA-M-
                cCK_lIvUTfjJi2cEEfh6Nvpd_wXwt78BH4fbu4cJo2rC0ioDH6LqjsQY27uaUb2bpN0as5IV8fgtAbft0Hof8CeByw9SAbAAA
                """#),
        EmbeddedAsset(
            name: "overview.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The work of the server now and in the last hour.
                import {
                  el, card, rows, setText, number, compact, duration, bytes, outcomeKind, counted, pageHead, errorLine, softLine,
                  cardGrid,
                } from './dom.js';
                import { api, pollWithErrors, sentence } from './api.js';
                import { alarmsOf } from './alarms.js';
                import { chart } from './chart.js';
                import {
                  runningCard, nodesCard, poolsTable, connectionsTable, lanesCard, outcomesCard, requestsCard,
                } from './overview-tables.js';

                const HOUR = 3600000;
                /** The shortest time that a chart shows, in milliseconds: a young server has no hour yet. */
                const MINIMUM_RANGE = 5 * 60000;
                /** The samples that are kept: an hour of them. */
                const SAMPLES = 720;

                /** The list of alarms, or the line that there are none. */
                function alarmList(context) {
                  const list = el('ul', { class: 'alarms', 'aria-label': 'Alarms' });
                  const fine = el('p', { class: 'fine' }, '✓ Nothing is wrong that the server knows of.');
                  const create = ([kind, title, text]) => el('li', { class: `alarm ${kind}` },
                    el('strong', {}, title), ' ', el('span', {}, text));
                  function update(alarms) {
                    fine.hidden = alarms.length > 0;
                    rows(list, alarms, (each) => each[1], create, (node, each) => setText(node.lastChild, each[2]));
                    if (alarms.length) context.say(`${counted(alarms.length, 'alarm')}. ${alarms[0][1]}.`);
                  }
                  return { nodes: [list, fine], update };
                }

                function tile(label) {
                  const value = el('b', {}, '–');
                  return { node: el('div', { class: 'tile' }, value, el('span', {}, label)), set: (text) => setText(value, text) };
                }

                /** The value that 99 % of the values do not exceed; undefined if there are no values. */
                function percentile99(values) {
                  const sorted = [...values].sort((left, right) => left - right);
                  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))];
                }

                /** The number of devices whose outcome is of a kind. */
                const devicesOf = (statistics, kind) => statistics.outcomes.filter((each) => outcomeKind(each.outcome) === kind)
                  .reduce((sum, each) => sum + each.devices, 0);

                /** The figures in large print. Rates count from the statistics before. */
                function figureTiles() {
                  const tiles = {
                    rate: tile('deliveries/s'), failed: tile('failures/s'), waiting: tile('waiting'), flight: tile('in flight'),
                    batches: tile('batches/s'), p99: tile('batch, p99'), clients: tile('clients'), database: tile('database'),
                  };
                  let before = null;
                  function update(now) {
                    const span = before ? (now.at - before.at) / 1000 : 0;
                    const rate = (value) => compact(span > 0 ? Math.max(0, value(now) - value(before)) / span : 0);
                    const ofLanes = (name) => compact(now.lanes.reduce((sum, lane) => sum + lane[name], 0));
                    tiles.rate.set(rate((each) => devicesOf(each, 'delivered')));
                    tiles.failed.set(rate((each) => devicesOf(each, 'failed')));
                    tiles.batches.set(rate((each) => each.batches));
                    tiles.waiting.set(ofLanes('waiting'));
                    tiles.flight.set(ofLanes('in_flight'));
                    tiles.p99.set(now.latest_batches.length ? duration(percentile99(now.latest_batches) / 1000) : '–');
                    tiles.clients.set(number(now.clients));
                    tiles.database.set(now.database_bytes ? bytes(now.database_bytes - now.free_bytes) : '–');
                    if (!before || span >= 0.9) before = now;
                  }
                  return { node: el('div', { class: 'tiles' }, Object.values(tiles).map((each) => each.node)), update };
                }

                /** The charts of the last hour. */
                function hourCharts() {
                  const areas = { stacked: true, unit: '/s' };
                  const charts = {
                    deliveries: chart('Deliveries a second, by outcome', [{ name: 'delivered', label: 'delivered' },
                      { name: 'failed', label: 'failed' }, { name: 'not_sent', label: 'not sent' }], areas),
                    providers: chart('Accepted a second, by provider', [{ name: 'apns', label: 'APNs' },
                      { name: 'fcm', label: 'FCM' }, { name: 'web', label: 'browsers' }], areas),
                    lanes: chart('Deliveries that wait, and in flight', [{ name: 'in_flight', label: 'in flight' },
                      { name: 'bulk_waiting', label: 'bulk, waiting' },
                      { name: 'interactive_waiting', label: 'interactive, waiting' }]),
                    batches: chart('Time of a batch', [{ name: 'batch_p50', label: 'p50' }, { name: 'batch_p99', label: 'p99' }],
                      { format: (value) => duration(value / 1000) }),
                  };
                  function update(history, now) {
                    const from = Math.max(now.at - HOUR, Math.min(history.at[0] ?? now.at, now.at - MINIMUM_RANGE));
                    for (const each of Object.values(charts)) each.update(history.at, history, { from, to: now.at });
                  }
                  const cards = (...found) => cardGrid(found.map((each) => el('section', { class: 'card' }, each.node)));
                  return {
                    upper: cards(charts.deliveries, charts.providers), lower: cards(charts.lanes, charts.batches), update,
                  };
                }

                /** The samples of the last hour, of which the server sends the new ones. */
                function sampleHistory() {
                  let values = { at: [] };
                  let last = 0;
                  return {
                    last: () => last,
                    values: () => values,
                    merge(next) {
                      // The server has begun again.
                      if (next.last < last) values = { at: [] };
                      for (const [name, added] of Object.entries(next)) {
                        if (Array.isArray(added)) values[name] = [...(values[name] ?? []), ...added].slice(-SAMPLES);
                      }
                      last = next.last;
                    },
                  };
                }

                /** The parts of the page, which `update` fills from an answer of the server and the settings, null if unknown. */
                function overviewParts(context) {
                  const alarms = alarmList(context);
                  const about = softLine();
                  const tiles = figureTiles();
                  const charts = hourCharts();
                  const history = sampleHistory();
                  const running = runningCard();
                  const nodes = nodesCard();
                  const pools = poolsTable();
                  const connections = connectionsTable();
                  const [lanes, outcomes, requests] = [lanesCard(), outcomesCard(), requestsCard()];
                  function update(answer, settings) {
                    const now = answer.statistics;
                    const found = answer.nodes ?? [];
                    history.merge(answer.history);
                    alarms.update(alarmsOf(now, { settings, badTokens: answer.token_alarms ?? [], nodes: found }));
                    for (const each of [tiles, running, pools, lanes, outcomes, requests]) each.update(now);
                    const uptime = duration(now.at - now.started_at);
                    setText(about, `${now.software}, up for ${uptime}, ${number(now.kept ?? 0)} messages kept`);
                    charts.update(history.values(), now);
                    connections.update(answer.connections ?? []);
                    nodes.update(found);
                  }
                  return {
                    head: pageHead('Overview', about),
                    nodes: [alarms.nodes, tiles.node, charts.upper, running.node, nodes.node, charts.lower,
                      card('Connections to providers', pools.node, connections.nodes),
                      cardGrid(lanes.node, outcomes.node, requests.node)].flat(),
                    last: history.last,
                    update,
                  };
                }

                /** The error of the overview as a sentence. */
                function errorText(problem) {
                  if (problem.code !== 'FORBIDDEN') return sentence(problem);
                  return 'The overview needs the role observe or admin for all apps (*). Messages and Look up are there for your apps.';
                }

                function show(main, { signal, context }) {
                  const error = errorLine();
                  const parts = overviewParts(context);
                  let settings = null;
                  main.append(parts.head, error, ...parts.nodes);
                  api('settings').then((found) => { settings = found; }).catch(() => {});
                  pollWithErrors(signal, error, async () => {
                    const answer = await api('overview', { after: parts.last() }, { poll: true, signal });
                    setText(error, '');
                    parts.update(answer, settings);
                  }, errorText);
                }

                export default { title: 'Overview', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA41ZX2_cNhJ_96dggRwk-
                WTZ6aE92L5N4EtyTdA4CVIX97BY2NwV16taS6n6443hLtDv0Nf7dP0kN_8okevN4fziJTmcGQ5nfjMcHR-rq5VRm6q5U9VSdfC7N
                c29aZStNkrbXBWWZkvddmpV9U12UKzrqunU44FSpkzVQjd5qppq06awt7syX7pU2X49Nw0sVutaL2Ai7xvdFZVN1fyhM0Ba9R0sm
                h8LmyNZbzsDP2p9a94aDb9M01TN-8Ia4FotO_oFElHaD02RpwdbtWyqtYqy47xaZ7-
                00fmgmdJ1Abyqsvx30a3eICdSDmTYhVHjTqDb3VnqZt1-XPpENLVDt1hp-
                D8S0TikAW2b3trC3r4iE9kqNy3_rKuqbK_0vDR4dmvNAm3jZkptHaFYSUaN-bU3bccjzwAVXNh9YTZHHTIQVQ-AMdzZ248_f1YT9
                bfvT_Dv_OD48JCuvF2BksBMdcXawBXrTmk5FSzhZcLNr4uyLFoDnPL2DNYf4J5unYesdAtnIqdQD6bL1OGxyLx89-Hd5c-
                X158vPvzwBoR_pw7V9zvi9boGVUVwY9SdqTsQYZkf--
                La4_nTxeWn929-Am5__xb4DIxAvw7J-ZbAYg37K_gLM4cRsEcRtrKGOC57SwbnTe-BQwxCOvDchK6NJRLnCfh4HPVllOKlQxSAHS
                KWBVORbgp9VOq5KSOYv-B5tU3OBy5LVIS51AETXABSYPLnf_5QH6puBZ6iilZtmgp-
                ON2dte8gIFs4aBZ5zBeN0R2yj6d3FEhd0aEH4VFmiZq8ILll4Qu-Ie3Vs0fcsb0BDYCdIsK2Q9FIvBVWCainYIJWa23dGpqK9BhM
                2dc5qBKzadiMig6frYo8NxaUlEAqjb3tVuqFOjknIoSOGI2dDpcYG71Ysf7wY_p8lspRYQnDKFUDgUAOTWeIUq9WRZkzwfTbGWup
                VLFUcSA_UXLlWasf4ptnj4JBIVUqlx0l2wxMxmvTkxmotM1uiPcW49x0fWPBxhTjZ2rKx8Hjg-
                psGrU9P9gejL7XFaWJyXV8p7vXZe_8ZS7Wjv78_Q--9UDOGRHlxX3gVsiW3Io4Pbk5FpgQVJ-
                pmH3eM6Ps4nnW2EUaq0Z-eXqq_uLyBU23Kq9AqU6ZLwtj8nPV29zg8XO0vB-CQh_GYW2aBaAzqH56yiq0vlFahKocrDLNsoyXZxl
                OxnFplmDoprhd8TlwrI5kwjMZs5he6m6VrQsb89j54pF6nipaW5ZV1eysHqqT7PQ0SWaBOTjFoRVyc18swASbVdUaB9kYyQhLCsP
                MwzEhhgwDUdt2kBTbrliAzyMdX8UwmTn4z5ZF2ZkmHuPCS5806UhhcTJhXnD4rDF5vzBx3PZrP2b6tforDTNRJ1UniQeqy-K2b-
                BEkALA42-
                NqpvCAsJ_Bj9uOVtz8iGAGvRVc7Osmh2MZV5XcLdt7F8q3nYLRmCkgOoAHJpiIspNWQDkFaY9biNw1aWG6dyt4giV47WNLjrATbc
                oQ9pVog-4BTgJT8ASCZzrbrHCWOV1GTLT-vQ0mKcZXFiUBbjpsEmGuAIRrue6Hc8gYxa3RU8sTScGglPbviz34SegvANP8X2IXaC
                XjS8R_zaZRh8XY2tw_GP1HLKrOnOQylsbyQ0UMXTxUo7FxBQAGPhxROgv8YlABqtwJAMWkqAI2nRGjjLKqJbvsVpBMVavQymoKdU
                yoRvilOeGOJzi3hk6oTAn58jwABkgU4w_POcfYoimACDFY0weJSEHdp3_iweT7jIQv9jHgeJH1sNN4oW0SQzkuWaoIDllSFnYa-
                erAS04IRGyXbF4u3bqCVK9HOrsOIDUpzuczyRwo2N-cZLEsVka4RyxkOlQK-fpg2pu4poqfdCJ_u9bOsJXRrZsjEzsKoNJ-
                xvx_N9-Ywd8MUE0TrxIqjZ70_DX02NL-fHj_BcouyWdxDSfQCDUuzeMvDBhBlncASUVzK1LheMjKUBAnHlFhAEAQj7UBICIoIs7Q
                rgGk29vC8Ct6Bj19Go9FuUAcwTJM16Ko9fDFKQdrtrxueVyBdhhCqaBSDvzI0ZqgmDOFYVKDRskPEZqmUBTDkRQAVzjM8sjw6KAp
                tQWApzOLAhcN9V9kZtmPMDFYgGvAMj0gfqOLtBf17b1pFx8-tDu1Xqx9qj-9eoy1Hdj5t7yHCtR0OepqoRi--
                xM1RBGduoeyxK5vq5jPI-yRso9Ws_78u7a4YWnH0wPGW_fPsjRpgHkBe32bPdWfS6z3YQop7zCdyFVMLQSnIhmruvvTjz2OAqMK0
                SQOT0iGKF1B80hiNcaK9ExSQ0QxgWnw6ntmEl3k-YKyo-qecAn9k72pCJlMia5IXnis1hKPiwHhQOsQXGvXr5UTJiqYUPwpnUICN
                qrmCUhVqC5QljhoIX0SVASqkv8B9UfSVeovKszJ3Q7vC8EAeDZT5kWquAl1GBcLrqOSExTuwiG1T93FwIYxE10Wx7EBS8MOl5fQx
                Y5Y7lylGzEnVQgKRsCGVCyrDZPtlD0DNQuATlElVv1QNX1BnZRNcWZzaoAQ3sPYwCXvKUJazaqsrtvC-
                b2lu0sAIylmLxbEH_RAaezsUojiRMupgKD4AL4Kr804Df7MXNy8zzilbWB4jm2Q2MB_4655eY1UebmtrdK3-rCZkKEmQ-
                30YtW_YOEJV9TeccTqZgCPIJXdz7zXBJAGK-N1Rn1YWEXTaMfsqKl_zHtTZxArs7k-
                RUHcxApUwAQBQssL2tLKKviI2nXJE6_rfwX0w5n4_XtUyeo_cSKbcFUrv6G3eYGHhZl2XKEQ12gbbsxzU4TEzGZhx2iXZtS3Y0H7
                i02VGzoKq6P9oly9Z6WEL__XSsjaByNiVrPIeECjWtbxt6ae_QEj6I9Od4vGcZlAQvkHTr1SCIdRyDxeo8-
                AXUoqGySbqS_SH1JWBz7k4F2Y6cSaHb7lj7lVELevV_H1iW50dDgjJOwxYljv8kZ45t7T5OJ7jodrjXEfOxcT8QfsvFx6r9aCCpH
                IrYJ-TJTOYTm-BUqmRSXljZR0PaCxwQIR5wdHW6u86vqzljsnzKfDofX4kokNHV9I9Zr-z_Sy5Q8KHW3K61k6RnvNXiYezBD-
                pboa-r_TsasO2Q8_AHmw07Ite5kl-sTkZOn6ubZI5GBq2-
                gYNoiqJPazx6ZM8wAyfiEwDYvHvok2QI6ti0Edku93xunFmeJnVQp6TThFD8cwDlgFjhG5jsqIxTvICs7Ws6gu08Hvn6joRh33yL
                i6KPgAqRQOrdUTK7ZJ65Aw1ReRdylHA5To7vKnckaKxPQUfJ0tRGm0Dh65R2lq8aaOZKbdww8WxDjxGdD5QG_xJl86Cvx0PkKFwI
                zeJTqLh5KX0x57h7GpPe15E3fbRwMO0BVmp8k_AEmBF3aQD4FhwMcWXM0Y1KSCbjP3KhvJhOo4D9-
                _ue716_ffIiSobMnXIftXtaOrnwlrDFSKTRVCfNzyhL4xUDnayzI8RekB13XrYoPk0xdOg_FRPK-qu7QvbGPyR1N3PCAnytwRxaF
                _V38ihKvIacTHhS3Vpep6zlDiHtZhU02GT95BZAsGWF_bnIVi8Mbr7OEojNQDMqjmJhkq_HDGmVsnmV3wR26LrBaZE5RksEhbRyP
                leajL4amz-Eg2QILupiLn0euWcNPb7E7vYjW7YNdSLXkA7ekcIBlfJ2wOtUYelD0LDssLmupKiH7JvziQHnu9czCpHgeAUtkR663
                UPsw8yShECyko28mdLfmC33Zy81S9yV-BaRvJFBOewCB144h8V9voKyFWh0AAA
                """#),
        EmbeddedAsset(
            name: "phone.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A notification as a phone shows it, for each language of a message.
                import { el } from './dom.js';

                /** A text of an alert. A text that the app localizes itself is shown as its key. */
                function alertText(alert, name) {
                  const key = alert[`${name === 'body' ? '' : `${name}-`}loc-key`];
                  return alert[name] ?? (key ? `‹${key}›` : undefined);
                }

                /** A push that shows nothing. */
                function silentPush(aps, icon) {
                  const text = aps['content-available'] ? 'A silent push wakes the app.' : 'The payload has no alert.';
                  return el('div', { class: 'push' }, icon('·'), el('b', {}, 'Nothing is shown'), el('span', { class: 'text' }, text));
                }

                /** One notification; `app` is the bundle id. */
                export function phone(app, language, payload) {
                  const aps = payload?.aps ?? {};
                  const alert = typeof aps.alert === 'string' ? { body: aps.alert } : aps.alert ?? {};
                  const name = app.split('.').pop() || 'App';
                  const icon = (text) => el('span', { class: 'icon', 'aria-hidden': 'true' }, text);
                  const [title, subtitle, body] = ['title', 'subtitle', 'body'].map((each) => alertText(alert, each));
                  const push = aps.alert === undefined ? silentPush(aps, icon) : el('div', { class: 'push' },
                    icon(name[0].toUpperCase()), el('b', {}, el('span', {}, title ?? name), el('small', {}, 'now')),
                    subtitle ? el('strong', {}, subtitle) : null, el('span', { class: 'text' }, body ?? ''));
                  return el('div', { class: 'phone' }, el('div', { class: 'lang' }, language), push);
                }

                /** The notifications of a content: one for each language, and one for all others. */
                export function phones(app, { payload, bodies = [] }) {
                  const found = bodies.map((each) => phone(app, each.language, each.payload));
                  if (payload) found.unshift(phone(app, bodies.length ? 'every other language' : 'every language', payload));
                  return found;
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA4VUwW7bMAy95yt4KCCncJydG2RBsfu2Q3cKAkSJ5VirIgmW3DZLDfSvhu24T-
                mXjJRsx0277mLIJEXyPT5qOoVr0MbLQm65l0YDd8DBlkYLcKW5dyB9CoWpQPBtCYrrXc13AkyBYXvhHP5kI7m3pvJwBKGggaIye2
                DZNDf77Ltjs9FoenmJdbx48OEiVlGi8lln8yWnjwBuLSiz5Ur-
                EFTZCVWAdKGT0Bqa4FYcMricjopab2PLlOwGEyXhlILmezGG4whga7TzdAPmMWy5vjiSG-
                bzObCNyQ8MFsAYXEHraSbrBnuY4KX1aoY5KuHrqq2ypIgVLBaQUNIFrJ-ffl0c8dw8P_1eY5Za56KQWuTj2ajpkNvalRFl5BQZL6
                XevYThpBLaf8XQhFuXgsTmhygCVQjDuiVDi8fgCb_jUvGNEmxFMK7bJLHgPb9FFlteM4LIbvDH8oMyPIeSUyPtKNgAqVAJy-UdS3
                GgW8Wdw4uUkEETu0rYn59snIbADYWhnX2OmPpxdQHOcv0iFeEIqegwPtH0BSU3lOIM1tj3mhIShg0yqwTIPLAmHoLievKCYpE3m_
                YaTTukQxKRPeSwdSwy-sVhHpvZKYL4wBh_sILEal3WmkgxzlcIkjRzBFLP1SCggeHfWdooujAJZ5X0CcvYOLPGJmN4fMTRWctO0c
                QyRieBIph_fJtJikID45Xkk1LmudCMCK5qcSL4lHTppVdIi6s37YkQrLDOkgUD5eqcdA7rscr23CYJrX_o5NW2Bc-gTNDe_Iy4fi
                2QubeFfvWu7jA7RO0RkcsPq8ybb9aK6hN3IhmfiXHIFvFAgGgg4WFo3XuuVKddbe4Z5ghFOgKw0RDnK4MDj4Gdj7rVtVL_UzgRSH
                UZiwS9t2Ak4HDpLS9pOjg7cSMKoua0PbTZw-1x8YluH4oroAf91TOe4luc9y4kBHCJReX-vWIu7tixW6GAUQpaquUKmuGqFQaHjv
                YYcKaiwb6SLTt1FH67zQ2syQKSfpVD1qzWrpSFTwZp2jIorZ0v6TEUd6I6REA94PAIRkdvOr0TwxmFOsTuX0_c31YjBwAA
                """#),
        EmbeddedAsset(
            name: "settings.js", type: "text/javascript; charset=utf-8",
            text: #"""
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

                """#,
            gzip: #"""
                H4sIAAAAAAACA3VW224bNxB991eMgQLLLVT63YJqtE7sBnBbww7ah6BwqN1ZLVMuuSW5lg1FQP6h_9APy5d0SO5NgvIi8TbDmTNn
                DvfiAt7XCIXRldx0VnhpNEgNlbEFcnjnQTooaqE3WMZ1qdAtQBsPNVrkZ7JpjfWwA1QLKIQtF-DFWmH_92C2C3Do3-
                OLX5A1KjrQig3-goJGaK2xd1Jjv3drTdcmP7dWlrCHypoGMn5RmoZ_ctlyulC0MrjWHnWBs5O0nk6eVZ0uYkIUgJd6Q8EwFEWdw-
                4MQs7Ow7NQHcKKwmdZYUrMFrDbU2B0jKe9z58h-_rl3yxfkpFF31k95sY-nLLTosG8H0v3VGIlOuXhqr_sMl7mvDV605vFjXxBF8
                BoZlEZURLsV5C9osvILrPovLCerKKLRig1v7jtbGsc5n9RrPtZ_q2VupCtUKcQ2FihvQsQBBdpxhvRMhbHOax-
                hI_f7eKEi7bdX8Iws4bYwD8ZqRmFkeX7j3k_W8K38IpxDvEs-tv7-C3-01GG7qlF--SQ4gvZP3o6vmHfOpEHYLQBJRvps-
                PUKeDDpE9HRMcGDK0pu2R7dZUq3-84ocu1eTlerormeGmL63HpOKBI-dAOjG6iGJoUlqxgWOCBT3C-WkF28_vDz-
                _evHn7W5YPgQ-MH81nMGehl3uyO9BI5PG0EsoEZu3QPtO_BVE2qcWB-BMQcsC-
                z3l2GKirCZ1GSE0EAyc3WijYz4kTMwm8GZqYxVjSJgmFR9s3ltRtF0i7g6wUXvzgUNiizi7B245a37WoVFFj8TdVshLKhW5qlSiw
                NqpES6uxuEQTSpTyp_AW8PXLfxkFNF2pJP2sUmVZ9tjDQK4-
                DJNA0j9Cq4XBQ99fYXyfGicWa3A3ktRNTu_Hteh2nAYft5HJyXMi6YU7cBiBHl39RLPohAYxhJF3YfaYuBaGN9e_hr8_iVP3nasP
                XJIOD-LlWqEjxIUSzhFkzlSeAFoE1RAlGK1eL3spj6zopZyGGpLWxOXIEpu6N1Q_tAbqkg2ifYBsuD_vZTyp1yDdLAyOAJsQ5Zoo
                niehH6EI-KSNfPI1XTc-S9n8sWBxyLKbyLe4FQbkIvKh9xeSSRtclOXbZ-LQHe2iRjuxk0Wp26WrI7xbqij10GqwjTLNSY4alnNv
                7swW7bVwPfEhthRLptZswVQphrUpX0krty4Py7yWZUmYr-
                A8zDxJwbUJPe0PXXICS3UlOpbCiHckvtMTRwWfyhAegFmP8lBTxirTBXUcc5pi6UvKOY9n-
                OAqyv70WOZ9WrO6nTSf7QcH89dmcBFre9I47gSzpNR5nyYvhC9qNolkSCOq5HnKk4s1fQcQLMPnBUssPCGw-
                TLiRuKGL_HjYXiRd-ClV0jNMuN00D3YL8_-BzQnse4bCQAA
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
                import { el, field, time, timeText, table, tableRow, buttonRow, factList, fieldGroup, wide } from './dom.js';
                import { call, sentence } from './api.js';

                /** A device as requests name it: an id or a token. */
                export function device(text) {
                  const clean = text.trim();
                  // A token of FCM is a text: an installation id, a colon, and more characters than a name may have.
                  if (/^[\w-]{22}:[\w:.%~-]{80,232}$/.test(clean)) return { kind: 'fcm', token: clean };
                  return /^[0-9a-f]{16,510}$/i.test(clean) && !/^\d{1,16}$/.test(clean) ? { token: clean.toLowerCase() } : clean;
                }

                /** Why a message was not delivered, by outcome; for all other outcomes the provider is the reason. */
                const REASONS = {
                  muted: 'The device or a group of it is muted.',
                  quarantined: 'Its token had been declared dead before.',
                  'no-language': 'No body fits its language.',
                  'over-budget': 'Its silent pushes of this hour are used up.',
                  expired: 'The time limit of the message has passed.',
                  cancelled: 'The message was cancelled before.',
                  left: 'It has left the audience before the delivery.',
                  unregistered: 'It is not registered.',
                  'wrong-kind': 'The push type does not fit the kind of its token.',
                  'no-credential': 'There is no usable credential for its app and environment.',
                  'gave-up': 'The attempts had no answer that ends it.',
                };

                /** The result for a device that has an outcome. */
                function outcomeSentence(outcome, attempts) {
                  const last = attempts[attempts.length - 1];
                  if (outcome === 'delivered') {
                    const moment = last ? ` at ${timeText(last.at)}` : '';
                    return `Delivered: the provider has accepted it${moment}. Whether the phone showed it, the provider does not say.`;
                  }
                  const refusal = `The provider has refused it${last?.reason ? `: ${last.reason}` : ''}.`;
                  return `Not delivered: ${outcome}. ${REASONS[outcome] ?? refusal}`;
                }

                /** The answer as a sentence. */
                function verdict(trace) {
                  const notFixed = 'Its part of the audience is not fixed yet.';
                  if (trace.addressing === 'no recipient') return 'It is not a recipient: nothing puts it into the audience.';
                  if (trace.addressing === 'would be no recipient') return `${notFixed} Now it would not be a recipient.`;
                  if (trace.outcome) return outcomeSentence(trace.outcome, trace.attempts ?? []);
                  if (trace.addressing === 'would be a recipient') return `${notFixed} Now it would be a recipient.`;
                  if (!trace.next_attempt_at) return 'It waits.';
                  return `It waits. The next attempt may begin at ${timeText(trace.next_attempt_at)}.`;
                }

                /** The terms that put the device into the audience. */
                function source(each) {
                  if (each.kind === 'device') return 'the message names the device';
                  if (each.kind === 'all') return 'every device of the app';
                  if (each.kind === 'term') return each.name;
                  return `${each.kind} ${each.name}${each.through ? ` through ${each.through}` : ''}`;
                }

                function factsOf(trace) {
                  const facts = [];
                  if (trace.sources?.length) facts.push(['In the audience by', trace.sources.map(source).join('; ')]);
                  if (trace.muted_groups?.length) facts.push(['Muted groups now', trace.muted_groups.join(', ')]);
                  if (trace.flags.includes('muted')) facts.push(['Mute now', 'the device itself']);
                  const language = trace.flags.includes('has a body') ? trace.language ?? 'the default' : 'none fits';
                  facts.push(['Language of its body', language]);
                  if (trace.silent_budget_left !== undefined) facts.push(['Silent pushes left', String(trace.silent_budget_left)]);
                  return facts;
                }

                function attemptTable(attempts) {
                  const list = table('Attempts', ['Time', 'Status', 'Reason', '#Connection']);
                  list.body.append(...attempts.map((each) => tableRow([time(each.at), String(each.status || 'no answer'),
                    each.reason || '–', `#${each.connection}`])));
                  return list.node;
                }

                /** A form for a message and a device; `given` has the known ones, and `suggested` is explained at once. */
                export function traceForm(context, given) {
                  const message = el('input', {
                    inputmode: 'numeric', required: true, value: given.message ?? given.suggested ?? '',
                  });
                  const target = el('input', {
                    required: true, value: given.device ?? '', spellcheck: 'false', placeholder: 'id or token',
                  });
                  const result = el('div', { role: 'status', class: 'phones' });

                  async function explain() {
                    const body = { app: given.app ?? context.app, message_id: message.value.trim(), device: device(target.value) };
                    try {
                      const trace = await call('trace', body);
                      result.replaceChildren(el('p', { class: 'notice' }, el('strong', {}, verdict(trace))),
                        factList(factsOf(trace)), trace.attempts?.length ? attemptTable(trace.attempts) : '');
                    } catch (problem) {
                      result.replaceChildren(el('p', { class: 'error' }, sentence(problem)));
                    }
                  }
                  const onsubmit = (event) => {
                    event.preventDefault();
                    explain();
                  };
                  const form = el('form', { class: 'fields', onsubmit }, given.message ? null : field('Message', message),
                    given.device ? null : field('Device', target), buttonRow(el('button', { type: 'submit' }, 'Explain')));
                  if (given.suggested) explain();
                  return fieldGroup(wide(form), wide(result));
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA5VY627cxhX-r6cYI2pIGhTXctCgXUEVBF-KALYDWAL6Q1G0I3J2OTE5w3CGWi82LPIOfcM-Sc85cxG5ltvUgLXk
                zJz7dy7DxYL9o94xrQSrxIMs4UdWTPf0o7RlG2FptxXG8I1YsuuPl6_eMKnYVveVKY5k2-
                nesj0TTc7WUjRVzqxshft7LT5beOL3jfA_H_U2Z_eDtVrR45qX9p001hP_vddDl7OtrAQb2brXLUuKRaXb4heTnD1KK3kD8oxQVq
                hyepR30h09Wjx_zi6DWdywXvw6CGMNU7wVTNol44o5azmz-pNQBXu-
                OBKfScR6UKWVWnkGqQVLMrY_YqzUylhWNgLIzxmuF7aXbZqdweZiATKJGdNr9vbVeyYNsodTTh7QguqcWEvwFQd-jVbwoCrW6l6w
                suY9OEX0htkaSLhTuOU7VvMHUYAUuWbp4uebn7Ynt_uXL8clPC2LP_0T3v7yIn_53cvxeFFYsDUlLbMMbLdDr8Bvn6SqlixZl22S
                Oz2X3pQR1ffngPeLk7_yk_Xt_vT7_M-nL4ChnHJk337Lni1-_qnan-an3x-IYxcgaMq7sPqd3or-FTcizSBYfv3saHRhQgzygDG2
                hWAh9irRyAfRC_DSPWB0sKVuxRlbY8Cahmlbiz4so68E63r9AMjp0en43gtutAuri9rHN5dXP364grhhJNvBCvTGdR3hT2DYIAgx
                ftIiJzpWJDlQ_DpAbJSViuh-ADC5WNe8YvdCIFrKhoPK8EBLoKxwpInSJw1XmwFMTID4g2b3utoB7IEL_g-b_rgG00_uhwoyMPGy
                jGwA8KwbTA0Gg362BvVqPYDSAJzBgNyhc_QAY9lH6zAXWSNbMIjIYkKD5oZ13JhgYckhn5omUk6DEvdmhjVibUlB4oVvJIAPlaTc
                dGdpzUd05wgH1YsNpL7ovTfR2Rj4x2Xvi22v1eYEsZt4tdAHzO464KmFowJHkhA85oLno_Po_xJYggclbzwf0Itkgu-wOLHHAwQz
                ZMG7jnJTqAcJarSw7RluIBtPhi6oxK0VbQcUCAZgyZUBzGMOWyCuMMhIOPrSdE34NENjHaIDAuk8ehJy0oObABwLkl-
                88rUv9e95VGBaphoOf87j1k14KABJG1uzE3Z6e-YrimfEzs_PWRKTL3HsAsNWoweAJXG-
                YCvgzY73odinuFxwm40ryPIkOSNSX1ZWrwPT5TxdydyyFB0kGrjpeO-
                kjAVUBkFpTsdr7ESmhlKCp_I5j4gDw3fFCuWO0Qu9WEOAG9B6dX0ol_a8WFT-onBVA21bMrfml7xNo2MfjPowLVVI4f0I2h_vfcG
                58Wu37OIiaDOuYv0j-
                Di4oCdiX5sHHgRUsrSphfYgpkEGq9_Kz2DDuasTHe9jnsc0lCFL8OBOABZD3IlfwasK4Gik2jgAAIJ7UcoOqG0SO8gkS_nj_hIXa
                iTtBqpm0Oesnsn_X-K2emiwrrCn5a6O98HKkX3QW5ThSFAVIJto48LzKMr7PvI6TKDZKUCV0y9kMwTs5jb7g8rz_0_3r-
                n9zIlRkFB3XhH4nQVhy6E4OacGMXGV8ITEIe9peLiHqqoOsvVpOQTwCTShFLfGFSaIr6_kVKy-
                DPMMsQZaEzhY8LJ2eEXj8K2gIu0LDXKaIGzanXDyMROBEUQHTGAemHAQ2GNiR_d50HVfI0bzHqlpE-
                VOXXu8jzQj8y94ZvTPtoaRYVNTPQzP861QO5xno4dw_DU_rr_MadqAhL65nUPPudRc-AKeuYMF9sP0JvlBHfTeXRIA7QmLlnepe8
                6KX7RUaXLGkuwQ4TTz3NEg9DVZ7_GIm5WwIGyjpCmtF5E_IWLd8I0ppCqboRImTYgsyZ6Q4rknU-BZI5p14niGVufmJxzKnxRAXY
                aGrgRnVHcoUkGeewFrDk05wXApbDg4oBF0Znq9C3R-0iC2eVTi0Fg3ut25ee6OhqRngL1BgTicJg-svppNengceF_BNUNtvsrQO9
                hDltjNseYz_BonnfTJYUHSsED3tDS59CdA8k1yDRUDQ3BluR1wKflILRGfvnmllRIkwwcEGRXokQLSDmaftChiQSUA-
                pJw_rd4KUxvsCi51IQSFK2lBUNS2W-_UVtynTLJcpot6IBv2Xjg37__C5RafePTr4y6javbLJu6iLRUuhKx2F3iKNb6eSzUIBz-w
                nR2xlYbaPRqRaMDTZuATYVXZOOucCszbDZwFxLVChsljOENxwBj4dWhQB7eMSmkb0F0CupaujOTmGlwgjrncNNOE6mgEoOdbjSjt
                xYsQcwOrehlCXt44XV3ANsP0NgeeDPACeJcBHYAe7cQ9aZMoAl3nGSX5T1-C3hK-n-
                V4_PV8WSmg_tDWYvyE15CeWMQVOChUtS6gYkMVt2NnAb3L5Tw87JTopIPqALrdYN2m4BMuIAZAws0LpqEGAAHbnaqfHS5D0w6n27
                pRgaXQ2wXwQK8AID6PjL4modg3Ekw2j8XZLb_FJB7vCzj5wNynzuTubs2A3ftvPToZQQCzuvYyOkjR5rQGtiFumVn_rjzBOCenPe
                qlg1MJCpFv3TkleAFmDywb7IxJ6cZi1cpPAEL84Ey8wmF_8JXmXTen7LD6Si0Biins-oyP5VR6_O6j2CWLWuWwhQOR9ssuuAP2yT
                6XvdkUhiUI7MsSJnN__BnuMfL7zk0f4ippdLj5NJ70fX0-9oV_9RziSCh68QjDqlKOBTi40w5-
                oyFOIxCx_ww55gamgacQmfT5L1bTyKufCTmGXRA9NoNRLnPzGzyVY1c5t5INbwnY4aQOuS35I2zLPEOw0Z1UAayufWhrcSPdCl-
                o0vR_Mx9r0td_JDhePQfdcz7LFkUAAA
                """#),
    ]
}
