// Long: Tools/support/embed.py writes this file. Do not edit it.
// swift-format-ignore-file

/// The files of `Assets`.
enum EmbeddedAssets {
    /// The first 16 digits of the SHA-256 of all files.
    static let hash = "74f949d0ac3add0a"
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
                    'Find the service that registers them. It may register sandbox tokens as production, or tokens of another app '
                    + 'or of another Firebase project. No device is quarantined for such a token while this lasts.']);
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
                H4sIAAAAAAACA61XYU8jNxD9zq-YSvQ2uaZLrr22V2hA0RGuSAQqwulUIZQ4WYf42PWmthcOcfnvnRl7FwfCSZX6Jdl47ZnxzJs3
                Lzs7cLGQMBdV7iy4hXD4IcFKcysN3OjyzkI5B_xOt1SxLI2DB9BVMZWmA1llhFOl7oBThbyQXxysYG7KApJ0JyuL9LNN9ra2dl6_
                hj6ayCQoC1blUjtQZNQtlL6GO2FhIYXJyJNyMC8NBoFbyeouPhopwUgt70Ru_R4LuRRWpvB6Z0t-
                4bBmpbYORscng9OL8fD45OR4NHh_dno4gh783O12QyB028rKDOxCGEnW6L65KtCxmJa3Eu4WaraIs2DkHE9YKKS14hofhM5w8VpZ
                5-9vOQ4fwNHHk5Px6M_--QD9dtPff9r7v9x2YFphdcQNrr3kfTgYjfofBqPx-eDo42hwGEXy7pf_HkkmnJhinrluQmXgSpirPI_v
                S5k-_RA5-
                i1yNCuLgqpllZ5JNlnmmcRjVoulXZTrLmmnkSKL3U35SOTw7OQQb9c_HL8_Gw6PL6i8b7pc39ppJu4tnkMYeZdSM7IEzKRxaq5mw
                qFHReBrHJNL742BJmOP54PTwaf-yfiw_zd7e4tQ8m9w5SnU3v36tuvD2ZpXekYFYuj3c2EK26JH24aHLQiADe3Q4002xew6aVotK
                WaLNvT2gR5SZce5wjS9euV_86GZHBcW9jdBvr2H9o10ldHBQVqIZYu9s9XLZCqypAOTU-rK7Qd6kdLH6rFFJx00AjA5dtyh2K2PX
                Uotuv1Q9z_bjYJqr1I4w8wbC9clYAIo2VzdpoXuFlKHtGP_KoMJn1xh2Ksoba68kTrkTfCXT1y4mF_yF2vS1VxsKPS9t8CUsf3Ai
                RPL5QoI9jOR59gDuBla4Z3Ut8qUusCrr9rh8smRQvDUTakYw0iRvv3ofviqSAFTVIj7ZhnBq7Np-aX2j9lbmjKrZp4sid6awASxI
                B7ByCBhnz9AgjuiV0eYHu5CNPJZzlwKpyVkksPB_P1TCSO0UxrvQ3WxFSJaeBeE71x6Ns2FdTZNQpapWT4t7nHjsixzWHCFCZNah
                jB9z1KhOsx4dcmcUcSB10JpbpKmXmXlsLY0Blr-sYNzReWVkb5uSPmt7_ybdl3EsCHFtrel3mvaQtMw6QWTKf0aC-
                dksaRvOIBJx28Ji1jfegS1Np9pryawC0kSdcZk-
                yHsnQlkRPj6FZJK08zTyWoXTa4Hh6AecUqe-5rKa6HZCbYSrq_SyTqUKccNA9ytwZhGK73G3s-FGxKa6Sej-YEB4TMyLyssQg8ur
                _aiVS0KiYt4FTqUzrCREL9K5KudsBTDehIfVfZs_hfVvgeP_dNEc8k9QY9X0Ov1-
                Abx6ZAbOkxnwk8LBwcYYRt5TGet2kPbH6T6c0hLYW5k1g7XA3-1dFnZRavpX54ezW2IovCmzE5-
                LmahQ7lLj9eoRShskfelMYhk6iuLOoRFCgHYyLwUWTRnfUeQmVUTZbjNQVppQ3kQ01x-
                O9zTuHd263ARpVFTcKL87xfy9Ngwz2PizKEWKp17MZhC5U3ykCxuVYb0gSmbVvY-DmrSR8IqLbWN13JPrK-
                QXmjgUKfvWGYVin2yHlXdwhQBra-e8HetHp4CfxOe_Rrrkh77YkEynt47ypXHWG0vrP7I--
                YoDv1CG3aendyF7l5gHra9H-mzOocbyplcPBE_8yrPkxpwyfBFIcizJQA0hXOhrLfjgxrKqeK4asytQObkIAovllMbIww1Xg-
                RRJltAkQ2GAq3SA2d85Zfk0jCun5Pg2VDRBw47dxDSkVYvCAk2QxZedTCeG4S_OLkqu9eXzAkn-pCyk6aMZ4a17Jw_5ma--
                aV-14dBska16ekDfXtcRrfSLnEocsR8h8SI4nhbeDvAPrNUWGWwlMN-NXWU7DHMI9U5SPSOxF5rcuWaP2R8Rv-
                jRmfdWzPKz6UAmMxJ21x4Nk6WvGNgNMHG-CZIt2FY40ko9z9Iwmz4f3emrBtJvL6fEHtTDHwiT-gi94TkgpBsyVofuKfLaCaDrib
                52Vp2AsxCX6FuVN7uIzNUcfRZI65KxbqQZ1Fk42WMCwisuSc1Dqqkk4gdgTeVcRF9V8CrxVJiOXYrCy8bpB56Y8r8h33sUOK5hkB
                d6UhflL4mcLESofa6tpOCGcaeaDRVPKe0U_CmEVD_G-0QYf3fDb3oHiA2lyHtOcFy8CO1_4Y8yZ6TNP02f-
                HDuBqLI8bW_7VE7nBaxvY2HcMvnsBwnWsB1H268kVsTaqzxvSAZeU0iuGcYseWTf4-
                h5grXfhTfy_xHe4xWS1WrmcUwXV9cLxcbLIi20EN__w77io_wKL5zzvsxAAAA
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

                /**
                 * Calls `step` again and again until the signal aborts. Between two calls it waits for the refresh interval, or longer
                 * after an error, and until the page is shown.
                 */
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
                H4sIAAAAAAACA41YbW_bOBL-
                7l8xBYpK6jpKsthPMXJBr1tge9g2RRvgPtwdYEaibTayqBOluIFX_32f4VAvdtyiBYrY5HA488w8M0Ofn9Nn_f9Wu8ZRY6nZaHK6
                ftT1nFSZU2WLAhsb1ZBrbEW7jSm0l6rUWpNxtDF5rst0ZraVrRva43hzp7811NGqtluK0vPcbtOvLlrMZvqbF8oK5RzuXbVO5wRh
                XeaO3tW1rWk_I8ps6Zq6zRpbx65RTevmpHk38dtErq10HfuldKudY1v--
                ktk0szmOll4Oa8INvESVKxWOmvmtDK6yOdkGr2dY6tot-WcCrM1bPS1aJHzt_dfcSKFtWZdxs3GwBB4GEz6ea3enA7_z1-
                _pjugV7PvqiDlSAGxEghk0AV4sw2pwiESmpHfMfL3OlNbTXblga8lXCm9PofCtW6G83EPj7gthsEhtjvtv11fU9SWD6XdlRHdUET
                vGw5jaRvyi7hS45oajiAh7ENQk0Z0RVE0hRWCte7Ve--hb0nxy_240oUvjIq_uy1zvTKlZtmIdS4FMpoIdssuWU6uq3XT1iUtg0g
                IOFR7C7r05V5s7JYCczebBQtVk0HEwcg9FXa91vlt2zBMHYeoLHHI2NIvULfo03PVln5dzscbEKGAFkgdJUSvf06DzAL3zzjKH9S
                D5uCGcCGIhd3RuarMeUr_Ns2GlkyuJeOcWx0ioHUVOIgbYIEqzKP2oQ62KfdUZqOFUBdXqtnM6d7mT-
                xnxxnKmvFlhUxCVrGtyLXObycjw2ijVd7DE2EJWdScNU-VjgC-qqrCZIqvOf_qLLKlY3jNimJWn_Sn_xN9O8tUbYrClme8E_0PCq
                NLH7wC6alKt9OeUE39dJChtmLtcv8WWWdz3Pvp9stdNO-
                1i2NX9K8vtx9TFAVTrs3qKebFpPcMsaw1ilBj4C80OLDlzNZmbXqjKRiBm9ROAfGV5sgufThe7hnBDokY7BG2UsbRpfig8LD3UmV
                KpuQLZtObewTGF68oGVIunaSXD0OoSM2mRhoMJYZrwqkjqH5yQoBi_AfbxZWU1-Ik9VbGSOHrf1Dsr9iL-qtQ9wDI-
                4937z5_fPMnYA3kAe_GUo_sdUErePlyHy6QMtctAUWXJH3sw6Z9SHpesiFHu3LUE_63i0t69YoYYoELPERcJkhNiOmTxCNU6l3fI
                A6Vzv19qXeRbm44oxezwLk3A9tCraxq21jU4imDBNFMeYbEHEbJsTH8DCUTa_l4ieRgCU6OQ5lJM_P6-
                hrMOkPGcEDETAMJhU1Y1Te9m9CshnMI090YkUyVXA_uudwrwJSnEV_JdELrqLXbfADhjNO4PWcCfWy392iJhYVjX9A3EeMUveE9y
                mkcDfQMZ4E-kPv14uICSlkn-u8nBbugqGyLYjHr-5SBdfUjN6oVPoT-JEOBcg-TcYHUWhk0PFPSdmLZgi5Yp4bE8xgEa5j-
                0smuSPL4hItzSGCyiKfKe1KeRuTADC93AI77Ljjzg6OBtz1CN6lkaTefobJ4nN7atuTpifNtHJdOweNHqgDUDi3Ats3kGLJDhik_
                W7mU7vxUhgTI0SQ8fBwrEb6mi8VsaAMZm_CJN-
                IMrWitk9AEHP1yTbK0QJvJ2i3yLe0_vCu0fFeNAh5pr9r_7TvZjF4ja50tHrmf-
                TRQ1BimjeWMgL0ylkgwh4yRWx0LeRykCSkulvDtzdRX4rrmMBs0puB-
                aBxf6jYYR9IZ-z04WnEM4r7sP0-GUJK4enzC9InNOK7FeJ9ZkjAMo3F_iAGhTU4nG_auPkohMJYnW-wganFuS_j_AUUt3apv8SWo
                dGROAkYLl1jv4AAfHOY0qZlDWAIiqJYvxMPUo6XzUV5OvOiNT6aRP7sMuerFRve4l4wbAaHhUpXn7x7x4U_jUIhQQqJH48y9KUzz
                JCEEIcTdPVlUqiuvMMy0_K-b-HLSsNGu06AD9kKrusfWoz8ceVaaZHmwv9Zb-6h_zoVBaYD35FmP-
                fGBkENxWOhmR6axsGz1kXsG6zO9Y-PibH-rmHtLSFfL42oRmHGCRv_UzU4zA3fWtzTH9BE2rQLxjonpaYt6t9Y13xsYXUo_klffe
                F3_yptw8fQgyiVj4CU7ITnLTFspU7QwQWoWPc8MeVTG30n6cWikMACx-
                ngIzbH6cXTbH0ugFl5OA-i5dHyr3HFYaAYNN4HzpvScB-n5D2D8ldAJejHm_ommNLwCj0kbxhe_IhFgvKWl-
                LD45hBygxMD70rkG2Y4vJ1vV0va-scGxA1ijrVprz0IET88_KjqBt9YlYRsTqIPSPZjyUFVPYixxD-eVNUfB2qYpzGT3aPvHNbA4
                yDIjQNd5SeFWEwVIwc9QyLI4BiWxzBP5sPPaKWONPOS5xcG7AnB2DKUtvTrS55DIIOhK4U8W-
                HGJocHiFZbJr77waOMO7Ynv4tlaOwxs6WtdMl__V3Tp9jJ90nk3ydiLyqHAHb0UPJr4bF09VPvuDk9e7Fd8XuNZxpW9oMH16TCzQ
                O0gUWTZ8H4Ujr5Gvj-
                5P8Ts3984gmUHD0GJOyCdTx5RNUeJIZYTrNLaWUqfYdb2_Um5ns5z37X_G6qv_hgs36kxGd_WNTJFO74pxX5iYJLbbxYHP78sicU
                21ZLwfePb7FdzEj5T--2TAFoCwd5L2o457m2xf7GX0RpkjoEtYmj_5ZR0v9I4g3y4hjkBt5520ZVXEi8TOJv5Y9Jn4-xj3mlalQ-
                v5H0v6f8Dbn_DEQmFAAA
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

                /**
                 * The form for the audience. It begins with the kind *topic*, or with `initialCondition` if that is not null. `onInput`
                 * is called when another kind is chosen.
                 */
                export function audienceForm(context, signal, { initialCondition, onInput }) {
                  const kind = select(KINDS, initialCondition ? 'condition' : 'topic');
                  const topic = textInput({ maxlength: '200', spellcheck: 'false' });
                  const groups = textInput({ placeholder: 'user/42 user/43', spellcheck: 'false' });
                  const devices = el('textarea', {
                    class: 'mono', rows: '2', spellcheck: 'false', placeholder: 'ids or tokens, with spaces between them',
                  });
                  const condition = conditionField(context, signal, { value: initialCondition ?? '' });
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
                H4sIAAAAAAACA41VS2_bOBC--
                1fMnkR5tXKR7cmFu9hu2iLool2gvXkNhJFGFhuK1JJUkiLwf9_hQ484OfRiWZzXNzMfP2028K1F4EMtUFUIugEOCu-hQ2v5EcuV6
                HptHDwCygIqbuoCGoGSHhYlVi69fjR66Au4FzXCCRqjO8jKTa278rvN3sxZKq1q4YRWH3zUwnUynAU4fHBXqh_cE1-
                yWvyNYhwqdxZR452o8EuzCHCGVxjdVhRkHXy6-nz5FXaw32dO96LKCsg4xL-HAvbZ0Tdk_XH6F04nlNF_fg3WWDkEjX8PxQrIwqX
                0p3iH5kcC6Gft_Oz7PjscCNhmvQ7LUJyGHzfhm6ehtqJqoeUWbE99kM1Q5a6jgxt094jKJ-
                pKWG9SdyEFTWAHzKfIYfc25CqdER3LS9tL4dhm_68tDr9u8rIR0qFh77SWyFUewawg4mm06fxPRJuYUsKVo-
                pHoSwt3bXBeCtUDeswxHXhUQbLtVA0Iy7_God1DcK3zh0IC0oT3EHKEq61Cou-9oXJUtHQsKbuqT9Obi2aWMHbWtq_Kle-ZXwIi2
                8GVfnsE8QPhJsFivghWnFUnCj8COdwCKlKDMvhkdYVZxhK7RLLWeBL8SwW_oAFJ2ALiU00wjFPOKBEE5HZI3T8QaI6upYCLl69Im
                rYHqWsWqxu6ajh0mJGcOYskYRnaXpJdGi1rNFQ1GDRbF5fQHz-_hNJE0kpK0qW-czcIKdAPwVyktxaiuy00nRo9L1_u3g5cXGGRt
                SBp07forJFZEKi75K0mb8fS0zTNAnVU7F4aZd3XA64fWEttJenvQaVsu9-
                fIprjR2G3WyjjWXfkhCE07wIHnHuk8vHURXieXKacG6DALJZy5SusZjtZaUH5VJUmn6KSQUuJwlJ5jx502XYhjX1fj_TbqxuHDVK
                2vI-aIuhK2npLtPFSTJzRGdBuDILiU5-Ip7aJa9rClHub--v6PZnwtMqm65DGJ5BNxiVxuW72YaPAMv-
                TLcsW34Axi7o6tG5L5MX8OXmO92gMqzKsuUe8rE577kFFnQqgAvO0WZbfe-
                dWZ5QQBAjFte691JXBGQHr5mpGPVlxLNqwa1sRV2jp5cPhV92u0XJN6HCKVYeBbnnJC9Bj7--
                _3w5KRe_0aQZgqY7iyLJkY80-B_16v6hwAVsS5eAhJzN5WYbkYhbHOVjO819pGh4xKAk4nGVy9j0oVoEj-
                xN3wMW38fazxLMSrbIsSD3zONAlZjneZrx27dIMnF9RJIOEpSy4z0bv9tPgNXY8EG6OdVkO82rorPT6n-B9l3KywgAAA
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
                function resultLines(context) {
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

                /** Sends a message. If the answer is lost, sends it again with the same idempotency key, so that it is sent once. */
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
                  const audience = audienceForm(context, signal, { initialCondition: parameters.get('condition'), onInput: changed });
                  const delivery = deliveryForm(changed);
                  const preview = previewCard(context);
                  const lines = resultLines(context);
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
                H4sIAAAAAAACA6VZ627byBX-n6eYBYwlmTKMFw2CrQxv4MYu6jaXRewUbY0gGokjizXFYcmhFa1WQJ-
                mD9Yn6XfmzJBDWU637R-bGs6cc-ZcvnPh8-
                fiTFRqLVaqbeWtmoi5royqTCpKWd12WGpTIbu8UNVcpcIUK_yt5VydiLzZiKar8FoY1RphtNCVErm6L-
                zWparoj2hVlWdPilWtGyO2T4RQZSrmsslTsShUiX-tKtUcLGedMbqi3-
                ZafcFC1a1mqsFu3UGqnB6qRdGsWBDeU0PG3ytJL5cavM7qOhWqaXTzpqhUCn45xLLPjsEHvSZKZbcCL3fxszxv8JQ-
                2YlFo1ciyp7nepX9rY1OetEhdFmSdKShuRLDVlkXe1u9yn6nm1Wwca6xoVXP_Ot9Bqx8OoQr4nqXVd2ZA-fdxr3j9RI3bYPtdmFv
                E9vn_SLYZhrpRXny_OlTcTbT9wq2K1pnAaEX7lxrTdq1WFt1ZPRNrewSb8zE0-dPIBzevD378-
                Xbj28_f3x3_ZcfL84_n1_86fL1xZU4Fd8dHztG1zi4IA3hDxxuRp4Bv3MuxlZuhaxyMlcp61aJIs_EVFdWMVMBCckoKhdr727BTn
                gEnFi1VqpFV81NoStcpCzuVbMhLceOUmIdkwW3ckDMXv_xVqzkl1JVt2Y5ERHEjyBgCQmXusxVgzUrf9GaorpleUmSUt9GYpecBJ
                QRH6fO3eObm2jWlXegZf9PEEezRst8LlsTfUrFTVTAyDCNgbi0K_hJm60R1rIwbfTpU8CFVLcnPlkJUrKNQGpVVHSRB9eotJgh1P
                Kx2BTAZ-YwyVwaRVZ6VmoYYnxOfakLYER4YXsN08IGC9mV7pqkTrAGI6MblfPir19aNUffiaXuGl77_uULv5jLDdbASmD95fGL7_
                2LtVJ3Y330DvG4SV--
                GCTnzZnM84t7hNgbWFVVqomhfhwEE-8yA4eftLXrZWXK7BwKuYZCyLukiZMMsKLLe5W_r8n7WqyQvv6KI2MN0yEQiRNx-oOFZKIU
                s-6ze1l2KsluAYzYFoM3zvYebRUt6TFmRxaiWIiY9c9nxenpqYCmE9Eo0zWVOD6x-
                9yvt9Iss0WpdROPWIpXvWwgPbEyZZVex0kinlMgHyfiV-Kd9asRP6ud3ZOeAUtV6ZxSDLA_js5dGEKjqoyjvLjHEyCwlG1LEUWpo
                RWN1qsNjONyRRy9oeiMUo7SJFiuVMTgkbBbCP_KMSoISXAbaDwX0oiVbsmaFC0DmStlX0apc_pUTItKHG3JwrsToVa12UxwjfV0n
                wtBWd3o-wKRxI7cisIQsNEFrWYGNq8HjIrS3ueSxBGlW0ycJ9Azq5TfedisJdAcsCzF1cW7c-
                ANrgQ0lIhfPNgQY_1a8GNT_71Dnv4RB3s3GTCjoQDf7k7cMvmPVbEzp92ReWgM3oQHSJej_Q6KnH8Er8NTIxfnc7T0WRoLHd77wi
                MjT-MjQwzgVBgQ4bk-usOTfvEzEsapGG_xh50X035e2pE1oK3dkMhcJSFk6xNxu9Rr2CK1GYFs0hY_qXEyqhukVbV-
                TSFhk_qXUS4iChVLhWolDkEZpOimCJ16FDitXhiPZj2briagjl3Z4K1vgM5jP1gQ-lt-
                XF848VQ-6NGKBFSzmeP1sihROFVxlmV8aX-LTFIdZukl_VlmMtugXgQTAjmq4S6qOXChATIq-
                xT_4er9u6w1DbJpsdjElgh8aVMiOyZJxrDdy8PFYkwKQbgebTnLxZZLsqMYeZEe_-Yls506WXZAITNfwmcbPSvVagiIMT33OnPG9
                af3wG0EbGeEM1YZVlcEA4QnpLbUmg04wPbYc6CyqGx9Bcdv5QYVDR5mai6RF2yguwCe2OJiqL4rrnbZy-yhNVyQqtSxqwGRkHKpE
                G4PuRoIfuiqkUs1uqQc3xppupaAyrkYcjVKQSwsizxXKCVMg1QxSv0kEdHydXjoujmnS1-W86sHeQKMblim1F-
                QTrik797YZ37bo-MHS6llVUxnOt9MHXW0MpCq6spSyAVqqUB362UBbyha594eM2W7qeZICIaQPyZaDx3FUYii3s1Jzox1Q0VHM-
                BIGHH9nSUVcYKID1H2uH8-YOxdlEKH87VtT4aTk0e8OBCBdNKzHgCOox1J0RZMfBgwOUHeQnGujSwpM5Oi9xMKfPnO-ZK0vrRs1G
                Ky122NsaLIE6I2fetw9Ghb5LvpWKn7sEOsoXpBqR8ccdq2Ekdb1zHGVkjs4O4lSnbZ9BEzLWTZqoPgTkUBxbQTPhOXCxuCsmrXcC
                I4TYlagksGm_TlrUTVsC7MkhtgimDUBejAyDIbcac22K1d0rZ5m6yGynLO6YHdro9cIvyeTOoQIAxb0CK8bja10VkDCNCrjx8vz9
                mTBncbuRq1THFEVK1pgN2OcGrJcSA_5oE20Tt_UosFCnuuLbvqDnVRFYmffxbfhD7Zl5y_iC2EXjZIm44Cl5HOEGftHYW1glIbGj
                cQKfpv9biS1cY3qWPgc0MDMqP3uFT0rK2HjIDQNbqn4jEnGqDMdp2nnlhft7yCH-Lf0daPKeK9HcluirCMqJKMHnRufq_9CVKpL1
                dFn9zCLchxvq61RKMATt3V4-mVU9XR1l1v9wp0p2Hdcqsp-
                4RbKO1QKPVBujva0o3xjxgjlhgkDlCfenz44dFBwCvBXSTgxEEJpN-
                SFwQ50aW5vqcm_Z2IqZO5B3b7zitlZHxbXc659eqNbzNtP_th4-_FHCeYvlBmA7mIP3VxZMlkPjswAa7aH7q64xUj-
                YP0Z9ypT5vO7ymwvmEOyUNc9qDPPH1inA5IxyezB4An1rorcxQSQjLqqpzcLhPvtFmiwhqqBY-MIYuD-OjBxHL0jd4BzNrTnrPPL
                1BfrywnkW_kcdMhPsS33zpC3laBHnkvQZGDvK9igN3Nqku87k_-
                F7s_QOpAJm9aPt0nVl5OD2BIFEYn5Yj5UuVdqfIsojjfewudU4uxlpssetB9OxVN3AQUTTHHFbyTBfcqTDiNDRtJY__6xz9dRwzH
                qptiJdG2J3vVq81yXp69WTBXVxSjM2A7za0atVKEZHtQTYNkO5c7FKFsC9pybumOBzpWz7Zpmwg7jLpCE07p-
                laZS1gqjlCeF2Wpq2dE4pkPEPEKmqbr1aosoeH5HU0fyNkjRrfxiGyju8bdi8ogKiiNvlOV3bzXdRGfD2zW0WDmm-
                EO3GZm6HVWNFPh3EeN0QUVd3H0jrQa8BTwYjhJNAqMIbD6wAlf-659asf0R1vvabxur7-bOhGytgSX-
                Dil4Y6jQhVVzKQq14zcREbXxZxGbreN7mrqDiLKQAVdnH5QgqD_zp2jTwlNJJTpYfqGaH0K5RwS740fUsf7mko-jSBoXEX4qfrEw
                x-J5Z5SN1XZG6q6oTPqj8mhIkrsvgJv16FdRy7XftXlUvGY_U_-
                71wzcrn_An0smlj_cMVoACLDjPK3FhQgU4gOXIEVreiv55UzauxGPfI14Me2xX56pnr7j9STBN9s4kECD1NOHgaiwTa4XLxCCU6p
                t5YN_Awmb6n5vq0oOboEgHANcMWNPIbhh8Uh_oKQByWfdzKyTPCRZ8gqnstWFBXCQZavfVxMAmkIluIgZJJ-sDxxny3yUUftx3nU
                OIcfMB4K6GY22HhouBR8jbDjhtODc4Hgulw7uVHcf6qkTkYwbQH6MKCPB9g9bI27Fd9SovKciFGvWHft8jN_guhHVVi6xgpVWAMQ
                9B_a7gqqRzwK9MNR-hn3s1yAiSc3mpam9KYn9fBVT278iptJH0ZDP8ImC6sjy5L89o9WTA7bnuH-i8MF2jBncHbP9qZ-
                XhBXILE6V3IzbsMZSRIvXAD-SiKJE_g7n8i4IvC_fE1qfBXD0Qngp4NZXrRyRl_qQknHVa0baNh2girTSqnclfa65Nq_b-
                97ianIi2RFThL57p5uSQBA76ni89-IafJuP6BGwdfi3umTw18izFpHfhzi5rDeYgRpg7e5n70z0M9kdM4bhjdaRfEjo-
                IVYzgrw87AQvjb13NohSRxYN_7loVE9cV-9HVf26jfKowd6Q1qsDNq-Oi_ATZiAz4KIAAA
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
                .two > *, .grid > .card, .grid > .column { align-self: start; min-width: 0; }
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

                .column { display: grid; gap: 0.7rem; }
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
                H4sIAAAAAAACA80b247jSPW9v8LMaKTuUezxJU4nac0ItAiJB3hgASGNRqOyXU687djGl-7OrFriHxD7gHjgM_gevoRz6mKXy-
                UkPSwrtNpJx6mqc7_W8bYuy9b6_sqy4jIva7uJ9_RAt1ae7fatlZD6_g5-s-1dXXZFsrVep2G6Std38Kjp6pTEFJ-
                lKT5o6VML37zIS_1btqJM8UG4Xrm3Pj7IswLXJykNKMEHaUZzPHUdbQISclAkjmmB-_w0jBL3rn8kAQhw4qEAQm9pkkYC2bLEQ73
                0liwZGHzQL3RTnzICIoKrosBfeVR8l4vSiK7oEh_uBYIkJK4rH_TLCE2TDT4t2z2t4ckK1sUJR6MmSdY1W8tzqydccyiLcmt1Gfu
                jqYB3C-vVt7-yfgNfX8Gf35Amhi2kf_BL-h35Y2d9S4pGPuu33l09X_38QHH5dVXTlNaNPRYhCu-GiXaLQt4WZXv9MSEtsVtc8P4
                Vk_GrT3zNSMie74VeNBayRzzqrxQ5A4c2NFXkTHwSRYkiZz8O_ICqcl5Ft8v1-k7A6yW9JmQzEqoA4VJvFbhTYfu-Hy9v5TFC3Ks
                0CTaxLm7vNgi5NnJxp-k6Xa80cS9DL_USRdypG7urQBd3EPmpt1TFHblkCYgDIs8gD8bnEYtRBq8-
                GezLYFk_AdN_FJb_XzDcxGyhz9b3Jl92Z5nspWhr0gCkQ1lTsANuKfAp2ftA6mvO-5uBxfwh4y48fYaD38KWqHyym-xLVuy28Hed
                0NqGRwj24z5LElogYknWVDk5bq2iLKj1s-xQlXVLCobdvj3ksCQtUT5eWD2985xlaDXHpqUHu8sWlk2qKqc2f4K-g-5Kav3h1-
                AXfldGZVvCs9_CB_MY8LCBD7uhdQZybuK6zPOI1Paua1vkZdOSKKcIOSqTI0A-kHqXFVsLpB-R-
                F4qJieXfwN6GW81ziDONjzJgBS76A4AMt5acH6XA0B40NwNpO_qDCSP_8L2AzxrgadeWlukA9TfWV7ghDU9WIesOJCna3eBPwIQ-
                A7KgbJEl-o-7BnTvIW19-H_YGFVC6vLF1aa7boaXGuSj2mqSJIw6bi4scNf86wBBW-POeUSwR-
                I1B9JI7cDQACJtYEJtEY9sMs0bSjg4ldPHBMhPNQCpAiEB2QI5jwKxFchQM8pSsBGP84Qsl3H9XApnOJrp8wcASuD8UrX2QSGxS5
                b3BxIDqxxUKt1-vCZlKE8an1bc3ziMgFWVshPB2OPhJmSQ5Yf5RH4y-wR27SMu8Z-
                yJoM9A0OKLuWG5LvgJZbTZlnic5rsWbMZGFWMq4uOeMPBATMYKhnS3E6XdFQWsBPVdlkbVaCMpAIYHYt_P6YJe0euIwn9bqFX8oH
                Wqd5-bi1uPGC3udZZVcEl2dwZHsdum9uGITmPqtmzs8pehEb1fURFKismPZ9sTPQoqettTFZmvD-
                N6rGOiu0CE9wlEHsSeYwmJiv9pQAh-AhM68a8ffApILTcCRfe_pHMkF-
                qsggFihfhkxv1WlOgW34r51kNY05J0DRugMwb0cqqcsDm5o2i--PA1s045YisOF0dA2M8qgmRaI6Ug6XgI8v7Az8CegFqhCtBVDX
                CQ1meItmMTJWjpzJuTGzT2hc1oTjzVVLEY7PObKU4uFINg87QFRqmMOx6GkU39MszyeO5vmqIA8qkcJlIj3C2-
                AC9FSPeyCaeRKm8481qSZC-
                a4DTqdHFu5Y8GfL7Yi2jxQ1W6FkKUhZcew0g7tF2C9gkeqxfcEchvh2j8LFoDkfZ8TSjxhV7Lira0D9k3GLkqjo8alnqckp4vn3U
                XLCHyJLblkwGvm5Eh13e2ReTupeQ_N0UD1QgrYs86aPQDZTcq7GJrFyC59zoc7jvpwq_Tm5njKKpSpfhttps-drJJa9aaK-
                AVnF8RHSMyq9MTrD3lswUOA9yaG6hhhVY-YCjv_hccF04kZohokp0io5IQOZLakhY4LkwBbWtebkSFtz3TciweD-
                B7QPUUshtxuco_KTxlcB21dga0xULeY0dXcXxNrgUln0JDh52UziOKTXM4oudkWQ-JXFoJI8cEjXikmgA-FT8kfmZoJRDcvRgPQc
                dUzjh7JbyH_EYm8kLH9lEupw1JWDUWyq7iy2cIXjbu6k0-d-bCMNiB3pcA40cyxwYlInRhejx8pZEWkek__Gv40D-
                oZhyDUcPtxw1grABZ2yAqBCMJbJ2sGdM7FD2tOMfGtaUdJeIzegumkXMgOHj2u0qQUX3Q1PyHnu0z6WXwdsyO4DOGwKyltzUD7L_
                RFSltPGAOskLcuFVkbcaEwVB_9EQl_paslgRypVUV7G91puEs7k9aY6wselLHUeUg0_vDMnChIDeFxcVBYEEvGihOQNiwICFd6Bl
                b-X8kBlwblgDpAYgGZGyZSkq0dkcqTsOwyS4ma_1KTJHag8yoECx-wM-g7F-
                EB7xL696A5IxJq2LoEB24imZU0Zs4Uhv_r33_9pvWJLU5CbOSuSDZZzNODCl2jkUtdIWtdlbQ4towIcdp7JBPhRWzDNlnUXlN1un
                yl8sLRlow6Jcgx2L_miGzMT__E3zkSojlirA4tBidzT4ONZ02PQVyAzJ1VDWanC_tLSiHGFLatiUmGeC8ewzJd55i0rxC6P9zKxi
                kqISQf8oTcuFoaAM4KQAdr_qoRt90ZSph7nPHE8ETM7m3a_sNpEzQ6BaOEPbvmH-Ho3tNA4d2Y8L5AIfojkEu8DUMp7Wm29zUkDR
                rlHM2ZQtSOZEraJU3SHiNaA2V78qfGi5u3DOZpY8wygmUoa3oc8ZE_XoOpNvYsWBi9nLUOIdy3UjHB4LStAwLjNDuhhOay5Wg8NR
                JiOSTh6psqITnIHAlt7eTTF7E2Y2qQtJ_ywHw4dClNXSoGazLWg1DXJuHl3ws-AvexZA6anJStYABShVGGBu-
                ZaFhrL280GzcagzlM7OFG3nskV5oSINEB-2hy_usQdPBr-qOjT-Hyz9_zhXyIEsXVJeUEcGmExjjuncMCzZzz4X1UcMICeDb-
                mkHsBDuzSwYjDX35QcYhIci6jMMTJSwRBkjNRrKrLXU0btFFSQS4Lp8R9W3MUoZQKYNxj0vR8q7jVscpPI8WUZKG-ep5qVsXnHv3
                tFgwnus9aWz4BJpk7P32Re2LvA8k7esJC9P2H8st5wMpWh6-Z4aDGtulJ8k5IEYno1-
                HBTkLzDFhNk1nbYvdJbG1KIDGf1b5hHeRFdoN-ec5UhqUVLdARnuMBpqHc9swZN--LjOtOc236LI_KSUTx-
                oF9c7h71m8vRFpkjgv6zpk4teStWD1EGRsF2qEfwRbfg6V9mj9dP_b5KiuqDurkhuY0hk_MGsDQSX-LlxUQpLIhKey_f02xKZXL1
                JRVE6pwFONGPVhRks-5D7en6WN7rOj7eE_j-6h8-qT2sT29ke1NAaFG8Ihl9g9KYGceEcBM-
                z1KJ2dGhOOCRBb0ihTA7Jl2yTRxvGUpzh62yCsurX6G8hnKBqGp_qA681Xp7X_XZ_G8UZ9lRHxvW-
                _eWr9gOSLIBhL4DLKmLxi3C0oBs3afNVxojvX2nUTYqcvycJxX8QtQW-otIABCJx0_651leyqnPvTdtwUYB5TXk-cY6ZRWOjirvs
                P0wXoL3oN1tmA9lkfqVwZT2z3THWuT7Z401x-
                YQ7wZ1HqJlvB81XdINfMdJYBh6P60Bq3et5nMOe7qBpGpyozbxUyOyanjhQqvp0F5sRxObkYFsTGgi81yB1bXwy1IOCCR0JR0eTt
                scao6A3s_ng47J6Ebnsqbpx5KQordzJWSKStTfxmHnF5s_dF_7jLaTjg0yutUoDxFM1Mii34ec4b-ldmTKZZxrhd-
                3llCcZWRvNz1hFzazvSW5mRn4JTpSlC5AAp4i1tQOlwEoFMJXHZlsvEfHhnkJ7vZkwRTUdfyXcBvhf9A5XztWvjfOysQPQtBDfqS
                WTcs-zV8LWTcQERSl5WmJni85wKhlr8ECFCPqxAUKUxu3IST4reIlw5GyIIYIx94qfnWZtg3hNi6NNsNraBpTWqqul94Y9iDcqC6
                PtkRlpCX_IbJSWtyoKMOVU0htEC6q6QKXh9wxfrxFTlLR5QhgDfTcqMtu3gP5sRBVKSwj-w4lmA2so9tapONuHPrz-
                aaRt8pPKtNH4BrjdKbFHAd9G7MIaA6Ct-AkfUako74Guc_3li2taqeIHLa_eCI3P00s_tP14a1DmUDEDPrERLP-IcNLBaOt_QEsC
                AqkmpsUd_Trd5hi9sSKE9T-
                INttBsgCp0YX8_Gi0COk4sn7uM48iLfZ8MOHDbfbPdp5foiUGIXnvddiRkks2CuuCwATcgQYhUbEwLupa4RvQCnYi6izsnpjhbJ5
                V7YU-
                727l5S5QhAkW556pjdyOZnWl5K2hM4cvJCnp7Nt8pkqiTnP4Y62DwQEmBkEFeptVwaTG52xPTGN0hSrw92Xw1DLscekInwhpKYZe
                fjbb1CjdbKA7iWqZMaITvonh6VI7IFf0IYV-ZrcoEyL8olvtEE374yH9Dt63gVV75ujKrATayXiEUziPV3VQwIJHOfRRNgjNDQAB
                gwUharOImlRqT6LdnJNoPAhlQsWI4xGVJJFRex1DgFdYkk2f7sbFeHSyI-
                XKRgfN1XqhZuvkiVHulUfdiQs44OX6iiI5ddgg_uNuPTAxMIZcXnlE1K9-pN2nj_uQrdk7JEIP3WQW37vRcKJ-ry-8-
                PBMJ2sdMQ2GxmGTX16iv06gIt9UwdMzj0UrZA4MeE44H2Z81Y2RQbX8HGdNAZc0poC94A0pruICqoSal36W3juMAIhwxUFs-n-
                hjAi2ovrgS02mCl1wbINBwyxxUg4mtv5SYURPp6ScJ0ncIfPgmC0NWmYcZwIHlhbBbUvaYB3aRET-LWM_eo_UhA1TV7Q6rvL9eQ6
                G8sP_Qh298s3wwlzGtv6a29dFoDBVpRLm8tzWM75uaKL4Z90mFMSczSGmb_NucG7Th1ThaXxWTed9mHctkj0HsGGn1rXYz9y1eSM
                eylK41O4yzYdM5W4hq9fIRxVNYO57BxdkU_wlWYrKKZ0oTzCVMo_Q61qqmtTczKGwf26ob8whwBm_HbImuVNXZZZwzvocM4vUxBO
                6vIMS_J6FJTXMhiYwqL4l5C_kjycnLh7I3jbP8oHC7Y7-
                boP6VnMcSi9sVz_zqgO8M0xiWjOhdRhSPx3W5HG6z6mpkyVFvEXgAxVYr9dD5EUTYmgb0I9m4K-
                8cdpdfeWu9q8ML1x5sm46Y5aozAIyvQ-
                yLe-o3qU5c8NR_0ytNGd9WpepUveaYNaISqj9KQY-7_a2x6pnN5Sg_HSPK5cH7zQpP3bd3RS6bDUZ_h13Z8--
                SLIukFI3aYH7BmmsrjYGm0XXAA8tUzRVFCPv6M7waKF7C0d6KYuikvRk3vnyzL8MIHh6m-ZgEGEA8hQNje6J2PiwduDCGQX3WoQ-
                yImPYGw-mC2R9t4920ySCYZRln6t0X37OsWcuxv8CwLDFer05gu_rkO1-JM2t4f2EaJPckkmwk9uI7RNwhRltP0-
                EbZlnZdtl7G800ewpT-14Q7GctEhNvT05IC_J7wieCfFZeR1bcI8vR8HbhQhrXJhqtYUx2NBYr-qiGFzuhtO9imkB8kq-
                j2PwnWsTsPU-8_sHX2s4OGrCemTAkRhN6xGYMNS1rBMaSESCF5_gSiuaTviHFA2l-D8kIIwyHQRb9jZacRNbjA-
                _ngQEueGGoFCDj856v_gPNYpr-0D8AAA
                """#),
        EmbeddedAsset(
            name: "credentials.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The credentials for the providers: their facts, when they end, whether they are accepted.
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
                H4sIAAAAAAACA4VY4XLbuBH-76fYm2SOZMpSziV307GrejyOrvXVljOxrteORiPDJGghoQgOAVrR6DjTd-gb9km6C4AkJNtpJokJ
                YLFY7H777cKjEcxWHNKaZ7zUghUKclmDxrmqlo8i47U6oaGoIWepVjFsVrykmS3wMjNDHNR2htUcWJrySvMsORLrStYadkcAvIgh
                ZTXKa3ZfcPfjk9zE0FQZ0_SJunNRFFdM6QteFDhUXM_4Vx1D2azveY27xBr3pitR4eJKbi7MV8Ue-N84Q-W8rmV9JUoe45lK5tp-
                t5DXcg1BMsrkOvmsgtPeNmCVQA2yKH4TejWh_QoGeVy18kepLJWGD-f_Wl5fXl1d3k4ubqYfbmEMf_rp_TH9OXUik-
                k_Lj_dTK8n0xktzwN0ZNakWsgyiCFQrMzu5Vf6zNM1_djw-2DR7f71drKc3swmuDM4LwpQoky5iYfSDA2WuR3w-pHXp-
                abnKK6hQK9B43CMJTZMFHzvFGsMPGpxcNKg5bo7EcOATrqD2gVx-
                MzlcB5LysU6sC_aoPRRe14vm4UvD9-C4iQ98fvToHlGtcmXyuB-
                Pno8DKTXyxAnJF4hYcSdUHJN3gsLd5vu3OFVrzIk6C7_uzT5fnV4ABrDM88gJJduhY4xx6YMLqsEmfN2xh-
                jOHtj8YBPx3DWpSN5ggmTbjlaNAWVrKpk86Ec7ONIapY-cDppqyqFEZdljGeX0iWebchU49Gb97Ab6SO-YZx4wc8iU5GcMKalVvI
                2FYZvxc81wm8GR3lTWnQYDdsQ87SVWSyROQQfkfDpJR6ae4ToQm6qUsISrIdTwewrjKKx3DN9CrJCynrMNzfCn-
                ED5hZOLEJowhGT8AbDcq-CLR5bHX-Gd4dwxkEK15kAZxAkMmSewfTRQZZEqWEDAN7_4wgfc-
                yIMKtZuHu9c7mb0hbotbsvIvNmcYEd0NehIGqGGXJrrW5fnCjCFUDLpMFuLO1kbhFXxO-aANsMIvpG2nDAUJoG5GCs0fMEwplivQ
                CrMBrkcuFNlxCSww3FTVSyXY_UrQ-
                I3toZwxrghOdgBgNbOisa0qZcZx87iZrFblN338Pd_B6R9_tnXEAxZ00JzR3IUuNiILvxmOjz5-
                MjOlJzauCpRzZr8hqXoYkNvjDEDpybUcJPrl3rJDyWotcpIiPfUrZv7e39QI1hv5dC6HIAYbIw-BikMRbz70x4eHvGGr6OeNsTey
                BlPiZp9os8S39sCRCe4NzTL9g4YHT8ci4Z_TQLPZWUr7e5OFgbGymrLF9aBix5Ngmd14wfc2qMMRRBOO_7JF2glUIgROGtMWsotS
                cBgsYY1CGcyKjHyBZk65eHAGPOxL810KI4Mf5NrqLjNE92o09yWcpypAuHcHvv2OOd5nW-vezFTLEaqhF-XBwL7SGgjgGxyN4fld
                bw7lJH98vZoISz31qDMhSZHB2ZscuMDQO_vvv_wSxu6Hdx7dO1q7tEVjcheHJmZ3diQnKwrlhKPshISm5l9nWk_WQF3tX--
                X2Zpoo5P_yQeT9ydYHTrF1Czd8Nqgb8L7s6cTKO9wf5lSSJCEpOUMwz57LGKxDDpiO-ImZLGkhr2FIk2CBFDhf2MC3A9HtTF6fmC
                Q9zBzjC1qOnfao65CgNRneo6KSsrjVBAz6GgoIjZKK1V941hePeeAKaUfOi1NfOmeiaGp-
                ljRlTS4l_Hh7vdm9_U7AqGBa83WllfFX1wKStCkexhGIbtOaZLDlJvVJywucRR3MU_raJyeU-T-k9Kviz5CRcRp9XLleqf92rQ-
                NXyHjltwcZEjp1cdGrYifDGaCVz9blylqpFIr2qtx7tzjsG-mKRLGQda0WK7dJC8fRS3LNS60WDX72hI5U4wnycL9_9zpByRCx9X
                UdVPQYrp8xyZdO03LCVUZNX-7iAHT4ABoLs36kjjI_7AwGhFGGOQl0y9LvuskHSxR-MmEqZOvdzhKbOvZgh2hJ7E3c6UT9t8M9nJ
                z128YZMqKl1H3hAj3wHow3adBKpvScOBx1BGgL4AYR8P8md4mapeIGxfRSyy-M400wlSkKvbAvcSr4VOL_od2n-
                LdITc5wQe5m381-AkHRZ0dioxGxsESVmbhADXL7WiwKWBWhc-WtETF0dNopmxhs1jxDt51sIg7204GIzsL2-ibTG_0-9T-
                TBKMnk8Bm0u4t0eyUbBzobJXEliLPpobQ2hgjhKEHq9hJ1-
                YKHpzCDqS8k4cxLzJU3fWS1mlbAQ6IzpXtN8uBZav_BLQNTzdszDy5oa3UvRikaDcC9f4TsJO1DzE8IqtT5jmxUwta_dyDvdJq-
                8cx0-
                bwUGQ6Ho8EDIt0KFU8bEYht0Dfb_YRe69Hu9RvL04xcB1td0Z1JZTMCt88MRAIHK9mfCm6Jr0mD_BN2JDDuyuTHr2X_mhXeuNYGp
                bphB6UBqNYCpBsXVVcFgxrPdNSo-
                LFb6g-19JKGmqlHsnp5K6THqEyEajoNKy3iZeptk3yRimZntyff7P5e35z5Pl5XQ2-evkk5-U8657iUFiI_Ao-
                GZBDeyG4YsFX9trgU5iRRHOa-PbTty8OqIY7Gy3lWbd6W3fhLlfsITOBfiYcQZ4ATnsPl1S49lupTvBYtu-Q7Alol-
                vZDxnTUG_ZtFCF4jzg26H4EmQ_R_ZrDpEhxIAAA
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
                /** Nodes one below the other. */
                export const column = (...children) => el('div', { class: 'column' }, children);
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
                /** A part of a total, in percent. */
                export const share = (part, total) => {
                  if (!total) return '–';
                  // A small part that is not zero must not read as 0%.
                  return part > 0 && part / total < 0.001 ? '<0.1%' : percent.format(part / total);
                };
                /** A number with its noun: 1 device, 2 devices. */
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
                H4sIAAAAAAACA6Uaa27bRvq_TzFB05JqZUpOi2IhxzUc57FBk7So3RZYrwFR4kiaFcVhOUMrqiugd9g77A32AnuUnmS_xww5lOQ0
                2P1hk5zH95rvPRoMxItcrmRhTV_M1LyupBFpkQmrVtIk4iLPhZXvrZhrmFCF1cIupCjTuRSp4alCZ9KM4GEXqpjDfGppkZHVnazg
                UWSw1YhVWi3rMjk6Gnz-uXibLgmTkIw-EWNdWqULMxYLgJxaW6lJbSXQNdbFH7__C8eLLJcVjCCF42meGjNOxOeDI_m-
                1JUVs7qYIgwAGhfpSvaFgynOxP22L5IkmS5UnlWy6In7IyGmMMcMwIpMT2siZVrJ1EonFwLUO4XFM12JmHfcLOWmL-
                7SvJa3Qs_Ed5N_yKlNYHmlpIkd1h4jEULNREyLxdnZmaiLTM5UITPx22-
                iHS5qkHVnZJbmRvaQSKuKWp42sAB7YmxaWfOzsos40kUEuJCNJM2yF3dAxxtlrCxkxWtzNZXxk54juceQJED34AhfRLORg-
                To4C3BDpo00l74E4pbYRAYW8HLuYgiMQrwbeGPKSxL0Ig4OItklqc2fl2AUJTd9JKZyi1QHtN8T5x9I-hNPPJS-
                uyzYKQRZ4_wVNLWVUGoTo-2h5UNj-zqp1cHVcfczZ3utCr4f6jPu6s4WlhbjgaD9XqdrL9MdDUfPBkOhwPAFPXF_6BeLWH-
                1B84DoL7gNAfFNaVtIbsl4wbsKfMoS7yDaqLsiJTsxnY4chPkcmDQm6MWEpZgrUDiDJPp5IsFb9AJpmsDktc2mtAFSOoPmENpbtO
                CwumciaugL9iHtM80o6aS7zhyCXYCB4sKgTvcJIJJ_1Uw-
                ordQeHOy5TkIcdA4fS6RWehUynC2R_rKxcmXFfTDYCjUm8Q3_X8ixgNzo_YJFYzvrCaIAwrY2TidX6ION1mYGi_KDXJmYS-oJw9Q
                UdIetR3y0LZbIs9LoAdnhXUgGEZ5tvwYrPz0W8NwhGI9dgA2XMFrIjV5yEM48JdbKCZfRKdudkDuTwWK-
                3p6psKyhrUlUiLfR7jxhRAk6dXSlM8tFUcqXvZNw75U1JBtYJ6ssGQf4C_2BMTCRglC3DM1UZe4kntUMNEolUEC-
                eCmelALbVopYj9myIxdkxEzOXged3nOACTz0s5PNhMJ4H47axRBwbvN0fIz-dtvPmZg1DBh1mjnst5_ySFKDOV2qSAw-BS3ZiUQW
                EXPuMVjr4Dg47YKf1F8Kmk1yKNcQOsOBpStGKLHWq83pViAUYKwZ__026PpFzQMC7PqEYXdSrCbiBg7pNKGIHu-
                8AmW5ADlV6ojPUVAjckcX3KFBVIgcFzkBYR-
                lwUEfDQ16qglQa5joB8hMIahCRmGCMSxhGWIDOBRLiBfjje2GmupQjEQE6-KYsY8SQt-
                yuE2fpCLcPcY6VaBsa10Ln0rODkogazvs06ASD-ACo--r1HRnAr5uh78p9kBx6sAoFFPpvVskRrc7UHXHh6I7MtNI5MgJ0AA_yPY
                wN4RNGkckKTpXoiNJKpcd5OpF5NGqUArASLw6p2J62WgQehsMDcTgiz83JI2WEqD8UQg5oD2SDqVOfh7UHHCNnTc6Sw5PyIuF51g
                gOebsqocw7wgOnYTelBILbTCUy5A0iTChodFdp9lUkC4XbwN7TLRRcMOuAUxp20vN5EbrrKHLK0zscgA2KGD8AoxVTmeeGhQ7SPy
                g6SJ7yN7D2EpfGsIpDqgmNjfwnCARhEMgkl8UcTuaY17pPJIy_wYm8gHAYU_QFzlCPSNI-
                djeQbhj2F7zm1sXzXqA2MyUhwpIiYGJAGvcAJ7Awpvk-JcGgsuhXu7FQZeQZaDZRlFOPZ4_vaTO5S5iOgy-Q-
                bAH9J1sx85e_c4zgNWasM-TYPgGT54tAw8fhDFCtHDENNhrqLtt8xJPZIuhk6OxtYGVTGFAZpMNQB4_vlfZ9hj3jp3mNRlyWZtFj
                GSYVZozGSobdbaQd0K8Tbod6O2uVyCBRLglyAfhiPZzsxwyz7jxXc7G9pJfIo3WOsN0O9gyMZXaM8ybta4y1o9bgHBRVekmUYaeb
                sc5J2EjOAF49unrds8mdeNKmbyRQMjIW5MrbnttKtypa1AdaNTRezO8TZqCZzc7dsJxAau2VqN2OJvQxRTMe9n3MQgMGzlGAnkpE
                YguCMTfjATRpQERUN7BOE2rjPApm8udasRhMnLayMIfNW6jk8YFiyfufAhIr3P8R4OB-B7dHzoYrPANm-
                w1eB8MPex3cGJEluvooG7BgutCA37eKNAIZUOTZvpx518RTocHDXsr03Cwq6gUCxvqT3aod5tPGzqnC23AZqHc6VNeaPdo36eL91
                yUJRKG1koViJdomXbFafTMsuHwSiyt0OlEAAbgYJUJI5Gj6UJAqia5nqgqjb0LuSotFA3OC--TQ-ve4C6nWw0tZYcQWtcG8jSH3C
                8KdCdAz7UKliJrfFtD7pZBsQMZhcoyFNeDxOAyT8sDdGDt3ZIBAdTWJvKgR9wN2O7qMkrRwz2kyOUDMm-
                1tSszlOnHyAzXRQ8ZGDnFV5Wuy4fIOuhGzQdJmy7kdDnR7xGki2WqKOuWwjawNBaLWwgorfRhZgfwWmXyY-nEtR-kkh0SZFwfC5E
                37LGOSsf1MRbTQDVARBskQz1gelxffCROXn0I5SX4OKi2USJQpeOzj-3JVVps8Dk75I7QL76qKO5_FPY5rD2E-5oytWrFqS-HdFf
                kkB9V3QrJ2VW47AyLduWcIG_AjhhW7LGrr7kXRAsoG8l8nKUyiL1jloVJce92T73TKbUFu_hoZ1f_cCGfbEim27MLdSWNAbd6kYF
                IDPFCzldx4278ycAtGDy-l8UUVOPHH15f6lUJ-lFYXNvbDiiLGR8GDFa93IWKNKdE8qKSs9EODe1S4MDV-yrbIzzXelmXHnxTTu7
                CBg545fkvZwdZoJ3bsS8Od9GUlZ4jVc9SLEHigAM_Q8hWKRZmJ3uF2NivQmVyfAqWF3lVDNovuW9_dNQtPrGx87qwecJlyEtdrVI
                bR7LA4OTc8AIJ_dDSPhWX4NRBBcgEV2VKSR4QrFb16mWVUsrxXM0hJxiJE6LKsS6rKffdPgzf2A3FDrf-
                44BPcz1dhqCfp1Zeq5VsgR-_eobwIZPbyBRydqzRZKWmiACC9wIjCwoAvrN0A19PjjPEhNFL11VnYKUKyNs7Q5Bs6SILh7BeAgr-
                BorxDlShhX9ER9XRi8JXpUHdSieHxRYy0OSnw72QwofQ3UuYDu7lRKCEzM6V63CcFIX8Ae27J7NIqeuEzUSIP7SjSeCpF-
                aGXIoc_fH7PyNMmUEbLwTVKIyQMg-o9rE_-qustFjVVDRYagijbx5-mrSpNu35RgyxIKf3AeMWT8UwGQ5PsNB-OkxOPsU621PveA
                7XYzHjGXeCbgrOQtcFqlIm76Ac74sn7s0cCk-1a5KyRPu0mR3b43sG7I5gC0aJk9vH921_4cRfg0QmQv-2V15NNlaaeK-
                oqgskFArPCBU4-lbR4y0_XvHjGh5UC2HrEjfA-qH_Bm9gwxKHJtYQt6SIae4bIG745CuUM-19yjjbPsAJNjpp6YCXnvLCL-
                DrNKwuQRAtxCFmwkwMsD8E9t-mdpFASlVkhBh7H_hMrH6p3sssPiHJEfIb_H-LcjpQiGZ1RT4o9n1d1EKIuU-
                R0pYUHPocCRn2GhRDQPGff5vxaWcXLgk2BnQChq1YmXHbC2BLxxOBvQPa64H5qafi6w48N94Q0a47QbGcgByQrpaqdsGXXx8gbQZ
                BqGoWDRDbFp2S6JDu5z_l-UPQ__L1Vx8BnmjYisVD4HE-
                oGJ82lGIgyAZ8VZkD8GkBQHucdA0QreKHgtzyV8xtXRdMb5WOhU_Xl9Cxglu--6hjiIA6OjOI_wIugi-
                0IMwTt4s6OZiv95FGgwyCOZ0px8J0CmU4VL8GNEbnP7rq-
                9cCtJzZeuhKUorMaB5Z0ZXBb39rgPCvnZNrRUncKjP593dIaVocZ4hJ0ys0ej6PuVOib8I0DmUqZjEphgASnlQkJD9ljG3boJOx0
                5_drdqHuMuOHfcwakSQghangu9RnJoGRwz3yv2wZXkmPr49gLdOqBrJLLTHE9_c_hOEQBeIqUMp6W3VYDDd4dIlr-
                eoib_pcv24x3Gg54mVgA4RDkaseC0kwTt-rUudyNq-Syvri-uX1zhTQj9RgIUgeoqg71AvAo3C4nZBZbgMFKmtaHvBXbuIPuAKjG
                r83BonSobQBEuBLJwG3o65Py5sP9UzFe2vc4iBBg5duRP433H8Q193fruNwQTJ5CXF6_fvHgeXEneRPP0Th7XWMRHhT6eVjKDk1I
                p1iuR1UvI8eoCrzAMVGAya0eBUOUGJml2TIOUn7l5yECOwVhgoqR8MCrTTa5ppYbcu5pLhgWzkNwZyGf0OgTnduFHJX-pIaLhJ0C
                cUNuDUSHFi7QoqLyPoJrAE4xuXUr2M6ZGaSF0bSGhk3AiaQGmkslc3SEzoAQpBGx4lqwdAqwTMyezk7I1p-
                EgfQuqGLv3Vt09Grr3aJBEbQrXjvmg8cjvgaDe2e4ICjb7kcAv8mnSvW9DDABylzAdeP7u5BxrT-SZciY8I-
                Q1YkMbiOdw8Hpuui4jo0Hvw9ABnooxOdrXz8eYeqI-
                q4xvhV3TMhE_SKNzvPynfdSjUmyzcAhrSBdh40YevtpMzTJ2CKjJuOq4P9Td7yu9UkbGmPIgmr3eN3Z6sVnou2qUauHKmNlJGNhP
                7U0VEIO20kz7q_PtaQDWyeLM9S_wg7xwUFLmdNkwEg0DnpSt44XhNT9mwVs__-sRhuhXMCVo6G91luZxcwkaeEXXJKcqgNDsnBho
                ATVMSeb7-
                fcknS6fNX32Q_101_AHXYmY_kLDkMLwya3HpsUe_VIryV3E6BnAbeOhWRqvPkza6YcUAu8GQcFAi7Nxn50lFxhU2UwkKXh2OHTqY
                qaqlW9-
                873BBn_hxhcDGdahxRxgbffux6kT6O4ws52fkZ3zlSPf_9JCviDCtxVdDAeVb1pbjQUk_tYCJvRsFnWurufa6U8gZSdCRxxYKb-R
                lZaVWqUVxix_FqiqwAl4zQmFp0ePmPgtMRugUuaauXFnS8v4-
                qW5Yh_c_N30k9vBvM83KmftD4Fwb_NLINdTZRB7P4JrpOLNba4TTyCgf-QoIYMKczs09YjcO9-qoFxQy7hlI0GBKUKzpXXvWOh-
                rt0rgluLpi_t-9B9_gEISenc3XuOkSLRVJnM7RbKW69G46aRzFfO_baJG7eGg2nnXPc4W_kvuaRUce4pAAA
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
                  pageHead, errorLine, doneLine, softLine, buttonRow, column, cardGrid, descriptions, progressBar,
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
                  const bar = progressBar(id);
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
                H4sIAAAAAAACA51Z23LcuBF991fAFWUJOhRlOW9yaV2Ovd5c7GjLctU-qKYsaIjRMOaQXF4sT81OVf4hf5gvyelugAQ5Iz9ka8sa
                Ao0G0JfTF5ydqavSqo1tW3NvL1TetapuqvsGAwl_VX23rDAvX41d5nVuyw7fpsx4zCy7vCrb9Em-
                qaumU7snStkiUUvTZInqzF1h3Z-P1UOi-jozHf0Ei9Z2n-
                y3LlFlv7mzTaKyvjHEDQvyDZa1a9PgjzvEP_ISHJdVX3Y2o8nq4boDswQ71jj_X63BsG2aqnmfl1iXVaWVX2216uTXXd91VclHWV
                ZFvynlpD83OdZmtl02ec0XSgZJ_MU0yZO9WjXVRkXpWVZt0n-
                10cvhwsrUOXEpcOu6Kopf8279E52Cr4jDlkurxvWgnq1f4ppdQMHfM5rMfs2Xtn1vV5CXU9hrEX2w0k2ceqVMeYzqe4MrH1k2Esx
                W1muIMtyIB2ZEXWOW9l3VbAI6HhO6J2fPnqlPa6uqJrONqlaqow9nYCov-ZstJVXPzp4scYFOXX18-
                9NHdaluotqWWV7eR4mKMlvkX21jM_pYmbyQX2XVnZLAo0WwW222RWWyFtxN58Wo7i3EeLdVhSnve1w9JdotLEaBCSmkvGezoTNtF
                awQwjOZqqBKPtyqL1nEMCJScEcC1aau4Sdkmvl9aYqYfUGuQcZa4hpiczp-
                Ocx08ABM2EJHdWNxDdhDYdr2QkXu6BH7D4zffsPgc7qpaXJzWpg7W0QYeiNnUKZVf7---mek9gH_h3VVWLdBZjsIq-
                VN1nmW2fICWuthnQnPt_1mY5otzWPkgG-c8GkD5pu8baETf_7J6cnnMNBge_qCp_ZtRDtFEXOAH-jIiY8XsvicKX7OM8BRRuQ7di
                o5qBctbphCM6XWK8BBFqvLH1nYSgSdNrYuYHhv1nmRNSBL01RMWHQki_gUyqOQ7hiK6KJp2zW4Vb7aCnsCKHLuF34JyzQVCeLuK1
                O0lmZwWg3UgAVv5EgqXyn9VM6cmjv4icVh_Y5OeiNKDIvjl06Hje36pmSI0tFroK24Il8TPkOC4xsncqbEawSL96MPlIY8jBD7qy
                l6_HTOtwJO8Ifxcld3ts0zO4kEqXrHdA_ANbgriJkLe0UBPCIfnjoF871aaVF66AeMBxCZzKT8WYMRrOyHH9iIllVmnQEeEqVtXe
                Sdjk6j-OZ8ERjinb035cgXAs0-w91fvfIjZgkekD5Gx1Vyf4ALa_Umes8eNWzMDrZIMHENfrYZZ1r-
                JvYEOupLCRVETPmJDkseS38XiWP8us9yUvDIwbgR9eqRW3uCWMF7jCpynBeacgAWjazdxSIJmvrwvvFAe71c26wXtJxLarLajdLe
                ZPoDg3d5mbfrcP3KjRzyCGYO-Hyqqi-P8fBJwBE-
                6lQUfcDvFxPKtjYs11ss2FQQ28lOEgwdzMf7s_aWRFtW6o6cfJToR7u0CC_BJRs3AqYu_dCzGaAa_6y76OBwV4hcIbeKvw95yfhj
                nBYBHLDdQjBFh0vpm0QccsGYI7759PKSl5JXjSO4poU4sflkmAE5gAtCG_b2ESQIX_Ll2kVCBleKhsWWEI5jZJavVraZ4gAQr5fQ
                GGIAm7ILSMUkZPBWPnwVFuG6MRw2o4hGBr6SRE7gxTPnLbFihuM3M6-a-
                vjMr48hT3IESETB6ogZz91rYpoHZjWzjIWLMhQ73HWgJBZF7CxACLx0mEiGSLbHol-
                Y2eoZPEtU24_mtUMSlCFou6hD3KEmYh37BF7tH7EYa2AlLqmTosGnXL5g4KR-aic-CXzMVDgp1NGVI4sIaN0HZUN_eOtAkX5fE3v
                6FYXxgQUCTprOx37CiWXKWRVEEZQYTJK6gTjgsUQK2E2Z-LpGSwS5ZnubMqAzRe4fNvn8a2jzt3emAUA9uv_-Fu4gN5mb_y6ozrq
                q46xo4guFae4tC_CD6dbpxnzT54mCNfh1GKr1eBve2KnLpzoufeXMhSJlsHqR0rDWFdVVFUCgYS4sahqMAdfuQyZ__13I_B6Ypyr
                C7ygbjgWiZmO-q7Jt4g6QqNlhB0MT3WC-ocpuINp5D3UZF2bTpS2KFtmDLzv1sWsfW_Ji4SrSyQon-
                3EhLfitt8322hZ22VWNjlIoOYoBR1ukjQ95Bj-5VLcnu1AtIU91NujumTp__jze__FW2O-
                _76uBh7DwaO4xn62rvOyGVHDZN1_BphsnuF6i79ZiqlFrlAFfAH1S-
                jMhskPK3AhHZh4tPAaMSSRFmlRE_YZc6Uvu0ncPgd40fXQbdPmoizA8Mh8WEeAv62F0mvUSGIP4yJ_UVHvPQ5SQm4uZ84mBNEfSE
                BjyW7oyKDTEi6vooCb1I64w9Z9DdRovOJZzacCbpIUt7zscUvZP-
                7Jd56tuCFrfzWZxA_l_ERYMwuk7UR0WKfAsZY9XKZvBvDafqdaVBQzWeRbqlLDsMuyb0PzxUncS9yGExtRSHP733_-
                JQtDlA11Kj0RHDunFONcGU6Ycw01Fdko5KEUINoYd1z4X05YBx_zJmNSZjnRoKHg6NwCiKU9o9HMr1asnpWqAh9R-QSyhr-UXm_n
                qFb6eb_rNz6b-
                kBfwUItLZpDA30oyr247qdzBi0sl17uipkEYBSj6M0IdS4Moj8mCOotN_zTsIvllgivQXCoJ4WzNK8fqbDp8oc7D-
                NBIYPR5DX0h_04OMm-aGTLvKOTAheTIwW4MBFLef960ntO8Lghp4j0zOGTrAfVynmw7cIiEIDraC7gdjs8ywCZwDBxEeO6VPtm5e
                EDTyURC8T4-2dF19yc7Otr-dkDuiQbfkH3rnfI46Z1nHssHaDpAVr9iErClzn9NItWc40hoFnw5jPo3TOMTT_a51GUZnpN-
                Hifch3Q-czHsoc8xIz4SDL7AoHeQYPjPsbNxpc7OGJcYFXCZbUs1RmEZenw7Im-VMKAKmFrVVUMNRGgbInqo-
                iLDEFDggfAAxPDC6gG4lk7USZ40CsrBrfpRnROSPz0EeBfJUd1Te5ylJontCndXzmsfP20aOQYXxIBqpI5Odp-
                XZK5DIjwJn1xZcTS4CIPuF2vr1is_L7ETJLBN3N4m3NlvqhDiopZLFlh8XmAvRAVs0kD10UH-
                wKvCHOIXJyagGgcJ8QWxCaJjtSKr4IU0eaG0xFf8Tukf1zdMgnxOm7J9oBzQZ2QDeslEOkEjFbiGW-jSH-IpaczgRdT_0gQF3Cqk
                W_ouYSLdWZjXPoxSN65PuyBvInofjTFOhbFblNInlcf4G08GeWjEaX5xoLjmXx7C9i69QWDOP0WEU6J3iYdtbcow7A0wcHkQb0ei
                oXd-OaugRhJfDgeVuK-tReJK-gTBCveocDl7ZdCuQUv97Y3ZUkfsYpAKBqSzSoYnKQ9z96bhsQrMnfuTwkiYINf-
                8UbffnDmfLLLs_2tcLHJKKGD_jIFbtJP8LCj_eMHGSsSejFDVo48CR2tw6LuoWJu_jVID3AhRj8kQ5JTOzt1_XwWryP83ouAP830
                JeaATIjEHX9dU28lg69L3FGEZjE9YMCxX_lOIz27aKeNeS9dGulc5lPbvd2WyzEGQVia0hkIkAstbvD7XrqDTye7yEfJrtkOfuyM
                hp2U7OzBAG7oLcxxPdrW5yKU9htiwbiZaGh4Z2AwoCrxsNtO_8l-9EqixwJMkE3O5HADR-qA32N3fl4Zujse6cRPuXpnERDdHwpU
                zjLtSU2lww8fTiD_x8OHy1S8907w8-
                XwBsIvo9r5j68j6MutXwGytMMaen1EZnPDVpwEXQXnSYuYadJp2034DF4yxfkhF2F4aAEPU9-
                mgIXsKTjX_gIDAzdapuN9OmZN05dV7RHe6Y2kLk1M-42fIzO7Mn3Bz5J5xy9QHwaJk3woivwPVdu5M_8eAAA
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
                  const parameter = (name) => parameters.get(name) ?? '';
                  const filters = {
                    state: select(STATES, parameter('state')),
                    type: select(TYPES, parameter('type')),
                    label: el('input', { value: parameter('label'), maxlength: '100', 'data-search': true, spellcheck: 'false' }),
                    sender: el('input', { value: parameter('sender'), maxlength: '255', spellcheck: 'false' }),
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
                H4sIAAAAAAACA7VZ224juRF991dwMQOwe6anLS8wD5HjMZxZZ7PAXAzLg00gCDbVTVm97lualDWKV0D-IX-
                YL0lV8dJsSZ5NgM2LLZLFYl1PFdnHx-
                yjVErcS8WaBRM1E207ZouiU5rppWRNDSurOpcdW4tNgnNAw8oC1teFXgJpqWWn0qOiaptOs6cjxmSZsEx0OZCLeSntv-
                tmnSB5-UEo_V6WpUrYqs2FxhX4raS-kV91wupVNZddwvJVJ3TR1LC_qCTulWWOdKXMgGy-
                0hoX1VJ0MoFj1bJZTzTwS1gLGv1FCqDOlo2S9UXbJkx2XdN9KGrp9pJEsmr1xsxWxhQXed7BLz-GxQdg2TX3OP0n0SVHW7bomorx
                9DhvqvQXxU-9_qB5Cfq3Df6Fo7WsM8n6DaItzIajrKnBijd_u7qcsDM2nXKeMC7qDdObVvIZDkrZaZydi-
                zhvmvAETgqm4wMg78fm6LF_1lTtWXRz4OhJYj8WIDrcFzlFUcj8bJ4lCLTxWOhN7jQrtRSN1qUDzhaF_m91MpwrHXXlIrPTo-OX7
                1i6CUKErJuyl4dWw2uP_88ub26vL69uvjxEjR5OzIbPl5OJjAzYUuhWN3YUEEWqKAamwASNMLIKhSrUP3KRST4lXXgRSY0klEQfL
                z4608fv3y8vb68-GFCcwqXq0bpQyIhGYj0_QhkMktDBiCtW5jcXNzsekJhOJEr1qLQRX2PC-DU3P5sxUpJ8onKljJflWawKOpCwR
                hNR6a4gVSymZIwsAamljBhRvaAIRqVLAWDCojqnKZNMhi7W8Mw3bCmlTXpu1jVGfrcsv9z01VRKzpRSXMYepGyqsEkKDcxZajR2N
                OB0lENP2N29q6fVSmEgp0_P2ccYtbttLrAPuTGjJ3GNjUjY8mk5xRxY8g4TogcPe6pKQEGxBT_jrYUc1mOAVMiXtTtCtPhiT2Kcg
                Ucgj1ExmNIWvG1lPW9Xo4ZPxmN0B2AMeKNkqLLlnzMdLeCOFItIBD4LHsAuoUoleRsa49EB8vut880dLuHfv_2Lf8W_21vRuvQT8
                bHZ8MDSRQaVU0OB3MIBdkVGUdbaRCghrnp6M0fZq9xqhSZXDYlCc5N1FAUd4V4Y4wD858hbCisXChRClLquS0oYYwi-sgSGDdRbC
                UykhtYBZFruWZfrj9MyLpXaBsV0XZg0HQsMuRTjCJAdlBkhrH8ef4LuD4FdOwKqSIbTnHMigVEIlClZO3YnpMqG4iGhV00p4Dsuu
                k2aSfJBFQAonqF6ItpfPfi2OHJyyfHrfiHZOfs7tzNbO8YGIdv7yxPmytGka13F_xZzatCY7rIRxCe8sWYhcZp29H_H-RCrErtDI
                FKDVzttHNAnkLeL4HrsABFNndTgdXrEAPDXkJwOSedDgMMrWXjCrxRURxnpVAKgxLLKSK9Uwt_ZUtR30OwETu2tUU34mRWnvhyT_
                ls08WS3GDW9hSYxLHf_wEjkM3lfVErCrqAkqKzJ52YrArOoonhYbZr4Tt2ickAndSrrraOQROEqBOR00IpjTENzQ5YQ2oI0wgp2T
                1CjqJdIGIJepG-k39fSaUh8LXPEGf8J1vZ0jRtgAVw24IvLOfTASnENyztZIXZFKdmRxRNEwMHM9KAfg7iwCtu-WDHcWl5wQFpJV
                pgYtIoYBTOGH6z2HLcWrzamip2DbVY2fqPWVyFraNVtjG1qgTILrTyJKagrUEhacoaxDU2lzYkyJ5Cbeqshx2s_FewN1oLSANsJu
                kAVdzXogzLWFmYnMR1SOth7R8P2xPUqwRjL7CXwlo_czNzCRmCyWKOS82YgBBxDEky2IQHjU7tzz-
                yyB467CrG7CR2NK_PYDDATlGrNcG9wKaC-
                sWIO0NRikLEOKVJucRJt8VVbC19GSNrWMT2B5QlcqdjUsfYuB9avyX6OpdfyfkRHWZm4Yfdk0stilKdp1OinAF_j-nGbvQ_heMAw
                CI4zwcpsiLO35Flfv2V4UyKXeYtzZydGU85jt7u9myMjB42zTmmtrJ3Q1_2-eYS3og1ttIp6IdlNEp2diUUfGM2gcyo780J02EP-
                4adzJzhbos8NpBqSsEBuVClIQNQ2-
                kFa3zEYzaHeH5w9WQosJPIOdknHCIR3Z3CbBu2fXb2BqlcwRgmh6LcoHUHmxhl0wBDPbwbnKYZh8L8Istkq01jazGeX9nLEP5-
                8YN8BEMrbhAUx3jH6MyOF58azXI_M4v74pSBRbSkYuqCxl0Uo2lw96JlLILYhQ5qIi0Efkqo0qlW1NyWC6KgAoM-4f_-57-
                43WaqSjCLdwl7lNX4Vug42YnfwUUw2hPAmoA0N39mw2bK3Hijjq6epLbtoN3lFZfSDK_H05OZk5WqrYlBXIaa020m1D430Ic6iXh
                s8BsrPm6jax2AEw1Q3ZwdhysAUyFseC-5_cEERDG-
                AsDFBkbnxmQ2-cbs7uWT6R6j4bZ4y6KXT3Q_31lJAjHibXwXirEA6OllcKNDAsDR4bmG1AFV-
                NBgzD0Nic3RCQtEMvtn8W6S-jZiTNmU9h1F3om1gYIeizxJuizynHrkPbAYuYLdv39EtG_e5JvEgUKfFjthltjUce8nh6s1gge-
                wth67PFjHFTw4V1zLTZ4t6R3H7xI0OvPEG6AkcOQw9fMJ1uS7HMLVI4AjLAH9S3Q81dVzIVPcg19VYAW9E6DUeHeayL-
                qfH3mEpouGyplAc7LPQdRMieymh6Zp-EIv65NLiHQtDvgLYmoQJiIyXfExm7BbqO4BV5Cvjv2wxqfKgknB6FuNAz8H3kPgNg0Yi8
                v5YMdpOwO5sJt6Laaby7f6fjMovu5glV7rsAbWOXD_adLiL_AsS9XzYNXkDoogghQ_FTyoW2znDGMx0NPhmYR8YBkpvSN7ZiT630
                NmWwHFN7gvGTDltuW5l1t9npvinEXY-110sSJ8TzKPYtpUvKXQW5X7HOo_evvk-
                xOECzBgxsPkL6QVSyCPAZYq_qMQJtaw5NxbzpQCJn3WdkcO-
                InpUXSS8B25id7ruUQXTswxQFfZoXCpMip2s8anZmA9PoisEY0gydgsS2fFBKPgN37xzYeY2QOBkciHh-KJd9gYHV2uFVf-ugu9k
                abxRl0zxIeiZ0e5mNSkoKBDUkAYt0eKfygUmYG1hnrz0zqI8oGvGLAEO5jSAqBcyq1BeH_n05MmZMjMVjCDZMsmdQeqCdHWNOkaL
                4GBo8xFtrr5dQs5AQVvERB-
                x0sD9UX3Drz2Lz3_eI_Wm73eIHUe93gZfYX9Cva9tLvriBjoqQwLeGP9VsURb3Sz1oBO0rhTHzweO9aWnXsLriRej_3FSaJrK2Vf
                -bDeCw-Xu-A0R59prA37W3G4XgayjOdls1moY2DYJtuGA7s53-
                jci_1buhs52EHfrh3H_FiQLGgOjB8U5w2vCKnYxGoxiTHlu855s5K8uOQsgj3h6ru4RkSQYNYlHfmuiLZwdKKOTGlD58BS82s51X
                T_sAYBYdxJ0HQgxXXsPVfzv4nkEPjSce6grFvfkoAlEK4EYHbfsUSN1nOnATyRjE3HbMnJPMkrWMGVg3pXf7GturSN2sh1q6Oz4s
                pPZbx_713qcPYnjYJpz6dvm3G-Dfp_2F_fHhF4OYvPoNbHcsLCAP-qmoEkVN7y1Bj-qaW6vxsL01He9Z_6ExCkBuZQG470j3Mbmn
                tk84_3u3HSBhU7VYAnv3VP1RBuroCwaPEUbg3izo7WnZyQXE6Itju5_joxN_b5n5j1A8pttXWeKBaCnkCNwi9-
                l18Njgv8J6VcMaaU_C6mj7HWcsW07xgcmjPz5_RU5tXMGKSivo_lBX_goBuJnT2y19DMmrouax75EHnKgXNq_D_nibIuFDHd7FIV
                aLjJ7qnn-Qi23EQVjJr_RpODdfBfBduNAlftEJLIQRh1H4H-mgURqSHwAA
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
                function traceSentence(trace) {
                  const notFixed = 'Its part of the audience is not fixed yet.';
                  if (trace.addressing === 'no-recipient') return 'It is not a recipient: nothing puts it into the audience.';
                  if (trace.addressing === 'would-be-no-recipient') return `${notFixed} Now it would not be a recipient.`;
                  if (trace.outcome) return outcomeSentence(trace.outcome, trace.attempts ?? []);
                  if (trace.addressing === 'would-be-recipient') return `${notFixed} Now it would be a recipient.`;
                  if (!trace.next_attempt_at) return 'It waits.';
                  return `It waits. The next attempt may begin at ${timeText(trace.next_attempt_at)}.`;
                }

                /** One reason for which the device is in the audience, as a text. */
                function sourceText(each) {
                  if (each.kind === 'device') return 'the message names the device';
                  if (each.kind === 'all') return 'every device of the app';
                  if (each.kind === 'term') return each.name;
                  return `${each.kind} ${each.name}${each.through ? ` through ${each.through}` : ''}`;
                }

                function factsOf(trace) {
                  const facts = [];
                  if (trace.sources?.length) facts.push(['In the audience by', trace.sources.map(sourceText).join('; ')]);
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

                /**
                 * A form that asks for a message and a device. `known` has the `app`, `message` and `device` that it need not ask for,
                 * and a message, `suggested`, that is explained at once.
                 */
                export function traceForm(context, known) {
                  const message = el('input', {
                    inputmode: 'numeric', required: true, value: known.message ?? known.suggested ?? '',
                  });
                  const target = el('input', {
                    required: true, value: known.device ?? '', spellcheck: 'false', placeholder: 'id or token',
                  });
                  const result = el('div', { role: 'status', class: 'column' });

                  async function explain() {
                    const body = { app: known.app ?? context.app, message_id: message.value.trim(), device: deviceOf(target.value) };
                    try {
                      const trace = await call('trace', body);
                      result.replaceChildren(el('p', { class: 'notice' }, el('strong', {}, traceSentence(trace))),
                        factList(factsOf(trace)), trace.attempts?.length ? attemptTable(trace.attempts) : '');
                    } catch (problem) {
                      result.replaceChildren(el('p', { class: 'error' }, sentence(problem)));
                    }
                  }
                  const onsubmit = (event) => {
                    event.preventDefault();
                    explain();
                  };
                  const form = el('form', { class: 'fields', onsubmit }, known.message ? null : field('Message', message),
                    known.device ? null : field('Device', target), buttonRow(el('button', { type: 'submit' }, 'Explain')));
                  if (known.suggested) explain();
                  return fieldGroup(wide(form), wide(result));
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA5VY_W7cNhL_30_BoL5KCrTaOEWL6xo-I3CSokA-gNhA_3BdL1firlhLpCpS3iy2Otw79A3vSW5mSGqlPafXCxCv
                RM73_GY41HzOfip3TCvBCvEoc_iRBdMt_Sht2UZY2q2FMXwjFuzm06urN0wqttVtYbITWTe6tWzPRJWytRRVkTIra-H-
                3ojPFp74qhL-55PepmzVWasVPa55bt9JYz3zD63umpRtZSFYz9atrlmUzQtdZ7-
                a6PygLecV6DNCWaHyMSlvpCM9mT9_zl4Ft7hhrfitE8YapngtmLQLxhVz3nJm9YNQGXs-PxGfScW6U7mVWnkBH9exBV8Stj9hLNf
                KWJZXAgRcMFzPbCvrODmHzfkctJI4ptfs7dV7Jg0qACqnEXjBeE7CJUSLg7xKK3hQBat1K1he8hbCIlrDbAks3Jlc8x0r-
                aPIQItcs3j-y-3P29nd_uXLfgFPi-xv_4S3v79IX37zsj-dZxa8jcnKJAHvbdcqiNyDVMWCReu8jlJn58K70qP5ng5kv5h9z2fru
                _3Zd-m3Zy9AoBxLZF9_zZ7Nf_m52J-lZ98dqWOXoGgsO7P6nd6K9oobESeQLr9-
                ftK7RCEKeUAZ20K6EH2FqOSjaAVEaQUo7Wyua3HO1piyqmLalqINyxgrwZpWPwJ2Wgw6vreCG-
                0S67L26c2r648friFvmMm6swKjcVMOBUBw2CAMMX_SoiQiy6IUOH7rIDfKSkV8PwKcXK5LXrCVEIiXvOJgMjzQEhgrHGuk9Kziat
                OBixEwf9BspYsdAB-k4P-
                w6ck1uD5bdQXUYOR1GVkB5FnTmRIcBvtsCeaVugOjATidAb1d4_gByLIdvMNqZJWswSFiG0oaLDes4cYED3MOFVVVA-
                c4KcPexLFKrC0ZSLLwjRTwrpBUnY6W1nxGd46xU63YQPGL1kcTg42JPyz7WGxbrTYzxG7kzcIYMLtrQKYWjgsCSUqQzCXPZ-cQ_x
                xEQgQlr7wcsIt0QuywPbEDAcEMRfCmodoU6lGCGTVse4EbqMZZ1wSTuLWiboADwQAiuTKAeaxhC8wFJhkZe9-
                cbgifpqusQ3RAINFjJKEmPbgJwENL8ovXvvvF_j0dDBi3qYrDn4th6zY8ZICkjS3ZjJ3dnfuO4gWxi4sLFg3FFzlxQWCtMQIgkiR
                fsiXIZqf70O5jXM64TfolVHkUnROrbyvL10HoYlqu5G6eiwYKDcJ0unda-
                gw6g6AyJ_ISzyJTQitBqnQqY8CB4btsiXr7IQqtWEOCK7B6eXOsl_a8WjT-MnNdA31bMLfml7xPvRMfnPowblXI4eMI1p_ufcO59
                Wt37PIyWNMvh_5H8HFwwUgMJ9s08RaOhUPa6W2cavD9rfwMnly4btHwdqj2oRhlqBUk3AlAZMg-yct4UQAojVQbBwMomlbksgFuG
                w3nyKhWORv2F7hQImvTUU-
                D087qif7_pW6ru6qYrcTsab3L033wsmcf9BZ1EAuZshJja1ySDqp8BgZZx2U0oUqZty_UNKTt9i75i8b_X5Z_yepnTomCorr3ZsD
                vJAVbDg3KhTSoGVYJU8gcap8GiBV0VnVUsU_rIZB7eH5U4SilVrUtZV76fk4tC6AAUsd5Th2OaTiaYNjAYZU7vYLnpcMvuotvGbV
                u335Q8ghx4zML5yEzMmAA1ZEQmBJGEgSePMM57-
                uiab7EDOdPfeCmTdQ7DvbpfuDpmX9Bmt4_2xIGiU1JXTI8T7dCR3GxHqKEY7HBofO4xmkDCvz2bgpFF1Zz6dt64ggzPCXj2-
                hHdXQi76IAcM-Y1byJD7lJsl-1VHF0zqLkGPU0Dd3TiPQlfe-
                RxE1R2CS2g7Yxr1eRPqFiXfGNyaTKq64QJo6ILUqe0OKlR2MwWiOqdeRkhkPQTVY4rj-
                pAM6BGQ5jEc6ujmTggcr34tccDusIE6bwIMLBjcAzsepd4PMTCIlNBxOOXXUj3b2b8-5peHoG6OsUqMMp88jn68kEiOQg-
                xquH2rzRYE-vB60JG6KNl_1NzgBxU8OEZKGCLrBxdErTwGab6Mb6CKYgGvLbYdL0SdqFPj01ZVWSpAOnw4UlGFEMig8mIniLBtaL
                EHQN4WLfwzXxfgWG5UrTmhLg7e0YEgr-_13TIk_QaMkpZmDCHzXQoJ__-sPMGr5lS_AfLCtX94lyThEZKXShQgN8IThXRJaX-
                2mM24ejB_aQkvCCTGMcBlbPgAu1ZLmC8TOEtxdgnJPvSTypaNeOplwHigh3EEG8lF8inqdYM8IIky32cBVSxTL1DManPUrjmjBzq
                7xmD156i5LAHkLXsTgvKW7Odk5TnXw5wJu9HEkFZzkEDU3ANJbDXHBCuhq0coc9vBi7W4atu3AwkdedUBBkrMgDorILQzmU13RHN
                2PKtXyFr85PKX9T_X42ncymWnglpKXIn_Aqy6vDEIUQpSLUlcw98Gqu_nT9eC_jPBTuTOikI9oAmt1hX6bgHO45hkDC3B772oVkQ
                CQwM1O5YeQ-
                8zE0xma7n1wBcXjJ3iA1www32cGX9OQjHsJTvvnjNz2HxxSD7jF6DMFBdBRJe5OzyBgO69_iDNCAe8FOCzQ55Q4ojXwDK1Lzj25i
                wXUEYXvqpQVzDwqxsg0FJcQB8AtnsSsTylsxuKVDSn69MnBNfFliv_CV6B4eu4lx1NYOG6gSU961pQqoSPVe9CDcxamlRhmfiCtk
                yEQf9kz0ba6JcfCWD4IS4KWyW0D_nQrvGpfwFDxCDzU0Jxees-aln5fuyMl9lIGsNDl5YBHajwOjfg4MY4-
                myEeB6V9elx7THVVBUEh2jh679ajAV8-E9NKOmJ67Qat1FdoMvqKRyFzb2Qa3sqxUsgcilv0xnkW-
                YDh8XfUDpKp9-GwGj4KxvhNMEb3E_d9MHb5Q4H9yX8AQbXwrMkUAAA
                """#),
    ]
}
