// Long: Tools/support/embed.py writes this file. Do not edit it.
// swift-format-ignore-file

/// The files of `Assets`.
enum EmbeddedAssets {
    /// The first 16 digits of the SHA-256 of all files.
    static let hash = "9f8391e2e93a5c0f"
    static let all: [EmbeddedAsset] = [
        EmbeddedAsset(
            name: "alarms.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The faults that the server knows of now.
                import { number, duration, timeText } from './dom.js';

                /** A node is silent if nothing was heard of it for this time: three renewals of its lease. */
                export const SILENT_MILLISECONDS = 3000;

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

                const DAY_MILLISECONDS = 86400000;

                function nodeAlarms(nodes) {
                  const silent = nodes.filter((each) => each.is_live && each.silence_ms > SILENT_MILLISECONDS);
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
                  if (now.reader_age_commits > OLD_READ_COMMITS) {
                    found.push(['mild', 'A read of the database is old',
                      `It keeps pages from reuse since ${number(now.reader_age_commits)} commits.`]);
                  }
                  return found;
                }

                function certificateAlarms(now, credentials) {
                  return credentials.flatMap((each) => {
                    const days = each.not_after ? (each.not_after - now.at) / DAY_MILLISECONDS : Infinity;
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
                H4sIAAAAAAACA61XbU8rNxb-zq84lW47yd10oLu33RYaUHTJ7SIRqAhX1QqhxMk4xGXGztoeuIjmv_ecY8_EgVCp0n5JJh77vD7P
                8ZP9fbheSliIuvQO_FJ4_JDgpH2QFu61eXRgFoDf-Z6qVsZ6eAZdVzNpe1DUVnhldA-8quS1_OJhDQtrKsjy_cJU-
                e8uO9rb23__HgZoopCgHDhVSu1BkVG_VPoOHoWDpRS2IE_Kw8JYDAK3ktVDfLRSgpVaPorShT0OSimczOH9_p78wmHNjXYexmfnw
                4vryejs_PxsPPx4eXE6hj786-DgIAZC2dZOFuCWwkqyRvmWqkLHYmYeJDwu1XyZVsHKBZ5wUEnnxB0-
                CF3g4p1yPuTvOI4QwKfP5-eT8X8GV0P0e5D_9M-j_5fbHsxq7I64x7W3vI-G4_Hgl-F4cjX89Hk8PE0i-
                fH7vx9JIbyYYZ25b0IV4A0sVFmm-
                VKlL35JHP07cTQ3VUXdckrPJZs0ZSHxmNNi5ZZm2yXttFIUqbsZH0kcXp6fYnaD08nHy9Ho7Jra-90B97dxWognh-cQRsGl1IwsA
                XNpvVqoufDoURH4WsfkMnhjoMnU49XwYvjb4HxyOvgve_uAUApvcOUl1H784cNBCGdvUes5NYihPyiFrVyHHl0XnvcgAjbSoc-
                bXI7V9dJ2OlLMl13oHwM95MpNSoVl-uab8JsPzeWkcnC8C_LdI7Rvpa-
                tjg7ySqw67J2t3mQzUWQ9mF4QK98904ucPtYbik57aARgeuaZocjWDUuJou-eG_6z3SSo7jqHS6y8dXBnAAtAxebuthR6XEody47
                8VRYLPr3FsNdJ2by5lzrWTfBXKFxMLCyFxNpytYmNhH4KFnhkvHvmwonVag0E-7koS-
                QAboZOfCf1g7JGV5j6uhuTz04N4JmGcMhKh-SfmS-NaSzMypqinoc5iGXhXAXNNtw9q3VRIn0KfkUYQzx-wnSZVXjydzn3ze4TyN
                jpPyC7MFDIBzVn5v2vFlZorzQGTIXHsiFsSxmGZCmcd3kWi0cc-
                G35hGBfGVPCkhtHUNMyhhioSPXv8SBrOuGtotF2J5Rm7LdtMLXHltF074THHl4XqqytDO3ASd75KrzpNr2JG3JkszP6qEW7pjuiH
                03m9GsivJfVir7hBKa9sCUuYtuam6Wz-0x3PYVDyLIE8NN3z3HvXOCggz_-gKzWdJXpbH2IJreDQ6yOuSSvfc3kndDsBBmC6-
                t8uo1QqnFL7MctdNKNSa-R0qXwIwIp_WSQPnObQ0UWBiGCJbm5PUpWtagkLmIqdCifIz8QlkqU6_24lKJ1mh5V7nLxK_W-
                DxtatNHcMNTp8Rb6_T5nkJ6OtaHDdCb-
                dHByghF2cTzpotN46IaD1H8OaSXsvSy6MT0IqeWr2i07LS35UmizocmDmfLQCdddEYnH5DvbmhhC-Rw-
                GmuZMkhKlBesPQjAVpYGuby5PgMjyMy6jTJmc5LX2lIdxKyUfx3uRcqdwyZcRGlCCi5U-P1GnTaEeR0TVw4ljvH-
                zWAqVbbFw5nxoArJw2RWu6c0qOnAQ2Uc0SZItBfW1zhU6B4hpu87niUU-3Q7qobCFAGtr1-M5UYUvAT-LjyHNZYbffbFOmMye_JU
                q4Cxxl5c_Zb3LVDzhYUu7L86eQgHR3HysO3jRHY1NdzRzuz6haZZ1GWZNYDLRm_qO74yIkBzuBLKBTshqJGcKY6rwdwaZEkOkvBS
                lbQzwtjj7RBJa7k2QJwGI-
                GXuaVzwfJ70j7Y16_pjtsREQdOO49wpCIs3tCHbIasbCQunptGv3gfNbk3CcbiU19IsEk7wVOTRu0dvxJpf5nyIIi-
                qETT_hja0GSPOuReSryLVxwh_8-wkia8i_M7gn53VFil-NQAfr33EuwpzBOxuEF6Lxle22okWd9M_Hb-phOf5Wk_CDm8-
                CdiQbriJEzrZCUQAW8fJMAroXkIZxqHjPJPmyHMho_7W3q1vZG37xeUxBQDn_gZDtB7RlIhSrEMzU_DswMUyRF3i9IYy15okuBXv
                HcaDzepOWIc3czp7Er1dxRdyc1GSxgWDbLsikQ4qpJeHOwIvNtkFjVKP0hAEmElkpWF3j1OXvo_ivOOeexxRPMdAY_G0nxS-JnD1
                EmPiurOTQlnGudAq6nkE6Of9C6LhvRPZouO4PlyEUDxDI25HknKa9aGvSDpMeZd4zHP81d_C3qAq6nqbW2FVy_kBq_tmMaBMfjuD
                Qg3sZ4k1W9urmRqo-a8Jx1wQyW9ZRh36JF1Q-jvCfb6EL5L_24EhjssVqdTygV1UN0tPR8ni7zYRXDzj_COm_onwVHu_IoQAAA
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

                let refreshMilliseconds = Number(localStorage.getItem('carillon-refresh') ?? 2000);
                let endPause = null;
                /** The interval after which polls ask the server again, in milliseconds; 0 = never. */
                export const refresh = {
                  get: () => refreshMilliseconds,
                  set(milliseconds) {
                    refreshMilliseconds = milliseconds;
                    localStorage.setItem('carillon-refresh', milliseconds);
                    endPause?.();
                  },
                };

                /** Counts the polls that ask the server again and again, without the polls of hidden pages. Tests read it. */
                let polls = 0;
                function countPolls(change) { polls += change; document.documentElement.dataset.polls = polls; }

                /**
                 * Resolves after a time, or when the refresh interval changes or the signal aborts. A hidden page waits until it is
                 * shown.
                 */
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
                      endPause = null;
                      document.removeEventListener('visibilitychange', done);
                      signal.removeEventListener('abort', done);
                      resolve();
                    }
                    endPause = done;
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
                    if (!signal.aborted) await pause(signal, failures ? Math.min(10000, 1000 * 2 ** failures) : refreshMilliseconds);
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
                export async function readEvents(body, signal, onopen, onevent) {
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
                H4sIAAAAAAACA41YUW_bOBJ-96-YAsVK6jpKsrinGLmg2CtwPWybog1wD3cHmJFom60s6kQqaeDVf99vOJQsO07RAkVscjic-Wa-
                maHPz-mz_n-
                nnXfkLfmNJqfbB93OSdUlNbaqsLFRnpy3DT1uTKWDVKPWmoyjjSlLXeczs21s62mH4_5Of_fU06q1W0ry89Ju868uWcxm-nsQKir
                lHO5ddU6XBGFdl47eta1taTcjKmztfNsV3rap88p3bk6ad7OwTeS6RrdpWMq32jm25c8_RSYvbKmzRZALimATL0HFaqULP6eV0VU
                5J-P1do6tqtvWc6rM1rDR16JFzt_ef8WJHNaadZ36jYEh8DCa9PNagzk9_p-
                _eUN3QK9l31VFypECYjUQKKAL8BYbUpVDJDQj_8jI3-tCbTXZVQC-lXDl9OYcCtfaj-fTAR5xWwyDQ2x3Pny7vqakq7_V9rFO6IY
                Seu85jLX1FBZxpcY1LRxBQthvUU2e0BUlyRRWCLZ6UB-8h74lpa93-5U-
                fmFUwt1dXeqVqTXLJqxzKZDRRLBf9tlycl2rfdfWtIwiMeBQHSzo89c7sbFfCsz9bBYtVL6AiIORO6rseq3L284zTD2HqK5xyNg6
                LFC_GNJz1dVhXc6nGxChghZIHSXEoH9Oo8wC9884yh_UN83BjeFCECv7SOeqMec5_dv4DS2ZXEvGubQ6RkDrJnIQN8ACVZkHHUId
                bVPuqS72FkJd2ii_mdO9LZ_Yz54zlDXjywqZhKxiW5FrfdjO9gyjjVblAE-
                CJWSRP_NPjU4AvmqayhSKrzn_6iyypWd4zYpSVp8Np_-TfD8rVGuqytZnvJP8DwqTyxC8CumpaveoA6F8-
                3SQobZh7XL_FllnS9z76fbLXTIftItjV_SvL7cfcxQFU6_N6inlxWzwDLFsNYqQN_AXGhzYcmZbszaD0RSNwE3qUQHxlebILkM4X
                u8YwR6JGO0RtlLB0aX0oPCw91JlaqbkK2bT23sEJhSvJBtTLp-kVwhDrEh-
                0yINxhLDNeHUEVQ_OSFAMf6j7eJKzmtplgcrU6Tw9d8pDVfsRP1VrHsA5P3Hu3efP779A7BG8oB3-
                1KP7HVRK3j5ehcvkDLXLwFFn2VD7OOm_ZYNvGRDjnblaCD83y4u6ZdfiCEWuMBDxGWC1ISYIUkCQrV-HBrEodJ5uC8PLtLNDWf0Y
                hY593ZkW6yVTWu9RS2eMkgQLVRgSMphlBzbh5-
                hZGItHy6RHCzByXEoM2lmQd9Qg1lnzBgOiJhpIKGwCauGpncTm9V4DmG620ekUDXXg3su9wowlXnCVzKd0Dpa7TYfQDjjNG4vmUA
                fu-09WmJl4dgX9E3EOEdveI9ymiYjPeNZoA_kfru4uIBS1on--0nBLiiqu6pazIY-
                ZWBd-8CNaoUPsT_JUKDct8m4QGqtDBqeqWk7sWxBF6xTQ-J5DKI1TH_pZFckeXzCxTkkMFmkU-
                UDKU8jcmBGkDsAx70IzvzgaOTtgNBNLlnaz2eoLAGn321X8_TE-bYfl07BE0aqCNQjWoDt_OQYskOGqTBbuZzuwlSGBCjRJAJ8HC
                sRvqaLxWxsAwWb8Ik30gKtaK2z2AQc_XpNsrRAmym6LfItHz68q7R8V14Bj3xQHf4OnWxGb5C1zlYP3M9CGijyhmljOSNgr4wlEs
                wxY-RWx0IBB2lCioslfHs79ZW4rjnMBt5U3A-N40vdBuNIPmO_R0cbjkE6lP3nyRBLElePT5g-
                sZmmrRgfMksShmE07p9iQGyT08mGvWuPUgiM5ckWO4haWtoa_n9AUcu36nt6CSodmZOB0cIl1js6wAfHOU1q5hiWiAiq5SvxMA9o
                6XIvLydeDcZn08ifXcZcDWJ797iX7DciQuOlqizfPeDDH8ahEKGEJA_GmXtTGf8kIQQhxN0dWVSqq6AwzrT8r5_4ctKwvV2nQQfs
                lVbtgG1AfzzyrDTJ8mh_q7f2Qf-cC6PSCO_JswHz4wMxh9K40M-
                OTGNh2Roi9wzWZ3onjet3xcRbQrRZHpeKSIsTHHrvI3FeepXh_WHhfTvQto5N5-
                V5kpk_0ovNkdRjwqyUqTrgIKWHngdYrEhfyN397EdxjmH16Yjwsfr9BLY7lkBJu5zGIVDi-
                Fa547BejBpuInVNHagL7vIf1JzfCNEYxJjCJ3rL-Jg75l4MZliR5zOXMOkMAfhQ42OUOcR4HiJtMIrhCXy7WtI2vBkgblAzsTYN1
                EGI-P0QJk43-
                saqJGRzEn1AcpguDorjQYwl_umkOP44UONYjNHqHu3jsJQdB0FuHFknvwykYqoYOeoZE0Hmv7i8D_OELZ_RER1pphePIQzYE4KxZ
                ShtHdaXPE5ABrNTDnm2wu17Fd4RWm2Zv-4HXODGGzjsUpn9BsxsbRsmV7xr-qI6-cxIwjND7EUBEMCO3jthLb55rn7qOTanZw-
                vK3528WjCyn7wbpoUqnmENrJoMt3vHzwnh_qXB_ifGOHTEy-Z7Giml7AL1unkLdQGkBhiOc0u5Y1p9B1u7dablO_lPPuH5udP-yU
                Em_UjJT6Hw6JOhmnHv5DILw0r3J4uFoe_ouwIw0ynpW6HN7TYLmbk_GdwW5o5qvtB3osaznmubWm48VdRmuUOQfVp8t86yYbfOoJ
                BQRzz2Mi7YNteFReSIJOFW_ljNuRjGmLeqBaVL2xkw88ifwHg8y5S7RMAAA
                """#),
        EmbeddedAsset(
            name: "app.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The frame of the console: log-in, pages by the fragment of the address, keys, theme.
                import { el, field, setText, updateRows, ask, buttonRow, checkbox, errorLine, factList, fieldGroup } from './dom.js';
                import { api, watch, refresh, sentence } from './api.js';
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
                /** Aborts the requests and polls of the page that is shown. */
                let pageController = null;
                let announcedAt = 0;

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
                    if (!now && Date.now() - announcedAt < 15000) return;
                    announcedAt = Date.now();
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
                  pageController?.abort();
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
                  updateRows(byId('nav'), NAVIGATION, (each) => each[0], create, (node, [id]) => {
                    if (id === name || (id === 'messages' && name === 'message')) node.setAttribute('aria-current', 'page');
                    else node.removeAttribute('aria-current');
                  });
                }

                function route() {
                  if (!session) return;
                  const [path, query] = (location.hash.replace(/^#\/?/, '') || 'overview').split('?');
                  const [name, ...parts] = path.split('/').map(decodeURIComponent);
                  const page = PAGES[name] ?? overview;
                  pageController?.abort();
                  pageController = new AbortController();
                  const parameters = new URLSearchParams(query);
                  if (parameters.get('app')) context.app = parameters.get('app');
                  drawNavigation(name);
                  main.replaceChildren();
                  document.title = `${page.title} – Carillon`;
                  page.show(main, { parts, parameters, signal: pageController.signal, context });
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

                byId('refresh').value = String(refresh.get());
                byId('refresh').addEventListener('change', (event) => refresh.set(Number(event.target.value)));
                byId('theme').value = localStorage.getItem('carillon-theme') ?? 'system';
                byId('theme').addEventListener('change', (event) => {
                  localStorage.setItem('carillon-theme', event.target.value);
                  if (event.target.value === 'system') delete document.documentElement.dataset.theme;
                  else document.documentElement.dataset.theme = event.target.value;
                });
                setText(byId('zone'), `times in ${Intl.DateTimeFormat().resolvedOptions().timeZone}`);

                // Keys

                /** True for a moment after g: then the next key goes to a page. */
                let awaitsPageKey = false;
                let pageKeyTimer = null;
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
                  awaitsPageKey = false;
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
                  if (awaitsPageKey) return goToPage(event);
                  if (event.key === 'g') {
                    awaitsPageKey = true;
                    // The timer of an earlier g must not end this one.
                    clearTimeout(pageKeyTimer);
                    pageKeyTimer = setTimeout(() => { awaitsPageKey = false; }, 1500);
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
                H4sIAAAAAAACA6Va_27cuBH-30_B4IKTNpBlX9ArULuu4cu5gXFuEsS-XlHXB3NX3F3VWmlP5NpxkwX6Dn3DPkm_mSEpab1OAvQP
                2xI5JIfz85uR9_bU5dyoaasXRjVT5fAyaWrbVOZAVc1st6wztdQzY9X4gWdBOluY2gVqXRStsTZTt-YBvzG0MPlOuVg2rVMflaky
                NS1NVWTKGndpPrhMrZaFduZ9cw96bW8zNV4519QYyNRkbia34-ZDpkzbNu15WRtsoCfuvLTOb_W6bVZLtQYrzUIl-
                V7RLPJ_2uSwO1Uvy0zdazeZZ6o1UzA4p_NrZ-
                qJ6a0E3WBlc2fau9LcR4IwMKBa4L4skkAVBrZRbRINaKqmucVVAom8Dij0qiiZ6ciyHxhQTRr8tR2Rfx_QmDvcv-
                NZXoe7tKbAYKmrjqw3NqCFMl1ZzzrCMCBUO2RETr07eX16oY6gkSDILEovPmVeDFm8bBYulHmusz5vWXf4-nBn78ULNmExUm-Utb
                4rZ9qVTX3g3xeGbVO50lV41HXBrzBapafOtGqWqxd7nu03J389e31yefb2DXi_ukoC80mmkre95ya5ztRVEm5EQ3_pPS9kWm5HA-
                d4UvJYYW5HYTbcmQZPes9aFntB0Mir7nEikyIcGjiNTyZs3JMYrx6-3soOQZI0dNF7tsn1ddTi-OGsgCDSshipoz-popmsKALkM-
                NOK0OPP4CCpg_9ioUua6yghWlCLwmmKkNmYy20grl6VVWivZMxDMqyOlrz28pYvJB-lk1VRY2SevGgnSqtsvPmvmZ90Z409aqpXQ
                t6KDJsTVO6rpsVBFqcOIzv40Z04C-0jdjLbd3chyNWFqvp4BAH5005AQ2uQq9zowvT8qnmg_c6uit-
                O4Q1snLIfUanLpfpCDbfGrdqay8FDCaj_E5XK5O7tlyko0O1Jk1Zv4KnaNkjemzNfw_hKBNdXbimpUCChWfOLNJkotuyqpp6l9Zk
                Qht2x5A9UFdsE-wqLfYrexeea8i4jsEfQqTA1rQS3JfLQ3Xz4obCtIzC5NoHGmdBKGj6IcVbpvI857UjFoPywpm1moIOjMdr_jj3
                Q8fH4GqUT8sK3pemPMrmxU859lRHR0cqeZGoT582BvEX9kSneBHLnrltFubxVsyWn6NnnpLBsp5Uq8JYGR_xpusgqgv9AEPs0oZr
                lIVTmRqnkilQ9oKpN9Z5qXz3PYhx78J64VgIx3HKIzM7Qh6rrAkCghLSZzT-7bfqR-
                TDHM8wm92B0f4Rm-7v74_8ReXSQ6vu1sqsT7OpmFFV3plkhNiHoXC9NfnBnjrn9N5zCXjWfdvUM3VfujluHvI_HOC-
                af2tpjiZAivNlvUpJel02TZjBAK5Gd3LD-TWabeyrLPfvfxDuIVKLpsGllM_-
                PMIOkgicXMw4SFFrn7RJUIGFBflmtAV_C7bDtn_Th1j-zmtaKEUBCuYc9048XTeHqfliTqIio3sH-6sd2I-gbEvoh-cvDujZfAFb
                GVuSLGQ1fxBlRvxaCidP2OPlFaIZMQlKOUcARelSVkvVw4OK_bgHpbAXMlSW0vSTigduobiPyIZzUxWbQuWd3sUZYFxbJhkHDpLx
                HgkPLg4kqv-UJl65uagePn975NMjGNpqooxFobZHHlizaYh_DHuIg4D_pIbdASzxvMvsI0uoCYVmCLuEdl0S_z469jVeFG6BGZH6
                W-mJBXAhu1DPVFRXNiYCVNOacFF-CVftvz3RzPVq8oFM581eVFaDcVRbqI7D82f2cehiad3cFDZNdyj5HzoSBv6niwNaBAOQ4rjO
                0GuB2wsEoTXfiPVG0N8SsLo2GBhGjb1xGs1IRSqhi6yhc8t3hTPG16VtdZnxZrKTKJc1jvyI3dcrloGhkfiFGR7CPQavoPQVy51J
                b4eIr9qxuw3mYIJLJrW5OqMLZw8yCLvgAOfDsct8DvyYdIZRt0UxpsGeQ8LMSiWDKAD7yk_pon3q4SrhyxwO_LgX0yWtivKu4GZi
                eXBBSFutq1Z46O3jw0fmRnelkAi_DqaGjnrOUmb7ZpVKFoZ4ojjXBMuEbFuwhbVgaBxUzzkzBdVKDliV5o0cGteJzFYkAOy-
                bwsYB4RGE0bMDAYD2Ycd2e4SjyK76j__vs_6pVP9z3Jc7A62gw6h5yfyzpvzbLSE_NqXlaIrHVKIkVEJXEMxAogUbA4iWD-Hc2R3
                8YDoRg6KSfZirj5lYxwCo5tOgyhhD0Es0W0AbhAuApKPggB3_jsLaA8DkaM3wcrtNwaw1Umx9uNMEJBvj7BsenHAD3W_djLY-xFH
                jEs9HIr9uiFO6od4gpTRMRCVLSGQMkzQSq8ivO6B4U5wSNMUK0gnsXQvlhQGKTE_yzsGpEIbRMT5RVQVY1yFNA8ZT5G13REF8uC-
                ld1MQxjEdgPgVJ_Q36mTRm88R50dS8Uoydzvh89sEiu5fAQ0oQB4IgT0Q0FEhi-
                xJJyNncEmAgpDdVJecEGcJk_xVvvsmsyqQ09b8Ra5qXz0TD-
                OT9tzQJV3f_hqjEMD_FWDKzkLIGRPI4Gu2LjYP8IWutMd5BCYjEATT7yYwisv5coLtgl-XCzjD7OCeuArXXtY6UYjw_rR8PiYra1
                uHhs4HzatoplwFi0bjlsBJDmjz0YEF7tX1NhIEkVicIZH1K4l5OSmhHjZqZ4u3JcYhEvXvGjXmT3CFAMgiocUxdwMuWjqJ5RVExC
                jQQOaomGaWmxsjXDIsbnNbllRxxci3jw6xiEpkQvpvaG2mocHCqUCZ1jy8INOhiu34UkAMnIoiGskbTWI_T8mIJWAJ72bqNsSXXL
                84_kVVQmpKPcNeekZnNZLswF6tB6liam3n39QzJa3_gLBY1Q-
                cI80htlRthlxjkqVhIjKSXeUTEtgf_HVt_bjSYM4Wbc8IaQxGeK-ejeBfZ4E1dzMOhHcRRhmjN3elUWUtpwpr-Odq_Z5OetmUIm3
                -w9_1gW6xtE3kI7vUunJwdwTsp0vDjijNtxwSsTGL3eFV8HaUJ35sR4M4M4cRRkxTLoWpne_3Fp8vyug5SpYSiFiWf-
                Bpny6sQ1hPeuMgR3ZEt0dap_w3vXa6LswbP9YbIw1hjM5cRBvWNyIbmNLx8oAbEEvLINwpiskZD41DJR-
                WiIpbyLxrrvWfTFzs5FZ1dL7eaZ-m2FQvmaVEfRhvbI4Z7zENnSvV-_-
                cfe8R7jdrp313ob5XZZoUBIjpNe8LqSzh4C4VK3ztLOdFCg3cMyCooFysfC_Pz-
                jHtoNZUY3R5sjUfSq-T9OAaFgw8_jwwfN5_ga9zR6kbTwWHUakcusZ725_fnF0a3k_k7mrEpSyjG2Y6cIrKPsaN-
                zOQbbyHi5LfFj54EhaOtwPPm-Ue6oryvB_jzJtw_JxdOaVPyHVZE1mMqQxya1bo62BBWLsNZ7KCtB9mRok93dIw7lAzKumjuCWpz
                25Pyuakh5oRMaTLX9YxgVho9KiYSf3PBquBUCsuLCfEjdbPnwfLQZZPuZ2qfDsWP-
                Le9LSnLPT57UpWTWzrWV7D-7KdL2B4rgxMkjW45IF5seMLQFuQ8p1tYwrDb6C1q6HfWkbZ-
                AXRLk2_CJ4o9MrEBHVUgcdpySuK40aXoyD7yM2Oqz4hIwFynn2H1LasZY6aexislpnd_oD_Rf-DpYQ-
                f2PwEO8UoMtiRf52Mwy4Iqemb1WIMusdCHnX78xewHjNfgFWenGGPfQAji2Rzp6-
                3hS_0h2XDbIuRRPN4PCUJxrM2UoWhdlQXKMKD_xKQU4rFyTmfFQ3l68i32q_oeoiy_4UYTmn2xgHGcIf--
                cez2lU5oRyCNlQEa2gdUc421R0AIyNhSwgI03_HeoY7BF5-Mg8eu3BznHp-
                Wi0a_sjpvw3xVyTpe9QUqaitMKPOIkocLTEwfI1gY7YEiH7iRp-vE8KHCgwSf91nCkkLuqUZ-
                5YqCzH6L5gNtUyhDcaWzXRKn9wGHQ7aLX3cduR2dIRJHu6se-
                1hIa5gafTpC3m1QzJSXlwFwMWZkre6wt4pIyMag1yF5HokwIqnKRUjq0spSOlOukH9zzv8RYppjz0t0CFxwt-iAmtNLcZPl-
                mM_wuGz9LasHvugqICgd8ByxPcJjn65uRtSm1Vu8u5J8mGPS2ktXlDndei1AhYXcfkJU-HpmxYzb3Pn1hf3afslC7mBRS-
                eafJBcJWZaQfDpNQXLsNWsWhrxrWJP6TOTV-oxGlOCjKCdWeHBO_sqfD5i23eCr6sjjiMLbeCbVw9flUF-
                xsdNhzn5Lai2RsYwPJz7yL-H8B0EpEpnxf3TcRud2IhXbz-tPpsDAoLc57O32Lta3t94p9R9dePiyxB2xj79f07M27ny8_XZyen7
                66_HR5-
                rfLk_enJ6PneyhnrBsGOqdnbwI4ClsBKi40t1WEdOLailwaqFQGYAZ6MKArh_deFzLAYSKJvPFz2Bwvz3pqo_cYKhkJXnBzt2lTb
                2xXzdLU197zJYL4jttrH49igeVda_MTdxTmrLlsKE715fhE9NpsNPWCwhRgbKNbdPXympOGSAXnd20D3qBfHTyNjzYBCNdxvB4l1
                PpmWIgwjhIc_dgsfMA5Esi1IdYrrgmF5LrX4JCRr2NVaAc90KjFx-4DgQC-1o-
                ztzQSHlt4nwmiGSgp9go31DlM6Bz9KVfMktDb2FR19wllT_4pyHGeos8FNdTaViWZkFqsuCPiqKUi39OQS6WPN6lARtkNEC7tJzt
                fam7kP0rpntjjvCfMjwIofQaVEnT7vZAyennvicsjB22xFA8mQ1NVeouDVio7ccKxsdf8HOLRnf8BVIQ6K0slAAA
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
                const HIDDEN_CURSOR_X = -10;
                const MAXIMUM_TABLE_ROWS = 60;

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
                function seriesPath(at, values, { sums, maximumGapMilliseconds, scales }) {
                  let path = '';
                  let run = [];
                  const flush = () => {
                    path += runPath(run, sums !== null);
                    run = [];
                  };
                  at.forEach((moment, row) => {
                    // A longer time without samples is a gap, not a line.
                    if (row > 0 && moment - at[row - 1] > maximumGapMilliseconds) flush();
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
                  function show(momentText, valueTexts) {
                    setText(moment, momentText);
                    values.forEach((each, index) => setText(each, valueTexts[index]));
                  }
                  return { list, caption: el('figcaption', {}, el('span', {}, title), moment), show };
                }

                /** The rows of the table, the newest first; of too many samples only every second one, every third one and so on. */
                function tableRows({ at }, series, valueText) {
                  const step = Math.max(1, Math.ceil(at.length / MAXIMUM_TABLE_ROWS));
                  const shown = at.map((_, row) => row).reverse().filter((_, index) => index % step === 0);
                  return shown.map((row) => el('tr', {}, el('th', { scope: 'row' }, seconds.format(new Date(at[row]))),
                    series.map((each) => el('td', { class: 'number' }, valueText(each, row)))));
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
                  const hidden = { x1: HIDDEN_CURSOR_X, x2: HIDDEN_CURSOR_X };
                  const cursor = svg('line', { class: 'cursor', y1: TOP, y2: HEIGHT - BOTTOM, ...hidden });
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

                /** The text for those who cannot see the picture: the newest values, and the highest one. */
                function descriptionOf(title, { at, columns }, series, { highest, format, unit }) {
                  if (!at.length) return `${title}. No figures yet.`;
                  const now = series.map((each) => (
                    `${each.label} ${(each.format ?? number)(columns[each.name][at.length - 1])}${unit}`));
                  return `${title}. Now ${now.join(', ')}. At most ${format(Math.max(...highest))}${unit}.`;
                }

                /**
                 * Makes a chart. `series` is a list of {name, label, format?}; the class of a series is `line-NAME`.
                 * `update(at, columns, range)` draws it: times in ms, a list of values for each name, and the time that is shown.
                 */
                export function chart(title, series, options = {}) {
                  const { stacked = false, unit = '', format = compact, maximumGapMilliseconds = 15000 } = options;
                  let state = { at: [], columns: {} };
                  let scales = null;
                  const valueText = (each, row) => `${(each.format ?? format)(state.columns[each.name][row])}${unit}`;
                  const grid = gridOf((value) => `${format(value)}${unit}`);
                  const { frame, picture, paths, moveCursor } = pictureOf(title, series, { stacked, grid });
                  const legend = legendOf(title, series);
                  const figures = figureTable(title, series, () => tableRows(state, series, valueText));
                  const redraw = followPointer(picture, () => state, (index) => {
                    const { at } = state;
                    const isNewest = index < 0;
                    const row = isNewest ? at.length - 1 : index;
                    legend.show(isNewest ? '' : seconds.format(new Date(at[row])),
                      series.map((each) => (at.length ? valueText(each, row) : '–')));
                    moveCursor(isNewest ? HIDDEN_CURSOR_X : scales.x(at[row]));
                  });
                  function update(at, columns, range) {
                    state = stateOf(at, columns, range);
                    const highest = highestValues(at, columns, { series, stacked });
                    scales = scalesOf(state, roundUp(Math.max(1, ...highest)));
                    grid.draw(state, scales);
                    const sums = stacked ? at.map(() => 0) : null;
                    paths.forEach((each, index) => (
                      each.setAttribute('d', seriesPath(at, columns[series[index].name], { sums, maximumGapMilliseconds, scales }))));
                    picture.setAttribute('aria-label', descriptionOf(title, state, series, { highest, format, unit }));
                    redraw();
                    figures.update();
                  }
                  const node = el('figure', { class: 'chart' }, legend.caption, frame, legend.list, figures.node);
                  return { node, update };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA60a7W7bRvK_n2IDuEfSoWnZuFzvpKiG89UGiOMgda_FBUZESyuJDUUK5MqyoAq4d7g3vCe5-
                drlkpYbBLgAsajl7MzsfM-sTk7UhRrP08qocqryrNC1KitVm3T8RU9UWukUFu50pUy20LFaZ2auUjVeVXVZxWqWLutYpcVEmblWd
                brQaprNVhVggX2pMultrpODbLEsgcJW6TxW9d0M_mhzre9NrMblYpmO4aFYLW6BzE5Nq3KhguRkUi6S3-tgcHAwLovaqF_fvrr-
                SQ3V92e9gSz99Prtjz9dw9rpP9zau9dvcOXZmV14cXV9fXUJS2du6frqA3z_--Dg5OhI_TrXlSb--
                VQqq9V6nuVaZQafi9Koel6ui0QdnVjCb1-9ev3-88tfPv589fHzb4Ds-NRxcHnx29vLXy4_X1-8ePf688erX3-
                G93_ruYPMS6ADS4Veq7eFyZNXqdHXIN43ZbVITRjo4vjHF0EM8kLQvgrOjifZLDOwtMiKldHektpFlm6t4XPyf8McC8IuMRLaNYi
                rAAWqqlyB9ll5fXUaqzO0n2dkLmgBy3INWgXbMpoFOF0VY5OVBe_8ZRnepflKR2p7oFQ2VfxVPR-
                qXqQqbVZVoU4H8I7PyOhA4T0FXFymZp5M87KsQnrMy9lpTxBGuEkQfEK-YvUshn03ySJdhuEUjK6sIjX8QfGjOmLkUTLNikkY6nQ
                8p9f4oH4YKkY7ONg1EqjHaQ6nJIvFA5Mn8AFMSSa1zMbAgW6fnLddTcMtbY0ReId_lywG4RofFa7G9HDfV-GiXOjCEFtk50_tkjo
                mVJE6USFgs9-
                OVMhuc0zwEWPa9JWVOiBCZwA8pwDDrJ8wJ7BX_OuYYI7FkwjJriUHiRtTOvKsyiZNTDBgJLW61XU2ISdbtEWBwCAIhLqa8ulZ0Yx
                yiNEiDGZksuM8rWuwRtzDpuiA01udI7TOw2CS3bXA-SUsBWmVpcfzbDLRRQAvTLXSFo9jiKDDIsVgt1W5nhpSDOkHmIxEK0y3KOF
                QTLVepoVPFjG4TQPag9BJbTYQEREvbBwdbunpRILbEdhnb_fd6AE8ckDg-HBi414bXKwGd-HCDv5b_RBPqJ-Uz2dVxTZ7nwG_IsK
                soBcLEBIEwEW6UbPsTqt1uiG9eYLCvS8Rb7iE7GHlgh6M39VwCE7qPDi4V7qYBIOHMD0fBtJOZYLWcRrA5Jk6B6BA9REUwlVZBfa
                gjqtJla47brUlF1L3sdqAslv6Q6WBXJ3DDLx347wcf0EDRJjnEL_xH3Bgo2yf4zhvIWtNKr3M07F-
                CcljUukiTJLkUy9GziHwSNxhYYHbhbRRsYHjfrKe-9M-eSrwe9ZnqwC-
                YXETouqPSB4RLJ11luBoURT5ByBnRqd4nAc29mATWFu3xAHxA_xsy-
                iszWqbIsd8S_DsmZDtJd_vI74VAfBeCWNDDqZPWexMZSCAYhHMdMf8mgPc2yApp3AxTOqAp-
                qveBZSbzLlvIj5ElOl3WqPtZNPdo59-mUhxwoe6fSRtUgbw9k0YkERk4F2oucSUhd65LLMCoiVWGKVKwO-CtVVH10WMMSYVUEiWJ
                CpCRQjNsHklBCZjU5-XRUfAHMInzHUMRews8myT2AVolAxM_PGAYMmoq6WS8qzCEZq26IDzbPZHH0ItAex6H4XH25xaTeKkt-B-T
                B4F5AAiIIlKdhHl4dbwrobeZm5WX13uEVidZ6NdRiBrKHorPGpIQ9n7VCHlRbx3b9Ge0VbFpCsdZWhjN5O1aheLeoRCpPCG8iHyl
                cCwJLPlr8lRcMFZ7MMdCM-hRtTSCMT0UInqTEiEn4K6cPayFYhWai0IOIuVosf0-
                VllueZBJTYVhMSo3JtmP2hKAYXQELoXzeNoqb5qkaY0PMp2vZ02LYApK2eQCAtVnkudu2j2-
                Gf1KBLvIaKJxRfiKFOW3u4T7BhyMtiJi2BM1co_pc5i48sN6bCma03cXEfkKkfVE_95S_KFS6p-YTLxxAi4N1-
                6UR80LAVb9Aehnywc_pAPDcQmXs-FBntkICfii4IrklGuDXyEAxpjxNRskTKWyzAWEWJizGQmN9k93oSnkZkng5iE8K39mvE6b3H
                rz6ABBspR5rDujxo5i3TxgLD1VxiulJ0ZZUzVEOmz71bU4TtL0tzPYMkjQE-
                M7mOBalflLmUIr5ErslFMqSRW0wjEFqD__77P0Hkl2dZbaRMWuXt2oxIBhiQfZRYckPMKib63suVuD_P_P2jL3pzfLhF8ATlsRsh
                JoRjsMcqvhgDCO2isLxTI-
                uln4jojc2lndy0r9AL1nNAjnSDoF1KYtMohsK9LpHAx9qWIdIGO19roMXQJbA7p-xKxiLg9YaAO8eefFRj250ukcc-
                HQladvkuGvTPiXkf7SGy3MEDnqyTxMBxnDVS188xFTKrxiiVVbUZ0PuyBBcvNi5elEW-
                URjsN1JaocXGsmLmWUULZNp1CY9tmyVSH4E2-CcYu7MjTxa-AddGYyFNzSIEmhD6Qnoe6yyHWC0ZESrshz28bxA0DgA8sIPs9XMT
                JfHTS17TLDe6IohGafSkvhNuqAj2PJ1nDYTXIkV9mMpTjpmTCdbjcoktO8CJD1GwfFDWcIRFq47F7Nq-
                1hCZtEyb23pC7cQppoassZd4RvBw9hPjKAX6Z8gKIIocMqY_WgHuO_pkDNe4tR2GYtrv6_K2nGzEJw0-B56C5jqddONU-
                6BtAY5LjEt7jt0ECV__63mZ28aPjumppu1J4joufhnkzFfkn2gVmaK4ghOcADMIngp0SEf32PHa0Ik2aUbdrvPj1WKRVhsbm9-
                wihDdvma5HldlzmTpkP6pV8sJGFNTa1DupCYV9RgRV_tqZFRcCIi4xKANUDy9hrrLvINgpAtwkMCUsxnJkan4DrGlPfZNt3jmTMa
                DSSzRMFGCteAjDgpc6WZHltDhptBkQLZoW54g6qY_UgiXgzEj3PlG-AV8Ge1MCsZzTDk6pR6VejpvcoV8PWaS1AQiRCu7IYZWelO
                HWyS4g3SFYzlMZb7RU54DEtxGdmaU3FF2B5e7ZrtMP4edjtRaBr8OuBu9vvrAPWinu6JGSPjwBzRWS4Ic_iBuznCZXr8oobYa9aA
                uPNxSz4snZdR41iUYrK7u9EW91GPzMQV9oZeWxCHYKzpLtpi5EQ_5K-
                R7USR4KEVcgOoFNLxiTSbSmgHLYjTWRvYMncCHvtRO4K0JHRlTf6870SvyJpGApUzdoMQF-8rV7jU_Lso7_ZI4Cu-jpl2mlQQS_4
                UxVXa7gvge3J8C2fto8KcwZx7Mrj3Ee6cND2uhA9WVG95BeQWOMy_LGhKwZGyb5IXrATRTBnNMNFJziPtyD4CpPVbHpxjlmzqgE-
                sh0pTrD0wzdAIidLGQbXoh-F6TdR-ftqosk37RoeRWme1YSJfmj22eX0CfSLBCBjJ0k_WhAXHzDCIeMqbowZSp0ODltQnHeQZB7L
                f2UAkLkdibQHF4QFp-V3Jb3sMLW4fPtHmB4_CsmL0knB_B0NsbugOS0FIHvgEZjRRx_IvP62wC5zlSrdkvjobbC0f-
                rNinNYGwnBZjivVN2UISTG9rLCe4vIS9UhPKnAT0dKup2GcttTvKVhHE6YOgn4Pj__GHo2pJPm9WECyKLG56P3DTGXFGfGk1ZeX6
                MM-IiaNvgTuE-s7O08mOrGJpObHqZav4Ks5cp4y0wXd8-rW9t_mq-
                tY94JY4Amrz35prcpm7VRcV1GnvaC6GPkBfP0LjCd9P1e4THxPQ3bQmn2CJprHaxkOajvkJUQCdPSFgO-
                RhAMa6rOjzlZ6mq9zZMp3Q-WUPTiDeijZwLqT74sIRzgGBUOR1xhitXpJ3-oHFxqZ0lkJ-
                zzhCCWbsHiAKzeBTZthiMP7IBA8l8D_sOXnUDT97Q0SrMMH-XtueGXsTukfCTnzAQXK1sIza7h0SpBQS7UApqP5JvSCNlKA0XC0K
                Lk6kTLElyK51h7SnQ9numxHvrUqEyidXgNxwG9Fyu6b0kV610pMVuCxOVaRt4BJntbDzlxin_v0mPLs5qtOzf8eGuugknX47zbi7
                JpxHUXjkpoPWS_kCABsWsbvLbTp1pAGVX0e0rRi-bdV9t3qWFTYYn5_jDKt3gw_YbyUFNP4R5pNer9cUQZpKRUDH8K3E09nbqn5b
                XCHBPpNH1vqE9flQGDqXz6dEWvHbtl3iEB9SbwUCwbQOVb4apwVdcmv9UMjiX3aGaUVtrds6VXMBo6GFyKgFakrp1hn8Jn1rEcWK
                e1ao8gvoDXfepNpzQjs0PtwS4l2i3peu6dxok4z8pmj9mF3zOKkzAjrcEoD0zqgObgOjcI8btHUX7Q63yPZu1KoOW2yugQCwJKNq
                qFQjWL7AtA68Hm6lY_ddQiQTOeyJm20fKLz7_kIX7PTjjQSqMDrpiOevNHEDn9nyRSYd0Yr4fMcByLsUbCbf3HO8v7h8PUqQyoib
                rrZnVGkx01Dv4V0G7DJ9ufkBw8P5dkNewgtaG0U_5qblrmae0iiAvfIAbUnf069FnEnRCbtdWUkmVj9wTNetoXOmea3FonCKbiUA
                X9zPTvaPm_EXBs_Qg9DzhZSdwXNAGpJR99WnGyeYPrDCDRWB8TSf5-
                2D9ggV5yhYWzWjFLnU6JogP0Uh0Uwei8fO_Boy1KkO7fW6d9s_crbGa43pDjwZUt_iNS3SHzUdCQnmG1pmbxhMI18cyO8fN3tXG-
                LYwz-bCtnCyY4BpXt4OAX0EEOGwlu44WMdCOMUTF4B3K3ym9reL5-y-
                j3HTClUsbTx31cUmBwU5gIvmEDM5vJWCmqUUUKTZG9HgAOGrw77YnvDvDcGNlTP9w73cITBg3zJ91476rHSHSh4dySOEe9ew_r04
                2HFTsbFy_amZobsXvKwzL-xWGIkzlndT3NE-_ZHSv7E2I_Nsp-aevrtgbU_wtNike6p_FGRrc1IH1QR2VAhY4DHx_72xwMUCdpt_
                iSIuxeQNm7wsvRuHEC-
                4VbSHdY2Jm263uQl3l8FdFzz8dzvCkySqHyTaJCI5bim_MEIlAHbsyvMIDSGEYeSIW1sA50s892IpYQ4vzaH_B-KngcHQCkAAA
                """#),
        EmbeddedAsset(
            name: "compose-audience.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The audience of a new message.
                import { el, card, field, select, fieldGroup, wide } from './dom.js';
                import { conditionField } from './condition.js';
                import { textInput } from './compose-content.js';
                import { deviceOf } from './trace.js';

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
                        case 'devices': return { devices: namesOf(devices.value).map(deviceOf) };
                        default: return {};
                      }
                    },
                  };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA41VS2_cNhC--1dMT5JcVRu4Pa2xLRo4CYIUSYHktlnAtDRaMaZIlaRsB8b-9w6H1MN2DrmsVvN-
                fPNps4EvHYIYG4m6RjAtCNB4Dz06J45Yncl-MNbDI6AqoRa2KaGVqOjhUGHt0-s7a8ahhHvZIJygtaaHrNo0pq--
                uexyiVIb3UgvjX4bvFams-KZg8cH_14Po39iS1qHv5GPR-
                2feTR4J2v81K4cvBU1RrMzcnIePrz_ePUZdrDfZ94Mss5KyATEv4cS9tkxNOSCOP1j6VxltF9eWRszs9P091CeAWmEUkGKd2i_pw
                LDrH2Y_TBkhwMVtjk_52VoQcOPmwjN01A7WXfQCQduoD5IZylz35PgBv09og6B-grON6k7DkET2EEeQhSw-
                5NjVd7KPi8qNyjp883-
                qysPv26KqpXKo81fG6NQ6GJVTGtsH35iqQkml3B9lHeor0E6WE2hDJXpUakKro3mrbFJTe1jQ31QpUIbCmXhVuqGdR1tUnPt-
                MAbbEddh2hzurdUQ867DtNw8qgFYfERuAbKqRM-CnikYccJcPhdwmjO2y6jA_wFqzXCFhIAqOvJmQXkPWMvf4RePCjUR9-
                Rw8WrV7RNN6BSdYf1LYlaoRxmVMMSJeLmWZhB0QY7oxq05DU6tJs_LiA-f_-JoAlXFBVVnoXIwqIgx9A6GSnhHHn2RhsSWnMf3i5
                -HLh8Vo1sGFre3KJ24ZZ9NyFujbMsQHpd0zxNqurpff9oa3dCjbiddkHLeNogs4l7_f1DXGBsixeyjbo8-5IOlqVFyRZx2LPJu-
                l6ozwZzcVtmajyhXO0abBc9FVtRu2TVxp58kkJruZTT-oiWRPUt7ybISxlXogzradGiQPeMAdYPEpHN0dnkejgiN6B9FXGgU5hIg
                HElWgactH-
                n2Cv6UozGbCUzcDn4Vn0o9VpXKGbLZN1nv2djihbE_XUBV0WyUOaooRPN9_oVirej8vXeyim5oLlFnLmEy6OjaPOdeY-
                GOdFqgKYN_K41n2gpJIrOwRuS8moLytfZGOzqpNNgwFTwRV-2e1WKS85wylmnrhqEMQezJuf33y8IqwKzwR1Y4gdJE13IhRmm-
                Bp8T_q1f9LjquyHSGfCDdf0i06ApFwOHHGdp77BFF-RKdEtnGVa9_0QVk5T-
                hNvJ3H9yn3iwALfa1irMC94JihEuO8DDN9o1ZBZqxPlSRBKqXqxZBP39cnhTXYilH5JdSsOy2rItnp7H_fGWZccwgAAA
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
                import { deviceOf } from './trace.js';

                /** Above this number of devices the user must type the number. */
                const MAXIMUM_UNTYPED_DEVICES = 100;

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
                    `Send to ${devices}`, total > MAXIMUM_UNTYPED_DEVICES ? { typed: total } : {});
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
                    const devices = [deviceOf(testDevice.value)];
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
                H4sIAAAAAAACA6VZ627byBX-n6eYBYwlmTKMFw2CrQxv4MYu6jaXRewUbY0gGokjizXFYTmkFa1WQJ-
                mD9Yn6XfmzJBDWU637R-bGs7lzDnf-c6Fz5-LM1GptVgpY-Stmoi5rlpVtakoZXXbYcikQnZ5oaq5SkVbrPC3lnN1IvJmI5quwmv
                RKtOKVgtdKZGr-8JOXaqK_gijqjx7Uqxq3bRi-
                0QIVaZiLps8FYtClfhnVKnmOHLWta2u6Hd7rb5goOpWM9Vgtu4gVU4P1aJoViwIz6kh4--VpJdLjbPO6joVqml086aoVIrzcohln
                90BH_Sadiq7Fc5yFz_L8wZP6ZOdWDR6JaLsea5X2d9MdNKLDqHLkqQjDc2VGKbKutib6lX2O92sgolzjQlGPfOv9w9g5dMiXBHXu
                6zqrj2w3k3cW14vcVMTTLcDe5PYPu8XwbS2kV6UJ8-
                fPhVnM32vYLvCOAsIvXDrjDVpZzC26sjom1rZIZ6YiafPn0A4vHl79ufLtx_ffv747vovP16cfz6_-NPl64srcSq-Oz52B11j4YI
                0hD8A3IyQAdw5iLGVjZBVTuYqZW2UKPJMTHVlFTMVkJCMonKx9nALZgIRALEyVqpFV83bQle4SFncq2ZDWo7dTokFJgtu5YCYvf7
                jrVjJL6WqbtvlREQQP4KAJSRc6jJXDcas_IVpi-qW5SVJSn0biV1yEuwM_zh1cI9vbqJZV95hL_t_Aj-aNVrmc2na6FMqbqICRoZ
                pWohLs4KfNNkaYS2L1kSfPgWnkOr2xCcrQUq2EbZaFRVd5ME1Ki1mcLV8LDY58Fl7eMtctoqs9KzUMMR4nfpSF-CI8ML2Gq2BDRa
                yK901SZ04Gge1ulE5D_76pVVz9J1Y6q7hse9fvvCDudxgDEcJjL88fvG9f7FW6m6sjx4Qj5v05YtBcp6cyTy_uIeLvYFVVaWaGOr
                HQhziITOc8JO2dr2s2jI7h0KuoRBCl2zjJAOt6PJe5e9rQp_BCOnrr1gy1jAtwiZxIk5_sJRMO8Ws--
                xelp1KslsQI6bFOBtre0RbRUt6jBnIQhQLEbP-ea04PT0V0HQiGtV2TSWOT-w89-
                utbJfZotS6iUdHile9bNh6YmXKKr2Ok0Q8J0c-
                TsSvxDuLq9F5Vju7J_0BLFWlcwox4P44OnduCI2qMo7y4h5PoMBSGkMeRaHBiEbr1QbGcbEijt6Qd0Ype2kSDFcqYvJIGBbCv3IH
                FcQkuA00ngvZipU2ZE3ylmGbK2VfRqkDfSqmRSWOtmTh3YlQq7rdTHCN9XT_FKKyutH3BTyJgWxE0RKx0QWtZoZjXg8cFaU95pLE
                bUq3mDgk0DOrlN952qwl2By0LMXVxbtz8A2uBDaU8F88WBdj_VryY1P_vUOc_hELe5gMnNGQg293J26Y8GNV7MxpZ2SeGoM34QLS
                5Wi-oyKHj-
                B1uGoEcV5HQ59la6nDoy9cMkIaLxl8AKtChwjX9d4drvSDnxEwTsV4il_sUEzzeWhH1oC2dkMgc5mEkMYHYrPUa9gitRGBbGKKn9
                Q4GNUNwqpavyaXsEH9yygW0Q4VS4VsJQ5JGVvRTeE69chxjF60ns36Y7qaiDp2aYO3fgt2HuNgQexvz-
                P8womn8kGPViSwmo0cr5dFicSpirMs40v7W2SS8jC7X9Kv5UNmG-SLOIRIjnK4i2oOXmjAjMo-xX-
                4ev8uM22DaFosNrHdBFjalIiOSZIxbffycLIYk0LgrkdbjnKxPSXZkY-8SI9_85KPnTpZdmChdr4EZhs9K9VqcIjxfu515ozrV--
                R24jYzohnrDKsrogGiE9Ibak1G3iA7bEHoLKobH4F4Bu5QUaDh5maS8QF6-
                jOgSc2uRiy74qzXUaZXbQGBClLHUMNxID00WbC5hDWsOOHrhphqtElBXnTyrYzxFQOYwjWyAUxsCzyXCGXaBvEilHsJ5FoL5-
                Ih9jNOV76vJxfPQgUOOiGZUr9DWmFi_rujX3mtz09frA7GdbFdKbzzdTtjloGUlVdWQq5QDIVKG-
                9LACHwjh8e9KUZlPNERFaov6Y9nqIFLdDFPU4Jzkz1g1lHc1AJKHL9XeWlMUJ2nxws8cB-uBgj1HyHQ7Ytj4ZVk4egXEgAumkP3p
                gOHZ3REWbMfFi8OQEgQvZuW5lSaGZFL0fUQDmO4clabG0bNRisldujcmiyBPabfrWEenRtsh307FS93mHjobqBcV-nIjVtpY42rq
                SMbZCYgaXL1Gyy6aPmGkhS6MOsjtlBYBT0S5thYsQj2KKdLwRd2pjD5QEKUaJIW-
                181wlbTQ7tURFAM3IyqwBvblEAo8CS_ucxKnGQo9h17suRcH3ZFJHAaHbkgQg7GZTtzprwAF69fHj5TkjaYDbCGpUM8UR7WpNA_J
                2G6d2O3bkxxBoI73Dk1oskNlzctlVd0iMqkj8_LP4JsRkn3P-
                omMh9LJB3HQ7cB7pDHFm7sitFQiwoX4DbUX_rXpXstr4KnXMfK5rQGb0iEtFf7RFyIgIXaV7Kh4D0UBltuw89Zv1icsr4BD_jra-
                TxHvzUh2U7hlRKlk9KB083PtT2yV-nxV9NEtnIIg5xNbu2kU0Km7ejy9cqo62rrr7V5h32mYuNxqCj_hFEIyuVLvpLujLd0Y_-
                hg-BKTxIHdp54ffni0E_BKcBkJOnFUAum3hIIgKLo41xfVpL8TMXUy98Ru33mljIxv08s511698W2o7Zs_bPw9n-
                MA02fKbCDnu6fOj-w2mY8OvAGn7Q-h7s6KEf2x9WfcqQ-bDvfkWN_wCclDXvakz2f6wDgdmI5XZg8IT6x1V-
                bIJIRk1lU5wS4T73S7RIo1pAueGcMjDvKjJxN7oq_0DnDWnvacfX6B-nplOYl8JY-
                bDv4hvv3WbeRtFeiR5xIVOcr7KgfY2ay6xOv-5H-x-wOmDmTypuXVfWDl4fQAh0Shd1JqMl-qvCtVnkXk53tvoXOqMdZyk0UPym-
                noolrgaIqZr8COllwr8KES99hImnsX__4pyuJAay6KVYSdXuyl74aSlS9PHvNYM6uyEdn4HZqXDVqpYjJ9qiaOsm2MXfIQ9kWNOX
                c7jvu6Fg926ptImw36gpVOAXUW9VewlJxhPy8KEtdPaMtnnkHEa-gabpercoSGp7fUfuBwB4xu417ZBvdNe5elAZRQtnqO1XZyXt
                lF53zgc066sx8M9yB68wMxc6Kmioc-
                6gyuqDkLo7ekVaDMwVQDJBEI8cYHKt3nPC1L9untk9_tPVI43F7_d3UiZCZEqfExyl1d9wulODEvFXlqpGbqNV1Maee222ju5qqg
                4giUEEXpx8UIOi_g3P0KaGWhGp7mr6hvT6Fcg6B98Z3qeN9TSWfRhQ0ziJ8W33i6Y_Eck-
                pa6vsdVVd1xn5x-RQEiV2X6G369CuI8iZr0IuFY_Z_-
                T_jjUjyP0X7GPZxOKjcNFgIJGhSflbSwqQKWQHzsAKI_rreeWMCrtRkXwN-rF1sW-
                fqd7-I_UkwUebeJDA05STh4losA0uF69kUVHorWUDnMHkhqrv24qCowsAcNeAV1zPY-h-WB7iTwh5kPJ5kJFlgq88Q1Txp2zFLTA
                Gzh1EIC6KAz9J-
                nbyxH2syEdltG_iUbUcfrZ4KJXr1GDioZZS8A3CNhlOD3cDgktyxuQ6cP8pfzoZkbOl5cM0Pu5b92Q1rlF8IYl8cyJGFWLdmeVn_
                vLQd6gwdI0RyqsG9--_r90VlIV43-97ovQz7lu4oBC_3ahJmtKbfquHr_rtxq-4hPTOM1QhbLMwJ7JHElr_aMVkZ-
                0P3H9xOC0bugvO8Nles88L4tIiVudKbsbFN_NH4oULKF9JhG6ifIeJjPMA_8tnoq3PXdgnQfe0MMsLI2f0gS6UdJzLujaGLSIoH6
                2Uyl1Cr0vO-PuivpeYUrtIVgSSyNf0dEtye3pPeZ7_NEwNd_vdNAo-
                EvegTw5_gGjXOvJNENd-9RYjIhvQ5n72YKCfyWidNwxPtIriR-
                bCK2ZuVobtfIWkt6_n0ApJ4ii-x5YlQvXFfut1H9moyipa28gb1GBb08DovwHyQFrMASAAAA
                """#),
        EmbeddedAsset(
            name: "condition.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A field for a condition: its count while it is typed, errors under their column, names that complete.
                import { el, field, setText, table, tableRow, number, counted, fieldGroup, wide } from './dom.js';
                import { call, Refused, sentence } from './api.js';

                /** The maximum of names that are suggested. */
                const MAXIMUM_SUGGESTIONS = 8;
                /** The pause after the last key, in milliseconds, before the condition is counted. */
                const TYPING_PAUSE_MILLISECONDS = 300;

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
                  const wanted = { app, prefix: place.prefix, limit: MAXIMUM_SUGGESTIONS };
                  const [topics, groups] = await Promise.all([
                    place.kind === 'groups' ? null : call('topics', wanted, { signal }),
                    place.kind === 'topics' ? null : call('groups', wanted, { signal })]);
                  return [...(topics?.topics ?? []).map((each) => [each.topic, 'topics', each.devices]),
                    ...(groups?.groups ?? []).map((each) => [each.group, 'groups', each.devices])].slice(0, MAXIMUM_SUGGESTIONS);
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
                    timer = setTimeout(explain, TYPING_PAUSE_MILLISECONDS);
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
                H4sIAAAAAAACA51Z627byBX-
                n6eYZN0lGdO0vdkWC3sVw3C8gYHcEDtoC0WJRuLIYs2LSlKWXUVA36Fv2CfpuQ05lGSnu78kkWfOfc75ztH-
                vjpVk8SksZoUpdJqXORxUidFfqSSuoKf87xWi2mSGvitkkrV9zMTh8qUZVFWap7HplT11CQl0KbzLA9VrjMDdFNdw6NslpraRE-
                SbFaUtVoqk4YsMFSVqa_MXR2qWo9SIx8fiwWwmGcjU4YsHsXRiddlMZ-FapHERq3UpCwy5UX7cZFF_6i841bEWKcg5KOZzCtDYoB
                HPnbP6FnCZ57sP3-urqZGZfouyeaZKiau_ro0qppfX5sKtIjU8_0n4J-qVm9P_3bx9tPbr5efXr8-
                v7y6eP_uUvXUL8cNu5kG2UpPavaOSjWcujH3oUpylSVpmlQGXV2FamTA84aoGuejo8V2R-
                rV3z9cvHv99cPpp8vzr28v3ry5uDw_e__uFcp-cXAA1jDdu_dX5_Do2WmlvNTcmvTPHoqti1kyrtSPPyrfM7n76Ns3lRbgNaN6Pe
                X9a-
                oFSPXU98CIcv_nn4j2Gr1fBZF69kSpXeW9IzfZCENU6ilQ_XNe1KaKXNfOUg3OB8eiiehc9q3NJU60mySHUOk8Jqoa0qLjGAhEfQ
                xpkaaqmNcVZgAwFGHoock8H5PnSNr7iV9TZtHBQC1BZfaNMO2RiKhKk7HxDyzdcUNGnIGKySMM3wWk-h0wfuY9I8Jkonwm-
                1UdoAt9Ia5maVITWZSa_Lqeqj11GKg_qZ_AvT11ECiQNS9zMqcVycnSUYy1ijJdj6f-_pf-F2_w3Dv5XD1P8s_Vrs_R-
                yaB2SethPVSVbUu6yMxZFcdhmpWmklyd2RtYhHN-yCkGByxHidR_3CgVsdPVm0c0yQnrztFgiM51RVFiWpCiO9Rb6kNXEW4MtjwT
                vQ8rSOoPPyCU71So_uNaBIlFgm_kYmGFFAoMg4rhuGpL48gT8FuuOugptx_zGR5G7G4oAmArQz2uJMApAtEIzcLhfLP83EB5vhBZ
                Ohbq0_QZlFXDoX9eDPzLMtXxrKM6ZtPMp0TFMLtSeh9zuGSQthaagpPr42NqEVMAklKOtY_GDiZMtxZ4snV53xn6UFtLM3M6Nrmc
                pPAzGb1Re0srZVw_St9bVbDTpZwx-
                imSchZoPMiT6DMYKvJQsqE2NyCkhXSIwlkXlZxnuBPyRM3IcwdXPBc43dwA0jge14l17mGor-EDJjN4UGRn5EiK_fyEz_wkUl9D2
                6Dh_RjcGt1pDzKWXgyTeLYQPeryzm0pLJIDbyE0ljWHjBr3c12Cq8uJ3zjNWfBc_W8gsOh8v777_94Lo_GI8wHswBZIalLB40Sc5
                H6o--9an1m9HhKToNTfe-Kv3g_CIU3IB5QnoFDmZAY7BJKNe4cp0ZDBpKPlG3IPlngquu8sio3KtK7KhoV8T0mD5bfM8ALcWlynw
                hWrsC41Atf59XClFYqR5n9jlaC44-
                3qSMNUU5HkjqgB3_zgodVlSPtnf2e4lEUyRmiyfTM99HZgeq9VD4dVg1e8ftrwUNKPAg1dfjDzpLRDJ23Wger4SAIrMaSrGuWbXf
                eb-itB6uhshE93ubaiU6rNd8SRfh4nV3TEttWo5uu7vOx6l7PJG8yyt4V2y96fD-jW53aKDMJ1aKe2t3lTOVXVNvbglaXSeYHlvW
                aqY_kUVPrNixgGyCS5X3LlbsxhQLY6IVOaoKUgJrYOrrtejY7UlJ_IvgROlaukIBLktQMaw2bCSiAzQw690E0AmHQ75W_FtitDAi
                nsaRIjwD-mjh4PE1as1cuXJA8sFetvTqY_6GNayhij5RPN0GU6OIEAZVYxBmaMEoYmWvAhwgToTUwFuGbAjlEsJABCJ2TG0Clfy3
                DCJ3_Fbj4dGNDRb5nF7i1fqGxWEAAl0xh0Q-
                diqz8NMkSQEnb8Pyqrb99NikUewZNWnyAeQKQfITZ0SfHMnsyBKPk8QlPnTB4PZJMYoaQSKxmJ1_CrYzkxDoj4b-
                V0cBFhH0oaYIYTyIJ0cmJ6g-
                CterWpzpFFKFqFXWr10B0RJaswEkkoX6E5TWPb63KXZaDFkdtCUfQpNhbfWMwu1Qxo4SQwQImKpgQhjW89dtsCoaqJnqEE_i4iyb
                wyXti4_fbQ6HNvwGOawC4QmLiZleRz4oEHF7GxQKLjQ9jVl6TsXxb6TemGX6-
                MnS9bKla15FqqRMq7CZpQlVGMASbCk8SAOhDmUjhyd7OkhRcDcGvGu7iXmVSM4ZE8OAUlXsvXFN2xbFDIdVM59KyUB1oV_Q0g8yS
                x4AOUUX4trO0_Xez8a6GQbA2KlR1O0qPTFosGPjz4F_wILGYJnD7M30PFGo8LQCOPxJBONQNXuuGNyDOF-C3Hqkc2rLAq3nq-hR1
                HBV34lSv5VZtoEB2barBEPQrTb4WDSK6YjN7kPn2CVsDj_YIobd4a1rAC5-
                C1vRIS0tPOUXwtqLm0VgQySAC0HwOF4avFdSzomIogzlnAcdpDT1yNK8BJXazIVSX8Ca_9u0xKiqshu3v2F7oiXpJUyp36i1cNdh
                ya2JTjU0ea8K6W3NS-BrIQmFWmqy4Nd_lt4l8xim6zXqMPLOl0a95XT1sAvQz6DPkGLkmgXviD-tZzAA8TuCixI2ukhv08LhVfwv
                iJNK2dErxoQA7hcp5JdluA9h1iwP2_i83oButFyRN9w4bC5mFjuNzLGh44UwOmNYbpfMSTlN8eC3yAOGNucfyA7QbtRITz9Hdjuc
                uPKT9WU91roSzXXFJ9ViQpoVNp2VZLF6BbItaxDrJFkh24n6iDrCr8kNaiLjnP822n_4VrgocJQ7N6T3n9Hk11jOoN-Sh5iFW44b
                8JfNg9k35q_r8egDzuixVmyeHgwCk4YJlArN7zGxXfW464OmBg5_ZH12nPtadmF5Gt-
                5OCd0fUo5LxB3kdyaLwKpZ81Xry6KNNTJUe0aQPlT5RE7SsNR0dd2M2rQi2GzfIhdVfngbwFKw8VyBe_PuVoCaVe-
                xdmKrOm8ye7K4c-_9etPqjD8GMZwAOt7p7HZgqCSym8SlIZ2cYUnQEfAKbO3gleDnKsCtoP_AWjA42XdGdRm2cL3aw-a-KQDXWK2
                mwQrGVzBrRStgAQNDt6rQWVlbgl2o-
                FrRuaQmBF76qPNrQ4tZsThUzg_REKMRSbm3cycFzX9o5pTANd3BRslugh09w0YrUemSjNwyiNq8dC4S8_32TT11xr5ml7ip9-
                ZQaXsBDw8bk0xnmpSJZmN4fNmohqrExXie4V3m3nQOEx78Uk97kjvda2_1SCp7WzGZqetILUVUcIhDJdebAyw-
                9NDNV1enp53joFHL-xHXSJipWxKDtdl36VJ1Tm4MrliTjpiQy5Okw9pQSsgzUkNZAQzVNe7UugWnAbZFyUNWMpFqlRe1usmhhVD9
                ga6JfzS14MRWuN9QyLYyZC-J57WbyZ4U_OUKzIZu1alJFDyBrchMl0YjeJUVDy8asyIvaM-
                4wF8v4Gs1M2k6nprxjQP_9bwu7N80OEtMJvAw03ccM3hy-JcXv_yMECDWNWJGXY6nnsW-
                fG9IrgBn4DUqGDmvoQhHqCAmR7QnmLt5iX4ClpW3jr6bxsO--L3LCXLn798T2yJfJxktfuy_Mw52x_oV-
                51N2xVQF_Pap1P24gsH3LHJ60bFB__Da6qbXZnZtiZX9I_0uSOrs5j3EDaj54jMHFDWWGuLoxUfNfW2RQh2A7XBmXZSDectHnPiL
                JNa-1evj__0-vTb987sJfNCay3-zxm002yc3Hb28G5O4UrOMQFFBbL1DJp_8yjVg3aHuQX7iOTvZCLXnv8BkHKYG1wfAAA
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
                  el, card, table, tableRow, updateRows, fillLastCells, setText, number, time, chip, showChip, pageHead, errorLine,
                  softLine,
                } from './dom.js';
                import { api, pollWithErrors } from './api.js';

                const DAY_MILLISECONDS = 86400000;
                const ENVIRONMENTS = ['production', 'sandbox', 'fcm', 'web'];
                const USE_NOTE = 'All since the start of the server; the times of the last use and the last refusal are right to five '
                  + 'seconds. A refusal is an answer of status 401 or 403; after ExpiredProviderToken the server signs a new token by '
                  + 'itself.';
                const TRIAL_NOTE = 'A refused credential is tried again by itself after 1, 5, 15 and 60 minutes, then every hour. '
                  + 'After a change of apps.json, reload the server.';

                /** When a credential expires, and how many days are left. */
                function expiry(each) {
                  if (!each.not_after) return 'never';
                  const days = Math.floor((each.not_after - Date.now()) / DAY_MILLISECONDS);
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
                    updateRows(list.body, settings.credentials, (each) => JSON.stringify(each), create);
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
                    fillLastCells(row, [number(pool.open), number(pool.attempts), number(pool.failure?.count ?? 0),
                      pool.failure ? `${pool.failure.reason}` : '–']);
                  }
                  function update({ statistics, credential_uses: uses }) {
                    const failureOf = (index) => (statistics.failures ?? []).find((each) => each.pool === index);
                    const pools = statistics.pools.map((pool, index) => ({ ...pool, failure: failureOf(index) }));
                    updateRows(list.body, pools, (each) => `${each.credential}/${each.environment}`, create, (row, pool) => {
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
                H4sIAAAAAAACA4VY4W7bOBL-
                n6eYRYuV1NPK6bW7OCTrDYzUvctd4hSN93YXhuEwEhWzlUVBpOIaroF7h3vDe5KbISmJdpJu0TYiORwOZ775ZpjBAKZLDmnNM15q
                wQoFuaxh9GGigJUZvD-_OgG95KKGnKVaxbBe8pJmNsDLzAxxUNsZVnNgacorzbPkSKwqWWvYHgHwIoaU1Siv2V3B3Y-
                Pch1DU2VM0yfqzkVRXDKlz3lR4FBxPeVfdAxls7rjNe4SK9ybLkWFi0u5PjdfFbvn_-AMlfO6lvWlKHmMZyqZa_u9g7yWKwiSQSZ
                XyScVnHa2AasEapBF8ZvQyzHtV9DL46qVP0plqTS8G_2xuLq4vLy4GZ9fT97dwBD-
                9tPbY_pz6kTGk39ffLyeXI0nU1qeBVUtsybVQpZBDIFCr97JL_SZpyv6seZ3wbzd_evNeDG5no5xZzAqClCiTDk5F5RmaLDM7YDX
                D7w-Nd_kFNUuFOg9aBQ3wesmap43ihUmPrW4X2rQEp39wCFAR_0FreJ4fKYSGHWyggCAf9Uao4va8XzdKHh7_BoQIG-
                P35wCyzWujb9UAuHzoZYPIuP1VH62AHFG4hXuS9QFJV_jsbR4t2nPFVrxIk-
                C9vrTjxejy94B1hieefgku3QtcI7dM2F0WSXOmtcx_BjD6x-
                NA346hpUoG80RTJpwy9GgDSxlUyetCSOzjSGqWHnP6aasqhRGXZYxnl9Ilnm3IVOPBq9ewW-kjvmGceMHPIlORnDCipUbyNhGGb8
                XPNcJvBoc5U1p0GA3bELO0mVkskTkEH5Hw6SUemHuE6EJuqlLCEqyHU8HsK4yiodwxfQyyQsp6zDc3wo_wDvMLJxYh1EEg0fgjXp
                lnwXaPLQ6f4Y3x3AGwZIXWQAnEGSy5N7BdJFelkQpIcPA3j8jSN-xLIhwq1m4fbm1-
                RvSlmhndt7G5kxjgrshL8JAVYyyZLuzuX5wowhVAy6TBbhzZyNxg74mfNEGWGMW0zfShgOE0DYiBWcPmCcUyhTpBViB1yKXC224h
                JYYbipqpJLNfqRofUr20M4YVgQnOgExGtjQWdeUMuM4-dRNVipym77_Hm7h5Za-
                d7fGARR30pzQ3LksNSIKvhsOjT5_MjKmJzWvCpZyZL8iq3kZkljvD8PnyLUtJfjc3rJCymstcpEiPvYpZf_e3tZz1Bj6dy2EIgcY
                Ig-D814Sbz3zxoSHf2Go6eeUsxWxB1LiJ55qs8Q39MOSCO0NRph-wdwDp-
                ORYcfooVnsrKR8vc7D3tjYTFlju9AwYsmhTe68YPqKVWGIowiGv-yRdoJVCIEThrTFrKLUjAZzGGJQ-nMiox8gWZGuThwBjzsS_L
                eDEMGP87voNjJGd2g39iSfpChDunQEX79ijreZtvPvZytkiNVQi_L-4F5oDQVxCI5H8Py2toYzkz6-
                X8wEJZ771BiQhcjg7MyOXWBoHPzvP_8NYndDu49vnKxd2yOwuA3DozNbuxMTlLlzQ1_2Q0JSciezjSfrIS_2rvbPm-
                tJopD_y3uRdydbHzjF1i3c8Fmvrsf7oqMTK-9wf5hTSZKEpOQMwTx9KmOwDjlgOuInZrKkhbyGIU2COVLgbG4Dv-uJbmvy-
                sQk6WHmGF_Qcuy0R22HBDuT4R0qKimLG03AoK--gNAoqVj9mWdd8ZgFrpC25Dw_9aVzJoqm5mdJU9bkUsKPt9eb3dvvBIwKpjVfV
                VoZf7UtIEmb4mEcgeg2rUkGG25Sn7Q8w1nUwTymr31yQpk_IaVfFX-CjIzT6OPS9Urdt2t9aPwCGbfk5iBDSi8-
                NGpJ_GQwE7x4b12mqJFKrWinxrlzj8O-maZIGAdZs8Ny7SZ5-
                SBqWa5wYYdVs6stkTPFeJIs3P_PnX5AInRcTV03BS2my7ds0rbTtJxQlVGz1_MYMA0OgObSrCuJvfxf50YjwgiDvGD6eck3raSDJ
                Qo_mjB18uUWR4ltPXdgR-hJ7M1c6YT9N4O93Mz1GwaZsuJl1D4hwj2wHkx3aZDKpjQceBy1BOgLIMbRMH-
                ms4naJeLGefQci29NI40wFamKPXAv8GrqhJyA7499ineHXOcEH-Ru_sXgJ-
                wVtXYoMhoZB0tYmYU91Cy3o8GmgFkVPlvSEhVHT6OZsoXNYsU7eNvCIm5tO-mNbC3cRd9keqPfp_YnkmDwdArYXMK9HZKNgq0Llb
                2SwFr0wdwYQgNzlCD0eA07-cJE0ZtD0JGUd2Iv5k2eurOeyyplI9Aa0bpi9-1SYPnKLwFtw9M-
                CyNvrn8rRc8WCcq9cIXvJOxEzUMMr7jzCdO8mKllbV_O4T5pdZ3j8HEz2AsSXQ97QqYFOpQqPhbDsH2g7xe7yL3X4z2KtxenGLiu
                tj2D2nIKZoUPnhgIRK43E94UXZMe8yf4RmzIge2VSc_-
                Kz-0a50RTG3KFEIPSoMBTCQotqoKDkuG9b5J6XGxxBd09ysJJU2Vcu_kVFKXSY8Q2WgUVFrWm8TLNPsmGcLEbE-
                uRr8vbkbvx4uLyXT89_FHPylnbfcSg8RG4EHw9Zwa2DXDFwu-tlcCncSKIpzVxretuHl1RDHY2XYrzbrTd10T5n7BEjoX4GPGGeA
                F5LD7dEmNZ7uV9gSLbfsOwZaIfr2S8Zw1Bf2aRQtdIM4Puh2CJ0H2_wD2lKKGEgAA
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
                export function updateRows(parent, items, key, create, update) {
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

                /** Sets the texts of the last cells of a row. */
                export function fillLastCells(row, texts) {
                  const first = row.cells.length - texts.length;
                  texts.forEach((text, index) => setText(row.cells[first + index], text));
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
                  'token-not-for-topic', 'payload-too-large', 'topic-disallowed', 'bad-topic', 'bad-request', 'forbidden',
                  'no-channel', 'refused']);
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
                H4sIAAAAAAACA6Uaa27bRvq_TzFB05JqZUpOi2IhxzWc5wZN0qJ2W2C9BjQiRxLXFIflDK2oqYDeYe-wN9gL7FF6kv0eM-
                RQktNg94dNch7fa773aDQSzwu1UqU1QzHPF02tjJBlJmy-UiYRF0UhrHpnxULDRF5aLexSiUoulJCGp0qdKTOBh13m5QLmpaVFRt
                V3qoZHmcFWI1ayvm2q5Oho9Pnn4o28JUxCMfpETHVlc12aqVgCZGltnc8aq4CuqS7_-
                P1fOF5mhaphBCmcpoU0ZpqIz0dH6l2layvmTZkiDAAal3KlhsLBFGfi_XYokiRJl3mR1aociPdHQqQwxwzAikynDZGS1kpa5eRCg
                AansHiuaxHzjutbtRmKO1k06kboufhu9g-
                V2gSW17kyscM6YCRC5HMR02JxdnYmmjJT87xUmfjtN9ENlw3Iujcyl4VRAyTS5mWjTltYgD0xVtbW_JzbZRzpMgJcyEYis-
                z5HdDxOjdWlarmtUWeqvjRwJE8YEgKoHtwhC-
                i2chBcnTwlmAHTRplL_wJxZ0wCIyt4eVcRJGYBPi28McUVhVoRBycRTIvpI1flSCU3G4GyTwvLFAe0_xAnH0j6E088FL67LNgpBX
                ngPDUyjZ1SahOj7aHlQ2P7PKnlwdVx9wtnO50Kvh_qM_byzhaWltNRqP1ep2sv0x0vRg9Go_HI8AUDcX_oF4dYf7U7zkOgnuP0O8
                V1qWyhuyXjBuwS-ZQl8UG1SW3Isvnc7DDiZ8ikweF3Bhxq1QF1g4gqkKmiiwVv0AmmaoPS1zZK0AVI6ghYQ2lu5alBVM5E5fAX7m
                IaR5pR80l3nDkKdgIHiwqBO9wkgkn_VTL6sv8Dg53WkmQh50Ch8rpFZ6FkukS2Z_mVq3MdChmG4HGJN6iv-t4FrAbnR-wSCxnQ2E
                0QEgb42RitT7IeFNloCg_6LWJmYShIFxDQUfIejR0y0KZ3JZ6XQI7vCupAcKTzbdgxefnIt4bBKNRa7CBKmYL2ZErTsKZx4Q6WcE
                yeiW7czIHcnhsMNhTVbYVlDWpKpEW-
                r0HjCgBp86uFCb5aGq10ncqHpzypiQD6wT1ZYMgf4F_MCZmCjCqjuF5Xhv7FE9qhxokEqkgXjwVzkoBbKdFHUfs2RCLs2MmZqECz
                -84wQWeeljI58NgPA_GbWOJODZ4uz9Gfjpt583tGoYMOswcDzrO-SUpQZ0v81kBPAQu2YklLyHk2ie00sF3cNgBO62_EFbOCiXWE
                DvAglNJ0YosNdVFsyrFEowVg7__Jl2fqQUg4F2fUIwum9UM3MBB3SYUsYM9dIBMPyCHKj3TGWoqBO7I4nsUqCqRgwJnIKyjdDioo
                -Eh3-
                YlqTTM9QLkJxDUICIxwRiXMIywAJ0LJMRL8MfvhUl1pSYiAnTwTVnGhCFv2V0nztIR7hDiHCvRNjSupS6UZwclEbWcD2nQCQbxAV
                D3NRg6MoBfN0PftfsgOQxgFQoo9N-
                skhNaneV3xIWjOzJprQtkBOgAHtQ7GBvDJ4wikzWcKtERyTqXx4WcqSKatEoBWIkXh1RsTzstAg_D4YE4nJDn5uSRMkLUHwohB7Q
                HskHp1Od-7QHHyFmTs-TwpLxIeJ41gkPerkrk5i3hgdOwm0oBwV2mEhnyBhEmFDS6qzT7KpKFwm1h7-kWCi6YdcApDTsZ-
                LwI3XUUOeUZHA7ABkWMH4DRilQVhWGhg_QPig6Sp-I1rH2KS2NYxSHVhMZG_hMEgjAIZFKocgEnc8xr3ScSxt_gRJ5DOIwp-
                gJnqEckaR-7W0jXDPsLXnPj4vkgUJt5riDCkiJgYkAadw8nsDCm-SElwaCy6Ff7sTDPyDPQbJJTTj2dP3xPm8ldwnQcfIHMxwOg7
                2Q7dfbqd54BrM6EfZ4Ew9d48mwZePggjAmihSOmwUFL3U2Xl3giOwy9HI2tDawkhQGVzTYAefrwfZ5tj3Hv1GlemyFXjVnGSIZZy
                YLJyLNJbwt5J8TbptuB3u56BRJIhFuCfBCOaD83KyDzjFvf5WxsL_kl0mitM0y3gy0TU6k9w7xe6zpj_bgBCBd1LTdJbujpdpxzE
                jaBE4DnkL5u9mxSt66UyZsIhIy8tbnidtClwr26BtWBRh291-
                ObpC14drNjJxwXsBprNWqHswldpmDet0Mfg8CwkWMkkJcSgeiCQPztSBBdWhAB5T2MqawzwpfbQu1UIw6TUWkrC3_UuI1OGhcsH7
                nzISCD3vEfjUbie3R_6GCwwjdsslfgfTD0sN_BiQlZrqODugVLrgsN-HmTg0bkNjRpph93_hXh9HjQsLc2LQe7ikqxsKX-ZId6t_
                m0pTNdagM2C-
                XOkPJCu0f7Pl2856KqkDC0VqpAvEQr2Ren0XPLhsMrsbRCpxMBGICDVSaMRI6mCwGpmuJ6oq419i7UqrJQNDgvvE8OrXuNu5xutb
                RUPUJoXRfIZQG5XxToToCeaxUsRdb4tobcLYNiBzKKPMtQXPcSg8s8LffQgbV3RwYEUNuYyIOecDdgu6vLKEUP95AiV_fIvNPWvs
                xQph8jM1wX3Wdg5BRf1rqp7iProBs1HyQtXar0dqbfIUgXy_KyajoKu8DSWixuIaC00oeZHcDrPFMfSyeu_SCV7JAg4_pYiLxhj3
                VUuqfgcAwV00A1QEQbJEM9YHpcX3wkzmoJQD-AkjwPVOn4HGJ7ciXLDT7nh9wR-sWXNcX9j8K-
                gLWHcF9RplavOPXlkO6KHPKjeb9CcnYVLjvDoj13TpA3YEcMK_bY1dfcC6IFlI1kPs5SGcTeMcvCpHhws6feMqW2YB8f7ezrHy5k
                MYdkuj27UFfKGHCrFxmIxBAv5HxzbtxNPxm5BaOH71WZQoz48YdXT_WqgqMsLa4dbEeUxUwPAwarvt2FijRLInlZq_lkh4ZuKXDg
                6v082yO80Pq2qTz4tpzchQ0c8MrzX84OskA7t1NfHO6iqWq9QKqeSCxB4oADP0PIVhILs5O9QmzqV6EyOT4Fy4u8KgbtF9y3Pzrq
                F5_Y2HlV2iLhMuSFrlfSxpEqMTg5N7xEQj-0dEjFJTh1UAGqiVeVpCQPCM5XzepFLSnleJYvICeYiBOiyrGu6pT7bh-Gb-yGYodb
                _3HA00KntyHoZ9Kqq3ylOuDHL58gfMjkNkpCzo41mqrzFBFA8F5iZEEBwHcmN_D16DhDTBi9dFP3BlZ5CXl7bwiSLV1m4RDWS0DB
                30Ax3oIqdPCP6Kh6elH6qjSoW-nksNhCBtr8dLwXUvgQ-
                nsJ05_vNUtJ_SRsE0JksXC0RZuaU5fLDbnkN_rj939GmAyDnl0Iqj6w3eSqeqjjsfP5q6q1WDVUDlhq9aLXHX-
                adEk07flGjLHUpvcR4xaPxTgZj0-whH48Tk4-xQraKYLnJlyPZcqeOBrXymS-sQxq2I9DfcRydoLagung5Pbh-
                64LcOIvKyIToRfaK4JmG6tMvFf6NCVmwVAeRqhm0bc5Pd7w4yU_ruBBFQs2GHEDrB_7b7BZGxYiNLGG6KJETHPfAHHjR1-
                hzGjvY8bZVesn2I6kpSNeesoLv4Cv07AGBEF0EMeYrzIxwP4Y2H8j7TKBxKfMCDF2KPCZWP0if6ey-IQkR8iv8f8NyulAuZg1NXm
                K2HdfUaMgMj5GSjtScOhzJGQ8aFGMAcV__m2mp71duCTYGNAJGLZiZaZdxc72iCcCe0e01wPzU4_F1z14brwlolt3gmI5ATkgXR1
                V3YIvvz5A2hxCRd0uGiG2LboO0SPdz3_K84eg_-Xrrz4CPNGwFcv7wON8QMX0tKcQB0Ey4q3I7oNJCwLc06C1g84PclbK-
                H7FBND1rvjy51T8ePUU8kJwrnf39f0AQE93HuBHUOv7cgyCLXmmoOeKXXUXDzAUIJjTna4hQKeAg0vxY0JvcPqvLr9zicLAFZeHp
                ij5w7DjHRM19Af7vQGEfeVaTytOs1Cfz_u7Q0rR4jxDTphYSdElu-R-
                hm_X6wKKSUw1JTrzSh0UJOSoVcwNlqAfsdNF3a1tp7gLzh13cEKDEILG5FKvkRxaBsfMt39DcCUFJii-
                CUB3A-gaiWxZ4OlvDt_8AcCnSCnD6ejtFODwDR-S5S-RqBX_1OXk8Q7jQecR83QcokyKWHDaSYJ2XVWXYRG1fJaXVxdXzy_xvoJ-
                yQCKQNWPwY4dXlibpcIcAAtlGKlkY-h7if01yBGglsuaIhxay9wGULCl3gm3padHzp8L-
                0_FfGm7SydCgJFjR_40PnQcX9PXje9RQzBxAnlx8er182fBxeF1tJB36rjBUjsq9XFaK6j8bS6xqoisvoVMrCnxosFAnaSybhQIz
                d3ATGbHNEhZlJuHbOIYjAUmKsraokpuCk0rNWTI9UIxLJiFFMxAbqLXITi3Cz9q9UsDEQ0_AeKMmhOMCileyrKkIjyCnB9PMLpx1
                d3PmObIUujGQtql4ERkCaaSqSK_Q2ZACSQEbHhWrB0CrBOzIEM_ajlwGg7St6CKsXvv1N2joduJFknUpWPdmA8aD_weCOq97Y6gY
                LMfCfwinybdzrbEACB3VdKD5284zrFCRJ4pZ8IzQl4jNrSReAYHrxem7zIyGvQ-DB3gqZiSo331bIppJOpznvHdrWstJuIHZXSBV
                _S0jzpJOdssHMIasmfYuFGHLyCluY0dAmoFrnruD3X3-
                1qvcqNiTHkQzV6HGvux2NLzvS9KtXBlzOwkDOyn7j4JiEFbaaf9Bff2NADrZHHmugz4QV44KPwKuhKYiJYBT8rW8cLw2p-
                c4N2c_40HQ_QrmBI09Dc6k0XcXlUGXtG1simjJzQ7JwZaQG1Nkvl-
                L2Mm09snbTf8UNfbteVBVyKmv9QwlGP45AZh2wiPfmlyxb2-
                6AnA7eKhuTVefZi00w8pBN7ggYKBFmfTITtLrreoSpkpUvDscOjU5TyvV75Fzd39Df4Ojdv3GVaL5QJgbfdusalf524as50fe53z
                xSDf0tJCvsbBtxVd3wb1qWysxjIPfxEBE3o-
                j3oXzAvt9CeQshOhIw6slN_ISqs6X8kaY5Y_C1RV4AS85ozC04MHTPyWmA1Q5eaKuXFnS8v4kqS9CB9d_90Mk5vRYsj3Hmfdz3Vw
                b_t7Hdf5ZBB7P1VrpeLNbaETTyCgf-AoIYMKczs09YjcO999oFxQy7ixokCBKUKzpfVvQugWrdsrgruFtnvsu8VD_pkGSenc3U5O
                kSLRVpnM7RZKVa9G07bdyxfDw67VGneGg2nnQg84W_kvSi0xTZQpAAA
                """#),
        EmbeddedAsset(
            name: "events.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The events of the server, as they happen.
                import {
                  el, table, time, setText, field, select, counted, button, pageHead, errorLine, buttonRow, fieldGroup, messageAddress,
                } from './dom.js';
                import { readEvents, sentence } from './api.js';

                const KINDS = ['message-finished', 'delivery-failed', 'device-quarantined', 'token-replaced', 'device-moved',
                  'message-updated', 'connection-up', 'connection-down', 'credential-refused', 'bad-tokens-began', 'bad-tokens-ended',
                  'pool-unreachable', 'pool-reachable'];
                /** The maximum of events that are shown. */
                const MAXIMUM_SHOWN_EVENTS = 500;
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
                      while (shown.length > MAXIMUM_SHOWN_EVENTS) shown.pop().remove();
                    },
                    clear() {
                      shown = [];
                      list.body.replaceChildren();
                    },
                  };
                }

                /** Resolves when the page is shown. */
                async function untilShown() {
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
                      await readEvents(wanted(), controller.signal, opened, add);
                    } catch (problem) {
                      if (problem.name === 'AbortError' || signal.aborted) return;
                      failures += 1;
                      setText(error, sentence(problem));
                      isForbidden = problem.code === 'FORBIDDEN';
                    }
                  }
                  async function follow() {
                    while (!signal.aborted) {
                      await untilShown();
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
                H4sIAAAAAAACA5VY627cuBX-
                76dgsEUlpTOy3Tqb1saskTpON9jEKWxvW8AwIo7EmeFaIhWS8sTwDtB36Bv2SXrOIXUbT7yof3jE67l958b9fXa9EkzcC-
                Us0wvmYGSFuRdmwrjF4QNb8boWKt2TVa2NY497jIlywhyflwJ-
                ZAX_rXDX4qubsIUUZYHjUuQwzHWjnICJeeOcVhNW86X4UXCYEcZo80Eq0S5e6nU4_zejm3rCKmEtbH9TFAa-JnsbtjC6YlG6X-
                gq_cVGJx1PzMCd5yQGEgeaKhesP8Br6Q_s5VpZx356f_H2is3YTRSITBdSSbsSRTRhUSFKCSp4mC64LNupe5mL6ZeGG64ccE2zTt
                8JNTWiLnk-2lfpexyDqjoCTV1w5zcBDwrUI7WC2a2JQq8VTRlRgBySl3D_orH-
                5JwXUyJqp3Ox5GprTqiiJVtrXU4bBXrJV2gp3Elz_cztyd7-y5eEgIp_lVVTIQQCGNyKO8YNwGEFHKXs5X5Q3cc3_3r_8eePn69-
                _PTPi8_n_zi_uEZNvjo4OAk7Pn14e351DXPR4Z-Pjr5_fXR08PpPrw_-8urV4feHR2iElqxt5r-
                A3EiWK0_5mDkAkoVxwUqp7iyRXjSK1MP4XDcupp2ILoWbE8Kkp11zA4fBsCBcOwf4hRk6k-L36Wl7Eof9vlLruwa3Zt_t--9TWJ_
                97hHApAvx8-
                X7Mw14U3BPDAvJ5vdfcJHu9Xb_LItNhhfKBfNMpsH8sOLZZJ7FtG7sKhZlHHGwzCNbgZGPtxCPRCbs6TWbCcvCmLX0-
                _VNloCpWZQgH5sRLx2TyXNMBDUgFX-A7RByQKO_H0yT60qMbs_aw2Fxw7KtUxQjts-EwDHc0nlXlDy9xBnwQLhCKPcNPduKlyWKu
                UHHxe0MRriCxg0LTy5LbV1KF0fTKLk5vE2SHVq9kwDV2QzgvuR1tIN6Flyqs5W04M6fMTZtmNPb8zAzZYcbthbgfUZQKGFzsdAwp
                IAM2ihxxrtm1rFkhGuM8pRP9jZ7vdfQ_RBfn3GcXJQlOQ4G9CAZd2DmK2ekWg5kTSZjX4r---__gPp2emanURjQ3oj8MnCKyneGo
                JeX3Npjtkuj7DT8HjPVlCUAkxRMh4vh4Ug11VyYCKE74tqKLw0mhAT4ITnTitdxjIEwYbMfBlchBHAW7bzp41QprWvTowhZBr-VW
                AtYWUhj3QnLUMoM8iUlTrbWpmjjKDN6zaoG9q74vUCjz4eRdWyoD0AtDhqcsG1DES8zn37jyOc8YP0m-
                u7Ciw_wvgYb4u9PoEj8fVNTmnmDJqJ1uDO6JeDgdakCD0hJi0g75UURR6Veev8uhfOsboXVNUcPhcmYlEjx9J6XjQD_kVWcpE5_0
                ADiM25FnPTnKu7ylUCsxaAVOgu_BJEzFBrhMjyZSpWXTSFs7CnG3gl9_C581ke2hRImjqSqSUbP1CMDt2GxJ4w2ACOSLAnRXMkCk
                ixw8iIwRRydsE0yQKn3Z1TRca8tj0FUFJms9fpWRiQ1-
                6bbnYS9z7AQdhC9uS4e0hqqDEjvo1UPoEbZlVy40cp6BYULi_2GUqilW7EfdqbuJNxS6xpU7cNNHO4JnpaXgpu4F3EMhjGboRY6A
                _qQw9Topk3nU5fC6vIeMLBegezoLFgXMmkHPsHtg8pZ5xmQAGR5hauBEwzALwqdNxUixqsxCTZDonzNpUMPZX-HQCsBSbHxZAMyu
                rNPQXQvrZxLCPwPUCqpJfpSOIvhRkMogTLFNAKBQmAJcp1xDKIZaiJjawlK52R0o8tSmBAL5hpLFFqlclsuFYd6GgueJ-
                rwYu3SB1nY66O9AcmOQnpPeUaKeIOkz7rZoVNap-vOlfuDKXE73AgciW7jI1nhiRF2nEfjsyDrDoXTNtAyskHE_j_jIFM-
                KJiHAFNvflRJ3LPjUyXEa-CibHcGpjz0f4uvAWc7DzzH3CbAZI-9ZO-AH722g4ziET6AREDKxDcx3UbGF46wBGmJY1pS4oShqGIp
                FdTNSy5V2MOhlrM2RXpZGzszhBUeNpgULUSlDFScsaUAFjD3sRCsEI8ZNWmZ_7YO-peMegIozAUU5pfkbECzhyVB3LOCZIkbZGCQ
                4xYkuk9cHXYfQzqZYEwNzSGqHUiCg5GlMA9x50RVY_7DUqDNTtimNYZSykE7J-
                07beZtcF3w0gpc6rjQEE1RHwEE21ewtqWNAytRlIzniTeYx1axL7a3vBTb0iH-
                WnB2YvRr_vYewC2E-862y3-ToYe1GvQCkf7aoMtyTCksro2GYqHqIzh6bZhMFa-
                EL7YoPJyjuBH79dfOWXFWFMPQOlLYH2bssEtIY521jXjHQJefxtZpWcFC3LPy7tPlX9-_fXt-
                EQVRdqvXQ6kzYsh6L7Y5Hyt0mElORis7Yipqv-ca1DbgvFXJE0hEoxPP63H7bPsUoJb9LW1r21gMvR-
                5W0GvoOLDA_ibMPwBV_sjgwTUWmXEQDf52zkRuYHaESv5LuER3a4o6m3RKn9QKvmsENB92iePYS-CGT6uICyg00OvAvCDWIXPNkH
                loUpq3d4L71uC8K4U39xEWMYKfKShpeh2wtI0pWed28ng2hTiWhzRlsQ3IINcRmRmVP63ZeMjNJnc8amFkidfRT7Nw4VY1Kx0WQh
                z3D3pTFjoj6HExGIf80QN7QVUcfkdbKOgEwW9eYrkGEiyffwa52CMdp4fW9PjTt_bWL1A_sDpBY5ga2Op03mCmFGb8K2Gog2TlEL
                6aIp2Sem9r4jbp7pBkxFA2r3Xxf4rjs6wRIQNVAhSvQgtVN-nWf-
                4NRIo56AxFKB_8ovpM27bltBshkn0SwvZrnyIggxJlye6sjwZaAAA7KAVxui_M-
                P4kEEh9TggN36kZHvs1QJw8U9ZhK0Y2fENDnSkj8QdyHHTT99CxD2GHjIBk3-
                zPwgKHzemozq6PzSqwr2oPgWRGdANaQtx8LRO6gqQUKvtdRRCQe-
                v30IAa_Xm10NxK77SO2shFrwp8b3VSUdA7KEB5sEi738YI6k1UxYAAA
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
                <label class="field inline" for="refresh">Refresh<select id="refresh"><option value="1000">1 s</option><option value="2000" selected>2 s</option><option value="5000">5 s</option><option value="15000">15 s</option><option value="0">off</option></select></label>
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
                const MAXIMUM_MEMBERSHIPS = 1000;

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
                    page.request('lookup', { device }), page.request('memberships', { device, limit: MAXIMUM_MEMBERSHIPS })]);
                  const trace = traceForm(page.context, { app: page.context.app, device: String(found.device_id), suggested });
                  return [deviceCard(page, found, members.muted), column(
                    card('Groups and topics', groupTable(members.groups), topicTable(members.topics),
                      members.next ? softLine('There are more topics.') : null),
                    card('Why did this device (not) get a message?', trace))];
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA41X727bNhD_nqe4AgVEdYKcfnWQBf23tViDFWmKDTCMmJZom41EqhSV1HMN9B32DnuwPsnuSEqm7abbF1sij8e7
                3_3uj0YjuF4JKLgpW9AL0EpAKe5kIcYgbQtGFNqUmXteGt01LXBVgtWNLNrMPd-
                v1rgNpSxBG_entIWlsMChFm3LlyI_kXWjjYXNCYCoMndfBpbPKxH-
                rvR9Bqqr58Lgiqxxfd5ZqxUKr2SDv1otpKn7ZSdf6KqrUULUjV2_lQoPLXhh38rWZlBpfds1uHqb4a2tXlgncbKFhdE1JPmo1HX-
                sU3OBuvAGl6IX7SpYSfl1rzcyejJE4dXzT_LuqsJsSNUwK44-
                m4EgsfLHJ6MTtD21sLlsz_fXH64vLl8dfn81dX712_evYdzeHp6eoqaF50qrNTKOdCyhe5UmTq8_GFurZHoumjxjN_Oo7WLC5hM0
                7zmDWOCF6sUzn-G2eMNPee3Yr3FU-Htjled2M7S_KOWiiUZJOkZXmOE7Ywa8GMTXAOYJC8dG5I-
                OOFqz5EbWaa5EU2FCLFRNlqisiSdZnjsWt8KhadExZJCl6Rgs8XwuNOWNlEuXPGbVCXuo7l--
                xbfUbZ_FepOGq1qoex25pS_1QWvSKUXqNwrYZB8-_p3Mui9RhrBX0jpQZKIdUMrkTAKXokluiyMIDNIJnhphvUbbnf2Ot-gFc7BS
                JxWvCAKPRuCg0JRpL58CRdPEfbtjlKe1oE9xYqrpcDnPhsdjQaO-
                O3n_gRrMMOCg5io7SVes0cdzMhzOAjb2bBbozhRyjGGVOVeO0u6puRW3JQ9ATa7yoAX0blyDI_ChbD16PSvCO_1YD1Vgxaarl0hA
                HzJpcoTGB9LKB2Ecs9Jb6ERrdXmASPD5oF5aM2edtmCVK6I8a6UQhU7O9xFvF2rAgZ8jaj1nWAexN4MKz5btCH5fSiRUAl-h5p-
                UBxjt3JInDqAnyB5g0HWWB5hzotbLLvVGgupCDY2DfTUI-
                29qWce4QWwR_yeS9vXRDa7cgb3Zj3eyHJ7McucyQhE2H0KcSgJPjPGitcJ2KZpyH9_hde-TwbVW3TEBG7HcPodxD2KZYAYgj7EzD
                C3st1VnYlnP4vY80ERwxxNaC3xjEs9y0K-
                WU7cPcegfOq44cpigS8TPB3Uoec9OwJPUtSnuqrKIhGy8tvXf5wQPaMjHh0sZS5FB164IF9Tu2I-3p4hLiJ-Ia-EWtpVD-euMzGK
                uKch0sEJ75G8QmyRXa4XsuRXpyyhOuIeqUo7FKZxXuh7yomh3Pd9lE12rc_t5u66FIsxvdQBYWqrLHFvpH4lqjIheHx1cveQUflc
                l-scKSlUyfI8D35Sp0ED0rh3OHGFxX4fNZcPHjWfGhFqfuF_ouaEf4DatVOW-PaDj-
                TWa3QL5us94Fa6KoUh7DY4F3SmoAwgBFl4u3Btq224Cm0rcV5DEk8VQTh1mNmI-bYV1SJ5EMDg8n6rfjh2Thxj5432J6bpD3DvGw
                rNWDSgHJm230v81gsU3m8k9VEbCbl57rdyqYqqK0XLklBWIoSJWzSoTBzJomzNjlMXBw55Jyhrk5J6NcE558jFw4byEGF9Ph8a5S
                KG-_057pOO2PR9FdOd-X0vPvc1q-
                brF74MenX_3XzHOI1FAaJQsNnLvjof9OLtLBpqmYMuzfbmwHg_2JamR8F2AzwPAc1giagqpL5rKX44d3NXDs_6uZwOzNpuucTiKM
                oZYSM-4zRHZRTLOralMHngKg3IB21yR50eh_7uQWdMoEnPLEGDZDtFeH2jeYeTtmxFzqsqjJ0OdiM-daiEJT4lor6D6ZodyASlBF
                4kiPkqa4n96Xuz9zaNi4Ib86mW9J8AzPcrrXwX3VBbHkO8SEmdDa3wPY54ank0H0dg4I0RKSYPZp53xRfqtP_KYX4UIenQHqJhA1
                2OelOvIPSoLK7A_V6oxFmYSPplRUPOxfC1xKil4-hFXzM1zWCheA1JExR4s_7AL0H6_rMrJFKIFMOPwXT_a_CCpmZCOfX99V--
                A3oUhA4AAA
                """#),
        EmbeddedAsset(
            name: "lookup-names.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The cards of groups and topics.
                import {
                  el, card, table, tableRow, setText, number, button, chip, confirm, counted, buttonRow, emptyLine, lookupLink,
                } from './dom.js';

                /** Devices that one click lists. */
                const DEVICES_PER_CLICK = 100;
                /** The maximum of topics of a group that are read. */
                const MAXIMUM_TOPICS = 1000;
                /** The maximum of groups, and of topics, that begin with a text. */
                const MAXIMUM_NAMES = 20;

                /** The number of devices, and a list of them that grows; `name` and `body` are the request that reads them. */
                function deviceList(page, { name, body, devices }) {
                  const list = el('p', { class: 'mono' });
                  const more = button('List devices', load);
                  let cursor = '0';
                  async function load() {
                    const found = await page.request(name, { ...body, cursor, limit: DEVICES_PER_CLICK });
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
                  const { topics } = await page.request('group_topics', { group, limit: MAXIMUM_TOPICS });
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
                    page.request('groups', { prefix: text, limit: MAXIMUM_NAMES }),
                    page.request('topics', { prefix: text, limit: MAXIMUM_NAMES })]);
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
                H4sIAAAAAAACA41W227bRhB911dMECNLBgTt9FGCaqSOURiJUyNxigKCYFLiStpYXDK81DYEAv2afli_pHNZUtSt6EMienfuc-bs
                nJ_D_UrDPC6SErIFLIuszkuIbQJVlpt5GQ5MmmdFBZsBgF4HLBpAFc_W2v18yZ4CKHV1r5-rAGydznQRwKyuqsyi_Mrk-
                H9mF6ZI6aO2lU7ae9bVaV69fDIWDa6z7LHO8fsxGDSwKLIUVHieZGn4vVSjweD87Vv4oP80c11CtYoryCxGvzbzR1ibsipDeHs-
                QGdlBR-uf7-
                5uv76cHf95eHq083VRxjDu4uLEdugpNP42aR1SmlLrvQVSwnEeFxoKHSc9Kzevv_j5vbb7cP9b3c3V1_F5HGbUsqAa9m5CMTwTC-
                NhSdTrdBhhXU74uHz-
                9trcvDThcub7Et1yV4iVRD7MWfPblY6FR_o_6kcQWTjVEcsFc2y5CXirFAMM_tRa9RiaUqzZG0OZVHbeWUy69x8QuteHi-
                xQxsgg9g_tBW0UUDjM0AkA45ljGjxVK5IY76Oy3IIKs1splB21ImmGQYzdmDwFPlpbSpCQ5yw8FpXMK-
                LMitQWF0oOovLFzuHLlCS9SSK1vgCsZagQvwUmwoo_NDl7EkOGwjDUBIR6-jSpKYaHgGPRA1otABP7BtuLHsJXdA-
                Jx_Gea5t4lEFYq7AqtCLIUSvzwXglz_GZxuTNBE0AXytCmOXnkl8PwAFyjnq8hUHFlEiF27UPKodKtziT6tDR-
                HKJIm2qNhaGHc1a_Bfoau6sDDp2tN0U-l1oFLypSgkyqg3r-zXn44GzRaWcilISusKAYF-ayufbqR2cUVXv0jXW1yxVMA3yQGy9r
                o9X8V2qff6zVlQ3iezGfWkaexQODrbsHzjpqcNgylwlZVasvqe4cAarMMSoWgzyOtypcswEotmAd4rDhzevIFXAjjHeV50ixdwtm
                HDzWUUsOsA2nNxH_m-
                a42Y7IHWJavqPIkr_cB21H7FhuACaALWBzmGS1D3bVYUfOlCh3gZGxsqGB4IbNOTivVQ4wa1M_2Ne8xGKJt__vpbBa45PiNkr2_s
                5YpeG9d2BnefPE7ioJ2EUU_U8XZzfMgVW3oQoX7B3JDvcXmflxyF8fvmqfvueegAguYmcq6mQlE098Ql7fAjtbgnNI1zz9PxfOXD
                -OfuzfQm28dObqe-
                3wsB6btjRh47V3N6UD3Ff2EQaqXXifKxAbZe4_PMBUjjl6t2QC4PR83VXFTYY8sJ9Lh70a8MhRawiNeCXukTLwF2Xsq8pW2qwrCt
                NjHcdpZ9ASf7OVFWV7S1tkt8Hi-lsDZLNAbcbQpeD7OmhLKelfPCzDStLYRfNoLwdTzV4Y_PCX9dDnxyQDeuIFIPjhPrwaJUj9Ol
                YJEjpeDzvVLsMCh5koWALCFnESKQ9eDRWJwCOmRKOlgAdmmVlTk__jryKjtIf6br_jJSZgzpj-
                iOYEX39PvabVv_gXL2JCCfbKN1j8p0D_Mi0EM-yeIjE70-20huHuv5TdSOQ78XJ-
                LuMHJY1F18OVrXriFuA5N43aKW4XVRHuxpphohsHDbNGwO1xbao-
                iEO6CfeUveozsy3Gc7Iv5-TyabduNugh6dTTs-u8MN2JQ6jNdrb8Kjc4ThhNtyXDHM89A9LnsUJ8tk48Zv10aPH_-XjWmPpKSoY5
                dFuMDu9qiOPkIngksIZ7_VlRaM24E_putEDnVdk8YwQQA657s0O1EtoWyjcN9ucqauGqeIeiKVaS04oti1MMWw1xWCdjfwybspvD
                qMWvDoqoXUJj0-eBP5gPh5MiVdWi7YuS8GQnqcvX0mEwm_VZACORbdUdxShMgcDFlJM_QvxB6acBkOAAA
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
                import { deviceOf } from './trace.js';

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
                    const target = deviceOf(text);
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
                H4sIAAAAAAACA6VW227cNhB991dM0QCiUkUbFA1QrLENCgdpCyR2kTjoS9GaK41WTLSkQlJxFs4C-
                ZD25_IlnSHFlWx3X1o_rCUONZczZy6LBVxohLX5CI2xIMGbd6gLeqjxg6qQnzbWDD2M0l5VdKZr8C1CJW3t4Fr5Fq5b6UE5cN5Yr
                ME0oHx5ora9sR5uTgCwK8Chv8SPvoBGYVcX0MsN_oySnqrWONQ_9n0BaK2xL5Qm27XRGJ_Wg_dGvzLXRTD6k1V1cbKHxpotZOWiN
                tvyrctODwbpVhcMao-
                6Qpiuyl7duRojPQuxTPc6Y94N_aMovPOFlttj91nk_tXARTO77a1MWk8WDx_CJaFJCdhGMBlbSskpXBn9GqWt2ivYoHeEqQNPCJb
                wcHHSDLryymiKkq88p88FfVVA-igPwFdGO09nblhvlYcVCPxAsOSw-iHIKTX8XvY2_H-GjRw6L_LTIGsVZ3RXWuw7cvm1lx6FHhj
                cLCvg6usx8KfvVw9uCGpT45tXv5wZil2TNnao_CC7AUtv1Vbk-f5q1Jy8jJb2_GPRD1YTVUTGYJB-
                SmQnnVtCFijjsmKKZD_ySGTPAsBAnEj8PXA2MJa-
                Ij_yItg9UEmwnfgWLPldj2QoaqeTZLknx6XdZWwwe0HRwtBneU5u72PyfmPuT_WgEeslxfJ-QEf5kmszRLFkenPtVK3UGyRR49FS
                6agq5jwmkstoK2u6v5FK3051BPtXqhtBefWhmJzaaNlxBKF0YtkU5ICjPBZJ6X7OhtE5JgMTluGpd4ERXDfj2Q07vITRThm8L8uS
                rzIUN6Nh0jzLXWRU8i28jMbiy1buzkL0SxDR4KieBOKWqczihsiHNhsTJ91OVyN2M7eLUBH5aBlSkxEjGFk28g3A293hVkJCandN
                OViBvJbqAMwcldPDF0lzxDdYnYR8WLaqrlGTtkZ2DidhVO5mfI9_I2jRiXS8pyR4ypjorVl3uM1nTt8JLvW3w9X7urlWD5rD_32E
                s-rIHTEpj3xJhX7Wqq62qCdvj-Ea1O1DMUwdqaXy2hJ7mSa9tIQmJdJNXB0zfZuVPIVWofqV7gcuwehb6B_LmZ6SmqHI3mc5PH0a
                2lBWSy8fRXyzJSV6oAS5HruuarF6x-2DE0I35eBNRd2pI0V0bJomi3CEqFvT1Wjp_Mnjx98X0zgcHNrFd99yQ-moS3ZPwkeR-NH3
                gAp7n6aXmAmZGyRL42wuiqiTMI21uZDnI4n-T9HTfEmVc39eiHnlRJNeWgKXnR2HlpjxXDUguEvSdE_3VisCcf0WK5_Bp0-w-
                OP3-psHi9JzEYUv5wQLhDzCM-ossUpm41gwAMVoq7hHAJq0ji7EXjzxOwYSe3Gq68PETiqnoI77E1TMQv8qHJQd6o2n4XqnIK5oh
                lvk5q3NOH-419NLmEHU4GlKrKmn6XFl-vL5rwc37Mj-y-
                e_yzgW98eyJe6kiYtnBXena_T1WKWGGGLKYy7moU2tN0nv6TlrDW1pFBUPBprDYWZ12PgyWZh32HnPO3BtzNPRDse-
                RGqXNDetx_q2ryl-5V4q55TeEAijkpJ3j0jI84vLP59fvDl_lp3-t-Y2qaf-cm7ADeRtPW4ZDtJkokVXMQp0RIiUGSyPduT9mNzo
                flj1VvcWNzFbym7PE-5oKbmzpSn8cp_lvKGuRdqoxWFRme3WqXvkeRG6rMPAsFtrFlM8bDrsYjFvLnnqLsEoJ-
                rAvnzyihS7sLyWjakGJ-KWhB_DKlzH3ZJ3LeU77r-TlzwyeIz8A8jgJLWSDAAA
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
                  el, card, table, tableRow, updateRows, setText, number, counted, field, button, buttonRow, fieldGroup, softLine,
                } from './dom.js';
                import { call, sentence } from './api.js';

                /** Rows that one click adds. */
                const ROWS_PER_CLICK = 50;
                /** A large message may have few failures: at most this many pages are read for one click. */
                const MAXIMUM_PAGES = 20;
                const ROWS_PER_PAGE = 1000;

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
                      for (let page = 0; page < MAXIMUM_PAGES && found.length < wanted; page += 1) {
                        const body = { app, message_id: id, cursor, limit: ROWS_PER_PAGE };
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

                /** The table of recipients and the line below it. `show` draws recipients and a text, `clear` removes both. */
                function recipientList(id) {
                  const list = table('Recipients', ['Device', 'Outcome', '']);
                  const note = softLine('');
                  const say = (text) => setText(note, text);
                  list.node.hidden = true;
                  function show(recipients, text) {
                    list.node.hidden = recipients.length === 0;
                    const key = (each) => `${each.device_id} ${recipients.indexOf(each)}`;
                    updateRows(list.body, recipients, key, (each) => recipientRow(each, id));
                    say(text);
                  }
                  function clear() {
                    updateRows(list.body, [], () => 0);
                    say('');
                  }
                  return { nodes: [list.node, note], show, say, clear };
                }

                /** The card that lists recipients. */
                export function recipientsCard(app, id, signal) {
                  const kind = el('select', {}, el('option', { value: 'failed' }, 'not delivered'), el('option', { value: '' }, 'all'));
                  const list = recipientList(id);
                  const more = button('List recipients', load);
                  const reader = recipientReader(app, id, signal);
                  kind.addEventListener('change', () => {
                    reader.restart();
                    list.clear();
                    setText(more, 'List recipients');
                    more.disabled = false;
                  });

                  async function load() {
                    more.disabled = true;
                    const wanted = reader.found().length + ROWS_PER_CLICK;
                    try {
                      await reader.readUntil(wanted, (each) => !kind.value || isFailure(each));
                    } catch (problem) {
                      return list.say(sentence(problem));
                    }
                    const found = reader.found();
                    const all = `${counted(found.length, 'recipient')}${kind.value ? ' without delivery' : ''}`;
                    list.show(found.slice(0, wanted), reader.isAtEnd() ? all : `${number(found.length)} so far`);
                    setText(more, 'More');
                    more.disabled = reader.isAtEnd();
                  }
                  return card('Recipients', fieldGroup(field('Show', kind)), ...list.nodes, buttonRow(more));
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA3VXbW_bNhD-
                7l9xxYqKagXFG7AvSb0g6LKiWIMWSYsOCIqYluiIi0x6JBXXcP3fd0dSL1acL5bMe7977o46OYEvlQAjCrmWQjkLegkcVsJafi9g
                I10FrhLSgG5cofE8A4sP4A7ZnFyJfCJXa20c7CYAos6g4KbMwPFFLeLjWm8yaNYld_RKGoT7In64DFSzWgiDMrpRTqDYUooaH4vG
                Oa3ap5f3lPdGN2vyYOk-SiWyyR6WRq8gyU9Kvcr_tclZ5w46UtdkCzWrQkDPytcysE5OXr8GcgljxIC0ElDUsngAXpY2h9cnk0Ir
                6-D607ebu8-
                X13fvPn549zfM4PfpmZe9gJobzFObrxXfQsUfBSzFBpZc1o0R9pSStdKox1XSIo_awhq5LXBDqeclLLXprQ8MX1388-
                Hq69Xd54v3lzdo9ze0O3KJSEj5dTpFWiRK-1ewjQS2a0sH-
                xRmf3T_XsxmkJSilo_CiDKBV68OSWuhSqnunxBUU9dt6tB3yt0BgKRqEWNKYc5gLu03TtWdg-VbC5tKFhXBDLlWPgUPYu180MtGF
                U5q1asjC8IwvsaqSwSGlfeK16kHWy0cFI2xmDt0d4r1DGdLBFOJR7ff6cQI1xjlBSCQToH5RPg_mT-
                X9sJd9pRW68zrDSxYSMeNY2lUBU9sdwY62wD7IMztVhW-1F-
                VkzXb8AD3NjW9UkICoygIIahoehbe3o6wgEXxtvJaqHts0rcQdEb2N4iIXin66nGx0OUWde7A5zOC9k5i3JTbEE8GtVxJdzpC2P5
                spIsruxEUPd9w6XyzsaRV2Q6LJPM2MzQZKocY7BW1yQqBoNqCOxb05j2g8qWsHWKgy9VAQ1eCKKVwqvRUuQR2WMoUFliEh5Zl39c
                I49tPjgFQb5jgRUXwCwkN4ddSPVB3ObToMSMwfJ5QpJURy1OY_3JSa_3QrM__m73ckYq8FI-
                yoHzvX8VEIQX_zdEF8IoGgG0nJ7s9lIVzb5vdOIPdyQ6JaQqnkCjtUMu9tM53doDgkL9t5_Pzvs3TDI4bSjbVNvF6k--pzxK1Pm0
                N7yJ18qD7OVaUBgKKCliIWm9AYnPPbaU3cygNx2E7Yuc-
                9gzmRS24mSN5pR9xOi60q54ZCx8xNjYuCP7Mgk8sue5MYElukz99UPiafAqh06sPpxXHnFG7tZuFJcmAiHProNZxfzESGlSOXMiV
                LkVeybIUitwxjSBSFwLlgfUJiNKxU48oGPRB7HSC8jQgOHj3ILx3VD3v3fwJ3ODlbqBHqlL8-LQMAvt5UNWvZ-
                a9CG07dBTNZAMrxzsk9iYmjHVp2Q_j9zXuhuhxq7ffsziIpwN9sSL7wUwHyhXu19sucZkvJMpTnjOSy4LJ2OAtdOmSEpY-
                iQ4h6REnfvg7xFPg2XcoeHwdxWJIP9JoGlhRi8LRSMD2pgO9JmV-RjzyuhHYUnRHoOWLHL5t-
                32cPisTuHHeJukAoxH_T1qk51hpfyEIdyqWEMMgMDRRaz7kN373DnU-s41JhOLO8dp0-
                RhtC4WcSVFxdU_dFuq5i6uU1OTdRj3rwR_hEase24wcx4jHDkcuoualtNT4fpvw2vqeo1UzaXdvV0oKssPfWLZt1zYFYaf6FHiX_
                aZiaduKb0Y3wyDqzLbbvGE5dgGP93_fTi98An2J4efP_gYXOGKoe8Stw8sTWxuNHq_6DR87wueQmqW99XacrYZBcO36PYxtGD5iD
                Ok4T-L9nA2vHFiRrhhJun-5G0SAe8V_O-CiaSG9TfwKaedN8JSGYdBp8eYr2DSLKU-z1q14NcOSnXt_Tsmf8N1w4E66x-
                GNxTfz4-i5wsdzkBmbGs0ZGhajldJ_jTD_ypIbjAUJlIQUvc_zvBtKdvAh491J_R79H9WWim98DQAA
                """#),
        EmbeddedAsset(
            name: "message.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // One message: its progress, its outcomes, its recipients, and its actions.
                import {
                  el, card, table, tableRow, updateRows, setText, number, duration, time, share, outcomeKind, counted, showState,
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
                    updateRows(list.body, sorted, (each) => each.outcome, create, (row, each) => {
                      setText(row.cells[1], number(each.devices));
                      setText(row.cells[2], share(each.devices, total));
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
                    { name: 'not_sent', label: 'not sent' }], { stacked: true, maximumGapMilliseconds: Infinity });
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
                H4sIAAAAAAACA51Z227cOBJ9z1dwsN4RlZXlOPvmwGMEyWT2kqwHcYB5MBox3WK7tVFLWl3iNHoa2H_YP9wv2VNVpESp23nYwSBu
                kcUiWZdTF56dqevSqo1tW_NgL1TetapuqocGAwl_VX23rDAvX41d5nVuyw7fpsx4zCy7vCrb9Fm-
                qaumU7tnStkiUUvTZInqzH1h3Z-P1WOi-jozHf0Ei9Z2n-
                y3LlFlv7m3TaKyvjHEDQvyDZa1a9PgjzvE3_MSHJdVX3Y2o8nq8aYDswQ71jj_X6zBsG2aqnmfl1iXVaWVX2216uTXfd91VclHWV
                ZFvynlpL80OdZmtl02ec0XSp7t1aqpNipKz7Jqk_6zjV4Nd1SmzmlhgYvWVVH8lnfrn2ljvhXOVy6tGteDerZ-iZt1AQV_z2gy-z
                Vf2va9XUFETkevRdrBSjdx6vUw5TFq7A1ueWTZSDBbWa8hvXAjHpgRdY1Z2ndVswnoeEzonp09f64-
                ra2qmsw2qlqpjj6cTam85G82jlQ9P3u2xAU6df3x7c8f1aW6jWpbZnn5ECUqymyRf7WNzehjZfJCfpVVd0oCjxbBbrXZFpXJWnA3
                nRejerAQ4_1WFaZ86HH1lGi3MBIFJqSQ8oEthc60VTA8CM9kqoIq-
                XCrvmQRw25IwR0JVJu6hmuQNeYPpSliNn-5BtlniWuImen41TDTwegxYQsd1Y3FNWAPhWnbCxW5o0fsMrB3-w2DL-
                impsnNaWHubRFh6I2cQZlW_e3m-h-R2gf8H9dVYd0Gme0grJY3WedZZssLaK2HdSY83_abjWm2NI-RA75xwqcNmG_ytoVO_Pknpy
                c3w0CD7ekLztm3Ee0URcwBfqAjJz5eyOJzpvg5z4BAGZHv2KnkoF60uGEKzZRar4AAWawuf2JhKxF02ti6gOG9WedF1oAsTVMxYd
                GRLOJTKA88umP0oYumbdfgVvlqK-wJk8i5X_olLNNUJIi7r0zRWprBaTUgExa8kSOpfKX0D3Lm1NzDTywO63d00htRYlgcv3I6bG
                zXNyWjko5eA2DFFfma8BkSHN84kTMlXiNYvB99oDTkYQTSX03R46dzvhVwgj-Ml7u6t22e2Qn4p-od0z0C1-
                CuIGYu7BUF8Ih8eOoUzPd6pUXpoR8wHkBkMpPyZw1GsLIff2QjWlaZdQZ4SJS2dZF3OjqN4tvzRWCI9_bBlCNfCDT7DHe_uvIjZg
                kekD5Gx1Vyf4ALa_U2es8eNWzMDrZIMHEDfrYZZ1r-
                JvYEOupLCRVETPmJDkseS38XiWP8us9yUvDIwbgRdfXErT1BrOA9RhU5zgtNOQCLRtbuYpHESX1433igvVmubdYLWs4lNVntRmlv
                Mv2Bwbu8zNt1uH7lRg55BDMHfD5V1ZenePi4f4SPOhVFH_D71YSyrQ3L9Q4LNhXEdrKTnEIH8_H-
                rL0j0ZaVuicnHyX60S4twktwycaNgKnLOPRsBqjGP-suOjjcNSJXyK3i70NeMv4Up0UAB2y3EEzR4VL6NhGHXDDmiG_-cHnJS8mr
                xhFc00Kc2HwyzIAcwAWhDXv7CBKEL_ly7SIhgytFw2JLCMcxMstXK9tMcQCI10toDDGATdkFpGISMngrH74Ki3DdGA6bUUQjA1_J
                Gyfw4pnzllgxw_HbmVdNfXzm18eQJzkCJKJgdcSM5-
                41Mc0Ds5pZxsJFGYod7jpQEosidhYgBF46TCRDJNtj0S9MZvUMniWq7Ufz2iEJyhC0XdQh7lATsY59zq72T1iMNbASl9RJneBTLl
                8jcB4_tROfBD5lKpwU6ujakUUEtO6DsqE_vHWgSL9viD39isL4wAIBJ03nYz_hxDLlrAqiCKoKJkndQBzwWCIF7KZMfCmjJYLcsL
                1NGdCZIvcPm3z-NbT5u3vTAKCe3H9_B3eQm8zNfxcUZF3VcVY08YXCNA-WBfjBdOt0Y77p80TBGvw6DNV6vA1v7NTlUx2XvnLmQp
                EyWL1IaVjrikqpCiDQMBcWNQ3GgGv3IZO__y5kfg_MUxXhd5QNx5pQszHfV9k2cQdI1Oywg6GJbjDfUDE3EO28h7qMC7Pp0hZFi-
                zBV5r62LWPLXm5cEXoZIWT_biQFvyrt832xhZ22VWNjlIoOYoBR1ukjY95Bj-5VHcnu1AtIU91NujuuTp_8SLe__FO2O-
                _76uBh7DwaO4pn62rvOyGVHDZN1_BphsnuF6i79ZiqlFrlAFfAH1S7TMhskPK3AhHZh4tPAaMSSRFmlRE_YZc6Uvu0ncPgd40fXQ
                bdPmkizA8Mh8WEeAv62F0mvUSGIP4yJ_UVHsvQpSQm4uZ84mBNEfSEBjyW7oyKDTEi6vooCb1I64w9Z9DdRovOJZzacCbpIUtHzo
                cUvZP-
                7Jd56tuCFrfzWZxA_l_ERYMwuk7UR0WKfAsZY9XKZvBvDafqdaVBQzWeRbqlLDMl7JCxFAHC0dwPz8oXO88FW3oC5CTXZ4x6B0vk
                Sf5AoTXmFqKyv_--z9RCNZ8kUvprejIRQgx6rXBlCnHMFWRfVPuSpGFjWjHNdPFtNXA556MSX3qSIdGhKdzAyCa8oQlfG6l6vWkV
                EXwkNoviCX0vPxiM1_1QoL5pt_8YuoPeQHPtrhkBgn8tSSz7LYTcYEXl1iuzUXNhjB6UNbAyHYsfaL8JwvqM3aZ07D75JcJHkHjq
                SSSszVXjtXZdPhCnYdxpZGA6vMh-kLenhxk7DQzZOxRyIEL0JGD3RgIpHz4vGk9p3k9EdLEe2ZwyNYD8eU8SXegEglBdLSHcDccn
                2WATWDfOIjw3Ct9snNxhKaTiYTifXyyo-vuT3Z0tP3dgPgTDb4h-9Y75fF1cKVZDjBA2gEi-xWTQC_9gdckUs25kYR0waXDbOGWa
                XzCyj6XuuzEc9Iv4oT7l85nLoY99DlmxEeCwZcY9A4SDP85djau1NkZ4xmjAi6zbak2KSxDlkeRvFXCgCpn6mpXDTUeoW2I6LHqi
                wxDQIFHwgMQwwurR-BhOlEnedIoKAfT6id1ThHgh8PA4DKAKxVRJ52lJgnxCndXzmufPm0aOQYXxIBqq45O9pCXZK5DAj0Ju1yRc
                RS5CIP1F2vr1is_L7ETJLBN3N4m3NlvqhAao5ZLHVh8XmAvRBNs0kD10UHewavC3OPXEfI5uIgviE0QHasV2QgvpMkLpSUu43dK_
                7h-YxLkgdqU7SPljj6TG9BLJtIJGqnANdxClzYRT0l_Bi-ivpkmKOAWI93SdxcT6erCvPZhdLt1_d0FeRPR-
                yiOcSqo3aKUPqmsxt94MshDI07z4wTFNf9IEbaF6bkCc_7VIpwSvUs8bGtThmFvgIHLgzg9Eg0998tZ5TWS-DI6qOB9TS4SV9JfC
                Fa4x4jL2euEdo1d6otvzJY6aReDVDAgHVkyPEmVmLs3DY9VYO7cnxRGwgS59u88-
                u7DJHkQLjYZJXTQl6bATfoJ3oC0fzQhY0UhIGbIypHXo6P1W9Q9VszNPxzpAS7E6IckSnJxZ6fuHYDF6wi_95LgTzN9wTkgEyJxx
                9_W1JPJ4OsSdxShWUwPH3DsK9-
                hpOca7bQx78FLA57bA9Sub7flcoxBEJamdAYC5AKNHwZ8D97Bp5Nd5KNk12wHP3ZGw05KdvZoADf0hua4Hn0O4OKV9htiwbiZaGh
                4n2AwoOrysEtP_8l-9Lqix8JNkE3O5HADR-qA32NXf15Rujse6eBPuXpnERDdHwpUzjLtZU2lww8mTiD_x4OJy1S8907w89XwdsK
                PqNr5j68_6MutXwGytMMaerVEZnPLVpwE3QjnSYuYadJpu074DF4yxfkhF2F4aAEPU9-
                mgIXsKTjX_gIDAzdapuN9OmZN0xdZ7RHe6Y2kLs1P-42fMTO7Mn3Bz5l5xy9XHwaJk3woivwPrMuY9yofAAA
                """#),
        EmbeddedAsset(
            name: "messages.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Messages of an app: first the ones under way, then a list with filters.
                import {
                  el, card, table, tableRow, fillLastCells, updateRows, setText, number, duration, time, field, select, button, share,
                  showState, pageHead, chosenApp, errorLine, buttonRow, emptyLine, messageAddress, messageLink, progressBar,
                } from './dom.js';
                import { call, poll, sentence } from './api.js';

                const TYPES = [['', 'any type'], 'alert', 'background', 'location', 'voip', 'complication', 'fileprovider', 'mdm',
                  'liveactivity', 'pushtotalk', 'widgets', 'controls'];
                /** Rows of a page. */
                const ROWS_PER_PAGE = 50;
                /** MESSAGES has no filter of types: with a type, this many messages are read at a time, MAXIMUM_READS times at most. */
                const ROWS_PER_READ = 200;
                const MAXIMUM_READS = 5;
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
                  const limit = type ? ROWS_PER_READ : ROWS_PER_PAGE;
                  let found = [];
                  let before = wanted.before;
                  for (let count = 0; count < (type ? MAXIMUM_READS : 1); count += 1) {
                    const answer = await call('messages', { ...wanted, limit, before }, { poll: true, signal });
                    const all = answer.messages.map((each, index) => ({ ...each, ...answer.details?.[index] }));
                    found = found.concat(all.filter((each) => !type || each.push_type === type));
                    before = answer.next;
                    if (found.length > ROWS_PER_PAGE) {
                      return { found: found.slice(0, ROWS_PER_PAGE), next: String(found[ROWS_PER_PAGE - 1].message_id) };
                    }
                    if (found.length === ROWS_PER_PAGE || before === '0') break;
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
                    const failed = each.failed === undefined ? '–' : number(each.failed);
                    fillLastCells(row, [number(each.total), delivered, failed]);
                  }
                  return {
                    node: list.node,
                    draw(found) {
                      list.node.hidden = found.length === 0;
                      updateRows(list.body, found, (each) => each.message_id, create, update);
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

                /** The card of the messages of the app that are under way, hidden while there is none. */
                function messagesUnderWay(context) {
                  const list = table('Messages under way', ['Message', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left',
                    '#In flight']);
                  const node = card('Messages under way', list.node);
                  node.hidden = true;
                  const create = (each) => tableRow([messageLink(each.app ?? context.app, each.message_id), each.lane,
                    progressBar(each.message_id), '#', '#', '#', '#']);
                  function updateRow(row, each) {
                    row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
                    const ended = `${number(each.ended)} of ${number(each.total)} (${share(each.ended, each.total)})`;
                    const left = each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–';
                    fillLastCells(row, [ended, `${number(each.rate)}/s`, left, number(each.in_flight)]);
                  }
                  function say([first, ...others]) {
                    const count = others.length ? `${number(others.length + 1)} messages are` : '1 message is';
                    context.say(`${count} under way. Message ${first.message_id}: ${share(first.ended, first.total)}.`);
                  }
                  function update(now) {
                    const found = now.sending.filter((each) => each.app === context.app);
                    node.hidden = found.length === 0;
                    updateRows(list.body, found, (each) => each.message_id, create, updateRow);
                    if (found.length) say(found);
                  }
                  return { node, update };
                }

                function show(main, { parameters, signal, context }) {
                  const error = errorLine();
                  const underWay = messagesUnderWay(context);
                  const all = allMessages(parameters, context, { signal, error });
                  const compose = context.may(context.app, 'send') ? el('a', { href: '#/compose' }, 'Compose a message') : null;
                  main.append(pageHead('Messages', chosenApp(context), buttonRow(compose)), error, underWay.node, all.node);
                  poll(signal, all.load);
                  if (context.may('*', 'observe', 'admin')) {
                    poll(signal, async () => underWay.update(await call('statistics', {}, { poll: true, signal })));
                  }
                }

                export default { title: 'Messages', show };

                """#,
            gzip: #"""
                H4sIAAAAAAACA7VZ624buxH-76fgQQJwN9ms5QPkR-U6hpu47QFyMSwHp4Ug2NQuZe3x3rqkrKg-AvoOfcM-SWeGw71IctoCp39s
                kRwO5_rNkHt8LD5pY9S9NqJaCFUKVddjscgaY4VdalGVsLIqU92ItdpEOAc0Is9gfZ3ZJZDmVjcmPsqKumqseDoSQueRSFSTArma
                55r_XVfrCMnzj8rY9zrPTSRWdaosrsBvo-
                2N_mYjUa6KuW4ika4aZbOqhP1ZoXGvzlOky3UCZPOVtbholqrRERxrltV6YoFfJGrQ6M9aAXWyrIwuL-
                o6ErppquZjVmq_lyTSRW03brZwprhI0wZ-tWNYfACWTXWP039QTXS0FYumKoSMj9OqiH8x8rTVHzTPQf-
                6wr9wtNVlokW3QdWZ23CUVCVY8eavV5cTcSamUykjIVW5EXZTaznDQa4bi7NzlTzcNxU4Akd5lZBh8PdjldX4P6mKOs-
                6eTC0BpEfM3Adjou0kGgkmWePWiU2e8zsBhfqlVnayqr8AUfrLL3X1jiOpW2q3MjZ6dHxq1cCvURBQtaNxatj1uD6y8-
                T26vL69uriz9dgiZvR27Dp8vJBGYmYqmMKCsOFWSBCpqxCyBFI4yszIgC1S98RIJfRQNeFMoiGQXBp4u__PTp66fb68uLDxOaM7h
                cVMYeEgnJQKQfRyCTWxoyAGn9wuTm4mbXEwbDiVyxVpnNyntcAKem_LNWK6PJJyZZ6nSVu8EiKzMDYzQdmeIGUokzJRJgDUwt5cK
                M7AFDNCpZCgYFEJUpTbtkcHZnwwhbiarWJem7WJUJ-pzZ_7FqiqBWjSq0Owy9SFlVYRLkm5Ay1Gl8D6FQgsJBCeShOHsnup0xhAH
                Pn58LCfHqd7EesA85CWejMadl4KwYOd6BdAYMw4hI0dMtJQV-S0gx7-lyNdf5GHAkkFlZrzAFnsSjylewm-
                mJRIaQpOpbrst7uxwLeTIaofkBU9Qbo1WTLOVY2GYFcWNqQBzwUfIAdAuVGy3Flo9Dh-rm--c5mt0Df3z7Vn6P97YzGzvvs_Pn2f
                AwEoNGRZXCoRLcrpsskQhlFsxdwtx09OZ3s9c4latEL6uchJYuQihim0y9cYaB-
                S8QIhRCPmwo3SjN_BaUMEQR2yhSGCNByBI5yR2EgsilXouv1x8nZNkrDBUT0HZgUDUicORTjBpAcVBkhnH7Zf4LuDsGJGwybQIOn
                zAU2QIiD6hisnTI58SGA8-x4EV3Cshuq2YTN5pMQGAflCtEWkzZuxfHHjtePnlu2d-
                1OBd3535meyfAOHJ7xzw5L5wi29Zd8Gc1LzKL6aEhAizlhzMLjeO6of8f9EKtcusNgUoNXO2186AdQ44vgeuw2AScp7HCSnWIgWO
                vIbi8k06HAYbW4rgCbxQUw0mujMGgxNKJqO7Vwl_JUpX3EGzETmy5wAaSzCqjtrRTDnOqMMkNZmtHgckbtvs_YgSKub7PSkNB16O
                k6OxIJy6remfRxPAw7lDkjl1CMkCj7aop2TFogj7SBOS0vpTOmI5mB5ghNZRreoxuHiFH0S4QsQSzSN_ov620sRD4ts0Qb_wnrmJ
                xHFfAArhtwRfM-XRACvENSztZ4TaFsdsRBNPIwcGMNKCfgzhoFWc-
                2F1cMi84IC5UDUxcGvUY9Wccv1nIHLeMV1tXsa6h7hqu9ZjFRb9NZGUrV5dygOrMmpbEFa81KKRdCYO4xkaSQ4LsqcymTDrYwSp_
                BXuDtYI0wMaRDjDZfanyfsnKM5eTuA5pPazz42ErgnrlYOwF9k1Y12d-
                Zq4hQzBZ3HGxGxMQIo4hSQKb8KDRKf_8vQj40GEHMRYnoad5fQaDAXaq0qwJ7hU2ENQbBtIbilIUIsYrTcpFXrotrmIb2ZYwsgYj
                dntAniN3Oib2jJ37oc1boq9T_Y2cH9BhbhZ-8J5UW5Xl5jyeEuUM-
                LeY7uxG_2M4DgAsgPPaIEVWxPkHssyvvwqcibGjvKWZszPnKc-xtTufjZHRwaY7x9VW8W7oyy7ffMI7scYsnYHeVwejaGdXRME3F
                hPIjPLenTAd9qtvxMnMG-42S0MHqa4UHJALVRoyALW9XrAmRzIUc4jnB19PhgJ7ibyT24RDJKJ7Uj_bhi0ez94glS8Yw-QwlBu07
                mETo2zaw9AW3h1O04xHYXmRJLq2rolljJdXfPHB3y8-
                6EcwtJEOQXGM94nG7XjxubIibWdmYVecErCI1VRMfdD4S2Ew7d2zaBmLIHadg5pICz0_RVTpTK1KyeWCKKjAoE_kv_7xT8nbXFXp
                zeK9gY9ijW-VDaOd-B1c-oI9AdgEpLn7Mxs2U-
                52GzR0zSS1uWP2F1VcihO8Ck9PZl5WqrYuBnEZak6zmVDLXDWB9BLJ0OE3VnzcRlc4ACcaoLqpOO6vAEz1YaP1kt_fm4Aoxhs_XG
                JgdO5Mxsk3Fncvn1z3GAy3hVsRvHyiu_jOStQTI9yGd30xFgA9nQx-
                dEgAOLp_riP1QNV_VHDmnvaJ3dGR6Ink9s_C3SRt24gxZVPcdRRpo9YOCjosakniZZam1CPvgcXIF-
                zurSOgffMq3UQeFLq02AmziFPHv5UcrtYIHvjiwvW4xY9xr4IP75VrtcF7JL3x4EWCXnqGcAOMPIYcvlI-
                cUnipxWoHD0wwh60bYGev5ZiLnzWa-iremhBbzIYFf5tJpCfq_YeUygLly0Ty94Ohr6DCNlROU3P-
                PknkF9yh3soBP3u0ZYkVI_YSSn3RMZuga4jeCWeAv63bQY1PlQSTo_6uNAxaPvIfQbAolJpdy0Z7CZhdzYTbgWl13h3_07H5Rb9z
                ROq3A89tA19PvCbXED-BYh7v6wqvIDQRRFChuIn1wvLzvDGcx0NPhG4B8UBkrvSN2axpyw9pwyWY2pPMH7iYcvNldk2m53um0Lc9
                1h7vSRxQjwPwral9Em5q6BsV9h59NbV9SmMAzTrwIDzEdIPolIEgM8Qe0WHEWhbd2is5lUDEnnrPiODfzNsWbUi2SVgm-
                DprksZRMc-TFHQx2lmMClSusajZmccmE5XDMY-
                zdApSMzlg1LyGbh758Gu1QiJo8GBiOeHcrktMLBaerzqbh10N1vjjSKvqgdNT4J-r-CopKRAUEMSsEiDd6o2MAlze9bZa88c6iOK
                BvKih6GSI4hKgWCVuuLQvSUHzoyRs3gIwYZJ9gxKD7TjMeYUKYoPn71Hd7b2egk1CwlhFR9xwE4H-0PzFbf-
                rDb_fY_YnbbbLX5U5X4XeIn9Bf265l7yxQ10VIQEbWv4UykWeXa_tINGkF8pnJkPHt-
                alnYNqytehP7PTaVrIkuu-t9tAIfN3_MdIMqz1wT-pr3dqA--
                juJst1WjaWjTINiGC9yZ7fRvRP693g2d7SVs0A_n7ReboMcYEL13vBecNrwSJ6PRKMSkxxbv-WaOZdlRCHmE22NzF5Es0aBBzMpb
                F33h7EAJhdyY0keu3ovNbOfVkx8A3KKHuPOeEMOV13D13w6-
                XdBD40kLdZmRrfkoAlEK4EYHbbsUiP0nOXATydiLue1YeCe5JbaMG7Cb4rt9jfkqUlbroZb-jg8LMX_X2L_et-
                mDGN5vE07bdvk_N8C_TfsL-8PDLwYhefU72O5ZMCAP-qmgUFlJ7y29HtU3t6zxsL11He9Z91Ex6IHcigG460j3Mbmj5iec_73b7i
                FhVdRYAjv3FN1RDuroC4YMEUbg3qzo7WnZ6AXE6Itj3i_x0Um-Z2btBycZ0u0rz_FAtBRyBG6B_8w6eGxov7i2qvZrJJ-
                E1ZH7HW8sLqf4wNSiPz5_BV5tXMGKSivo_r6u8hUCcDWnt1v6GJIWWSnDtkcecKJe2L0Ot8dzivQf6vAuDrGaJfRU9_yDXMgRB2G
                lv9Fn4NR9FcB34czm-EWnZyGMOIzCfwMMtdtCfh8AAA
                """#),
        EmbeddedAsset(
            name: "overview-tables.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The tables of the overview. Each has its node and `update`.
                import {
                  el, card, table, tableRow, fillLastCells, updateRows, setText, number, compact, duration, bytes, share, showChip,
                  softLine, emptyLine, messageLink, progressBar,
                } from './dom.js';
                import { SILENT_MILLISECONDS } from './alarms.js';

                /** The maximum of connections that are listed. */
                const MAXIMUM_LISTED_CONNECTIONS = 50;
                /** The maximum of requests that are listed. */
                const MAXIMUM_LISTED_REQUESTS = 12;

                /** The messages that are being sent. */
                export function messagesUnderWayCard() {
                  const list = table('Messages under way', ['Message', 'App', 'Lane', 'Progress', '#Ended', '#Rate', '#Time left']);
                  const idle = emptyLine('No message is being sent.');
                  const create = (each) => tableRow([messageLink(each.app, each.message_id), each.app, each.lane,
                    progressBar(each.message_id), '#', '#', '#']);
                  function update(now) {
                    idle.hidden = now.sending.length > 0;
                    list.node.hidden = now.sending.length === 0;
                    updateRows(list.body, now.sending, (each) => each.message_id, create, (row, each) => {
                      row.querySelector('progress').value = each.total ? each.ended / each.total : 0;
                      const left = each.rate ? duration((each.total - each.ended) / each.rate * 1000) : '–';
                      fillLastCells(row, [`${number(each.ended)} of ${number(each.total)}`, `${number(each.rate)}/s`, left]);
                    });
                  }
                  return { node: card('Messages under way', idle, list.node), update };
                }

                /** The nodes as this node saw them last. It knows only its own lease. */
                export function nodesCard() {
                  const list = table('Nodes',
                    ['Node', 'State', '#Position', '#Lag', '#Heard of', '#Lease left', 'Address', 'Version']);
                  const node = card('Nodes of the cluster', list.node);
                  node.hidden = true;
                  const create = (each) => tableRow([each.is_this ? el('strong', {}, `${each.node} (this node)`) : each.node,
                    el('span'), '#', '#', '#', '#', '', '']);
                  function stateOf(each) {
                    if (!each.is_live) return ['over', ''];
                    return each.silence_ms > SILENT_MILLISECONDS ? ['silent', 'bad'] : ['live', 'done'];
                  }
                  function update(nodes) {
                    node.hidden = nodes.length === 0;
                    updateRows(list.body, nodes, (each) => each.node, create, (row, each) => {
                      showChip(row.cells[1], ...stateOf(each));
                      fillLastCells(row, [number(each.position), number(each.lag_entries), `${duration(each.silence_ms)} ago`,
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
                    updateRows(list.body, pools, (each) => `${each.credential}/${each.environment}`, create, (row, each) => {
                      const failure = (now.failures ?? []).find((one) => one.pool === each.index);
                      showChip(row.cells[1], ...stateOf(each, failure));
                      const answers = now.answers.filter((one) => one.pool === each.index).map(answerText);
                      fillLastCells(row, [number(each.open), number(each.opening), number(each.draining), number(each.in_flight),
                        number(each.streams), each.throttle ? `${number(each.throttle)}/s` : '–', number(each.attempts),
                        answers.join(', ') || '–']);
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
                    updateRows(list.body, found.slice(0, MAXIMUM_LISTED_CONNECTIONS), key, create, (row, each) => {
                      const roundTrip = each.round_trip_micros === undefined ? '–' : duration(each.round_trip_micros / 1000);
                      const maximum = each.maximum_pushes_per_second;
                      const limit = maximum === undefined ? '–' : `${number(maximum)}/s`;
                      fillLastCells(row, [number(each.in_flight), number(each.streams), bytes(each.window_bytes), roundTrip,
                        number(each.answers), limit]);
                    });
                    const others = found.length - MAXIMUM_LISTED_CONNECTIONS;
                    setText(unlisted, others > 0
                      ? `${number(others)} more connections are not listed; the metrics have all of them.` : '');
                  }
                  return { nodes: [list.node, unlisted], update };
                }

                export function lanesCard() {
                  const list = table('Lanes', ['Lane', '#Messages', '#Waiting', '#Delayed', '#In flight']);
                  const create = (each) => tableRow([each.lane, '#', '#', '#', '#']);
                  function update(now) {
                    updateRows(list.body, now.lanes, (each) => each.lane, create, (row, each) => fillLastCells(row,
                      [number(each.messages), number(each.waiting), number(each.delayed), number(each.in_flight)]));
                  }
                  return { node: card('Lanes', list.node), update };
                }

                export function outcomesCard() {
                  const list = table('Outcomes since the start', ['Outcome', '#Devices', '#Share']);
                  const create = (each) => tableRow([String(each.outcome), '#', '#']);
                  function update(now) {
                    const ended = now.outcomes.reduce((sum, each) => sum + each.devices, 0);
                    updateRows(list.body, now.outcomes, (each) => each.outcome, create, (row, each) => fillLastCells(row,
                      [number(each.devices), share(each.devices, ended)]));
                  }
                  return { node: card('Outcomes since the start', list.node), update };
                }

                export function requestsCard() {
                  const list = table('Requests since the start', ['Request', 'Result', '#Count', '#Mean time']);
                  const create = (each) => tableRow([String(each.opcode), each.code ?? 'ok', '#', '#']);
                  function update(now) {
                    const listed = now.requests.slice(0, MAXIMUM_LISTED_REQUESTS);
                    updateRows(list.body, listed, (each) => `${each.opcode} ${each.code}`, create, (row, each) => fillLastCells(row,
                      [number(each.count), duration(each.micros / each.count / 1000)]));
                  }
                  return { node: card('Requests since the start', list.node), update };
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA7VZ624buxH-76dg4QK7m-
                5ZOwX6J4YTpIqBGvAltZWeAoYh0VrK4vHeDsmVIuQI6Dv0DfsknRmSu6u1bu5Bf8RacsjhXL8ZMicnbDgTzPCnTGhWTpmBUTkXai
                7FImEXfDJjM66ZNJoVZSoYL1I2rquUGzFOjmRelcqwH0eMiSxmE67S2DJzP3flImZTmWVXXJuByDIdM7sbKPCthRmK7yZmRZ0_CQ
                UsyrziE5hIa8WNLIuYPS2NwKUzrgT-lIvBTFYxnKnLqbmSBcyKvDJL-5kLrfmzgMFLzCpVPiuY-
                CtX8dGKTVWZsyA5Scs8-UUHZ40C7P7y6uJmOLq-
                vLq6vL8Y3N58uWftep5xlWu75ejk3TsyWs6_y7zO0WqTsijEBMXVYEFuGIjKMqmNSBP27uQI6Nqw68__vLz-dj2CE4YXX0ZwyM3F
                YHh5e3PPztlfTs82cVbi11po8wa2dxd__3ZxP0Se7__cFdfapcPpScjiGVxQGOImvpMtpnVBmjQbvhWpUD_z5QC8G0bkbHswSgKn
                kKPD4Nrzr3E9W_BlELMHPw3fweeqwp8rXtDwq_MNfh9fwKaUvu4gOOhjKHPQVkxN8BidNYfKNBNwaOPwMLgpvahM6q5SQWfbRAng
                CxtDATEdsfOPTYCGD52QIXLCqwpiCr8caSTTyM20tAwUwTBk3TALX28LjoP2j9WlMbJNhrAoF9ayjBRMZjJNRQHiAiEBZVJQKslE
                8Wxm7CM7PaOVaP8Es3Ln8vPzc7-hzbyQ9j6V6TLu7ok75unpETsTwhKFSd2ss1IzBrMJxKpa3osMcqFUYeDNEkTJnGc1-
                Q25mtLwjH2yA4GeZyddygcvcBNpEAV-
                s0I_fmrwIQw7G3_qsIw8T9rwjr0_PT2NgHXwn3_9O_Ds16DJKvYw_uMPi0Zhh9kKk3GdQEdGq3HMejvwwGh1ooGCgluPM7ai3xX8
                U8LUqgDUQed9INjckj8YDHHr6MijJ1udHa3a3EaaZhxzWzqg1nyBYJ6zDNRL2KVhL-BowPgiWxKcl4sCxONabEx-
                4rgn429wTWAz4IFGGOL3xifw11JLZEaDK_5Mv38TwBSMaSfxfJvjiA9p6vHgH0Jp3NnNfFLr3FmLzvYFa5LVgIkq6FoK963nhlG1
                OBAQyI1Sj8icEKdZGGijygJV-LEih9MSPGDFwsbq0RgjrCFZ09DuihdBHwr8H_rXwwWNVrydOuEcMkxZ-
                AcvWibnIvKR9BBgzbZ8bLA5Aq3WEqBgIka5BuzYVOg-AQNaRG544mnwCGo8BHgGzqQlIPajj97X2AWu8DL24QhIbwCiFAt9D4LIk
                PvAx3cFSE4mmMwP7x9jliTJmiGjXXnfTeHKhW7kO5PQIf7zCKykJChMUdCgUM_QgBf8uRzH7jjmCgaGO7oBTYFpPoUCloL5CZPA5
                Ovs_PKm8tj8YL_9Zje46bnNlWZ6D95sgZCqLDP9AdNJqm4_E1PLh1nGC72Ao1zSwSqA97kErNIbEYQYDgkptkPIoNM4PS3RyxA4R
                vKMeodBd9gBlttKFM2HLCywfFFc2gFpHxxfFmyayecZBfXxvYEIym2zMZyp0pjMMvtsDDYTRPlsVVyDnZ1A4YGgFXwFZcdNimIuA
                TRyIGCV6OCAkzCI9_3ZBgtoXGisucxqJbr4gISk4uoFC2CDDkpMa237K8rus2a9Y_EpqQuFQqNmnY2d2d5mt4TOK8ENBCIubuxJF
                jUISLCMtei0amxrQwpvAGv2DekEb1vUubZRX0LgqWDlCCCaLvHgMVubWY2xzAcrmHXXCZtPk7IuDBTsfR2YlY3i17VU9J3kvAqd5
                SUk73cr6w9Emc4s5F20C-
                WIVxflNsTQyeYI2gOCVm7nUTQoiu6GUMbAQY9RApCThiG4hrbCL8lOiGRLC2l29iZcbSMxWu_bPGRYK7oRiJBBtd4vBBm8DZGDwR
                vDsQfcpQWK3mzqIKM3LYuRBY6oxe8uXVso8bBsHJpgIPY6REehZtC3nutncYc-naO8mX4pZRFi1kSHQvuHtv_ZgPJ0mW-
                RnbCeLcDU5QIvTjiiqzYCPISq9FdFJHioB-h7wU4TXMsM3M9ioipILKgRSlbIaDj4GmwuCZ2ysq8wkLCEK-2mDTVh0CXugvyfSc-
                mNtw1Etsa4HCfelKZy_UrZ13YOzdI518cwv9LgbAg5TXaXyW6Qr6I5ZoIB6KKn2uPXY03weMUDeYBcsPFk-
                gHd3p2tc7kRISn8Y6HEcgxUOxA5KMwHGIU-qsiTozQy6NcTlR5aOP1et-
                JvT6uo5t_pnGnueGoqvVM6FEl1EgLWJn27rIYX7Cn2b1FpBZL3EpCkUMxsINhW7CLct1OWhAY0QxQGjtuhj-
                HT1FsVVnHJK8lVWrdD4yfdrja7nYPgqHPudhz-shOnTRdmLVE6LbzEkpe9xkOH7iK0rjnsjPCqVyATyeazfgc2tksc61sntiGYTO
                oQlP80IVVJ9hjD2H7WIePQ_su0PgSpgnV_JvYsX8FsKDF4RLi21uR8aV7Imth7uBGtX2w2oojOzqi7Q9HpOarO5s9aEvSvg5d59i
                1APavj734XViT9Au5Nc7WOv4Y7X578Y7Y-tDS925ZG2gt9zr41i1jWsK9kGIQ-
                iZlyOeO6Lw7Byy0Xr_Hh-7DPQtVDgzi2hzLMnqDa-0J9hHOtmleN-im0xoAOtR13nEfjNifmDM7SR2z02jfA6Nn-
                ipUHOF3RouTJHL_TRCui2ef8PYFwQ5nHRwX_rl-T1zc-Vf9TXHhiOi_O6HrzDYzA7y8OIjgBTVf_2OMVBOriKv7qcCrQVC-BG-
                OmqYtQg971beWdf8fEztjxaP-60bGyr1iTcMCg_HvDBt7I4x75b-p-e0a3wDsi6Edjt0WQ_8FlenVeIMbAAA
                """#),
        EmbeddedAsset(
            name: "overview.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The work of the server now and in the last hour.
                import {
                  el, card, updateRows, setText, number, compact, duration, bytes, outcomeKind, counted, pageHead, errorLine, softLine,
                  cardGrid,
                } from './dom.js';
                import { api, pollWithErrors, sentence } from './api.js';
                import { alarmsOf } from './alarms.js';
                import { chart } from './chart.js';
                import {
                  messagesUnderWayCard, nodesCard, poolsTable, connectionsTable, lanesCard, outcomesCard, requestsCard,
                } from './overview-tables.js';

                const HOUR_MILLISECONDS = 3600000;
                /** The shortest time that a chart shows: a young server has no hour yet. */
                const MINIMUM_RANGE_MILLISECONDS = 5 * 60000;
                /** The samples that are kept: an hour of them. */
                const MAXIMUM_SAMPLES = 720;

                /** The list of alarms, or the line that there are none. */
                function alarmList(context) {
                  const list = el('ul', { class: 'alarms', 'aria-label': 'Alarms' });
                  const fine = el('p', { class: 'fine' }, '✓ Nothing is wrong that the server knows of.');
                  const create = ([kind, title, text]) => el('li', { class: `alarm ${kind}` },
                    el('strong', {}, title), ' ', el('span', {}, text));
                  function update(alarms) {
                    fine.hidden = alarms.length > 0;
                    updateRows(list, alarms, (each) => each[1], create, (node, each) => setText(node.lastChild, each[2]));
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
                    const first = Math.min(history.at[0] ?? now.at, now.at - MINIMUM_RANGE_MILLISECONDS);
                    const from = Math.max(now.at - HOUR_MILLISECONDS, first);
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
                        if (Array.isArray(added)) values[name] = [...(values[name] ?? []), ...added].slice(-MAXIMUM_SAMPLES);
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
                  const underWay = messagesUnderWayCard();
                  const nodes = nodesCard();
                  const pools = poolsTable();
                  const connections = connectionsTable();
                  const [lanes, outcomes, requests] = [lanesCard(), outcomesCard(), requestsCard()];
                  function update(answer, settings) {
                    const now = answer.statistics;
                    const found = answer.nodes ?? [];
                    history.merge(answer.history);
                    alarms.update(alarmsOf(now, { settings, badTokens: answer.token_alarms ?? [], nodes: found }));
                    for (const each of [tiles, underWay, pools, lanes, outcomes, requests]) each.update(now);
                    const uptime = duration(now.at - now.started_at);
                    setText(about, `${now.software}, up for ${uptime}, ${number(now.kept ?? 0)} messages kept`);
                    charts.update(history.values(), now);
                    connections.update(answer.connections ?? []);
                    nodes.update(found);
                  }
                  return {
                    head: pageHead('Overview', about),
                    nodes: [alarms.nodes, tiles.node, charts.upper, underWay.node, nodes.node, charts.lower,
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
                H4sIAAAAAAACA41Z_W7cuBH_30_BA1JIcmXZueKusN29wHXSS1B_BImDK7BY2NwV16uzVlL14Y3hW6DvcP_26e5JOl-USHkDNEDg
                JTmcGQ5nfjMcHR6qm5VRm7J-
                UOVStfC7MfWjqVVRbpQuUpUVNJvrplWrsquTvWxdlXWrnveUMnmsFrpOY9VVqW7Np3LTxMChvTFf21gV3XpuaiAp15VewETa1brN
                yiJW86fWAGnZtbBo_pkVKZJ1RWvgR6XvzXuj4Zep67K-yAoDXMtlS79ALsr8uc7SeG-rlnW5VkFymJbr5NcmOO31U7rKgFeZ579k
                7eodciLlQEaxMGrYCXTjnbmu18310iWiqRHdYqXh70BEY58GtF2bpoETNV-
                K1NS_6KdzslhRpqbhn1VZ5s2NnucGjVAUZoFGsjO5LiyhmEtGtfl3Z5qWR44lSri_x8xsDlpkIDrvAWO4wvfXXz7dXn64uPjw-
                d359dXbz2qi_vLjEf473Tvc3yd3aFagOnBWbbY2cP26VVrOCkub5gSGT3BZ99ZZVrqB85B_qCfTJmr_UORdfrj6cPnl8vbT2dXP7
                8aCf1D76seRaL2uQGcRWhv1YKoW5BXMnH107Qo4-xcJ-Hx2-fHiHXL96_fAr2eYZ0AE2_j-wIQ1-
                zN4EguBEYhBUUVZGOK87Aq6Ad50ARxCENaCT0d0oSyZOE8gBsKgy4MY3QGiBIwTsCyYCnSd6YNcz00ewPwZz6ttdNpzWaIizKXym
                OACkAKTP_77u7oq21UGBs8atalL-GF1t1fwAAHbwEGTwGG-qA1EJbAPpw8UYm3WokvhUWaRmvxEcvPMFXxH2qtXz7hjewcaADtFh
                E2LopF4K6wiUE_BBK1WurBraCrSozclA0TIpmEzKjp8ssrS1BSgpIRYbor7dqV-UkenRDRAS4gmj_urDI1erPgU8GP6ehbLgWEJo
                ytWPYFAEk0niGXnqyxPmWD6_Yx1VSpbqtDTIlJy8Umjn8K7V8-CUT5VLFceRNsEDMdr06MZqLRN7oj3Fv7Xpu3qAixNoX-ipnwcN
                MLMIqjanu5t9wYPbLPchORArus96ryzXjMXmwd__Od3vntPzgkRpdmj51zIlpyLOL24PxYYEZSfqJA93zGj7OJ51tjGG6tG3nl8r
                P5kswpNNyotQalWma8LY9JT1QEi4vFTtLwbiELvR2Nl6gWgN6h-
                fMwqNK5RGgStFKwyTZKEl2cJToZhbpZg6Dq7X_E5cKwOZMIxGbOYXup2layzIuSx9cgD9TpWtLbMy7Iere6ro-
                T4OIpmnjk4BaIVUvOYLcAEm1XZGIvkGM8ITgqDzUE1IYYMBLHbtJA0mzZbgM8jHV9FP5nYrJAss7w1dTjEhZNeadKSwuJkwrzg8E
                lt0m5hwrDp1m7MdGv1Zxomok6sjiIHWpfZfVfDiaBEAI-_N6qqswLA_xP4ccPZnHMSwVSvr5qbZVmPkJZ53cDdNqF7qXjbDRiB8Q
                KqB3BoiokgNXkGwJeZ5rAJwFWXGqZTu4ojVI7XNjprAT3togxpV44-YBfgJDwBSyRwrtvFCmOV12XITKvjY2-
                eZnBhkWfgpv0mGeIKRLie62Y4g4xZ3BY9MTetGAhOXXR5vgtFAesthIrvQ-wCvWx8g_i3STT6uBhbg-MfqteQa9WJBVbeWkuGoIi
                hi5dyLSSmAMPAjyNCfw2PBDJYhQMZsJAIRdCmE3KUQUa5vMAiBsUUeu1LQU2pxPHdEKccN8ThFPfO0AmFOTlHggdIAJlC_OE4fx9
                DNAUAKR5j0iDyObDr_F88mHTMQPxiFweKH1n3N4kX0iYxkOOavoLklD5lVtxaX_VowQmJkO2KZdytVU-
                Q6k1fh4cepL7cYX0mghsd8ouVJI7N0gjniIVM-1pZT-
                9VsxO39BIAnejvrqUDfIsky9rIxFgZTNrfief_9hs74E8TROPIiaRyszMNfzs9NpQfr-e_QjUu6SSk-
                QgCoRrfMPLChOllcQuUVDo3NhUOTykPAXHmnAg9AIR8qAkAEUEXD4RwNSbfrsgAt4JD1NOp-FiUBcwBJE94KQze9lOQdhoD21J8j
                tlcAXaYgmkg0k7ciJGawJuzpaFS_QYJj4FaJtCUPRFUALf4DHPIsCigKbWFAKczCwJXdfmYwbtpOMDZYgFvAsj0nvqWztNfV0XjS
                Dn7eNXs1Hqxdqj-cX7p67sxc2d5XkMlCvq8VJVQbJedqRrCyI7tk1oi19V1iOdB1kC5Q-
                t5lz_cWrxw9IPpPuPt2gc52tSAvKDdju3OqstlNk6IcsobfCFSBUMr3olo5rb64chhjyPPuEIEmdMhghFat9ccgnitsRIdklQPYV
                xwWpzaDpl0nDRXUH6U9RO-vEfZc5nV9JTr6z4hhawJVbx680ZxOo1Vn1a__a71Eh-VP5Mhffb7X7zDY9ZCdsOBVcgsEF7Qwj4ScZ
                xDxiX08U9ImvanfSYloFgvT6z62_5JIqCh65SSMxTOSyjbuMK0TZaQpsaghw8G7lN4yImb6IIdVPQeJfKkg8RzwnLlKMkAVbGgWN
                LHPgBrXm5ebKGA66ltzrIgLI7g4LBtLoyBOMaZzSoDQzsvasCjtKGJwmxUWYyfI8ztPdtZMBurN3nqIGSjz05nQ2FHEidcf3kGwQ
                Vwb36cwG92feZk53nEK2sD9XZY9B0J_HfIvTynJTM3912h9L3OikSIMFniNnoEq7-
                RsOhbKo88keovgDB4rqczxyUBt_HaWJ1BHxZ2Vtf6Kcka-hvS3sgK5IJOXmyhNwcxNwXMUbDA8pImh0osPBj1eyKr51b-
                ion7M_L69qUzVG5Oxo5jLC5wx-5zBwGZ5w2HMJQUumg2ph51SRHOedgiUDYxlex48K7Ajkzhu4ztzH2kNL-jp8StA9sL8TpPQ47X
                c8jVQGM7oqGzZt9L3ntqR3ngVhvDsoAG8vadeyDppIkJNLv6mi4ptTmo9pJOp7tIPU9YHHqfnp5DFxRoxj1Rl3IqIGAfwUNblByr
                b56Gkd8-xbHbQA3x4b6jX0W3HvcX7CcObJJPxDOS4YXrZQAEz4GIbULezVQWszmihUomxbml1-R10OBFAsIReQfXm-
                v0pnwwBfZnmU-Lw1txKhIa2-YT67WNvp1wpuRLcX_j0qeWhvROi_vpCPOsa4quon7yZMjdfTrEH2A_7KfcapsEbbeJ_D1Wd6-
                eiQy8fgNl1xZxnvR-9cycYQZIhocIto7x1EfRtvdV6iffWbU4cYyyp2TYiAuF_gDWAxPPMxLXUxm0eAeZ2dJyUh0_QPj-jYaS3n7
                xCINrgQjIqnRuqbtsy1B8gYaxvK2419kfpkJ_tZcmi6yNR0gJ1ZZYmFbD4Nw5S1sOpXcgV28ZOMYgxpHLhkoGftAzed-
                e4qF1Fi4OZvC21W3YV9CYBu1FDInwWwmdPg9ZSLbgqjS_bPg7jw_AtIGcCg4HSLLmeMZEJRNwoalR300m8BC4_vT3D2_fvrsKor5
                BKFz77U4mD25cJQpjpHqoyxzm55Qx8PODTtdY1-MvSBW6qhoV7keJurQuiknloiwf0L-xHcqNUdzwhN9AcEcS-
                G1i_CwTriHPEyJk94XOY9u6hiB3MgybbDJ8WfNAWbLD7jxlqxiLOE6DCkUnoBiUTCExSVbD9zvK4jzL7oI7dJVhBcmcgiiBQxZhO
                FSfz64Ymj6FgyQLLPJCLoieuY71v_CF9vQiWjdPxUIqKBe6JZ0DMOMjh9Uph9iDQmjZYsFZSaUJmTjihwvKs49wFiYF9YBYIjuwL
                YrKxZkXKYVwIR58M6K7NV_pA2JqlrrL8WMjfXCBEttBCLx2DIn_AQIw12rHHQAA
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
                export function deviceOf(text) {
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
                  if (trace.addressing === 'no-recipient') return 'It is not a recipient: nothing puts it into the audience.';
                  if (trace.addressing === 'would-be-no-recipient') return `${notFixed} Now it would not be a recipient.`;
                  if (trace.outcome) return outcomeSentence(trace.outcome, trace.attempts ?? []);
                  if (trace.addressing === 'would-be-recipient') return `${notFixed} Now it would be a recipient.`;
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
                  const language = trace.flags.includes('has-body') ? trace.language ?? 'the default' : 'none fits';
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
                    const body = { app: given.app ?? context.app, message_id: message.value.trim(), device: deviceOf(target.value) };
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
                H4sIAAAAAAACA5VY_W7cuBH_30_B4NyTFOxq4xQ9tGu4huEkxQFJDogN9A-
                fz8uVuCteJFInUt4s9lT0HfqGfZLODD8s7TntNUC8Ejnf85vhUIsF-
                3u1Z1oJVopHWcCPLJnu6Edpy7bC0m4jjOFbsWS3n66u3zKp2E53pclPZNPqzrIDE_WMbaSoyxmzshHu7634YuGJr2vhfz7p3Yyte
                2u1oscNL-x7aaxn_lun-3bGdrIUbGCbTjcsyRelbvKfTXL-
                pK3gNegzQlmhijEpb6UjPVm8fMmuglvcsE780gtjDVO8EUzaJeOKOW85s_qzUDl7uTgRX0jFpleFlVp5AT9sUgu-ZOxwwlihlbGs
                qAUIuGC4nttONml2DpuLBWglcUxv2LvrD0waVABUTiPwgvGchEuIFgd5tVbwoErW6E6wouIdhEV0htkKWLgzueF7VvFHkYMWuWHp
                4qe7H3fz-8Pr18MSnpb5H_4Bb39-NXv9x9fD6SK34G1KVmYZeG_7TkHkPktVLlmyKZpk5uxcelcGNN_TgexX87_w-eb-
                cPbd7E9nr0CgHEtk337LXix--rE8nM3OvjtSxy5B0Vh2bvV7vRPdNTcizSBdfv38ZHCJQhTygDK2g3Qh-kpRy0fRCYjSGlDa20I3
                4pxtMGV1zbStRBeWMVaCtZ1-BOx0GHR87wQ32iXWZe3T26ubHz7eQN4wk01vBUbjtooFQHDYIgwxf9KiJCLLkxlw_NJDbpSVivi-
                Bzi5XFe8ZGshEC9FzcFkeKAlMFY41kTpec3VtgcXE2D-
                qNlal3sAPkjB_2HTk2twfb7uS6jBxOsysgbIs7Y3FTgM9tkKzKt0D0YDcHoDevvW8QOQZRe9w2pktWzAIWKLJQ2WG9ZyY4KHBYeK
                quvIOU5K3Js4VouNJQNJFr6RAt6XkqrT0dKaz-jeMfaqE1softH5aGKwMfFPyz4Wu06r7Ryxm3izMAbM7luQqYXjgkCSEiRzyfPZ
                eYp_ASIhgpLXXg7YRTohdtie2BMBwQxF8Lal2hTqUYIZDWx7gVuoxnnfBpO4taJpgQPBACK5MoB5rGELzCUmGRkH35xuCZ-mr61D
                dEAg0WMkoSY9uAnAsSX5xRvf_VL_PosGjNtUzeHPRdy6Cw85IGlrKzZnZ_fnvqN4Qezi4oIlsfgSJy4IbDRGAESS5Eu2Atns9BDa
                fYrLObfZsIIqT5JzYvVtZfUmCF1Oy5XcLQrRQqFBmE4PTsuQQ2cQVOZEXuFZZCpoJUg1m8qIODB8n69Q7xCj0IkNJLgGq1e3x3pp
                z6tF4y9z1zXQtyVza37J-zQ48cGpj-NWhRw-jmD96cE3nDu_ds8uL4M1wyr2P4KPgwtGIp5s08SDglIWNrVwPIhxksHrd_IL-
                HDh-kTLu1jnsQxlqBIk3AvAYsg7yct5WQIcjVRbBwAol04UsgVum8QTZFSlnMX9JS5UyNr21M3gnLN6ov9_qdvpvi7nazF_Xu_q9
                BC8HNhHvUMdxEKmrMXYGpeeJ1U-9lHWcQFNqABVzr5QzZCwu_vsdxr_f1n-
                NatfOCUKyunBmwG_kxTsOLQmF9KgJq4SmpA5VD2NDmvoqeqoVp_XQ_AeARMacWNcW4Ls-
                j5Oreq3SZ7g1cDBBOEVvKgcWtE5fMupRfs2g5JG-BqfTTj3mJHCCKEjITANjCQIPGHiee6roG2_xozuPXHTJuodh_b0EHkG5l-
                QZvDPtoKBYVtRNwzP063QOVxkY4Rw_DU4XB5XNG1AOd_dT4HnQmouffvOHGGOp2F6l3yvjk7efRLg7Bnzhrepe87yn7VUaXLOkuw
                Y3zTxPNAY9DVdH5DETUrYDnZR05jXq5g9o2JT863JpSrqvhQmTYgtyZ7R4qUnY-BZI-pN4mSGg85NTziSP6sAev0cB64E51NHEnm
                gxr34DYcDOcFkKTxscDgj4Eyseh_4_JRBYmfRhGNX3dj24Ga5BxqQXgDyegXqcJI88vlmMuUhOci-gSuG2n5VoA-
                vByyJmyLN1_ctTjnps4OCpEGBbmlpcuUpQPNdcgv9AhNwY7ntcSn5RMchPn1zrZUSpMOnAwXlGJEcig7mnjTPYzMl-
                PmGcPHXeCVM77AlucKEBhS9pQVDWtmvv2JK_CmZZDOaK4jAH9dI8O9__guMWn3ji6-Itg2r-ywbh4isVLoUsdVd4RjW-
                FksdCAc_MJkds5WWzjk1YrGBpo0AZkKL8jGXd9Wpt9u4R4kyhUekjCC1xwTjG1Xh_Z4fMOklL4D1SmYa-nGTGrGyQnmXMA9O02kg
                j4MfrqxjN4a8AQx2zeikwXs4XXXzf-26-FQe-
                R1DxQkOQ_iAPZuIdpNlUDT7TCqLcs7_BLwnPb_qsdXq5PJTAt3h6ISxWe8gPLaIKggQoWodA3TGKy6-
                zgN7b8xws_KzohSPqIJrNM1-m0CMuHyZQws0KhoEhIAErjZq-Ip5D4x6XSypdsYXAzxsAge4PAP5vvM4OssJONBgtP-
                OSe3_WeAmcfLcvTxgALoqDJ302YQsL3XH-
                OMUMBpHQ9y-siRJrQGnqF12bknd7EA5FP4ritZwzyiUoxMS3EJcYDJA89NNswobMbiRQopYGE6Tma-pPBf-
                CqTTs-n7Hg2CkcDNNRJf5lSZXT0edsHcMsWFUthBgfSJosh-N0-ia7THbkUxuQoLAtaJtM__OnXePW9gMMfsmqp-Ti99J63Hf2-
                ce0_9VIiTOgy8YRE6hMOh_g4MY4-
                YyESo9Jhdlx1TPV1DUEh2jT54NaTiCyfiWkNHTG9cQPRzNdmNvqqRiFzb2Qa3pKxRsgcilvy1nmW-
                IDhUXXUCLKp9-FgiR_pUvxGl6L7mftel7r8ocDh5D9oUszAWRQAAA
                """#),
    ]
}
