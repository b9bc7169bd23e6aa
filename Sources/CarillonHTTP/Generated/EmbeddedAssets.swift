// Long: Tools/support/embed.py writes this file. Do not edit it.
// swift-format-ignore-file

/// The files of `Assets`.
enum EmbeddedAssets {
    /// The first 16 digits of the SHA-256 of all files.
    static let hash = "211c3bd0b380371d"
    static let all: [EmbeddedAsset] = [
        EmbeddedAsset(
            name: "alarms.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // What is wrong now, of what the server knows.
                import { number, duration, timeText } from './dom.js';

                /** A node is silent if it was not heard of for so long: three renewals of its lease. */
                export const SILENT = 3000;

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
                    if (pool.stopped) {
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
                  if (used > 0.92) {
                    found.push(['bad', 'The database is full',
                      'Messages and registrations are refused. Raise data.limitMebibytes.']);
                  } else if (used > 0.75) {
                    found.push(['mild', 'The database fills',
                      `${Math.round(used * 100)} % of data.limitMebibytes are used; at 85 % messages are refused.`]);
                  }
                  if (now.reader_age > 10000) {
                    found.push(['mild', 'A read of the database is old',
                      `It keeps pages from reuse since ${number(now.reader_age)} commits.`]);
                  }
                  return found;
                }

                function certificateAlarms(now, credentials) {
                  return credentials.flatMap((each) => {
                    const days = each.not_after ? (each.not_after - now.at) / DAY : Infinity;
                    if (days >= 14) return [];
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
                H4sIAAAAAAACA31XbW_bNhD-nl9xA7LKzjzZ2dqtc-YYwboBAZZ0aAMUQxDEtEXZbCTSI6m4gav_vrsjpciJ0y-
                xeCSPz90995LhED6thAflYGONXoI2mwGYHDYk9SsJTtp7aeEON1x6oMq1sR62oKtyLu0AssoKr4wegFelvJJfPNSQW1NCkg4zU6a
                fXXJycDA8OoIzVJ5JesqpQmp8NAflYSMcbnhYSWEzejo3FpyBAuGMEYKVEqzUciMKR9vKOyikcDKFo-
                GB_MKAFkY7Dx_P__7z8gom8PNoNMJXg_Td2b8oevvL69EoiPNKLwgz4zkrhC1djz5dH7YHEHVFjBM-5NJcFV7aXk-KxaoPk1Ogj1
                S520LdS3j1Kqz50kLelg5OI5r-
                Caq00ldWR51pKdY9fpAVXSdzkSUDmF2Sdw63tJHSn_rRVbMBKgGYnb_grsNtEwfW28HRr1N4j3G0DpYG0OaN8iv2YSmdE0uJgV9J
                TYHA19Cbysosnd0g7LrjKW_upI6uEvwTfBUNC6JgWOuh1rALoR-CBg7g4ZZ9JdbrGoSVsBBFITPAw9CLe1LfK6RjiabX_Wh88s4A
                3nH45lI5DAY4obO5-dKoRsesrcmqReAjuoVtFegttB_mlc4KpF_GW2gssfsvNHeOXKKbn-XCN6enkPCjP0ByaSCT92rBzP2vElZo
                rzQCJscTf1fobFSGu4Vw3qVJdB5x_tPqAQSsjSlgxYEjdmkZITqFQWL_D_DhrI2EtwrjIpZCaSZ5GwZTeQwZZVkvfA4gF6qorAzh
                wIzqfRd2-k1s4oHUYs4YfdISXFOuTqLKlFa3wntZrukXpjAbhCNRiGFrMry3_06_nsEYkqRD-
                NnhNp5diAq9_PUrJJWmWqKTeowqd8EhVz-yS56_NZdLofkRzBCU1-
                lsl6Hk4zaXNzvsxHVK25jFhfAXRFJaMkm3HObgkdwgRdAl1zcnHakWpUQhmkKX0gXmB9JSiaIeRlGXrbPuVeXe5_9Q7CfwmBYtmm
                umOn3ewGQyYQu6t6Nv6DLdiUsH0yki7GNF0lmveaEfLlL8GZLzZr2WWT_aB8G2dF25Va_NyytMgEdzqPSgqVx1rMwxXFnMPM6-
                852SIZRP4Q9jLecMZiXWeW4CxGArC4PJ_Ng9QkqQmrqFGc2ZppW25AgxL-
                S34V52k2fcwEWadrKCPRXWLzjqMWOeY2LXYccx3r8IplRF6zwsGvcqk1xN5pV76IKanXkojaO8Cb3yifYaqwr1Dkr1oeNiQthnu6
                iaHCYEJK-f1OVMeEH16ynz9xE6yCiu3NU2aaFK5W_nD558FUjW6IvSH_lcji04CPowfHZzDKOTWHpY9ymM0t9-
                ary3J5AJua55iFyXV0WRNFRLLhqSUUUMtT60NsfdIlIzhQ9CuaAnwLmQc8WIGrbVIAt6oAvs1zd7gcWg7iLDll-
                4Fhfm_4Xwq9TSvaDwCI5HIwzk99TV9gBhvHTyBIsovH2DB9sM6poSY15HL5KDMSWQV7d4FGEf09zyTdxnQBcIhn_iW0MHGhNwfLi
                TElvomjHwmGYlFWYXy26k6i4ENHFhSrTMdaHuUrNLyoW0XuVqIXyHl4NOqdkdHjryxwLdlstugc7Eg0Puct3EPn0rchoDpqG4diS
                BttgskK40_Y3hXGMVUP7hsUyyrtMJHL9uO-
                Vu3Zc6o8f43O8wwmcSauFxREpQ6Sx8O1AaIjvywhjLuinB8Sf2g-aF6646SgfqmN2S0vFdMyh1Og6JEBbVl-QDzcQ4LQxivUXa33
                RKBE0fpDCMZjQcFZhJPIDdYUGkeR3LECeZx8rJpRs2xlLZUPg3hZmTHiedpZsRkTQmaTvryAcmMM2h3My7o3hLg_Dy-zxEfwuNug
                GNelc8sw3CdI2Y91WtNE2fTegDQGl3Gm11ha0nYwDL9hTJkBK49wJXG6zTjvebhtIppjgL3lF_viaX3jBfe_TJ_TzEd4qxHsNx99
                -AkMIOndXrFTKnCKrlyvN10sjCPrKYF2GPg_o_KM3ogK4NAAA
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
                H4sIAAAAAAACA41YXW_bxhJ916-
                YAEFJpjRtF_fJgmsEvQFuijYOHAP3oS2gNbmSNqa4LJe0Y6j87z2zs_yQ7AQJEFjanZ2PM3NmZ3V6Sjf670671lFrqd1qcrp50E1
                KqiqotmWJja1qybW2psetKbWXqtVGk3G0NUWhq2xhdrVtWtrjeHurv7TU07qxO4qy08Luss8uWi4W-
                osXykvlHOyuO6cLgrCuCkfvmsY2tF8Q5bZybdPlrW1i16q2cylp3k38NpHrat3EfinbaefYl3_-
                EZkst4VOll7OK4JPvAQV67XO25TWRpdFSqbVuxRbZberUirNzrDTl6JFzl_ffcaJDN6aTRW3WwNHEGFw6fu1end6_D9984ZugV7D
                sauSlCMFxCogkEPXo2m3wBho3-lc7TTZtQe7kRRl9OYUSja6Hc_EAyQSqjiDINjXbPh2eUlRV91X9rGK6Ioiet9y6irbkl-ESQ0z
                DZxHEdj7oCaL6IKiaA4lBBs9qPcRQ9-
                K4tf7aaUPXxgJb7urCr02lWbZiHWuBCaaCfarPlnNzDW67ZqKVkEkJBmqvQd99novPvYrgbZfLIKHqs0h4uDknkq72ejiumsZpp7
                TUlU4ZGzlF6hfDiW57iq_LufjLYq_hBZIHRXBoD-lUWYJ-wvO7O_qXnNCQ7qQxNI-0qmqzWlG_-fcrphQK8a5sDpkQOs68A4W4IE
                qzYP2qQ6-KfdU5ZOHUBfXqt2mdGeLJ46z56pkzfiyVqVDJbGvqK_ebycTq2irVTHAE2EJVdSetE-1jgC-
                quvS5IrNnH52FtXSM7xmTTGrT4bTf0RfTnLVmLK01QnvRH9BYXTuk1eiPFXlHrUnUds8HVSorVm72N-h6mwBux-vP91G6aBdArug
                Xz9df8jQCEy1MeunmBeTITLkstFoPK1BvNDgwJYT25iNGZym4AQsqUcFxNeaM7vy6Xi9ZwR7FGLwRxhKOWeX4oNmw9FLZ6mYkq-
                YTW_vkBjfsKJkLLlsVl4-DaELtdsGZTC2Fe4DLx1Bx5MTAhTjP_ouoWS8FieZ9zJGCV_-
                TLE3sRf1F6HXAZD3H27f3Xx4-xtgDeQB76b2jup1QSt4-XofDEhr61eAok-SIfdh094nAy_ZkaNdOeoJ_5-
                zc_rhB2KIBS7wEHmZITUjpi8Sj1ClH4dL4VBp6u1lPkS6uuKKXi4C596ObAu9sm5sa9F_5wwSRHPlGRJzGqXGpvQzlEys1cM5ioM
                luDgOZWYXmNc39GDWGSqGEyJuGkgobMKr4aK7ChfUeA5pup0ykquK-
                8Edt3sFmIosYpNMJ4MDzYNi7z90uzvcfaVFNJ9wQSKxGS6E9-
                ihcTRxUuUaeAOrn87OzqCGtTyiPUFD1ZXl8jASFmdGyuVyQVJag9UUy7jVY3xEhQ6smFzy61LqB265l91K5UAgBzt1lUkZ9OkC1P
                Vp_cV2FY8knNBpBlHufjaikNooU_k5xX9CvjrQHOCjrTh_ecp04ocVl9GtH3OAbuG1VB5KXycMj9i5pLPlYuy1ObvxkTfiHP1-w-
                EHwR8vSZaW6OV5t0NSs-HDu1LLd9UqoJANqv3f8bq40c6WD3xjrFuOhlrDhQn_cclVYcpCYsSMIx-
                YHlq74hYEZYhSzeNMSaoIOGi-aHDRuy0ueR_nGFitUJLx0Et3SI9xGsVQOElw4DlT8iPGOGzGcSP--tqQIvC16f4nxsPdMx8XOCB
                uwHP9oAGPiNixoH9hK3j8OzpFtlNf4nNU65E7CWgiJct6xwD44Dj8SCMa0xDQQAt6JRFmHixdTPJy4tXgfDLP9Ml5qE0vNoXHDXr
                aCAiNRlVRvHvAh9-MA7tB0ejBOHNnStM-SQZR-RLunizof-
                EVhuGQ__WzWF50bPLrZdABe6lVM2Dr0R-PHLBflkbfG72zD_r73B8VBmhfPOvxPj4Q6icOC_1i5hYLyvKQsWdwPtM5uwV-UUywFU
                Tr1XFbwPzZmvI5dTIeg_l2dV991mCAt4i8GRhahQ7-9eGMGT7Sit2RkmOirJUpO2AgLYaeJ1a8iL9Ss9MgRWEoYPXxiO6x-
                mmc2R9LoHWdz3PgqXBsVWwc9olRw1WgrKk8ZcFZ_kNv6CdCNgYxpu5wT4xPoGOihQz6FXl0cruS1u_RdtziQmo5r3hUoVYwzODhe
                L1e0c5P3RA36I9Ym2fnIC88gfuZzY0BsSrJU0qiD_AN9_NBJzxIrCQ9nnXCb2dnHCwxnNzhbjjsW8fIi8WRZvKejsVVcXLUM2ZfJ
                qiwPOV2RpEbXHuONHPK8bsTgD0hGTuGEozi9RXf_pDB9JFBnr1w012ESVyrHfFb_RsEEAOxTE4DXrayNbMp2Jm_R14c0iM_pIsqM
                F7AOnot-LXwYrj4rsdMSs-eLRf8aOG5g5V949Ux60xpgDXQZjYbT8-FF0fir4-_3zEAxy-
                8A5KjiVhSLljHs5dE40FiiOU0h5TVpta3sNpttjHb5Rr7r-
                bHQ_PJJ5r1oxxu_GFRx12s4VH7MrzTedaKl8vD3yD2Mt9Jo_YvUPFd3Mj4zxC23Npo5wc1L2q43rmZxd7ij2FozByS2sbRn1WUDL
                8UeIe8OAatkXPet0kVNxEvk3ir_DEZ6jH2Oa9Vg1bnN5LhR4V_AfWEcMofEwAA
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

                /** The apps that the user may choose: those of the grants, and those of the settings if the user may see them. */
                async function knownApps({ grants }) {
                  const granted = grants.map((grant) => grant.app);
                  const named = granted.filter((app) => app !== '*');
                  if (!context.may('*', 'observe', 'admin') && !granted.includes('*')) return [...new Set(named)];
                  try {
                    const found = await api('settings');
                    return [...new Set([...named, ...found.apps.map((each) => each.app)])];
                  } catch {
                    // Without the right to it, the user types the app.
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

                /** True for a moment after g: the next key is that of a page. */
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
                EAwCtol7Ewm6WGGJOyAnXsTEY73MQpt0xrDdSAH3K04QlG-PsXx6ceAODb94Mtj7EYeKCz1aifk6MU7gvlxhSkiUCEqWkNY5JkAF
                F7F6dxjwZxQESYI1otrMQovlhQHKd8_C7tGAELbxEx5DTBVo3IEik6Zj9ENHdEFs2AG67oYxrGIwYf4qL8hP9OmjNl4D7q6F4rR0
                wXfjx5YJDdyeIhpwgCAxE8IIbB8iSLlfOEIIJUu69RGyaANODL_HD-9C27InLZ0uxVg-
                fzOP8P4r_loY5Youv4PN42xdwiyYjQlRwmM5HE02BIbBPtG0FRnroO8EXE_tPfEhyGw_l6irGCL5L92Ff2bs9QhW-
                jGB0gxGB_Lj4d1xHxnHfHUqPm0XcXJgLFo0XLYCMjMH3s4ILw-uKEaQDIpsoMzPpxwnyXl0Gznc1O8XTuupogXr_hRL5x72CcGQc
                WMqQs4lvIRVM8pIiahHAIHtUTCtGyxsjHDesUnM7llRxzciXjw6xh5pkQvpvaGml0cECpUBJ0zy8ItOhiu34UkAMnIoiGWkVzWI_
                T8mIJWAJP2bqPakkqU5x_Jq6g2SEe5sxekZnNVLs0lSs56niam3n_9XTLa3PoLBY1QpcI80tsrGqzJk5u1ieXDSOqHd1Q3S9D_vt
                EP7VaPhMAybnhL8MH5Vookhd2IucAeb-JqDgb9yI16S3O6Tq_LQuoZTu830e41m_yiMTPI5Kvx849lsblFtC200_t0enII56Qsx4
                sjuLibFLwygdHrffF1kCZ0Z06Kt3OIE0dBVoIxgHy85-
                O65PNdaydTw8AJ484875nyisQFhOuu_ANfZEV0aSpyw3vXBKJcwbP9YbIt1hUM5dRBsRNyHrmHrxYo3fDdvZoNApiskWD4uWWi7N
                EQOnnnjGXes-iFnYWLtq5X2i0y9csa1fANKY3iDO2RwzEXIaal45-_-
                sf4ZMwwne7d9cRGebuqUA8kJ0kvbF1Lyw0hcKUb19LOdFCgHWMZhcMC1WJhfnx_zs2tmiqKbg-2w2NpIvJ-
                HH3CwUefAYK9dhL86pQmyDkAmitggcH21OxG3mg97Y_vLy6NbqaLdzTTpiyTGFM7coq-Pp6O-
                vGR77iDiBPdDp_5LPgb7QSYt88_kkTkfTPAmbe0gCfJXVPalPyERZ_1mMoQc-
                a1rg6DlHJ5z2JHbDNIgRRiujNjcKGIX9aFfSAsza1HStqmhnwTsprpQtdzwk9pdJ6YLfyVBYyCRSkZL6ekH6mIPQ8tD13Z9CBTB3
                Qo_okrt3clpbKnZ0-rcnpHx_ra1J_9-
                eK0x8rgBMmVOw6IFxueMDQCOc_pBiYw7B56Uxq6WOtITQTN0uSr8JlgTLY1oKMSI063nHc4RHR5OLKPJMzA6VdEJIit08-
                wrpbVDB5TT-OVEnO4P9CfSF9YeujCpy4aZT8YRdY84W8TLa9HxEzfrJcTED0V7KjbmT849Xj4Al7y5Ixn2kdwsUy2d_rt-
                v9Cj1c2zHYYRjSJp1OSPzxrI1UYai51USE8-A58TrkTJ-d8VjSO30a-02ZFv0P4_C-EaMqitw74hLvszz-
                e167KCb4QZqHKVkPfCGmtre6BBBnitgRtMP13rGccQ6jkB_PoQQk3uKmDp9XS8jdF_03Gf72hwET9gdLXqtIYIVkTLqHvBWX72kr
                Q98CfBuc0RFw1sSsgkV83hg5_S4WCmPcXjIXantABQ0U7m9EHrkGXgnZLn7YOuZEcUY9HL5tei1eIK9gXfWhCsuzgiVQL1wE_cfr
                jra6xd8pAh8YgTSG5GQlO4mnKr0jVUpxTRpOOTijYGWbQ9x-mPfG0kC5xwl9-
                Amu2FpOny3Qm_wVzZ2ltWTt3MlFQwNsAzQk9kxx9g_EupdZou89ZJsmGfSlkroWl7mlRaoSmrvnxkqdDYzWs5v7lD6yv7qtxShfz
                Agqfl9PkEuZRGelpwyQUl2KDdm_ojYY1if86Tc3baEQpDopyQvEmx8QP2umwAcvdmoq-
                4404eG32Qmlb_XpSC3Y2Ouo5TUmeQMY2MZD8vKV6Xofv7FqJyJTvjftGILcMsbDdvv5sNsT5ZYvz3s7eYm3T9vu9vivbXj2uxOnG
                P6fnb979ePXp8uzi7NXVp6uzv12dvj87HT0fozpp3TC8OT1_E_BP2Ar4b6m5MyKkU9dUOJ2gpgzADPRgQFcO771OYsC4RBJ54-
                ewOV6e9dRG7zFAMti75AatbVJvbNd2Zeob7_kSQXzz7DV9rYCwY73kXWv7g3IU5txeWarD-nJ8ErW2u0S9cDAD4Npq9Vy_vOEkIf
                LAyV39zxv0wf7nMdA2yOCCjNejItrcDusKxkoCkp8ahA81xwKrtgR6zcWdkNz0OhUy8ttYFdpBIzPq76njQCCAqPXTbC0dgae23W
                dCaFg9scW3pcJh6uaIT_lhnsSvhVG93UePsfw_G8dZifJYDVU2VUkGo5Zrbmc46ofIFzDkS2nCTQHYG8plgGZpl9jiJ5ZepqOU7Q
                k9dntiaBQk6Uul1I6774G00Mttn7ks8swOm_DQMPQ-pR046HiyoyYc_3o9yiG63PsfUAMeA5QkAAA
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
                /** The maximum of rows of the table, more or less. */
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
                  /** The class of the label of a part of the time: those in the middle may give way. */
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

                /** The path of one series. If `sums` are given, it stands on them, and its values are added to them. */
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

                /** The highest value at each time; of stacked series, their sum. */
                function highestValues(at, columns, { series, stacked }) {
                  return at.map((_, row) => {
                    const values = series.map((each) => columns[each.name][row]);
                    return stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
                  });
                }

                /** What is drawn: the samples, and the time from which and to which they are shown. */
                function stateOf(at, columns, { from, to } = {}) {
                  const begin = from ?? at[0] ?? Date.now() - 1000;
                  const end = to ?? at[at.length - 1] ?? Date.now();
                  return { at, columns, from: begin, to: end <= begin ? begin + 1000 : end };
                }

                /**
                 * Makes a chart. `series` is a list of {name, label, format?}; the class of a series is `line-NAME`.
                 * `update(at, columns, range)` draws it: times in ms, a list of values for each name, and what time is shown.
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
                xAdySdChaMi7XOymK4SROE8Cpi9S9HC4wKlpaSawpUiBXlgRVwL3DveE9yc3H7nKXlhMUuAK1yOXuzO58_mY2p6fiQoznaaVEORV
                5VshalJWoVTq-lxORVjKFgQdZCZUtZCzWmZqLVIxXVV1WsZilyzoWaTERai5FnS6kmGazVQVUYF0qVHqXy-
                QoWyxL4LATMo9F_TCDP1LdyI2KxbhcLNMxPBSrxR2w2YtpVS5EkJxOykXyex0Mjo7GZVEr8fnD25v3Yih-OOsO9ND7yw8_vr-
                Bsd7f7djV5TsceXFmBl5f39xcf4ShMzt0c_0zvP9tcHR6ciI-z2Ulaf98KpHVYj3Pcikyhc9FqUQ9L9dFIk5ONYHrX29--fD2Eoh
                0el0mcwMEFukmW6wWKMqqXNf4i3RJCrFYlMAH6Oeyrh1aNxevry5_-3T9-Rcg99euPe-
                8hO3AUCHX4kOh8uRtquQNaOFdWS1SFQay6Pz4OohBrDi1L4KzziSbZQqGFlmxUtIZEvvIHL6W8Dv5v1GONcE2MyuUAvQM4liBkbC
                O-6IXizOUxAuyKjSUZbkG5aO8JMt5uirGKisLXvnrMnxI85WMxO5IiGwq-FW8HIpuJCqpVlUhegP4xmdkcmAXXQG7-
                JiqeTLNy7IK6TEvZ72uJhjhIk3gC-
                4rFi9iWHebLNJlGE7BNssqEsNXgh_FCROPkmlWTMJQpuM5fcYH8WoomOzgaN9IoB6noHM2bDwwOQwfQJVkIctsDDuQ_sl52fU03N
                HSGCfv8e-SxaB3jY8CR2N62PRFuCgXslC0LXKH52ZIdIhUJE5FCNTM24kI2bs6ND9iStu-
                MFIHQugzQKcHc3jrp7wTWKvdsENzOtrhiMjek4MOL-wUsyqbNKFDgZHU4k7W2YR8ceGLAieDIHDW9ZRPz4pmkkMMKmEwI5Md52ld
                gzXiGjZFOzm9kznOlnkYTLIHbzp_hKEgrbK0M88mE1kE8EFVK2no2A3R7LBIMSbuwKOnihRD-
                oFNRlorzLco4VDMtV6mhcsWKdhFA1qDs5NabSFwIl1YODre0dOpjoEnYJ_d_XejR_NxBzQdH05NePSna6vBVTiwh_-
                NfmhPRj90QnwB59TpgRQF9tuHp7KG-FjQ0AJElWPw24pZ9iDFOt2S9hxx4ao3SD1EWkY66MdEezgEV7V-
                HGyELCbB4PGcrjsHclSlAu9QzcTkhTiHSYHo41QIWmUVmOPaXU2qdN1yrh05ktjEYgsq97SIqgPpWrcZON_GeTm-
                RzPEOS8hiuN_sAMTa_sczXkJ2WxSyWWejuUbyDSTShZhkiRfujHuHMKPjj4sLHC-kBYKNnNcTza06fXJX2G_Z322Ddg3DG5DNIAT
                kkcEQ2etIThaFEXuAcil0TWe3gObfLANjMUb5kD4EX22aHTZZtTnyJHfMDx7odl2kx8OMd9pAfBaHcyGHFKfs9iZy0BP1BbBm26Z
                X3OAjQmV-hQ2kmnQ8Fz8Bc9C6k2mnB0xa2LCNEvNsfb6lwPJIf2ykGMBj3T6yFikieRsGrEmEZOBtmLoEhIY-
                uKyzAqImIjHypUCJwUo1ocfpBBjbgWJIHoTE0AuJs3klBZ5G60suyp-Bsoh_MYAei5gZZNrn8EoxKJipuaNAwZNXF0tl5RtcRqpb
                YcONM9mc_Qh0B5EpM0-
                Pt7h0H4UJb_D5sPgKiABEAfDUlMffTzeEdX9yMnPzejV8Q6Z1Xk2lmEEsgaEWuNTwx7O2uIOIx7z_b9GB0VbFpCyZZWhjD5Mxahe
                LeoRCpPCG8pHYfBBvy4pAi44j2WgD-1HODmFBDLRkm-lM6ZOAk8hcRi72AlkRag6NqBBB6FcKt7fUEseB0AE6EC3jSam-
                arGOaHjNLTs-dBXMTISzyBSFqs814brktvjn1ShzV8CsAm1sceIax3ap1g-
                EKQxhgg1wBL3ndVskzHhZ7bLxEZ0oCJeia74_nthgUmqvuBwB5wfvsHSiI8TemED1Trk7Z_TDy66hQDbdWeR7Q1p8nMtXprX5BRc
                GjkEhrTGCiJZIucdoilWRGJDBWTZd9lGTsJeRFZmZ2xDePM_I03nO766E3TM0NiiOaxNZ2ruWSiiBZug2YgMgsoqa3uKLJjrtQZR
                HcaYuZxBrsU4nSmsUZioi7BsZtAuQR7GiBeywR1mA4iQwX___Z8gcrFWViuNeVa5D7SIZYBx1SWJ-Blcq5jIjZPycH2euetH93Lb
                Od7h9ATlsR8hJZzH056CbzHGAVpF0XUvRsbxvhDTW5MSWynmEGoL1nMgjnyDwFXYjo4N-
                SJdonT7tBgKYv2uZeVSxESJko9iYTORCQd6C378f1xex1itQu0BHjfN8hxijlu9lst2QcUUbnCpr_WY1ru6vysnWy0Chc-BI6C5T
                Cdts2iKIVwxJ5HVY9gCiGxcohkYAXIlSCJsdOLKfz0vcwOa6ZiO8HxxavlZc1G4M2e2qtyXx5siNWL1G6DD4qkieMDjOttxIPxEq
                jSjSsEqc7VYpNXWuMI7VhGSO1Ro1OOqzJktHdI99Wo5AWTRBHAKVQTwUY8R7eoQskDFhUCI4zYtgPRzCdlKXYFFykJWcPZyNiM5M
                hffcHGN-dKGHBw4uPeDSQ7jUh3TIxZZNvmZrhDUBSlAM3BO3_I0oXa0IYVwwylmgnvXCO_BPdHOdEvqHD1cpoTsCQk7VT_u6ymTJ
                OiMM7xgghS8aCKOd8hwD9EBWxoYORz96A7RsAXEjWr5c8AgHIphht4tUBkTbtcdJIbupp3kFqtG6poX_EFWZOUPmVy_LiE1jbqQQ
                493hPxx58wJ974EA5TVg7yol3KsPqUgf_S6kjYM9ofGny1mttwl_4NwqRUDHkdBEWZ1AyrkWTOJBqhgctoIjM4PFODgE_e1FaDXr
                SDj6B90D_pE3qElYDgTJtZ-bj5ZgFPz46J8kG9oR-EmaooGGklqqS6UqrK7FYD3YNMDtpto8NU5Z86cvd_QuJKKG1eAw2VlGxmQn
                cAR5iXWx6lGQyZj610PAFIqLCCikZhDHNetU4RNsej0MGor6putZa1asRsiR7n-
                mXmGVkBELtZsG8A4xiq9oCal17xQ6b0MdabVFa6ZSf2xRboJO71YvwBaprmaDYBswIVcDSBYs1UdMQ-
                ZUvSo1i4keG2twnGeQVD6p19a7wTC4KYOZ3dHXi6ouys38MHAmJlUr7E1mBWzN0TzExi6v6BdJoaGO-wbiFF7BVth-
                LzOJnCeE-H1wbBN5g-cuH0zl9ckw5JgTLG7ATEkwfSuBpivUQas1YleV4ugJwBpymrJh92_uZCI0wHNfgmO_8cflqth-bIZwWlRZ
                GjT94GtUbUz4kejKSPXx3lDmzj6FrhDKB9Mb5HsyCiWhhOjXraKb9LMZcpEG3qd3rfW3uWr6s-
                uAbfEQtjfv9fdURJ7ZztxUUE9cEXdAfQBev0EuB3ee2L_hY8J5G69_g9YomqstvGQpuB4RhxAZ89osil1eQJTXVb0-
                1ZO01VubZlOaP2yCyfQ3oo2cK5Z97ULR9gNAUaRU1hgtHpD3ukGFhOb0lkK-TrjCKUpY_0AUWgGv7qTpw3GrSvxUHr-qwMnj9rh5
                2CI8IAGlkfSlBxYx1BPHQuZAYZQgwAMauCqB8CXHyM1lX8Qiqb6GlDealEwztBrDa2910qHzRNo-
                K1d536lFLIAQ3P5YrHELVWWvsc1KEZ3YSo5WYG3Yj2qkT-
                jldXCVK4xtj37TWS2jSSrYi3Cz_OUID92jYq-n1Zsnx1rdQqHXDTQeKlfYMKWWhfNdVfTskD9AnJrydOL2TsPt93JWVaY4Ht-
                jvV99xYfsHmWFOUajKmDreluA3okQT0gx_O9RNNa66FXb1fIsM_scWt9ovpyqDd0rn-
                fE2vBX60dHgm8LrqnOym6Fk0gWZO2R9zSoLoWjHHHvX9CJcCSWoPn-wF7kemjp6ZIh6UMNX-6-
                Hg5SpDLiLG2L9AqLWYSYAGqEFapvm6Twn6xMdSw16YIfNlJeDeozTVaAakZmLIij1CTckN3sFahdLongTjqLc1rLAmKTFHXyZwSX
                uyl7SzFoNl7gZJ0LQCzGlkMhdQUzvHl1h6zD9O4UKFp3OfiTtTAbzvgFTEmVO4NGJeEOp5GdEMWzYKfopB4Jk954v54h6fhniKzo
                XJjaO6XnOsuYKL7vTxm1zoQfcc41kGqGhQ3MJSk8ifqHqeBQm0SbGIdbtE4TT_dEhh-rbSnGvoK0buzEoIPdpiHT-
                FKDvcaXaIt_ULxBG93PThpSIc-rMOu7NYFlQZTjmWWa101Ln7q3IT7VwVkxSa7JgeCNP46TWCohvEYPniiJ_Gd2RTdJvmhmXyFSB
                u632ofwDzdx6Jrnkc3BGbDbH6RLl7EV3omE68Wcrok1h8cZzAdKw9oN2pqQXyLtBt87Qq5osYqS4mRhRd9IVAyhjziA9A_3wjZNh
                PTHG5WI85p1p9jId1_UkyNgAx1Eo8FwXziZVlneEK2SX8DupFnpkCscZkfkh22D5qepVc5ujIwlbnTBrZQ_oDwJ7IeVxl1p0KNQw
                5VOjpAtRVBMNEBUOba43hHzrxPxE-l9fatVMlo4N0yr5-
                CJub6sNUBfRxH2eCi8EAE9XOxEw99L_I2uwYWsC195RKLIILhCyzMYL82wLrIxgjN0uczekJ-OnFqUZvMcxCz8Mz2ZQFXSX8SOmp
                rNQnM_nsNHTDNv1xxw597RL2euht0FW0CLdHxIyDed7g9MBMESb2ED0361P2Qtve0G-uC-65-
                v2MSxO27KWMJPKwtn03iqQsrezJTjvlMnH5TfNBhrEGRUPSbNvtEK9-
                63qP2LE_023IIdSiK6nChG8ixyd96mJv3hhPS_FaP9H_KA7f8PycAAA
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

                /** The fields of one body; the default body is that of every other language. */
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
                qR1oLN2V706rF_13ZDLy5Eqru-glF43O0zcfEdWJMmFX5NcrBNDr1e6aarVQ8uSPR6DcNFUfhp-
                wy0n714Qb5DxW7_5KpCvDg7cUtev_3P9RWscZP0VV8r0JHYYRmeUTq5jTSNrtStImXn5MRSreVQ9y4SlYUxSaFS98pshQYRE-JCy
                6-HdoWW0owfSGuqW9p9DgreOH2Z2J0I9g7tnfwBQyJoW4xuS3eikY-1au_6Dfjkr3-
                DLXS1XKmNrktlYOi_m9N_yLZPwD05aaGdxip43DvhyCc0eEHRwE_SKEkBMfrB4qJe9_4c_iAmU2c-
                QRM88mH5C2CouJf1oGzqNpVl9LmQZfn2HkD-
                U2UB68qMAWfXZOfBHa0uFThjRFsavCZeiXYApC_c1zT5iX0FityChfdelnuZa445C9DueccscTUCg4W8lzKH9JQFLxE1QQj9lWVk
                uVH9YFpwFhrvBXKxkfYaXLkQKQGdMFlY3ag0bWWjaNDJ3uD7rXNehi7ej9CEdSpF0LRVe1ergBBYwTOBS1iHTnC2RRRP4egnXZI2
                gOT3GxhRMRB5IUia24NwuFRPabdBp1GNvlcpOgI4o9arzxmD2KkqbFdXKxLAt6ot1eOHNcmDZ1-
                SMuEmFqyLx7x57n0fLwrbS_0ywe4tmDhJODcdQCBrq1gpS-
                NyII5Ad1mvHPOsamkR6ciMAPacJGp1p9oSv8PAiDcwnwiH4k3KxUiaqXtKk59pTzDZxf-
                Iu0Dnr0MFBjCQgue6wW6co9wwLlTIrgNjUjc1iG-LGfaLtV4N9mlXztAKDr0kgxfCG_66hLIRIJOQDOaCqXrIX49nNnVd1T2kdIq
                Z7ggdU56xn2ZzOI9MGxcph1zI7QBuYTfAQVMQ01A5ZdUvUOlSlnMe7bcdlpV2aJbKwMaaCraT_GUkTquHtpzOmVItV4SIajdAleU
                RQl3JXt1psz3yqYb6US-47qY3NwkWpVb3AsF4C88dYLEi7CQS9u6e-
                qpRp1a1tvIjK4hItZJ1csuKS9nLIyTusd3oVsNA4HQo_Z2qayryMEDZclBcds_Ra88X4rmRVfl8_3-
                uBLiZUvWyqu1kL8jMIU_t0DTSbH2i_ksbj7Qki1uXNCb-
                S8RHROj4OhaOK0RCVBPwNSorFPWortD7tLB8zwAYpTwkRj3voPszZugcSSMsomKGr6wyrkNvIMg-gYATct_ijTMRBtmXitMsKcuK
                Egw8KD7Jzn5yPdV9ZaslFBwko2ki8pfXH69S6sFyTs04GUEPNXljQGWtTB_GIuRg9cMlqUJmoloLp3ZaFmm6GwIlBwKoE2cy_D6r
                rU1pSla41ilDkwpvBP36Oc56h4CwXMeQAOH3xBfHxGYaCCWxBhoADYffZzMdgKKp0LrS0GlVJrejhlhupsKjK17fj40KplIzFQS5
                iRFVBNBTB9DImkg-whpMnMJrClixVBbg7KBWgATyEeANQ4rGgNgW2LNFQlwqMVhYaAI_0IE5QCBxkMMtPMPXojdVg1XHw56wBqcJ
                MgKfe3DGzpl04U5GnTRWOWXncJoBBwGR7ZDY9QMdyd4aow3m_OFW4EyAZpKeBKezMUiZIEbizy4u4CRDsEzEb7-
                J18ZIqNqWflPKVRx-5p52vqr8_uLNYMlDshVOPZowrfJu11EsOP9ZC58-
                x06SCzKfdCgSpbJQZ5aqcPWbg2DZxDFs0nEauuTB6PZuGjNeiUj-eP_JlfXyC-1cbzjl3IyxWbh4ssEdpR1kA3ZnyiNB5LtriB-
                KhgpNfEH1GB-gdm_0A3TcmrwGEDVYt2-SpVx9vjNcOqI3mFABDUF1v41WMvKBK9x4AuYWxR-
                8EzryRhOwreJJcY13LcfROv_y26cKfSJNJU9ruYSshuGP0yuDhKp89kSZv2Fb8uCv268o8gfOruwVOQbvBqh99Nocq4gLTJ7Iq3B
                oj04DiBK2Gjo1X9um5wNXiPw6sMgr8HLCeDyV99BZSChm4ICXkP2LuLj5kxyzHfcyrrEOdbUoCk9IEzmqwsylOVmxPzjNMOb9Frz
                hRGfg34IChnWVV4v3G-ULm-SojUUjauNI-
                ZIVOC7tjIadNn7ZQ9r5dB016RHXLcQ3O55c8IXV_hNbsfcMBPYfQmFFAAiHonG_k-0Ge9yOYvs9a1tg-
                vauWm_Tp5yS03VBLr6d0PrZeHckbC-3FnmKDBb8d3ZkmnRRJOAhmqNluQiJEC2ex8d0B4s8YDCP45jPQJBProEcnfkjV-
                wkgPHNLcA1rFPw-QyqH7fnEe0DEPiO8ert-zeO3SGecqkHeICk4XyYkrZRv0IPD5aZ3jfyxy4MZgdQpuCYUWXU-
                GGweUa8HaiAPBql6jgY-XY8XFLZ5HOob_I4RLBi4YF7MVMS0s3nI5r0tJqwTxZpZBcdd1OG6i66uiManB_LCb3cn-Q-
                qRbxdZK3y-neZ_NijtZMouovj6V1xduo-wpyF2uThaiicn-ZGhXLXutpmHmeKo8E-at8-
                HV4OOq4r3MbBjp5lfwBtwV67nyasXmz6whtGqpuUTdUiHeQEL_f6BxpUfnee971_ACrHO15wo3FE-
                3R6Nzdn2QdYD4fEFQWpxFdKlHLgPSMXJ26U3W0LHPK9EZ2roSvSUcmwkE-
                uNLxvbqfHN3dPZMV4Qg_zgy3UVmouqRstGi10dWKYBZZxCfjj-
                AiaqCSsSvJ8tiG_fgvjTT5N2xOHftnSULunR2gw0Xcgv57Aud7F7Mk9zaFK7IQHXaCt2VxtMfhmydI2n9W7dgECK-t2FRlSTGI-
                PKcZXxtDDLPDoT2bITP8mDFPO1zbmwC6S_C1eVBHQgl5n9Zg_aDyBoAAA
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

                /** Above this number of devices it must be typed. */
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

                /** Sends with one key for all attempts of one intent: an answer that was lost sends nothing twice. */
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
                H4sIAAAAAAACA6VZ627byBX-76eYAMaSTBnaiwbBVoY3cJMsNm0ui9j7ozWMaCSOLNYUh-XFilYroE_TB-
                uT9DtzZoZDWU637R-b4sycc-ZcvnPhyYm4EJVai5VqW3mrJmKuq05VXSpKWd32eNWmQvZ5oaq5SkVXrPC3lnN1JvJmI5q-
                wrLoVNuJTgtdKZGr-8JsXaqK_ohWVXl2VKxq3XRieySEKlMxl02eikWhSvxrVanmYDnru05X9Lu7Ul_woupXM9Vgt-
                4hVU4P1aJoViwI76kh449K0uJSg9dFXadCNY1u3hWVSsEvh1jm2TL4pNdEqexX4GUvfpHnDZ7So51YNHolouwk16vsb2105kWH0G
                VJ0pGG5koMW2Vd7G11KvtBN6tg41xjQ6ueueV9Bqx8OoQr4npvq7rvDpy3G_eO10vctA22mxd7m9g-
                waaukU6Qo5OnT8XFTN8rWK5orf6FXthTrSg6seph7Bl2bGqVZ-LpyRGkwaurv_z05vXnHz59fC_Oxbenp5bcFVxgQVrAHzjVjKwP
                37JuxJZshaxyMkkp61aJAmSnujKXnwrIQYpXuVg7lwp2wupwVNUaQRZ9Ne8KXUHcsrhXzYY0GVtKiXE-
                ltXIATG9juOtWMkvpapuu-VERBA_goAlJFzqMlcN3hn5i7YrqluWlyQp9W0kdslZQBkxcG5dOr6-
                jmZ9eQda5v8EsTJrtMznsu2im1RcRwUMCQN0EJd2BT9pc99C_WtZdG10cxNwIdXtiU_mgJRsMpBaFRVd5ME1Ki1mCKd8LDYF6UV3
                mGQuO0VWelZqGGJ8Tn2pC-
                BAeGFzja6FDRayL-01SZ1gDUadblTOL3__wqg5-lYsdd_wu-9ePHcvc7nBO7ASeP_i9Pl3bmGt1N1YH94hHjfpi-eD5Lw5k3n-
                5h5h9A5WVZVqYqgfB8HEuczA4Rdt7Pq26srsNRRyBYWQd8kuTjJAhy7vVf6xJu9r8Yb09VccGWuYDoFInIjz7w3sEqWYdZ_dy7JX
                SXYL8MO2GLxx1nu0UbSkx5gdWYhiIWLWP58V5-fnAppORKO6vqnE6ZnZZ3-
                9l90yW5RaN_GIpXjpZQPpiZEpq_Q6ThJxQoF8mojfiQ_Gr0b8jHZ2R54BS1XpnNII8D2OXtswhEZVGUd5cY8nwFwp25YiiuC_FY3
                Wqw2MY_NBHL2j6IxSjtIkeF2piMEjYbcQbskyKghJcBtoPBcSUKVbsiZFy0DmUpnFKLVOn4ppUYnjLVl4dybUqu42E1xjPd3nQlB
                WN_q-QCSxIxtABDDQBY1mBjavBoyKUu9zSWKJ0i0m1hPomVXKaw42awnEBvhKcfnmw2vgDa4ENJSIXzyYEGP9GvBjU_-9Ry7-
                CQe9mwyY0VCAb3dn9jX5j1GxNafZkTloDFbCA6TL0X4LRdY_guXw1MjF-Ry9-iw7Ax3O-
                8IjI0_jI0MM4FQYEOE5H93hSffyMxLGuRhvcYetF9N-
                frUja0BbuyGR2WpByNYl23ap17BFajIC2aQtflHjZFQ3SJ5q_YpCwiTuL6NcRBQqlgoVSRyCMkjRTRE69ShwWr3oHJp5Nn1NQB3b
                0sBZvwM6j_1gQehv-HENYcVT-aBHIxJQzWSOV8uiRHFUxVmW8aXdLTJJtZahl_izzGS2QU0IJgRyVKe9qebAhQbIqMxT_KfLjx-y
                tmuQTYvFJjZE4EubEtkxSTKGbS8PF4QxKQTherzlLBcbLsmOYuR5evqHF8x2amXZAYW6-RI-2-
                hZqVZDQIzp2eXMGted3gO3EbBdEM4YZRhdEQwQnpDaUmM24ADbY8-
                ByoKcxkRyKzeoaCTVUnOJvGAC3QbwxBQXQ4VdcUXLXmYOreGCVImOXQ3AgBLRVLvtIV8DxU99NfKpRpeU5NtOdn1LSGV9DMkaFR9
                eLIs8V6gluga5YpT7SSSi5Yrt0Hdzzpeu9ualB4kCjK5ZptTdkE7YrG9XzDOvenj8ZCi1rIvpTOebqaWOfgVSVX1ZCrlAMRUob70
                s4A5Fa_3bgaZsN9UcGaEj6I-J1kNPsRSiyPs5yZmxbqjqaAYgCUPO31lSFSeI-
                BBmjzvoA8bORyl2OGGbHmQ4OXnEjQMRSCee9YBwHO7IiqZi4sPAyQkSF6pz3cmSUjMpej-jwJnvrC9J40vLRi0mey3VGCyKPCFq0
                _cWSI-
                3Rb6bjpW6jzvEGqoXlPvBEadNL3G8tW1hbITEDm5SomSXTR8x00KWrTqI7lQVwJ2Kbmm62Du1MUwkuRF7RksRSmuFwc0JOZas2jV
                crHMRWWpb6aF30mihqlvRrSGT8TX2Mx-rtO0j2dDGfBinxB4I3WzqTmcNgl6vfv757Wt2ncG_Rr5FTVIcEVVjC6C1JZwachy5j7m
                cSe3WgdRigVKeq8m-
                ukMlVEXi11_Fk9AJfZH5m9hC6GWDRGkpcOFoNX_R3lEcKyBeQ0MEIkX_jVJXstq45nMMdXYUQHZzLpYKz9q4xAj5bAN7Lh7zmgG7
                TJ957oj5SuUlHA__jrdu-BDv7Uh2U8RhRLVj9KBXc3vNT5BKXYEqfDoLtyCruUrWEI0C_LRXj6eXVlXHW3u93UvQnYaVyq2mfBNu
                ITem2PFRuTve0o3xjxgjeBgVDlCfOkD4Puz2XwpuFQEZFi4g8JYMHyQ-
                m8t840wqOxNTK6YHb7Pm9DCytykh59xfeXubdOqHOGzvvTDjJOKrYbaJjdtzGzqGTOYyABPg0vyhd1teMTI8SH_GnXxqtK5OsfSE
                OSQPsdcBO_N0yW86oBmfzB6Amljrvsxp8iIZWVVOnpaJDxZpfEng0C9kcRADHX4Yjq6bOwBTe9qz9vkN6vPKshK5bh03HUJCfPON
                JeRsFeiR9xL6WJT7atib3ay6xOn-7H-x-wNwDmRypuXTPnny6_QAbERhQFL5MV-qvC9VnkUU2nur0Dn1EWu5yaIHLbZV0cSOMtH5
                clzBO1lwp8KE29thI2nsX__4p2174Vh1U6wkevNkr0RtqRh18uwNdbmCohidAc5pONWolSLw2kNnmgib4duhCGVb0JbXPIwcTW2M
                nk1nNhFm4nSJThtnaTLyFpaKI9TgRVnq6hmReOYCRLyEpul6tSpLaHh-
                RyMGcvaIAW08B9vovrH3olKHisZO36nKbN5rrYjPJzbraPryZLgD95IZGpoVDU443VH384YKuDj6QFoNeAp4MZwkGgXGEFg-
                cMJl15pPzbz9eOs8jd-b6--mVoSsLcElPk1pgmOpUEETM6nKdhzXUafrYk5ztdtG9zV1ABElnYIuTj8oJ9B_687RTUJjB9V5mL4m
                WjehnEOuvebHeF9Pyc0IgMZlgxuOTxz4kVD2KbWDk725qZ0ro-CYHKqaxO4r4HYVWnXkcO1XHS4Vj1n_7P_ONCOH-y-wx2CJ8Y7C
                5oIBQoYx5B8NJECmEBu45Cpa4a_nlDNq3UZt8BXAx3S-
                bkCmvPVH6kmCTy_xIIEDKSsPw9BgG1wuXsmiosRbywZeBpO31F_fVpQaLfwjWANUsVONYb5hUIg_EuRBjeecjCwTfKsZcorjshW3
                8DEg7iACIVEcREniB8YT-zkiHzXKbkxH_XD4YeKhVHYWg42HhkbBVwYzRjg_3O8Hl-
                R6yc7Y_lP1dDaCZgPKh0F8PJn2UDVuSlyriAJzIkY9YN23y8_8bcHPoPDqCm-oqhrC338luyuoBnGx76ee9DP2Q1pAiCM3GoOmtO
                JJPVzy5MZL3CS64BnaDrZZWBEZluStfzZicrB6hvsLh4uyYX5gDZ_tjfOcILYoYnWu5GbcXjN-JE64APCVROImwLc-kXEV4H65Or
                RzlQvHJMCeDmZ50coZfYILJR1XsnZQYboGqkYrpXJbzuuS633ftnuJqbCLqI-u68h17XRLCntapyrPfeClkbr5-
                hkFn3q90yeHPzF0ax25MYcdsDqLEZAN3mZ_emegn8nonDMMbzSK4kfGwktGblaGmW2FoLev59AKSWIh3vuWAUL1xXyxtZ_RqMcqO
                jOqG9Rghs_w0X8DaCQRRccfAAA
                """#),
        EmbeddedAsset(
            name: "condition.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A field for a condition: its count while it is typed, errors under their column, names that complete.
                import { el, field, setText, table, tableRow, number, counted, fieldGroup, wide } from './dom.js';
                import { call, Refused, sentence } from './api.js';

                /** The maximum of names that are suggested. */
                const SUGGESTED = 8;
                /** How long the field rests before its condition is counted. */
                const REST_MILLISECONDS = 300;

                const NOTE = "As 'level5' in topics && ('en' in topics || locale == 'zh') && !('user/42' in groups). "
                  + 'Names complete within quotes.';

                /** The place of the name that is typed: its kind, and what is typed of it; null outside of quotes. */
                function placeOf(text, caret) {
                  const before = text.slice(0, caret);
                  const quote = before.lastIndexOf("'");
                  if (quote < 0 || (before.split("'").length - 1) % 2 === 0) return null;
                  const after = text.slice(caret).match(/^[^']*'?\s*in\s+(topics|groups)/);
                  return { start: quote + 1, prefix: before.slice(quote + 1), kind: after?.[1] };
                }

                /** The line of a condition that has the error, a caret under its column, and what is wrong. A column counts bytes. */
                function faultText(condition, problem) {
                  if (!(problem instanceof Refused && problem.column)) return sentence(problem);
                  const bytes = new TextEncoder().encode(condition).slice(0, problem.column - 1);
                  const before = new TextDecoder().decode(bytes);
                  const start = before.lastIndexOf('\n') + 1;
                  const line = condition.slice(start).split('\n')[0];
                  return `${line}\n${' '.repeat(before.length - start)}^ ${problem.message}`;
                }

                /** The count of a condition, its canonical form, the devices of its terms, and what is wrong with it. */
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
                H4sIAAAAAAACA51Z63LbxhX-76dYO2oAWBAkxWknI4XWeCzF9Yxjdyxl-oNmyhWxFBHjwmJBUSrNmb5D37BP0nNbYEFScpNfJPdy
                9tzPdw4PD9UrNc1MnqppVSutJlWZZk1WlScqayz8XJSNWs6y3MBvlVnV3M9NGitT11Vt1aJMTa2amclqOJsvijJWpS4MnJvpBpaK
                eW4akzzJinlVN2qlTB7zg7Gyprkyd02sGn2dG_n4WC2BxKK4NnXMz-NzdONNXS3msVpmqVFrNa2rQgXJYVoVyW82OO2emOgcHvlo
                pgtr6BmgUU78O3qe8Z0nh8-fq6uZUYW-y4pFoaqpz7-ujbKLmxtjgYtEPT98Avqxjbr85c2bi8uri3M1UD-cEpG_VkuVV-UNKkM0
                WsM1q64NaNaINkW5qEiRzaP6EUj-4-e37969vbx4_eH9-SVQf3F0BFzy_vsPVxew9OyVVUFubk3-
                50BlpWqqeTax6ttvVRiY0l_68gVYAm0YNRio4F-zIMJTT8MAFFMffv8dnb1BrdooUc-eKLWvgvckvrMcaLuZwal_LqrG2MRX2TzX
                oFRQGEqMSmOdOR9hB_qclWACXabgRN4mXsuaUzB0nqtq0Vi0KazJM6iT6aKckK7onQ_TsCFfmYBNmkitgFnWiuh3oHA_sXk2MeGR
                O3faHiPKcIqPJ7m2zVtw3jsg_Cx4RgezqQr52I_qCJUXymE7z7OGjiW5KW-amTpQx5H6k_oOFDtQRxGYulnUJYnTPamnDQRHjzHm
                Kil0M5mFh78Ofw1Gz4OzT_Z5Vn6y-yHb7YuY5JC4EtIrZRtdNyciyL46jtW8NtPs7sTJxE-0-1FM2j9hPs6S4fFIrU-frDsL5llJ
                WvfCnm0405asSlEe4z7yLdHOnsyx7ht2WYP7J5BPeJMdHPz_fsuiU73IKfTD9l0UpoLwL9i0aIqnoSyBl4LsEMHAqkQ1-
                rHsJvxc1BrBxbu77jkB8QIWKc1S4fsX5aQCkcIoMfSt4yfqPKn_Dpn-dNv7HMlz40im9C2kN70bZMbdjhh8KiFEwXTdaTLRoLOPs
                EVEInFMujY8GnneMt5b4c31p3JvFUDGq83c6Mb5c-vETGb9q9pbOSkh-K2-
                Metxz1O4DvRdJWZP0GVVZpBksIAUMblNam6BSctBDp5k6sLu8BXKLXCi7xzmDgK-
                1PgdVAKvcdzb7KbUkNZX4A3zBSxU5Wtiau0nA_Is0JfJwwCiI8DzE1CxPVEB-TCszLI0NVDfmnoBRaeucgObkCTrJgBinepZZqHV
                p4Q7QXsXtNgsLFyOVfDff_8n8Gm02mE66BFICo_656AUol9SBQyD805_Rk9mpEC4NQyu-
                EvwjZwIRkQDEjVQqDN6BuuFUq06J7nR4I2kI-VKbkgS-Ox6W47llkXas8l1ld6jI2E6fg2IIK1NGdKBtf9gWutlqEu7NLV7laySs
                N5RSlD86S52pCTK7UTcCPjgb0H0MKtypYvfrzGeJIncoTOFnochKjtSg5cqpMuqRSThcMN4eBIvQo4df7O3YrxC9x3X0Xo8iiLHs
                TjrhmS7lfcTauvBzKicRU93qXaqc7uhWzoRP55zN7jEMtbypu19OVH98MzK1qNcrLj6MeD4TG517qzMRygvDdT-
                Pnsqb1Ge75JbU2dFGDnSG6I-4kdt3tuSgGUAS9b3HVWuzmQKIKOXOmsINAJ-Yuko2vV8fqIk_yTwI_akXOMBTkmSM5w0LCagAhYz
                6sWDcASPQf1X4YZhdxIgxMYvJfoaAK5Jo8fdpBN77cMH8QMXal3ooP_Hzq6xPHuiQooEYaKPGwReYkJnqMKo4drcAFKkpK4Fm3Ck
                gA8RQGRAQvckAij1b3gY4e-
                _A5WQIjZWpHtWgZ_rlxqTBRhwxSccGqJbiXs_z4oMUFOH2Ndd1h2yILFIMWqd4W_QJ2TWJOgTQ1InEyX20TYB3wjUGUPYE_EfJgj
                uw8z1vCTeSUhubBIS-jsJjXxcOIREJrjxLBHDnJ2p4SjayGlDyk50IlYdo37OGgmPSJIZOEvEwI-QvOG2rGO5T3LUIanWCFHrTj_
                rzwY9SVVzMr60E3lmoTsYN7Abdp4TjVVD5xFV4HIfOeDKByITDrtLsfO1EQAWBFoxEfE9qSrnVQZqrtNqiYklhOaqbEhEjkz6jS6
                Fn-eGQsmlpU0eKW96BsLKkWeUUQQvsKiwkgE4H0t_CSsHeyticD0GbWqIuwNrcjMB8wdwi1J7EG8wu2aL4SN2rkspT8gOlCZaLcC
                fZBlQIbII3_ZWrtZuF9n1OIo22gTbdI3xtcmh1W27XGSImojlLINIL_Q9nFCTWQUw_BELwqW-
                8To1vIPnQgF5m5YqoQQLlFrkvk6Rx-vqTpQadNTsFuJj1eYaBEG9Ur_rkB8iKRZzAP7uVlgaWDogZN5hq1kFGyEZra2H7iytsotg
                jCLnyUTQxygBsHwBYcLBBLmrsgxb0OccuHjVQD28XjSACPveAJEEO-
                VN6K5RKmE2XC3HUkIr6iV1qFyVd1DVIMutSY2dmDLVhGt3-qTQNeCFQqw2RXVrvkpvG-
                VMclSb0xhpZkdR39C6elgEqF1QU0gxEiaRf-MP81nNAShOIVDSllfxDVo87djfgS7paJcwJfmQgb1E5W2JtzsD9tXiAbv_Sw2oRq
                cFcdOD41ZCJqHT9AITGgacKQG_Btf5oobbZB8eiTxw8LO5x_QDZ7dyJTqex7try30oiD0vtsx-SHiTFf-
                ongiqdBDpVV1Xy3N42yEUkU68BZydqJ-pI6ylvEjDEP_-L_Pdt3-EUIGrRKG9feDdvrATPYd8QxpqFzEbt8dfMg0m36Y_O-TtEfT
                pMiJtV45HEbyGw5Up9Owpk10PueiApkceVmZ99JX6WHXi89Km9edJqP6YfFws7qG81zL-s-
                1wz24OiraGwpDtGS2GkOUzuUmNUVvVddtW02hgu3zLu8jyw50_v4KF5wrUW_YnAFSsBo-
                VE5fVeX45kKGdH_ebRavX6hhEbgLjeJaz34Oc4si-E-MguN8YCSYCWpHLHTwO_GQjnAiGD4wEo7NDry2Xxgq0BNTHmKk3H8DxVcd
                ptIZWFcRa0-BXwMDYzyp0V0aWIBcyvpF0LqkIgZY-
                6vLG0FBWJI6V90M4RGskku5dj0lGCx_qL8VwbXVwVnJTYI_PuOVKWLokIXc0nc4vvUBiul--qKdei9fOELf53m4gXS3glmGra-
                l1jtK9bDWKL1vWkJW0miwKjGWuTRfQzcEv9XQgvtMPe8dHZl20ojNT1ZFciqjgGBtIzjdHmHxo0fdXn6envevAUUf7EdWImalaEo
                GNPnfln-rd3GpSMSed8EFOT-IOGw0oIc9EjaXdH6sbnJ_1E04LbKuaW6tsKtmqrBr1uYQSQvkHqib-bdSBE5fhfsJHdqUhFyRB0E
                0hB5LwV2sQG6pVLyeR8QS2IjFdG43gVcY5PFQsqrKimeISf72Ar3Zu8nwyM5PPHvzXi6Zyf85gLzGdwmKh79hmsHL8lxc_fI8QIN
                UNYkZdT2aBw74cN_SuAGegdV0xct5AEd6jgpi8pwPB3O0m6glI2mATfbeFh3XxewcRpM7fPxN2Sb7JChryuH9mPOyO-
                SsNe1O1KzhdLZqQbrnAFwo4T5PtlsWtf-zarObGYq6cSWj-
                kfp24ngVsR7CZLSOiMwDY62ULim655M2z3bIwE2ZtijT3KmlvENTnn2lQ-v-
                sA3x_9qQfofBaxdcQeykxX81o66LTbPb3qzd9yUcu3ki4FORTDaj9h88cvGom1PuwDzy8lc8kHPO_wAAaHmZIh8AAA
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
                /* A time with its zone has no room in less. */
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
                H4sIAAAAAAACA80b247jSPW9v8LMaqTuUeyxnTidpLUr0CIkHuCBBYQ0Gq3KdjnxtuMyvvRlVi3xD4h9QDzwGXwPX8I5dbHL5XKS
                HpYVWu2k41TVuV_reFcz1jrfXzlOwgpWu01yoEe6c4p8f2idlNT3d_Cb6-5r1pXpzvkii7J1trmDR01XZySh-
                CzL8EFLn1r4FsRBFt7yFSzDB9Fm7d-G-KDIS1yfZnRJCT7IclrgqZt4uySRAEWShJa4L8yiOPXv-kcKgAQnH0og9JamWSyRZQwPD
                bJbsuJg8EG_0M9CygmICa6Kl-E6oPK7WpTFdE1X-
                PAgESQR8X31oF9GaJZu8SlrD7SGJ2tYl6QCjZqkedfsnMCvnnDNkZVs53Q5_6OpgHcL5803v3J-
                A1_fwJ9fkyaBLaR_8Ev6Hflj53xDykY967feXb1c_fxIcfl1VdOM1o07FiEK74aLdodC3pWsvf6Qkpa4LS748g2X8ZuPYs1IyEEY
                REE8FnJAAhquNTkDh7Y00-
                RMQhLHqSbnMFmGS6rLeR3frjabOwmvl_SGkO1IqBKET4P10p8KOwzDZHWrjpHiXmfpcpuY4g5ul5HQRiHuLNtkm7Uh7lUUZEGqiT
                vzE3-9NMW9jMMsWOnijn2yAsQBkReQB-
                fziMUogzcfLfZlsayfgOk_Csv_LxhuY7bUZ-d7my-7c2z2UrY1aQDSkdUU7EBYCnwq9j6Q-lrw_mZgsXjIuQtPX-
                Dgd7AlZk9uk3_Ky_0O_q5TWrvwCMF-OORpSktELM2bqiDPO6dkJXV-lh8rVrek5Ngd2mMBSzKG8gmi6ul94K0ip3luWnp0u3zhuK
                SqCuqKJ-g76J5R5w-_Br_wOxazlsGz38IH9xjwsIEPt6F1DnJukpoVRUxqd9-
                1LfKyaUlcUIQcs_QZIB9Jvc_LnQPSj0lyrxRTkCu-Ab2ctwZnEGcXnuRAilt2RwCZ7Bw4vysAIDxo7gbS93UOksd_YfsRnrXA0yC
                rHdIB6u-
                dYOlFNT06x7w8kqdrf4E_AhD4DsqBskSX6j8cONOChXMI4f_lwqkWTlcsnCzfdzW41rQY01SRNOXS8XFjh78WeQMK3j4XVEgEfyB
                KfxSNwg4AASTWBSbQGvXAZVnWUMAlrJ4EJlJ4qAVIEQgPyJDMeZSIryOAXlCUgIt-nCPk-
                p4f4FI4JTROmTkCVi7HK31vu7Qs9vni5kgKYI2HWm3Sh8-
                UDNVRm9ta4JOwFFhZIT89jD0KZkaOefGsjsBfZo_YZSzpGvchb3LQNziAda0wpNADLXcaVuSpyWu5ZsxkaVYqrq4E448EBMxh6Gc
                rcXpd2VBawk8Va_I2Z6AMJAaYXQu_P-ZpewAu40m9buEX9kDrrGCPO0cYL-
                h9kVduRXB5Dke215H_9oZDaO7zaub8gqIXcVFdH0GBWMW175ObgxY97ZytzdKk97_RNdZbo0UEkqMcYk-ygMHFfHWgBDgED7l51Y
                h_ACa1PA1H8bWnfyQT5KeODGKB8uXI9FadFRTYhv-
                6aV7TRHACFK07AvP2pFK6PLCpafPk_nlgi2HcSgQunI6ugVMe16RMdUcq4BLw8aWbgz8BvUAVorUE6nuRxQxv0SxGxiqQszk3bvY
                pTVhNBN5CtTThhIIjKyUegWTzsAdElYZ5AoueRvk9y4ti4mherkryoBMpXSbSI70NLkBP9XgAorkn4Tr_WJNqIpTvOuB09szDHQ_
                -fLkb0_aRomZrlKwkKWuBnWFwtwj7FSzSPXYomcMR3x1QuBg05-OMXPoBo4qbdHUNqH-0btESFTM-
                9Sy1OUU8_z5OT_hDZMktD0YjP8fQcbfP3Msp3WtokQ2qB0rQMlY0fQRyuZILNbaJVVj4nAv1Hg9sqvTn5HrKKFa6fDlup81erFFY
                9qaJ-gZklc-PkJ5R5Y3RGfbegoMC70mO1TXEqBozF3D8D48LrhM3UjNsTFFWKQgZyGxJDRkTJAeutK6NIEfZmu-
                _lQmG8D-gfYhaBrnd4By1nwy-StihBttgom4xp6m7uyDWLi-VRU-CV7BmEschvZ5RdLkrhsSPlYNKisChXCsmgR6ET8UflZtJRjU
                8RwPSC9Qxgx_abin_EYuDkbDCtU2ow1FXHkaxqbrz2CIUTri5k05f-LGtMiB-pCc40MyxwEtInVpdjBkrZ0VkeEzxm_g2DuhbjqH
                QcPjwo1krABd0ygqACslYLmsPd87EDmVPM_KtaUVJe43cgOqmXagMHD6u0aYWQnQ3IiEXuU_7yD4P2JDdL-GwKahgI0CFPPdHSHl
                BGwusk7SsFkYZcWMwVR78Ewl9baolhx3rVMUFS-6N3CSayettdUSIS3nqPKQaYXRnTxQUBvC4vKgsWCrESwbJGxYFBCq8Iy9_L-
                WBzoJzwRwgcQDNjJJpSVePyORI1XcYJCXMfmVIUzhQdZQHBY7dGfQdivGB7oh9B9kdUIg1bc2AAbuYZqymnNnSkN_8--
                __dN7wpRnIzZ4VqQbLORpw4Ws0cmVqJK1rVttDy6gAh51nMgFx1A5Ms-XdBW2332cKXznGslGHRDsGu5di0Y2dif_4m2AiVEe81Y
                HFoELuafDxvOkx6CuQWZCqobxU4X8ZacS4wlZVMakwz4VjeObLPfOOF2KXx3uVWMUMYtIRf-
                iNi4ch4IwkZID2vyph24OVlKnHOU-cSMTszqY9LJw21bNDIFr6g1vxIb_eDS00wZ0Zzwskgh8ihcL7CJSKnlZb7wrSgFEe0Iw5VO
                NIroRt6pXdMaY1YHaQfxq8qEX7cI4m3jwDaLaSRvQhj_nTNah6U-
                _jhcXLOasI4l0LNSMcXqsKEDBu8yN6WAFrrtZDA5GmYxOOmalyotPCg8DWXh5NMXuTpjZpy0k_HEZDh8LWldKgpnMtKH1NOm7enf
                AzYC8H3oDpaclLHgBlKNVY4G-ElkXW8na7RbOxqPPUDk7UrWdyhTkhIg2QnzbPn13iDh4Nf9T0aXy-3Xv-
                8C8Zgvi6lF0Qh0ZYjOPOKRzw7BkP_lcdBwygZ8OvLeRegAO_dLDi8JcfdBxikp7LKCxx8hJBkPRMFKtqtq9pgzZKKshl4ZSkb2uO
                IpRWAYx7TIae7zS3Olb5aaSYkizV18xT7ar40qO_24HhxPd566onwCR756cvck_sfSBFR09YiLn_yD6dB6xt9cSaGQ4abJuepO6E
                NJHIfh0e7KW0yIHVNJ21LX6fxNdmBBLzWe0b1kFe5Dbol-dMZVha0RId4TkeYBoqbM-ecYu-yLjutNemL-
                qogsQUrx_4N0-4Z_P2QqZF9rhg7pyJUyvRijVDlLVRYBz6AWzxS7C0j_Onm8e-XOVl1UGd3NCCJvCJWQMYOulv8fISglQ-JIX998
                8pNpVy2ZqyekIVjWLcqAcrS_I59-
                H3NH1onyv6ZXKgyX3Mnj7qfezAbGQHU0CoESJi2f2DFti5RwQw036P1smZEeG4IFEFvSYFMHuuXSpNHG9ZybOHLeqKy6ifoXyGsk
                FqajioznxVevvf9VmCYNRnGRHf29b7d84veI4IsoEEPoes6RPG7QNpIEw4NWNHUDhI5ZvGc969Vzh7-
                MPzvJZfgN3K7AKBctBJ089577iBzqyv-
                gbcAuwDKuzJcwx2Wjcd_FXfZPrKeQcOhDe3YD1WSNrX6gCEm7tnGmRtugMOXX_FfeLNoNkrNIaXq75JaljwKAeMIv-
                ntWn9ys1m0UlXN4hMxXJhGjNppqBO1CqipAb9xYo4vRnVxNaYLjerHVhgDxch0YBESjPSFe2wxavqHEz--XTkOQnd8lRdPvVQUlL
                uZ26VbImZ_ss46vRi64_-c5fTdsKhUWqnAxVZmp0SVfeLsDO0sOzOTLOMc-
                3w8_4S6qucFGzfE3JpRzNY2fOdgVO2W0HtDmgputyS0uEuAJ3K0ue3Jtvw4ZFDfnKbA0kxG_Wd0Af81vgPFM_XvoP_vXeWsm0hqU
                FfMuuJVctGrIWkG4hIa1YZaoLHBz4Q6oQrgAAluQ5Bk8Lk0k06KXGReOlshKqJMfiBl5rvbkZ9T4ivy_L90A2alqW2wvuVl4Y9KA
                8K7JNNYQV5JS6ZvKwmRzpqUtUUQgtkvFq2EPQxV64f35LzjESbA3g7rTha1iUHMCcBoiKl-
                8yP4zlmo1rZtk7ZiDu34Wy6afWd0rO69AG41mjtSQnXQ-
                _GHQKqo_QNGFmvIe9IrnEE5K3jOuvqCSKn28-OqN1PM7v_dG1Z61E-AzGzHiGJpH_YwGPheEtPAA-
                iMq_GLvU93ZlNtqRlQHmWwR98o9sAUejExHo-YQRynNw9CR8nkJcpP593ELDFZrfPLDcXgZK78LzvGCaR3IKF4vIANCFDilVuTAm
                4l7pG9JY4GHMRdV5B97RML_fCgXa9d_eaQkcCik3L0yftRjY_0_XS0p6lp4Yv1On5fLdMpUpqBGQohe0zIUuMDPI2tVZLl5PLHTn
                A8TWS1OuD2xfEkMvxB2QivKEq5gn6eFuvUKO16gChZfqwRsQPuqfP2hH5QjwhnCvzZblEWdTlCt94gm9fnA_o9qW8jqtYN0ZV4ib
                XK8TiGcT66yoOBJK5b2UfYIzQ0AMYMNIW6zjJpVak-i35yU6DxIZUPFiOMRlSSR0XudQ6CHWJJPn-
                _GxjR0giOV6kYGLdZ6oWbr5IlR7pVH34nLOJjlioo6OWXYIP7rbj0wOTCOXltxkfllbqnbDjMW-_rSL_pDARSr-
                311tt84Xiibvi_ttHAoG73JsobLezvJo69jU6domYfugENzj1UtZA8Mek44H2h81Y2hSdUEPHdtAZk0ppCx4BUpvuKKuoSbl36aX
                juMiI-iy0L6BPtTNe5LrpbX-
                wNusDZBrOmuMKEPJ1sPZTCkL9YkWibJPBHyFZLiPfGIoZw4EEhrNZUvcFXdJtRsxEbjNzndpPBlRdc7Ck--
                FqA8n-1gmjEDL-7ertUMZ8EayCTZBN66ClUZiry0v79I69wRLKmZ9smFaSI7WWEcDtuXk7QZ2XJ6ycjP2u-nCu-
                gRm38Cgb2OKsX8HSzGGv3tl0GkdCZuO2ypc49dPMo5K2-EcPtWu6Ue0jtJ1PFOeCD5hGmVepVY1dY3BWXXxwN_gUF-
                EP8JRvx2yVlvjsjrneA-NxumdCrcz8lwwMrrblPey2JzCwriXUDiSvBpgOHvxONtDioZ79rs5-k_pWQLxqH31-
                L8J6M4ylHHJxM5FVOFkfLff0wYrv2amFDUW8fdAbNViP6QPkZRPS2A_gr-iwv_xRyl2sDE7G6J4_fGGyoRpjpoj8MhZmr2RYPNW9
                6krkZ4PehUYE7z6cL3OlyI35jQi3UcZyHH3_zk2PdO9PKWHYyTFeLi4gKHpl23d0UuGxFGf4dd2fAkVykLpFZN2mB_whprO4-
                XKarvgANQbaJqiRGIKGl8RlO9hGa9GcXXT3o-
                aXkM5juW9DwFTf9sCDCAZQoC0vdGrHxfP3VhCoLjx0GfZETHjRYbTRXM42iY6apN5MMexjtb7r75u2fC2Y3-
                J4Thyyl4fxPbNAXixEkfX8A7DNk8eKCT5ZOzFV4m4Q064nqYjtIy08u2q_zYabQ40pvb9INjP2yQ23p4clJbk94RPBPmivZWsuUe
                eo-ENw4U0bmw0OsO07Gg6VvZSLe93QnnfJTSF-KTeSnHFT7RM-OueeAWEb7ednTfgfTNpSJwm9IjNGGrGagTGkxEgReT4Corhk74
                m5QNpfg_JCCcMZ0IW_a2WGkg244Po6YEBLkRxqBUg4_Nerv4D8lA7gtc_AAA
                """#),
        EmbeddedAsset(
            name: "credentials.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // The credentials for APNs and FCM: what they are, when they end, whether they are accepted.
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
                  if (pool.stopped) return ['refused', 'bad'];
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
                    // No sample has this number: the history of the answer is empty.
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
                H4sIAAAAAAACA4VY_3LbuBH-30-xN8kcyZSlnCZ307GrejQ-
                5Zo2ljOxrteORmPDJGghRxEcArKi0XGm79A37JN0Fz9ISLHvMklMAIvFYvfbbxcejWC-
                4pC3vOC1FqxSUMoWJh9nClhdwLvLqzPYrpgGveI7YC1PcchrO-
                R1YYY4aHsBYHnOG82L7ESsG9lq2J8A8CqFnLUor9l9xd2PT3KbQiu3KoVSVCiiuJ7zLzqFerO-5y2KiTUK5yvR4OJKbi_NV8Me-
                N84Q228bWX7QdQopGSpzddJB2Ur1xBlo0Kus88qOu9NAdYI3C-
                r6mehV1ParWCQx1Urf5LLWmn4YfJvGMOfv397Sn_O3ex09s_3n65nV9PZ_AaXF1HTymKTayHrKIVIoefu5Rf6LPM1_djy-
                2jpd_90M72dXc-nuDOaVBUoUeec3AdKM7RRlnbA20fenptv8oLyCxVDJRvFTYD6iZaXG8UqE4FWPKwwYhKd-
                sghQvf_Aa3ieHyhMpj0soKCjH_VFuOH2vF8vVHw9vQ1IAjenr45B1ZqXJt-
                aQRC5GMrH0XB27n8xULAGYlXeKhRF9R8i8fS4v3Onyu04lWZRf7680_vJx8GB1hjeBFgkOzSrcA59sCE0WWVOGtep_BdCq-
                _Mw74_hTWot5ojhjShEyOBu1gJTdt5k2YmG0MYcTqB043ZU2jMNCyRvjxSrIiuA2ZejJ69Qp-JnUsNIwbP-BJdDKiEdas3kHBdsr
                4veKlzuDV6KTc1AYNdsMu5ixfJSYPRAnxNzTMaqlvzX0SNEFv2hqimmzH0wGsq4ziMVwxvcrKSso2jg-
                3wh_hB6Y5TmzjJIER4TUZ9v8i0MyxVfMXeHMKFxCteFVEcAZRIWsenEW2D7IkSkkXR_bKBaH4nhVRglvNwt3Lvc3RmLYkndl5l5o
                zjQnuUryKI9UwSox9Z_P56BIJqgZcJgtwZ2edf4PuJUjRBthirtI3UoPDgNA2CBVnj5gaFL2cYzKxCq9FXhba8AUtIXuxqkW62B0
                Gh9bnZA_tTGFNCKITEJaRjZZ1TS0LjpNP3WStErfp22_hDl7u6bu7Mw6gUJPmjOYuZa0RRPDNeGz0hZOJMT1reVOxnCPDVUXL65j
                EBn8YmkYC9SwQUrYngpy3WpQiR0gcssjhvYOtl6gxDu9aCUUOMOwcR5eDJN56EYwJD__AUNPPOWdrIgxkwc8812aJ7-
                iH5Q3aG00w46JlAE5HHeOet2Oz2FtJKXpdxoOxqZmyxvahYUSMY5vPZcX0FWviGEcJjP96wNMZFhgEThzTFrOKUgsaLGGMQRnOSY
                x-gGxNunpxBDzuyPBfBzGCH-e75C4xRvdoN_Zkn6WoY7p0Ar_-
                imntM60L77dpCoxTjBVPi_rh6F5oDQVxDI468HxfMOOFSZ_QL2aCEs99agzIrSjg4sKOXWBoHP3vP_-NUndDu4_vnKxdO-
                Cs1IfhqzO93ZkJytK7ATMuJgxl97LYBVIB5tLgUn-_uZ5lCsm-fhBlf6a9vVNpHcINkw3qBqTf9kRi5R3ij7Mpy7KYlFwgjOdP5Q
                oWHQdJx_LESZaukNEwmFm0RPJbLG3Iu4Hi9iajz0x6HueM8QUtp047arKRh87kdo-
                HRsrqRhMk6GuoFjRCF8mm4UVfKhaRK5uel5fnoXjJRLVp-UW2qVvyKUEn2BvMHux3AkYF05qvG62Mw3xLR9KmbhhPILBNI1LAjpu
                sJy3P0BX1K18z1yEvoczv8NFPij_BQ8Zr9PHBdUb9t2t0aPwCybbm5iDDRy8-
                btSKqMmAJnrxzrpMUduUW9FejXPnAX39ZoYiVxwlTIfF2U3y-
                lG0sl7jQocFsy8riTPFeJIsPPzPnX7EH3RcS100BS2ly3si8d0yLWdUYNTi9TIFzIMjpLk866vhIP-npdGIMMIg3zL9vOQbL-
                lgicJfTZgS-XKPo8w2mh3YEXoSOzFXNcG8BOydFpu64CWWBiS23_103YgBr2x4nRxOeTwnnvzCxT5fcrmpDU-eJtalfgnTAG0PZ3
                qzqZki5lwmz3H83nTWiGSRqzTA_y3eXp2Rn_ANclgA3CHXJSEMmZ1_MRCLB0XeDkXmIithgauLeECjZX402JQ3qyJkVFqi0hloNF
                O27Fk4BQfvPXJSb9vZYKS3sEueqQNGc0j8T2TI6On8sImGe3uYGwV7F0Z7GYE16qO5K8QmB1CCoBX07uQFE79gDhFJUsGJg1gwee
                7Oei7llPW9N8I7ofvtQmHJLCwQvhHyL8QkmBueTcmzJYQSM17jkwk7VPMmwyt2IZua1zK1sv7VHB8yWt9Rjr9uEgdB4vLxwNa0QI
                dSJ4ClMvaP88NSmLi3enrA__biFAPX7fozqF2nYDb49kmBQOR6NhFM0TXpKX-Gz8UNOdBfmfQcvvFju9YbwdSuziEOoDQawUyCYu
                um4rBiyrYEliXOTOHCsZb4tnR1zL2bUYiIZZcFuWXfKGOYmd3Z1eRftzeTd9Pb97P59MfppzANF76nSUFie_Ao-HZJDe2W4QsGH9
                xrgc5hyIiL1vjUi5tXSJKCnfVbadad3vVNmfulSuyujo8bZ0AQiONu1EpQYNyKP8Fi2r5LsFGiX6ogBbNNRb9c0UJXiO-
                jHohgSVD9P3age3ptEgAA
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

                /** The head of a page: its title, and what stands beside it. */
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
                  // One of many is not none.
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
                H4sIAAAAAAACA6Uaa27bRvq_TzFB05JKZUpOi2IhxzWc5wZt0qJ2W2C9BjQSR9Ks-SpnaEWbCugd9g57g73AHqUn2e8xQw4lOQ26
                P2yS8_he871Ho5F4kalcFdYMxUIvm1oZIYtUWJ0rk4iLLBNWvbNiWcKELmwp7EqJSi6VkIanijJVZgIPu9LFEualpUVG1XeqhkeR
                wlYjclnfNlVydDR69Ei8kbeESShGn4hpWVldFmYqVgBZWlvrWWMV0DUti99_-
                zeOF2mmahhBCqfzTBozTcSj0ZF6V5W1FYummCMMABoXMldD4WCKM_F-OxRJksxXOktrVQzE-yMh5jDHDMCKtJw3RMq8VtIqJxcCN
                DiFxYuyFjHvuL5Vm6G4k1mjbkS5EN_N_qHmNoHltVYmdlgHjEQIvRAxLRZnZ2eiKVK10IVKxa-_im64aEDWvZGFzIwaIJFWF406b
                WEB9sRYWVvzs7arOCqLCHAhG4lM0xd3QMe32lhVqJrXZnqu4scDR_KAISmA7sERvohmIwfJ0cFbgh00aZS98CcUd8IgMLaGl3MRR
                WIS4NvCH1NYVaARcXAWySKTNn5dgFC03QyShc4sUB7T_ECcfS3oTTzwUvrss2CkFeeA8NTKNnVBqE6PtoeVDY_s8qdXB1XH3C2d7
                nQq-H-oz9vLOFpZW01Go_V6nay_SMp6OXo8Ho9HgCkaij-hXh1h_tTvOQ6Ce4_Q7xXWpbKG7JeMG7BLmh-iqmiLhizR1MGyy0JN3
                CxbPejkxohbpSoweIBSZXKuyFjxC8SSqvqw0JW9AmwxI0LEoYDXsrBgLWfiElgsljHNI_movMQejjwDM8GzRZ3gHU444aSf2lENZ
                NcLBlmeVhLe7BQmSlB5HNFW5WY6FLONQJMSb9HrdWwL2IAuELgkrtOhMCWc6bwxTiy2LA_yXpdrEzM-
                kDFiGQo6QtajoWiqFJ6hQG6Lcl0AL7wrQQhPN9-AFZ-fi3hvEIxGrYHRKmYL2REqTsKZx4Q6yWEZvZLdOYEDOTw2GOypKtsKCppU
                lUgL_d4DRpSAU2dXCpN8LrXKyzsVD055U5KCdYL6skGQv8A_GBMzBRhVx_BC18Y-w_PaoQaJRCqIF0-
                Fs1IA26lQxxF7NsTi7JiJWarA8ztOcIGnHhby-TAYz4Nx21gijg3e7o-
                Rn07VeXO7hiGDAjPHg45zfkkK0OVLPcuAh8AlO7HoAkKufUorHXwHhx2wU_kLYeUsU2INsQPMdy4pWpGZzsusyQuxAkvF4O-
                _SctnagkIeNcnFKOLJp9BOD6o1YQidrCHDpDpB-RQpWdlipoKgTuy-
                B4FqkrkoMAZCOsoHQ7qaHjIt7oglYa5XoD8BIIaRCQmGOMShhEWoHOBhHgF_vi9MPOyAscWATr4pixjwpC37K4TZ-MIdwhxjpVoG
                xrXqsyUZwclEbWcD2nQCQbxAVD3NRg6MoBfN0PftfsgOQxgFQoo9N-
                skhNaneo74sLRHZl5XWbICNABPKh3MDaGTxhFJms4VaIjkrWWx5mcqSyatEoBWIkXh1RsTzstAg_D4YE4nJDb5uSRMkLUHwohB7Q
                Hg4hTn_u154dyzVmTs-TwpLxIeJ41gkPerkpo85bwwGnYTaWA4C5TiQx5gwgTChrdVZp9FUlD4baw93QLBRfMOuCUhp0MfF6E7jq
                KnPIMWsm-
                1FmG8kH5krxIsACv4DilcJqEupJ3GHlVflCIkEZlMQDxUmIpOomBW3gh5ysnNQQOqhEI756UdeCEcRpImA75z0j3XsF0DtEBZRQB
                zEGbMgCDCYnkmli4cemDt8hWWxdaQcJI8sRkhBT9HrHBwpjmh5R7g6WgO--HYJ2SQ6LZRFMqP108fE-byUvDdBx8wVGPB-JzcbKd
                Ojfhd54BrM5ztFnImbhGhWODRJ2DE5sgWtAsGhy01N10uZAnssPQSw3ZyME45zCg0tkGIE8fvtfp9hj3Tp3Ct4l51ZhVjGSYXGZM
                hk4nvS3kFBFvm-UH5rLrjEggEW4J0lA4ov18MIOEN25dpjPtvZybSKO1zh-4HewQFCj4nj-
                4Xpd1ykpyAxAu6lpuEm3o6XacC3yCMl7jc0hfN3uuoGw9OJM3EQgZeQsUsMvAe-
                UUqgONOnqvxzdJq_m7SbkTjouTjbUlagdlwcBwMQfjuR360Af-BDlGAnkpEYhmBOJvR4Kg1oIIKO9hnMs6JXzaZmqnCHKYjJq3sv
                BHjdvopHHB6rE7HwIy6B3_0Wgkvke_gMEEGwuGTfYKfB1GPI4xODEhy3V0YJxZu-wbGwwzZTTohLahUTMHuPevCKnHBdUwpuVhV1
                UpCLf0n-zQ7zaftpTOsVCAJKqqhpSQ2j3q9-
                niPRdVhYShvVLd42Vayb5ATbmwbDq8Ems6dDsRgMEiRRL2yNF0ISBHVESKqusSmyYqryzUKWBmmD7vk0PrvsVdTrtaWqoeIbSuyy
                BkBklnFGhPgJ7LI6x-6KjWkDSmUDVCKqPTFMV1LzG4zNNyDx0YkDoyQA1sYyIPesJtiO2uNqMUPdxDqlzdI_NOX_syQ5l-
                jMxwXXSfiZFbfFWXTXUfWQcdqfkgafOVmt_OyncI0kUzXVRNR2EXWlqbxS0ElFb6QLMDeK1T9bF04toPUskuCVK9j4XIG_ZYR6V7
                Bi7HYFcCnEEGENEGyVAPmB4XNh-Js1oB0A-
                gJM8z29BziH3RXBYbfC4OuSP0jK9qivwfhX0Jaw_hvqIeTZ1zzs1B3VVX5El1vzRzdhUuO8NugXZOkDdgKw5bBbEr7LkJRQsoH0l
                9pKX6i71jmobZ-OBmT73lnPqRfXy0s69_uJDFHJLp9uxCzZUx4FYvUhCJIV7I-WruGE4_GbkFo4fvVTGHYPrjD6-
                flXkFR1lYXDvYjiiPmR4GDFZ9uwsVaZZE8qpWi8kODd1S4MA1GnS6R3hWlrdN5cG3dewubOCAV57_cnaQBdq5nfqqdBdNVZdLpOq
                pxNonDjjwM4Qsl1gRnuxVgFO_CpXJ8SlYXuRVMWy_5AuDo6N-
                1YsdpdeFzRKuf16WdS5tHKkCg5Nzwysk9ENLh1TVglMHFaBiPK8kpXlAsM6b_GUtKel4rpeQFUzECVHlWFf1nLt9H4Zv7IZih1v_
                ccDnWTm_DUE_l1Zd6Vx1wI9fPUX4kMttlISsHYtDVes5IoDgvcLIggKA71Ru4OvxcYqYMHqVTd0byHUBmXtvCNKtskjDIcCEFzZ_
                A8V4C6rQwT-io-rpReHL4aBgppPDmhAZaDPU8V5I4UPo7yVMf7zXrCQ1srA_CZHFwtFmbXJO7TU35NLf6Pff_hVhOgx69l1BPVjy
                qtpQm7UAVpMuWUag4msxxlqT3keMQTwR42Q8PsEK_ck4OfkUC3R33J7mcD2WI3tMN65T6mvlAkbYyTx8z9J04tiCgeDk9uH7rgw-
                8XchkYnQ1-
                wVO7ONVSbeK3GaArNdKAMjVKboG02PN_x4xY8reFBlgv1L3ADrx_4bLNOGBQdNrCGGKBHT3NdA3Pjxlygz2vuEcSaZKpZQJh-
                LE-x20tIRLz3lhZ_D12lY64EgOohjzEqZGGB_DOy_kXaVQHpTpIQY63x8JrZ8qd-pFCp_lBwhv8b_NyinA2Vh2tTkD2Lf3EW9gfj
                3BCntSMGhR0jIeNCiGAOK__7HTE97u3BJsDGgEzBsRW6mXWXOVocnAntHtNcD81NPxFc9eG68JaJbd4JiOQE5IF0dVd2CL746QNo
                CAkLdLhohti06CNEj3c9_yvOHoP_lqy8_AjzRsBWr-8DjfEDF9LSnEAdBMuKtSO-DSQsC3NOghYMuznfB_lmyT8B3vlg6FT9ePYP
                sD1zo3X1tRQDQ050H-
                BHU9L7ogpBK_ido6WLT3nl9dPgI5nSnKQnQKazgUvyY0Buc_uvL71w6MHAl5KEpSvEwuHjHRPcFg_0eAMK-ci2mnJMp1Ofz_u6QU
                rQ4z5ATJtZLdIcvuW_hbwPKDEpGTCgluuxKHRQkZKJVzI2UoO-
                w06TdrWCnuAvOHXdw2oIQuh7d5apcIzm0DI7Z3zs2RYZpCJ40tX3w6gFdI5EtMzz9zeFbRQD4DCllOB29nQIcvj1EsvwdFXX6n7n
                MO95hPOjaYjaOQ5QvEQtOO0nQhvsALo8iavksL68url5c4nUI_VACFIFqHIOdObwPNyuFkR7LYRipZGPoe4V9NMgEoGJLmywcWkt
                tAyjYse-E29LTI-ePhf2HYr603Z0WIcDIsSN_Gh86jq_p68a3wCGYOIG8vHj97Yvnwb3kdbSUd-
                q4wYI6Ksrjea2gvrdaYu0Q2fIW8q2mwHsMA9WQSrtRIFS7gZlMj2mQciU3D3nEMRgLTFSUm0WV3GQlrSwhD66XimHBLCRaRmZQVI
                bg3C78qNUvDUQ0_ASIM2pB4Adk8nhi0Y2r2X7GNogsRNlYSKYUnIAswDRSlek7JB4OXUKAhmfF2iDAGjHfMfQbmQPSd5C-
                AdWL3Xun3h4Ntc5bJFGXZHVjPkg88HsgiPe2O4KCzX4k8IN8enTZ2xIDgFwbvwfPX5icY92HPFOOhGeCvEZsWCPxHA66XJq-
                i0hp0PssdHinYkqO9fXzKaaIqL865atg1zJMxA_KlNmdcrdQ1B_SbKNwCGvIiWHjRh2-
                z5TmNnYIqMGX99wd6ur3dZlro2JMcRDNXucZ-6zYqPMdLUqtcGXM7CQM7KfuAgWIQdtop_19-Ta8fnGyOHO9A_wgrxuUcxm1-
                ieiZcCTsnW8MLz2Fyx41ed_MsIQ_QqmBA37TZnKLN69Z0Ev6FrU1PsjNDsnBlpAzUqS-
                X6HYibnt0_bLvehbrZrt4OuREx_UcKQxnDJbb-2wR390mjFHbzoKcDt4p-
                5NV59mLTTDykEXlmBgoEWp9MhO0euovIGKVak4OnhUFkWC13nvvHMXfsN_qyN2_Ip1oDFEmBt9y7FqQvnrtbSnd-
                OnfM9I1_60kK-nsG3nG6Dg6pTNrbE4g1_YAET5WIR9e6rl6XTn0DKToSOOLBSfiMrrWqdyxpjlD8LVFXgBLzkjMLRgwdM_JaYDVB
                pc8XcuLOlZXz50d6rj67_bobJzWg55PuMs-
                6nP7i3_e2P62cyiL1fvrVS8ea2LBNPIKB_4CghgwpzOTT1iNw532mgXFDLuF2iQIEpIrOl9W846Has2yuCG4O2J-x7wEO-
                5CQpnbtbxylSJNqqkrndQmnq1WjaNnH5nnnYNVDjznAwzVyWA85O_gcC4TWq4ykAAA
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
                  'message-steered', 'connection-up', 'connection-down', 'credential-refused', 'bad-tokens-began', 'bad-tokens-ended',
                  'pool-unreachable', 'pool-reachable'];
                /** The maximum of events that are shown. */
                const SHOWN = 500;
                const OLDEST = '18446744073709551614';

                /** What an event is about: texts and links. */
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
                 * Follows the events until the signal aborts, from the one after the last, again after a loss. `wanted()` is the
                 * request, `add` gets each event, and `error` and `state` are lines. Returns what begins it again.
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
                H4sIAAAAAAACA5VYbW_byBH-rl-xwRUlmVK03XMurQ2dkTpOE1yaFHaK-2AYxxW5krYmdxnu0oqhE3D_of-
                wv6Qzs8s3Sfah_mCRsy8z88w7j47Yl5Vg4kEoa5heMAtvRtQPoo4ZN_j6yFa8qoRKJrKsdG3ZZsKYKGJm-bwQ8CNL-G-
                E_SK-2ZgtpChyfC9EBq-ZbpQVQJg31moVs4ovxXvBgSLqWtcfpRLt4rVe-_N_r3VTxawUxsD2N3lew1M82bJFrUsWJEe5LpN_m-
                C8k6lVAWQ2tha8RBGAs8oE64_xSrpjk0wrY9lPHz69vWEzdht4VtOFVNKsRB7ELMhFIQGIx-mCy6IlPchMTL82vObKguxEtfpeqG
                ktqoJno32lfsB3AKxjYKwQtdsEMigASWo1baodQq7XikiwF_SQvID7F41xJ-
                c8nxJTM52LJVc7NKHylm2ldTFtFCCSrdBeuJNoPeXufHL08iX5Qcm_ybIp0RE8nnbFLeM1OMUKJErYyyMP3c37zz9_AuheHR-
                fe9Lnj2-vbr4ALTj5y-npD69PT49ff__6-K-vXp38cHKKqCOfn-
                lG5RgwCSab68aeMQvuAy8qZ4VU94ZYLRpFcLg9IR1Bn1K4OSJPdKwrXsNhMCQo09LAa4FCZxJ8vrhoT-Jrv6_Q-r7Brel3R-
                75AtZnf9iA8-hc_Ov6w6UGL1NwTwgL0faPX3GR7nV2_kXm2xQvlAvmhEy8uWHFicmciEnVmFUoijDgYIkNW4FRz3b8HJnEbP-abc
                xS_85a_v36No3AtCyIUI7tSJZOyOg5ITwMyMUdYAeUHPDo7wfTZLoUo9vT9rBf3LJ05xRlht0zPl0Mt3TRFET7l9gaIg6uEMo-
                gbMpeVGgmlsMVNzO4A1X0Lh-Ye-yxFSFtGEwDaLbk7soOoDqvQRXnc3A25e8Cg5wT30IdbaSBsL3F8xFW2b1Lh0oU3ayZWtID6wW
                lDrYXCw0vFIaBjQKpLhQTDuRamGbWjnO55PtpI8auh-
                y6jOBk4mioMDBNO414xbMfGNrqZYDXaN4HEvBf3_7D8B3MDI7ROGF9gYUl15SBN_W5HpZwY05Y4cQZRf-
                94yppijAMQlgOpwPDweqKeeiDtB1R1Ib8bXBAhCBPKRnUvIqDDHxRWz24-
                AqdAGkop23ky4dFhIQ8kXRGTOmZyXWAlYWsjb2nKWoZQpVksolW-
                s6b_Mmq_WalQ3sXfEHgUafDzPp2FAfgVvoEYzZrqFIlpkrumFwRdKA6LfBd5-c-uDeX8CG-PsTAIm_byoqK2_QRLQOdwZ35Dh4Xa
                IgAhJCEXknPM_DoNBLF9-FsE7UnbS65hihQAwJRMqnD7xoBMSPLMMosfqjBie-5EaEUX-
                u5DZbCfS1EFChs_BLLnKJSqO7DE8mUmVFkwsTOo6hC0KXv_P8qoVMKFGHgVQV6eiE2jAIGxY6xmgDMCLpEhHPlcyhqIIkL7xQJNE
                520YDL3XxjBCd9Wg5H0SgyGRt1Lc6IqvZk2F37vc-
                I4LfQfzmOn9MKugqoJyPVp0DNcqs5MKOVtYraFRY6DYUQi3tiv3oSnXkj1W6Amxdfgn9QR9aWSF4HfY6ja0_lss3O5fAEIqWGt20
                7YLoWhhdPIDR1ytQFqMD2z8s-
                n0QcPOoMtaFAqnwntDxomDKfZHrrCnRRxxwkbcScuVrLi3GJPsnpFYJvhPWjq_3he7svts8SCPnElL9IzRDaonR489igtGQPKAxq
                RuBrkHu4RW75Jg2U4QiZWsJMHMyc62LQtQ--ucamxJapbZaLhWHvhlbnD08nFpPAnKDcIXtDch2lMR7zjMC4g2yvuyowzA0Vldd8
                PYHE5J2uBEkEt3GDVlhzwgHzqP1mdf1AOC0DVBGMYjZ_2ccFMqlgfrR-
                6kzP0IS9uK44ggZGqQo2p1eKOf7vyfXQLKDB54TbuvdZMJesncgj16bQQ1h0NTIYuAS3lNiN6YgHZpNxheWPAnKEDeQRfiSS-WpH
                Lo1Ay1y2qbGFH0I9iLHGssenkgB0pQtBbDE6sZ8OkL_S2n4St2zsdyKlLp8aL0F3HtNwYVhC34ME4aEZwCZREgmo9K1IP1cPeocd
                OOrRIyp0k96iC3wgSgic2B54daKssKyhhW-LTo4bTU1VYrjlibNO13P25y54IURuNRJoSFJIg7e0rtXsHY-Db0oQRCN6SQb0HHi6
                3vonVCEmSkfOlnrgZ0a_Zq7vffS1k_dcNqVtHgYQi16ThnCrk2rLMMqwcKq1lD_yz5HY1h6YqJ4KVz_RPF_haoG7Ndfu2hEqsiHu
                XME1p9m7KSrMWO82lm6E6ArOWPLtKJgb-1Eeff5-m8f3r69-hR4VQ5D69yoM6AvZC92JR-DOaoV5_tL46yJ1uvFBtwGoreY7PlDM
                DrxPJC7Z9txXi37W9pxFSZ5gOsf3K6g_1fhyTH8xQx_IIL_zKDEtGYZCdARf7_qoTTQD2J33pU04ts1Or0xWvQH7Y_L-
                961L_ryMJwvsIiHJeQEjHiYP8D_IDtBImsh951PG_NOedfm-
                y9E4e1tgK2pwA8ttBTcxSxJEvo0cxcPrk0gk4UBbYncUDGoVsRmRi192wpuYHDklk8NdDXZKnCFHC7EvmWli1zUZ91nmZj5mRfaR
                mzgsRJUMDJAZ5bdwzbKOIHHzXGkyECW7WescZXFVOfkMRV9oOnnFaMXKB9EvcA32NoYml72PGbU-
                j81JLQ5EsvEIJWiXRL6cpeH7Ue3weDgnbT78ha6pzC4xC4QNlCvRy0hjEX97GXcB6qRQhkHxFCB_uNdSI9hO4r4AdITMS4NFLniM
                fA6RF2R6FrtaIAAOLCF8RZT_8Fy43IG5dQz77nhhsrpmYMF3MV9nSLfClEcN7TAlLkh6UCP2558Byn3DObCCEz-ZM_vAR8Pm6NWu
                T80arSdqq7-kBkwDGkLSbDfCXUthu_GJh0H37O763c8gLW4uXXfvopv9MU0FwveFPjl1EpLjti7BpgH27j_Ac_lubwdFgAA
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
                // The cards of one device: what is stored of it, its groups and topics, and why it did or did not get a message.
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
                H4sIAAAAAAACA41X227bOBB9z1dMgQKkuoKcvibIBr3tttgWW6RZ7INhxLRE22wk0pWopF7XQP9h_2E_rF-
                yM7zItN109yGxNBwOh2fOXDQawfVSQinaqgMzB6MlVPJOlfIM7pfCguqgs6aVFa0qm-NfB4vW9KsOhK7AmpUqu9w93y_XuAyVQuX
                W_WhjYSEtCGhk14mFLE5UszKthc0JgKxzd3IOVsxqGX6uzH0Oum9mskWJalA-6601GpWXaoX_jZ6rtolip1-
                aum9QQzYru36rNG6ai9K-VR26XBtz269QepvjqZ2ZW6dxsoV5axpgxagyTfGxY-eDd2BbUcpfTNvATsvJvN7J6MkTh1wjPqumbwi
                dI1TAEoKildBKURXwZHSCvncW3r169_zV1YfXb95_gAt4enp6ihbnvS6tMto53vG56XWVOZz8JmFtq_DKssM9frlIZJeXMJ5kRSN
                WnEtRLjO4-Bmmjzf0XNzK9RZ3hbc7UfdyO82Kj0ZpznJg2Tke00rbt3rAjY9RBjBmLx0fWAxKONqz5EZVWdHKVY3I8FE-
                WqAxlk1y3HZtbqXGXbLmrDQVGdhsMSxut6VF1AtH_KZ0hevorl--xXfUja9S36nW6EZqu506429NKWoy6RVq90oYsG9f_2aD3Wuk
                D_yFpB40iVA3JEmUUfFKLvDKEnnOPOnCLdtBfiPszl93N-
                iku2CiThKviErPhuCgUhKpL1_CwROEfbujkqdzYE25FHoh8Tnmo6PPwBG__Nzv4CvMrHBBTNDuHR6zRx3MxAs4CNv5sNqgOlHKMY
                ZMFd46Z_2qElbeVJEAm6E2KDyI9lVn8CgcCFuPTnxFeK8H76kKdLDquyUCIBZC6YLB2bGGNkGp8Jz0HrbS1aDvOxkWD9xDb_asYx
                1T2hUv0VdK6nLnhztIdGtdwoBvKxtzJ7kHMbph5WeLPrDfhyIJtRR3aOkHRTG9VgHMmQP4CdgbDLLBsggzUd5i4a3XWEBl8HG1gk
                g9sh5dPfcIz4E_EvdC2VgL-fTKORzderxR1fZymjuXEYiw-hTSUBJ87RlWul7CNstC_vsjvPV9Mujo0REThD2D0-
                8g7lGsAsQQ7CFmLXeS7a7qjD37ecKePzQxzNGEZMwzLvMsC_lmBXH3AoPyqRet0BYLe8VwdzCHN4_sCDzJ0J7u6zpPVMjLb1__cU
                r0jBfx6GApcyk68MIF-ZraFPfx9gxxEfGCopZ6YZcRzl1H4hRxT0Okg1PeI3mN2CK7XA_k7FdnjFEdcY9UpR0KkzQvzD3lxFDuY_
                _k413Lc6uFOy7DYkwvTUCY2iln7o3ML2VdMYLHVyd3DjlVzEy1LpCSUle8KIpwT-
                o06ECW9g6nrrHY76Pm8sGj5lMjQc0L_idqTvkHqF07Y8y3H3yka73Ga8FsvQfc0tSVbAm7Dc4DfVtSBhCCPLxdurbVrYQObYu5Ww
                NLp4mgnDnMbMJ828l6zh4EMFx5v1U_HDunjrHzTvsdk-wHuMeGQrMVDSZHru33Er_0ApX3G0lz1EZCbl74pULpsu4r2XEWykqCMH
                GLBpWxI1mSrflx6uLAoe4kZS2rqFcTnDOBXDxsKA8R1ufzoVMuYrge9wmfdMSm75uY7NyPvfjC16xGrF_4MujN_XfzPcNpLAkQhY
                JPX8bqfNCLt9NkmOUOuizfmwPT9eBblh0F243wIgQ0hwWiqpH6rqX4odzNXQU8i_M4bZh2_WKBxVFWU8JGfsZpjsoolnVsS2HyQC
                kNxgdtckediEM8e7CZEmgcmSVpkOwmCK9vNO9xwladLERdh7HTwd7KTz0a4cynRNJ3MF3zA51glMBLFDFfVaOwP6Uz9zZLi4Eb66
                mGxJGf-z5ltO-eG2rHZ5AKKZnzoQV-wNFOL47m4gQEPDEhw_jBjPNX8AU6i1813I8gpB3aQjJk4FWTnhQNhN6Up5U3roUKnIdJJI
                o1DTeXw9cRp1aOIxd9vTQ0e4WiNSRLMODd-hO__Oh7zy6RQCFCHD_-sv2vv0ualgnlzPfVfwEeYUwmfg4AAA
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
                // One box for a token, a device, a group or a topic; what is stored of it, and where it comes from.
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
                H4sIAAAAAAACA6VW3W7bNhS-z1NwWABRmSoXwwoMNrxgSNBtQJsMbYrdDFto6chiI5MKSSUxUgN9kO3l-
                iQ7hxQlOZlvtlw4kg55_r7v_Mxm7FIBW-kHVmnDBHP6BlSGDyXcyQLoaW1017Je2spiwe5r4Zi0zDptoGS6YtLhSVWiBAzgGyv0B
                iyrjN7kR3LTauPY4xFj0GTMgruCB7xQSWjKjLViDT-DwKei1hbUj22bMTBGmzdSoQelVhCeVp1zWr3T93hUmPInI8vsaOetsCSfl
                Wjso00Wg0E81XiDyoEqgI1HRSufHA3xnqFaOznXaH3TtS-
                C8MkNJTaHzpPI_quByVlnRNR5NDs5YVc1EAgbdi9dzVztYVmwa63egzBFfc3W4Cwm1zKH-cvZyeyo6lThpFYYIx15jdc53spYvJT
                6tBdaWYffbLfaIDhLxuEOk5Ky5Q9ejsDQe94a__8cKtE1jqcLL6slAb3NDbQNuvzeCQdcdZTaJMnY9dd92Ke3y-
                NHTLQu4cO7X840Rq5QGzmU34mmg9wZueFpurvuNUcvg6Ud_RhwnVFIFJ5QMlA_wtgIa-cs8YSxSTZGsutZxJPzkF5kROTwwFvPWr
                yFfqSZtzsQiZOd8OYtuW0LaChoxy_RcouOC7NNyGDyBqNlXZukKbq9C-
                D9RiVBmBWeEQqgnGMstx1YxEusdBfEgshNlVLUQq2xRETlwGDdyCJgHoCk6tqIEs-
                vhVT7UIdk_4pVwxFX50vJyrUSDUXgCycUTYYOWMQxi0p3Uzb0zhEZiK6UnnLrGUFV0397JIfnrLeTe-_zPKejlIrH3jBqnmAXGBV
                98y-
                9sfCyEdszH_2c8WCwV48CvmcqMbBG8oFJeuCE3aqiz93E7cxXRNpbZrHF8D4ZSdLzjTFntsOpmAmh7D1isGTiXsghMdOsLIYbUXP
                Ir7c6CuljXsuyBIXaKtFYGIVBuZ3wPfz1SQtOxM87BMEhYrw1etXAJp04_SS42N2Go891U60Omv3_XUhn0aA7fFQe-
                BIL_ayWTWlAjd4eyqtXt_PFMHakGstrg-wlmrTCYDYRSDtytUd6n5U0iZa--qVqOyrB4JvvH_OJnhybIU9uk5Sdnvo2lJTCiRchv
                8kcge4QINtC0xQ1FDfUPggQPCk6p3E-tQ0qws-6qpKQDh91rZsSDH5_9fLl99k4EjsLZvbdt9RQGuySzSt_KRA_-
                O6zQt7H2cUnQuIGyuIwm4pC1lEYh9pUSNMRRf-n6HG-xMp5Pi_4tHKCSScMJpec9T2VT1guK8apR-
                LIj6eWS0zh6iMULmGfPrHZH7-X3xzPckcl5G9O6eXpeIBl2FdCjUxGMafws95W9gx-
                nLIWD4ROPLI7hBE6cazqYVpHlWNQh_3xKiahf-U_5A2otcPR-qQcrq_C9oPtX_fThzo9vvgJhO0dZ8QKO5qyYcZ_-
                fzX8SM5svvy-e88DMXdIaz4E5CodJbs6WwNvh6qUx9DADxgMQ1tbLxR-
                kzPWa1xQ8OoaCzgFPYTq4HK5dHCtL9OO97AtB6ng_2NfAnEznFqGgflvq8xfmnfSmulWmMSeiU5bR6BkBeXV3--
                vvxwcZ4s_ltrG9Vjd7nQzHbobb_CIcBxLuH2KykL-AkzkidsfrAf73pwg_t-0Vs-
                W9v4ZCXbnybUzyK4k5XJ_1KXJdxAlTxu03xYUyZ7dewdaZr5HmvBM2xvySKK-z2HXMymrSWNvcUbJaAG9qWjV6jY-
                tU1r3TRWR52JHjwa3AZNkvatKRrqPuOXtLAoCHyDxS-6a2UDAAA
                """#),
        EmbeddedAsset(
            name: "message-actions.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // What can be done about a message: pause, resume, start, pace, cancel, send again.
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
                    await act('steer', { action: 'resume' }, 'The message starts.');
                  }
                }

                async function cancel({ id, status, act }) {
                  const devices = counted(devicesLeft(status()), 'device');
                  const text = `${devices} of ${number(status().total)} have no outcome yet. They will not get it. `
                    + 'This cannot be undone; the message can be sent again to them later.';
                  if (await confirm(`Cancel message ${id}?`, text, `Cancel for ${devices}`, { danger: true })) {
                    await act('steer', { action: 'cancel' }, `The message is cancelled for ${devices}.`);
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
                  await act('steer', { action: 'pace', ...pace },
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
                  const steer = (action, text) => message.act('steer', { action }, text);
                  const buttons = {
                    pause: button('Pause', () => steer('pause', 'The message is paused.')),
                    resume: button('Resume', () => steer('resume', 'The message goes on.')),
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
                H4sIAAAAAAACA5VYbW_bRhL-rl8xBoKSSlU6F7Q9RIZq-K49IEDRFHGK-1AU0ZpciVuTuyx3aVlwBdyvuR_WX9KZ2V2-SLGT-
                INF7svsvDzzzCzPz-G_pXCQCw03EgqjJYgb0zkQUEtrxVYuoRGdlQtope1q_LVOtG6Bozm-
                4MZcVjgodQFiK5TOZqpuTOvgYQZAUxslq2IBN51zRsfft2aHm0uZ396YexwU-
                e2_wgIr3Tt5jyforr6RLS4znXYSRThVSz8l7C2N641q60XU9KooUEe7mB1g05oakuy8MHX2u00uZrPz58_hTedyg4vBkc1CG1fKF
                oRzsm4c7ExXFYCDqJfQWzTOtGFlK3EcNkJVXSszeH4-w7Otg_-
                8_unqR1jBr0khK3UnW1kkC0gadIbSW3rsdCu3yro49UcnWqGd0v7VmVupvzpe5EflfaPCQCU3LvktWPGulME1YDZQyDuVo0k75Uq
                OmwbjzWQ9UQjFwqsb1v6I0lDpFAPpOjuH1XfgH7Ow02YbpYs0lSIveZoe4iSsVqvBxPllFjW4vIQXqKKwe53DptO5U0Z7tKQPoIp
                FOAWjlzs4zBkgE8VQqRDroFs6z5xxAkGU-CXJ_KLf5BAJuGP92oGyYBFMRVfJAjYYtmcPESuDJILoe-
                Hmhwxwy07YsDIcfoBdKTUoPyXyXDaoyAWs8UCALyER4Eyj8gVsW9M1ltAhSJVCsaEEkspg5AroGp8KCC0EkPQ-yBJSXW0gFTuhXE
                Rvur6m2Yhh1EcVB0Tb7nK9YBMXEFbg2JHG67l3IoAXiX5NE4SRbBE0D_SKii0h8ZmbwAH9SOiJZ7FeNvNOPcwOJ8Hz2f350RsBrf
                f__MkgjsKAoH724AF-BIP5AUpxx7kYwbiXLqOM2GMCVBVn71YiIHC0D9y7EvGBptAkklynieYuODLRE4H_ECIuhM4ZWlBDJTAtH4
                3dv9lB0-CNAhemj6JGsSmIYdoluLaT6M1Pi6MPB8dxPY6jNw-nBvjHw7L148FllvsZafxjAVa66ShKCIWEn0kt1tftGywQiY8Wjt
                aK9PwHPYl7fPr65auvX337z5evvsGhO1F1uLqPKVUQYo0E55oKX0pTFeSUBAOMRUgj95HuI7goe40MjKoER9nbNCExXznlKolySE
                X0QM2OqyVyYoHyCiUqsyXHsda0qHzJSxRNjySwb8knBMNJWNfzYXNDe2nls4dPhfzBEwROZ1ESF8Y0-
                d6XDoUZJBCBxChEHLWx5Gf2N8r5AUvUfgnRM5i0XkhfTtOhhqZz7wg_x3bmlbCWTG1VLdr9EI1kL61nhmvp2Yq8kczxL2L-
                zHt9jh2A61o9RIMDuPIqZiwPLvEsGl7CTz6DR5NzOMAS_UYCngY6q7CALPMYCWGbnrO-
                8j4ayILW8gZ0dnHq1GyNpzP_sdASWX7kzQvKECqvV_bWV4ZdqfIyEo2d0AXVm54qMngrranuQhGmhdY3D_yqu6riUnySfsZYGVuS
                lBIQk7hQBRKOHWcfNkieXPvZrBbNuDo_lpaxvxqife1arNrpuJ7PQx8mMRPOuKHJlM6rrkClpus4F0fJuDWBEz4PZ2P6RyegI6kZ
                YUtGJm5UhcSbpu8pBQp5z_Psil_5_bcsaM3Seq92DW1PI5-
                GUyhHyYN8GjIPtlUd0l6KZXEBvR_xDcsF2xyyeQEvWDzEpjTdGqrHfbNLZWLgAP4d5_w67N6arFBW3BA_r6I62Ea98NwMvdpPMx3
                WcTz507gOAag9wy-D9MfYbyKV-Y_tmzYkbO3lhzgwuQItd_3ymAJgBZZntMVJ8smGe2nZ9wrcV-Mx6BBrlpHMPgTxcfwjoFMk3jE
                2D8tRFKYBHAVjMcHP_CMEujWBAj3rxYBcDig6ysJxriDTUN4zqcR4_sDWItT7Rbgr9jFn1FQPlwj44ovpVOy3TxtsHz4s4aJpFk_
                X8Z7LIqo-wEF9dR7dBXwm9pYGU6bsMCoXcedpwRDa7vDashrTv9ef4XgrscLl7b5xJsNbEl7efvnl9fcUjF7z4xZ2ysRJr4Q_aY4
                deS7ITRnSfYkHT6-KKfvMr83C1HtV9MVgBv665TFiqSfo78ULKFVRSG7ysRm01HGGqTUXlzUKR8ytVUH_a7GntKLH6GJ89jVG-
                eqCaSStozP7CGIerslLWtDN-8YUe99bDntrccs1rpV_dJJczLf3cbEiIbY0O38I7c5mo6thD6ToGn6zaXgd44crNSHYF-qgCkEiL
                M4-WNApaLxyAEJ06CrwNH9iWIbhNPmZXlFCGi6nKI_6PD94HH8epxIeEtrfdgZhb_3t50haG0cn4rYGnWn0IIyvSIOs_ib21__-
                P5JIV9zor7DRN0GDQbkcbxn13kf7fCM_7PRXiMlefymL-4ji-DKRDPYj0EY699VqLCXQxuR07syIqVMfJUpwwvybm99lHjovm4bY
                4Z2FCSBkwYqvMiO-9IHVBvuI5SMSvL7UdF33-IzI4AKxUf0F2nFHPsI191S0P9TO-
                DXDnzuU0TeaqmiKvSRLsRO8hqwkuvWzQ-8TPonwcCjjsVjYjDE3mH7Gx6QJsVr48GOHb0D9p4nkRI5H4akgj-
                nT9f5LwsnyJ07gprjfEEc9hj7fAPq49YhqHlCnIjdKK1vSDvjzTzg7_tJk8f9Ha4s_6xAwepj9DbYso2O3FAAA
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
                /** A long message has few failures: that many pages are read at most until there are rows to show. */
                const PAGES = 20;
                const PAGE_ROWS = 1000;

                const isFailure = ({ outcome }) => outcome !== 'delivered' && outcome !== 'pending' && outcome !== null;

                /** Reads the recipients in their order; `isWanted` says which are kept. */
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
                H4sIAAAAAAACA4VWUW_bNhB-96-4YkUkpYLiDdhLUi8otqwvLTK0HfoQBDUjUTZnmfRIKo7h-r_v7ihKcuJiL5Ys3n3H--7uIy8u
                4MtSgpWl2iipvQNTg4C1dE4sJGyVX4JfSmXBtL40-
                D0Hhw8QHs28WstiotYbYz3sJwCyyaEUtsrBi4dGdo9PZpuDNVvylf6LfPI56Hb9IC1am1Z7iQ61kg0-HlrvjY5P9uSV99a0G4pd-
                w9Ky3xygNqaNSTFRWXWxT8uueo3gltoGoqFyLqUMJiKjQqmk4vzc0B0h9lhKkZLKBtVrkBUlSvg_GJSGu08fLr9-
                hlm8Ov0ij3eQWP0oqdnKRzUcgu1UE1rpbsMaGuhd7BBAwfCErmiIr7WBgExW9UQpbjAi7wHA25ptqO4f717f0OBf8HAw5dv3XZ-n
                k7xe7eg3J8hPC6k-1gnOGQw-
                63_92o2g6SSjXrEwFUCZ2fHSxupK6UXLxZ02zSRLUyD6DrqFqVje9hK2iuYK_dVUEHn4MTOwXapyiUnupIbzwnWrS69MnqAIWRpU
                7HBAivsAacWWjQZd1QjPZStdcZieskUSxe-1dg3FX66u6cvVvrWanaAsHQJKRPAf3L-rtw7fzOsRNQZ4wYTrKEX1qdZBwUvYvcB-
                tgAh-As3E6XXO2_qcjpVoTOjpQMoDUippQFNQkCTa_C29uu7lgEjlE0Ui9wAt9CwOrM3mAHDGC4R-
                6DB1PtEGsPzGPXot8U5kuchjxyaNRa-ctRNx2unuEI7baSMhZboTzPUppEuKgCSc7xcgwXqoX9NgBFgkISCFsKnwbcYmieolaNx7
                r3_IwQeto7L42iMayqGtLj8mXwgMSvoslhqAvmd5icajqzTaUol9RygcyQfqP0iibJY0TuE4npi4QyXVpZX8L8p4vGmFW7uf539n
                pPEEUlH1VJXB_OOqJwBf_NcQvAQKMmjZKY3h37wjXHTj97i5OYHi9mGVxCoo1HlIVynqc4tN3YPo7u9fUw0lkOpwMl2-
                UuYdzkPmOWaMzpOCAJD1LWYCw3GnieYPnEOvuSU_c7Op6e40DuSnFfEKVONrL0xCtyRB_MhsCY6EfRtBL3RbpKaoUWnPsgYNkPfY
                I1Nm0S-ilWFX9mgfs0-dRvGF3vkj-YGXxNbgN_9MqcRHcMTnMaT580SUaLa8PaG06sNPlAoew4QmNENbK3LHfo8X8CyFqHaIU2lS
                yWqqqkpiRsK2mJyCzwvLp5RAiKKjWCJOVS6AWlEGRu3wkbRSh6fQuDQodPyhHCMN_dR69pZ9Gd1ynliKQ8z62zotWiUo7Y5bkXjZ
                PHAMQgscoepBWTKJh9GxFNvfI-h4xJRxKDIDKJnBlLTZpFxXzDJ3dw8HbXi2XQtJ6N51LNU8QEvGJ2uang-
                _fhkA0WXd4HnBSP51u6sQb3uR5EuZv14-zjhaQ3jzD8W1mxTY-zybs0A2lEWU8WW4fDLRp1wU90zNFhQoo5HVO5knRuDKnPX6gav
                N4HCOREPt3WwfYwP91FwdThdUqm0353OcUZM3xaibPxznCKcWe4n-6WmI4TwW7qIZLs8Ho_qhjKH99dUQ-jaOwSVrq46ePKdLR3N
                wRswmuOfUmxw031KHR2QCnALrfz02PyER8_mo3noUJp-44h6X0mUMP9N-
                XXNPmMl0VcoISzLB8qnkNIp78884YyFvf_AC8ZGKbqCwAA
                """#),
        EmbeddedAsset(
            name: "message.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // One message: its progress, its outcomes, its recipients, and what can be done about it.
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

                /** What devices get, by language. It does not change, so it is read once. */
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

                /** The names and values of what is known of a message beside its progress; those without a value are left out. */
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

                /** The points of the curve: those that the server has, and the present state. */
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
                H4sIAAAAAAACA51Z3Y7buBW-z1Mw6HRFpRpNZnvnwBsEyW67bdJZZALkYmBkOBZts5EllaLGMbwG-
                g59wz5Jzw8pUbInF10sMhZ5eEien-_88OpK3FRabHXbqrWeCeNa0dh6bWEgo6-
                6c8sa5vnL6qVpjK4cfKuqELuNcmKpKvGgRVEDJ_UAC4A0f2a2TW2dODwTQpcZENkiE049lNr_-VjvMrEyJUzaegcMW-0-
                6W8uE1W3fdA2E0VnlTN1BQvMFpa1G2Xhjz_S300FHJd1Vzld4GS9u3XK6Qx2bOA2f9UKhrW1tX1vKliHB-
                Rfbb1y_Ouhc66u6CjLuuy2FZ_0L9bA2kK3S2saPEKbPTuKla23Ismvinqb_7NNXvV3FKoxuBDv0tRl-dm4zc-
                4Md0KzlcttRjWA_Vk_RJu5iIK-
                p7QFPrRLHX7Xq9ARF5jb5Z0uGiln7hUPDPhMejvLdzyzLKBYLKy2YD04o1oYELkrFrqX2q7jehojOmeXb14IT5ttKhtoa2oV8Lhh
                7cwYSr6JuPIxYurZ0u4gBM3H9_9_FHMxV3S6Kow1TrJRFLo0jxqqwv8WClT8q-
                qdpco8GThd_uMBuolJ9YaJPewF6Wq1h3cNhe_wmQNM7AOdVCtyTjAfoVBY1eFqEF1dJhVV5FIwU5QoQ4FKFXTgGOg9Zl1pcqUzJ2
                PjfZYwbHZrGT6qp9xYOQwoUuZNFbDsUH_pWrbmUgatS9rhVcBKYB9628w-BJvpqxRl6V60GUCQ2_5DEK14m-
                3N_9IxDHiv9vUpfYbFNqBcFraZGOKQlcz0FIH1pjRfNttt8rucR5GTvimGZ02Yr41bQs6COcfnR7dKkFvLjV-
                gTN2bYI7JQlxALuXiRcfLSTxedP7YgrAnwLJD-REfNAgWrhhDtZRSbkCjy9SMf-JhC1Y0LnVTQmG9nZjysICWZ7nbLKsI15EpxAB
                aKQjtMGL5q2zcCuz2jN7xCB05h_DEpJpzhKEu69U2WqcgdNKAEyw2C0fSZiVkM_5zDmgoQVwSvsdvfQGVOgXp6-
                8Dq12na0IhWTyphWKXY-uCT6CgqMbZ3ymLGgEFh8HD6sUehRC9KMqO_gJzkZgDXb9tULLhAEVZA_w3ZpCj-D_FThj3WqxAyxDTFf
                MSQAEixIwCP127BgrwJz2ZiVZ8bEvEAaA2Hgmp88GGIGl_fADGdKyLrQ3wlOivG1K42RymaR314vIGB_0WlUDXxBq8QXu-Pp1GFF
                L4AEagNFhFZ0TAYU0e5e8J6_qNyYnW2QwcQv8tB1mWvpG9gg0LMeEKD_hYdFr8e8i84zfdIVBJQ8clB8Rr5-
                4dSBIBXiQEqWB84KmPIIlA2t_sYRjozy9b9rT3i43uugYIaeSGq32o7g3mn_P4BdTmXYTr1_5kVMe0cwJn091_fUpHiHWn-EjLln
                RJ_x-U7FsG0VyvYcF2xrEdnHgPEJG8-
                nxqr1H0Va1eEBHHyT6US81hJToktaPAFOfZcjJDCAb_WxccnK4G4hWMbeavk958fhTnBYRJJDdgmBKB5eSdxk75IJwh33z-
                XxOS9GrhhG4pgZxwuajYQLlCDIQccjbKQrTZogxZrkhn_cAixGx3CPKAdVeFGa10naMA5QDUniMMYBM2QelchQ2aKsQwkoNIdkqC
                p1JgiM9364pIL0bwUtgzmnnfIrldxOvGvv4xK_PIU92BkhYweKMGU_da2SaJ2Y1sYyFjzQYP_x1QEkkitRbABME6RARD6Fsz0XAO
                IGVE3jmyHYczOsAWVABgdtHHuQOakLWkAWw7MXxCYvRCqzEJ3JcKYScC0MQflPuPraTkPg9ZSqUCMrkxpMlCLT-
                AzOiP7zzoIi_b5E9_kri-EACAU4Sz0d-QslkTpkViCKqJIgk9wNpxGMJaaAbMwnli-
                QIckv2NmaAZ0r8P2Ty5jG2-fsHZQGgntz_eA_uwDeZmv8hKslc7SgzGvlCqexakwA_KLfJt-qbvM4EWENYB0ONHG5DG3t1hXTHp7
                CUvWCkjFYvchyWssbyqQYQsMSFRI2DKcC1_-
                DJ339nsrAHzGPlEHbkDbEClGTGD3Wxz_zWmZgcszcx1grMWyzdeqKD900sK3nqrke_UFfK0YV9VTka9IJNg0vS8fJ_ddrub3Wpl6
                62MslBhUkKYLOHxHBnCvCCubi_OMRCj5mKq14zL8T1y5fp8Y_3zP74fU-M7J8EhHNPeWRTm8q1obJadvYR2HAe5zD7w9FWw6gVG-
                VreByDOgQzUkKkiZcyyx43Mk57RpVOt0X3-
                Gp8Wh5gLZhbiFi9lp40e4I84kOCAUgrOjAkSeqI1Mx2_ycxVtrL2PNZEGy6dGIwhTOpBRjnO7wyUEi0hW4ro9oyjPgCM3z2VWa6o
                PhMKT9tkpe6Wjs4JO-fd1W7MSvXB6LvZqhwA_5_ERcCzOk7kRrskCGXy5mgUlL-tMaeqNan-
                gTApoh1ivgUSlQmIvgCu4aAfX1SkN4HKtwwFBUXB1MQkJ0vfUc5AAjPqoaLxf_--z9JDMB0kTn3SGTiUZ_teaNgSlVD6KnRtDEfx
                WhBRnSgWmg2bhnQuUdjXHd60r6hEOj8ABCNeYIlfGm5mg2kWBnQkDgukCXoeflVF6GaXatmJn6t0AbdfiQbWEg1ku9NYccghn8M-
                1RDnst_MIEpogKL_OMybhmFZQw5oN6cM8HJmtee1dV4eCau48BgOSKGhAa_IPHOTlJunOlT7iTmQBXkwEFvFQikWn_ZtoHTtCCIa
                dIjMThlG7B2Ps2yPYIkTJCcbQTc98cnGcAmYMxwEOZ5FPLi4GMFTmcjCaXH9OKA1z1eHPBox_se1EcafIvGLA8igGnvN5Mg3uPXC
                fyGFaNIzUX-GxSppOSGYzKD0Gm4vyOaEN7IwXKfXgRO8mWaUdPRO8is30Newww7RDT4IwwGb4iG_5x6Gxfi6orAiyAALrNvsbgoN
                eFTgAzTCmaApS82pmuL3ULQNohoV3dlAUPg8qGVAS5X76jdHKsTPWkQlMdk8ZO4Rrh_fhoFfJCHsh6b4SQ1zmhXcHfgCjIuvnPaP
                PEMZsgAiyOHJ1ubCs21z4BHMZZKKgoZszgof9W6aYPyTQU7gQT2md9bxTuHTQXEwaSlWgUs3pTYvISdHIBlmycnqQWtitOL3wZ8p
                0jCvsA2gXSkVkg4aCFOzoTkIAy_c_zHNw2ZwpuRqtodJn8hIevRiyfyERqJyDX8Qp8ZIU_OcHovwuaXRCigPiHeMrQIM27Ngnkd4
                1B255u0C_QmpA8hG8axIvaLcvzEuhj-pqNBGhpwml4UMIiFl4W4t0uPIPP-qSGeYr1z8GsbVcUxroeB-UlQHoj6Rvl8UjoNJKEOj
                krwUFSzxAU3CKIV_gVhPnlSkL47i83trdpjK2zWSwUGuK2Khsd5EXEPphGwCph790eFoTCBXIbHGXn_YZQpMBedDRI6aS5jlEb9R
                A83Mrx0oLFCAcNmSMrhJ5-zBVjidjVxC689socLNvo-Y-J029upb-aTeD3h954DwmnGzy4nZEzE7vh5g02VAnyd445ANEvx6QIc-
                3VoMeIbi_TamDbSuYtO9T323Nt9tRxiEAhLYu4CAqQ6i7r7oZHu4dPLLglR0tl978feaMhJ0c52yjh6-
                PJcz_b0qfrE_fpYMGzGGuofGQgMsDw8bbXjf7wfPpHIoTZjZOMzedyAIznA76E1f5hs6-
                94pg0_5hqchUH0eCpQPsu4GTWWDr16eIH8H68ePlMJ3jvCz1f9Awi9fErvP6HYwC-
                _fgWQJT3W4FMjZDZ3ZMVZ1E7wnrRIiSYf99uYT-8lY5zvcxGChxbgYezbGLAge4rOdZzBQM8Nl8n0mA9Z0_gZVQaE93pDqXP3Un-
                jt0eo8VVX0hukcfT89KGXOMoHo8j_AK6Qt-_tHgAA
                """#),
        EmbeddedAsset(
            name: "messages.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // Messages of an app: those that run first, then a list with filters.
                import {
                  el, card, table, tableRow, fill, rows, setText, number, duration, time, field, select, button, share, showState,
                  pageHead, chosenApp, errorLine, buttonRow, emptyLine, messageAddress, messageLink, progressBar,
                } from './dom.js';
                import { call, poll, sentence } from './api.js';

                const TYPES = [['', 'any type'], 'alert', 'background', 'location', 'voip', 'complication', 'fileprovider', 'mdm',
                  'liveactivity', 'pushtotalk', 'widgets', 'controls'];
                /** Rows of a page. */
                const ROWS = 50;
                /** MESSAGES has no filter of types: with a type, that many messages are read at a time, and that often at most. */
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
                H4sIAAAAAAACA7VZbW8buRH-
                nl_BQwJwN9ms5QPyoXIdw72kL0AuCWwXRSEIMaWlrD3vW0nKiuoT0P_Qf9hf0pnhkLsr2zkcrv0i7ZLD4bw-M-
                QeHYkftbXqRlvRroRqhOq6qXDr1mr4VU6YTSNWpbEug3cN86IqrRPb0q1hvHLa2PxZWXetceL-
                mRC6ysRSmQLI1aLS_HfRbjMkh0nTbm0mrHZX-iswbTb1QptMFBujXNk2sKCsNRLrqkC6Si-
                BbLFxDiftWhmNf-320imnM9iyA_H_rBVQL1Hu5rzrMqGNac2HstFhLYmg687t_Gjt9T4vCgNP8R0mbzPRmfYGh_-gTPZsL1amrYX
                Mj4q2zn-
                y8iQqDKqiTl2Lv7C1081Si36B6kq_4NmybcBsV3___P5SnIrZTMpMSNXshNt1Ws7xpdLG4ehCLW9vTLtpCnyr2iUZBp_v2rLD_2V
                bd1XZj4NlNYh8Vxba4Htd1BItI6vyTqulK-
                9Kt8OJbmPXrnWqusW3bVncaGc9x8aZtrJyfvLs6OVLAdbyEUHWzcXLI9bg4tPfUIE3E0_34_vLy_M_gU5rZUXTckjgStTLTn2gKH
                rLfETVqHUdog7cKQw4T8CMYt-rpvCk7cphyMGa1rqhEO_P331hSb6fgCj9MAkXBi6vzq8O7W0xbMjgW1W6srnBCXBdwY-
                d2lhNlrfLtS42lX9ZlU1p4R0NRJpfrXVIAJDYYnYI5YOJ1IdXNB0ZBl7qoJbmkPfWZTsI14q20w3puNo0S_Qss_9ja-
                qkU0bV2m-GvqLcaTHUq11Kiec1vgGHN6Bw0gB5Kk7fin5lDs7m8bMzISEqwyrWA9YhJ-FtNOXkS7wVM887kd6AaZoRKTo2UlJ4R0
                KK7EBXqYWupgAPiSybboOBfi_uVLWB1UxPJDKFVFRfK93cuPVUyOPJBM1fKKdeW63Mci0Bn8wGQaDTVQU-Wt4C3UpVVkux5-
                3Qodp8ez9Pc7jh92_eyG_x3vdmY-
                d99P48HW9GYtBb3RawqQS3a1MuYa5TDszdwNhs8vp381c4VKmlXrcVCS19hFDEmlK99oaB8U8QIhRCIWwou9y6tCIsQQlTFDFGkc
                IYSVKWyEvugRJEbvRW_PXiwyVZ9jOGik1oOTBojUg8-
                QyjBrAaFJlj3H5a_ATuzgHvTKltwuGTpqJcQeQBVU6WTnmf3HLgeRY86XcB2V1rdrnRZAIC9aTZIJ5iyl4_PwpQ8eI-cCv_qcWZu
                D4LI_trAcaR-
                2vmyXnhFdlHd8HPZlGXDtNDQwQ4yg9vFnrPO0P_7_RKbSoXDIFKjVwdtAvQnEOOr4HruKQknKe5wnr0GAPPXkNwBSedjAMMrcVxB
                d6oKYaXlbIWgxILJGJ3UAuflmvV3ECwETux5zKaSDKrzGLFphzmVGGSK8zWngKTN43rP2AEioW-KRtLQTegpOjsSS99Vg32ooHxZ
                tx0yAO7pGQAo93GNOwYNMEQaRJy2lBKb0xPcwDMvopgwlht7iBH0S4QsQSzSG_0PzbaOgh8FzMkGP-
                ei1ae5y2wAG578AVzPhmRQnzD1EFW-
                EVp7lckySzzcDAnDehxFAdRceaDPcR75gUb5LXqgIlPowGj4YjnN0-Z457xau8r1gWUWcsVHbO4HnZ-
                rGzr61IFUF06G0l88dqCQtqXMIhrCDfNIUH2VHbXLHvYwaL-
                GdYmWwVpgP0gbWDLm0ZVw5JVlT4ncR7Suq_tU2o2UJUK7LvChghL-TyMLDQkBeaH3yH374R9CF1IsoRFyHtywo-
                _F8lgH9zjOA1zr07hZQSTqrFbQnaFvQI1e4kMNqFshOAI-pEeWZBqj7PYF8ZqRYozOMcNqgq50zZ5YOw9DX3bGt1a6K_k54Q286P
                wwGsK7VRZ2bN8RpRz4B_h29uL_nPYDrAqgf1iPCIr4vwdWeTnnwWO5NgifqGR01PvlMAx2pv3xiDoEdLv48uoeEuuS2MqeymmLIy
                F3lUnk8wTZRRNU3EJod7ceD4zCoDX4ngerPKlLFIPjY9sh5LSClAiSAlDciJTsYBAvA2FYCxP2Dm4LGYKQgidW4ZpMu7NePQKqQL
                Sj6PaUlDTfMA7jJnZAPwiLnuApZEAn_J8udSd890ng7P8zOcSfH7-Tt-
                BHa300Ifv2O4bv-L5x9aJIo7M076qLMEiTlMVDCEQDmnJbHAMommsXtgujooZTQwck1GJsp1qJOM8UVBlQJ_I__zr35KX-
                XIwGMWen7dijb8ol2YH0Tg6kyUPBGATkOb-Zz7ugjZdgZ2FoVMgqc2tbjhJ4lS-hK7Pzo7nQVYqkz7ocBqKhdldUq_bmkQGiWTqg
                RdLNS6jExZADL2guoU4Gs4A6AxBIHoprB8MQBRDoGo4fcDbmTcZV4upuH5x79u-
                ZLws3YvkxT0dlQ9msoEY6T69ZqiAg7m3zCxulonf_jgUzm-ZseyHAq0AxJ5SFxQdMvKk6Tw9zOnYLkwp-fK-cyiM2nrA6Gt8JMnX
                ZVFQL_wAUiaxMMNpOKEVi7bYZQE9-
                vw5iMeMcyzjsHu8HiPK4FUJV9wINNNBjR6fHLdqhydFfKSjApbgA1wCRgFsHj803nMl4isSKBgD1MIuMzY5Tx88MWk-
                6i10TgNYobsVDOFwx5LIj208qdTKwXHK5nKwgjHyUSjtqbymp3yNk8hPlQdIFIKeB7QNCTUg9lLKByJjc0AHDjz0zqBQxK6CWhuq
                HXDQHwBIzyB2ig8ZAItWFf3BY7SahD1YTACXNEHjw_UHPZWfDGdLqILfDWA5Vlu-
                W0vIv4CFP6xbvM7zl3sQMhQ_lV45dkYwnm9k8BLA3wKOIN_XyCmLPWPpOVmwUFNXgvGTj5tqrtnO7A76awrx0Fo96BaJEwJ_ksam
                MaTjoYIyzrDz6M6qb08YAWjUwwDnI6QfRKVIAMgh9uoeHdC2ftNcLVoDEgXrPiFDuPuLrKJIbg3oIXiY9z2MjocARUGfF6XFpCjo
                oI6anXJgel0xGIc0Y6cgMdcZSskngO5tgLmoERJnow0Rih_L5ViJYLYJeNWfK-j0tcUzQ9W2t5ru-MJawVFJSYGghiRgEYOnphiY
                hLkD6zzo4zzeI4om8nyAoZIjiIqAYJX6stDfCSfejJm3eArBhkn2BEqPtON3zClSFG8yFxpaWAqGTLC5t2uoV0gJ03hPA4YaI7bZ
                NA2siqj9i83khV9w2Et-UM3DHvE9dh_0dMGd5vMr6Lco_entL41YVeXN2o1aRL548Hbt94sGJNJx9cRTzv-
                5x_Q9ZcNV_Zv94LgXfLohRHke9IT_01ZvMoRYT3F62LnRMHRtEFLjCW7UDto5In-8leN4Ae8GCQ364Sx-
                X0kGjAG3B9sHwWnBS3E8mUxSTG3swX59n8gyHiiKvNP9kb3OSMZxi1g2X3woDpq7voCqXTLjD1HxRmZ-
                cKvJp30_GQDubCDEeOYVnPf3o08RdJF4HIGutDKalSITpQButNGe1DXYlOXhKxq4j2QcxOJ-KoLz_BRbxr-w-
                _LrhxrziaVpt2Mtw8EeJnL-bvHwTB_TChF82CScxDb5lxvf39r2QnKlj5_YU_LnNzA9sGAgHvVRSa3Khq5XBr1paGpZ13Fb6zvd0
                _6jYDLAOsZfmH4KiXtavq_59T32ABnbusPC17ulBlOMoI--TMgUYQWO1YoumtZGryA2nx_xeok3TPIHZhY_JMmUjktVhRuinZAjc
                EvCR9LRXUT8XhpVHVZG3glrInc5bCCuoXiZFIsBXnUlQWucwTJKM-
                j7oaryJeJxu6ArWfrGUdRlI9PYGI84UQPsL33D7pwYwzs5PKhDnJZLupV7-u4t5WiDkNJf6RNu4e_68ba3dBV-
                pxnYB6MNI_C_Q44CEicfAAA
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

                /** The nodes as this one saw them last; the lease is known of this one only. */
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
                    if (pool.stopped) return ['refused', 'bad'];
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

                /** Each connection: its window is what the provider takes of bodies at a time, its round trip is that of TCP. */
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
                H4sIAAAAAAACA7VZX2_juBF_z6dgkQMkbXVKtkBfEmQXW1-ALpAme4nv-mAEMWPRMS-S6JKUvUZOwH2HfsN-ks4MSVl25Ni7RR82
                Fv8NhzO_-c2Qe3LChjPBLH8shGFqyiy01ELohRTLjF3yyYzNuGHSGlapXDBe5Wxcz3NuxTg7kuVcactejhgTRcomXOepE-
                Z_btUyZVNZwKBWS5MyI-xQfLUpq-
                ryUWhYo8o5n0BHXmtupapS9riyAqfOuBb4o5aDmZzDl5raK1mJFLcr53ZFDVYKY_iTgMZzyuZaPWno-BvX6VHDplqVLMpOclVmv5
                novNWY3X2-
                urwesvUUXnBdGjfr6OTdOzJMyb_Ksi7RMhNVVWKCGhqwErcMtGOFNFbkGXt3cgTjxrKrz3fDy58eBjfX15eD4eeb6zt2wf56et4n
                UYt_1cLYA8TdXv78y-
                XdEGW9_0tXPXf0joRHIasnsHJlSYr4Ssed1hVpznRdVTBhAI6KE_Kb2wc3BuHkszj6RxBbV7nQbMlXUcpGoRu-
                o0_zOf5c8YqaX7zV8fv4Ehbl9HULKKGPoSzhcGJqo_vkvN1U5oWATVtXxtG1Ckdi0nTPEnWWTbQAubAwFgDPhF18aLEWjzpgoOGM
                zwE59OWHHmSe-J71WMEdrFgXQPHrZdFxtP7jztLa1kVFXKmlsyyjA2YzmeeiAnVhIIPD5HCorBDVk52xD-
                z0nGai_TMMsDenX1xchAUYTTGtelT5Ku3OTjuG2TpB6o0HUzRGZjvP6UtiMwClXt2JAsCudBwFg0RJtuBFTR5DqVZZXrCPriHQ5-
                ykO3IWVG0xBv4PizV68GMb83HcWfhjR2QSZNKCd-
                z96elpAqKj__zx7yiIR35x5xkhYKcAJTjp3s_x8Q8vjoXizoYNRubmAKmVNOPU78deLUXtkubEjJ1UPGkzdvBgrKHfBv5pYWtdAf
                mgp8-ILncEGyInXaMCkOfQxZrzo2Yd_zhmGMf4h3hRlWCGL5HDS1ZwY8-
                JzgvBDcXTM4CkciTvZ6uqWPXyBAnewxLXOCdyRhlRC8Pizoag_6KMRGGeFKyWAmN6JivHDn8XIB_UocYVKUkUgfSS54FOfhXaoJA
                ucVAmuvD2IzVC6poUNTCojrq2w3WboWV1LQ7kE3KvNA9kMgB7EUfGalU9wRYvDbj7hxeaghs0LKZptOsYYdoOOSvR6jmvom0mCX_
                o3xatGDTozdQr54llyuI_BdUKuRBJwNYowuzt5HimcAM020hgkol4KA1Qj8-AH2EN9ZPlH3ke3YPmowjFYk8OQHGyml62A-
                sHtbYJDIYOoq4c0_0WaZHV9tFVqA1wOJuIojCj9_cpy7Jsw2rJwUzRDeq5x2-
                y2V3wp4T83pLXlmmBQviT6rCFW4YAR8OjJdodwfpEZWDxTXFhepuqXESw3393C3z3wkVH272Hc3bQyFypwpxhAEndrXNSKvcwrnh
                llrCVDzOYBVlhIYGvTC99kMAh0cRu_hh0CqrHFboacGMlL6jYGHSbHVa5mYuq_ZAUh9HxT5pL16DTR8efKzYt5NOMMH18ZwFGpat
                OhjOtrC2csE_WYvVBI5_cETeI5k1qCKG_VryBbOU7RbWQQBMlDEDi6Ea-1zBK9_3ZRQRoXCiquSxqLbqMgAMAfDWfY-
                JsCUGLaW1cRUbRfd4u8DI-ZnWlUWs8Wmdhp3drsZ9CGyrwA5GIB47bybEGEQnmsjUhNa1xHabwNrBh4Jh2CMbFQ9cO9gqQp6PGD4
                BqRuHGY7bR04yxPIga6PVXCxdQE1VXFpL4vprN6UYA9kUYfWcln8fe9JDAxFen6wtyTacXAi_pZzmS0mW5Hvic9INnDwk6jb0v0Z
                SotG9CzgLX3CcZsE0ex-AUWgq_pDWRkcsjdKbzb-LVNQiTzUovsIWzn2-BCgWk5v1KkKnX4Pg-8kZUJq-
                7gCO2enNPHcmar7vDsnpwRLK1zDhKCfRsPasgHreKRz9C5WGoXPv34p6NkjRYMPtNySrG4EkOpfizdeXTw_Z0oV8z_Bld7Jdgd7X
                ECnGJ10jk-0DvQHfPrroCFGP9htdMZuE6l9JSDVEFGULLOS6nWyjMHQ6-9KaFTmrZlxxIUaKW9aKevDDoDr5F-_-kM7b54bbV2-
                UBz_1UicpSbt5T68rdy0G78AQR_1-ShOOpcKL9maKr5LNYbahwIL2EvvW2zbiPIadosMCRPbdVGj-
                g2HPzTCEnIj5Ne55LAPxwlANJj-
                A3RPSFeyV2PKBfH0o50erQcuv1uhN31_wu8tlPGvTE5Tpd9D1QT4eE2qNtivDEEHiHrsW7jjjecUndZJBgS0qvZtuVP_a4yK3yL3
                lxiI40SPjATv0pumToBqE2LhVkqe5jGj5bVcr6xy93Zy0F-GJi2IwvoPgsCl94lpnL7v3UByXsqEt-
                XrH7LR7cZiV8-9l318WHLkP8E568jsO93dELh6tCKEZFwVf-BWxNSAeXlev3qJ0R_0b50vcuRAd8dcFyW-
                wIsxbu3pOjHUgPD5BbQF86c2ynWmeYZFew3Cdvv5QEJ-x8Ftn2rKot1IB7nXvjpzEj4QZH-
                IMyR1vytx_0nl0AbzmP3-Hr9OFehVwEBvGFiBOZfINb3Q7ulc1VVeFsUPbmNZBpbOqy40BosT8zb3bSOmWnye63wyDuFUz8wP-MF
                K9F4t_1403V3NvbPgC84aiDMREe3fdg4ja8zfdhwg-
                i726FqQtXbgzwhuGpgVdUJH0nPuYTdxCfmXOBVXyknqNvRkxbuKCPw9Ffpd_w3ws78BH4_XVx4TRtWFtEQGP8XVDZgRp3a0u3snW
                botdzQr7eB6E3_LoLQv8FW6fXVyQbAAA
                """#),
        EmbeddedAsset(
            name: "overview.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // What the server does now, and did in the last hour.
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
                /** A young server has no hour yet: its minutes are shown as wide as the figures allow, these at least. */
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

                /** The value that 99 % of the values do not exceed; undefined of none. */
                function percentile99(values) {
                  const sorted = [...values].sort((left, right) => left - right);
                  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))];
                }

                /** The number of devices whose outcome is of a kind. */
                const devicesOf = (statistics, kind) => statistics.outcomes.filter((each) => outcomeKind(each.outcome) === kind)
                  .reduce((sum, each) => sum + each.devices, 0);

                /** The figures in large print. The rates are those since the statistics before. */
                function figureTiles() {
                  const tiles = {
                    rate: tile('deliveries/s'), failed: tile('failures/s'), waiting: tile('waiting'), flight: tile('in flight'),
                    commits: tile('commits/s'), p99: tile('commit, p99'), clients: tile('clients'), database: tile('database'),
                  };
                  let before = null;
                  function update(now) {
                    const span = before ? (now.at - before.at) / 1000 : 0;
                    const rate = (value) => compact(span > 0 ? Math.max(0, value(now) - value(before)) / span : 0);
                    const ofLanes = (name) => compact(now.lanes.reduce((sum, lane) => sum + lane[name], 0));
                    tiles.rate.set(rate((each) => devicesOf(each, 'delivered')));
                    tiles.failed.set(rate((each) => devicesOf(each, 'failed')));
                    tiles.commits.set(rate((each) => each.commits));
                    tiles.waiting.set(ofLanes('waiting'));
                    tiles.flight.set(ofLanes('in_flight'));
                    tiles.p99.set(now.latest_commits.length ? duration(percentile99(now.latest_commits) / 1000) : '–');
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
                    commits: chart('Time of a commit', [{ name: 'commit_p50', label: 'p50' }, { name: 'commit_p99', label: 'p99' }],
                      { format: (value) => duration(value / 1000) }),
                  };
                  function update(history, now) {
                    const from = Math.max(now.at - HOUR, Math.min(history.at[0] ?? now.at, now.at - MINIMUM_RANGE));
                    for (const each of Object.values(charts)) each.update(history.at, history, { from, to: now.at });
                  }
                  const cards = (...found) => cardGrid(found.map((each) => el('section', { class: 'card' }, each.node)));
                  return {
                    upper: cards(charts.deliveries, charts.providers), lower: cards(charts.lanes, charts.commits), update,
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
                H4sIAAAAAAACA41ZX2_jNhJ_z6dggT1Y2lOUtIf2EOfcRW53ry1us1tsU_TBCBLaomM1sqTTn3iD1MB9h77ep-snud_MkBLpeA-X
                l5jkcGY4nPnNcHRyon5Z6051a6Na0zyYRmWVaVVZbROly0xleabyktcL3XZqXfVNepRv6qrp1NORUqZI1FI3WaKaatsm4NJdmU9d
                osp-szANFqtNrZeYyPpGd3lVJmrx2BmQVn2HRfPPvMyIrC87gx-
                1vjPfG41fpmmq5l1eGnCtVh3_gkSS9l2TZ8nRTq2aaqMm6UlWbdJf28n5oJnSdQ5eVVH8knfrt8SJlYOMcmnUuBN0-
                zsL3WzaDyufiKf26JZrjf8jEY9DGmjb9GWZl3ev2URllZlWftZVVbRXelEYOntZmiXZxs0UunSE1kp21Jh_9abtZOQZoMLVPeRme
                9wRA6vqERjjzr7_8PNHNVN_-eaU_s6PTl6-VBfqEQa_c5e-
                1nTnfLvq0XRTlXet2uRlj4tSuoFzrKttqUC1zTND_8kjVvld3xBBUZC_YKrFWqcKA1dJ1csTq8DlD-
                9_uPz58ubjxfvv3kKTr9VL9c2oyxU5n97U0Bs8sJ8E3psaauhSdKpWxH3j8fzp4vLHd29_Are_fgU-
                A6MixyLI5cpgvkacF84jzDECexJRVqVhjqu-ZOvLpnfgEEFIBzeO-
                Q5FInOeweGjSV9MEvIAhEQ7VRORhamJbnJ9XOiFKSaYv5B5tYvPBy4rUkS41AETWgApmPzxn9_V-
                6pbw21UDos3FX50e2F6jxBtcdB04jFfNkZ3xD6a33NUdXlH7kRHuY7V7FuWW-S-
                4FvWXr14oh27W2gAdooJ245EE_HOsoqhnsIEr9a6dGtkKtZjMGVfZ1AlEtOIGRUfPl3nWWZKKGmjqjDlXbdW36rTcyYiHInI2Mlw
                iZHRy7Xojx_zL68Te1QsUUwlaiCw-MPTKUHW63VeZEIw_-patFQqX6kokB8re-Vpqx-
                j2xdPFpBCqsRe9iTepTCZrM1Pr6HSLr1l3jsKetP1TQkbc8BP1VyOQ8eH6mIatTs_2h2NvtflhYnYdXyne9BF7_xlYa09-
                ePfv8utB3KmTJTlD4FbEVt2K-b07OZEYMy4PVWR-
                LxnRrtL5kVjF2miGvvl2Zn6k41RmW6RRqBUp8ynpTHZuerLzNDxMyJ7Hni1aZbAZuh6diYyW98KLdAUW2dqnqapLF-
                nNBlFhVnBsk1-txbFaayO7YRnI2Exv9TdOgWwRTJ2znesvkwUr62Kqmr2Vl-q0_TsLI6vg_NLgqPzZOYhX-
                LM23UFALSATaFLOKQorjzgssTILwjTtkNKbLt8CScnOrH9MJk68E9XedGZJhoDwUuePOlIsTibCS8cPm1M1i9NFLX9xg-SfqP-zM
                PUqpOo09hDUYfsSP1w8Tuj6iYvAem0hixuk0LH521zyqgMTYPiamFWVbN3ycL0CpfcRv7t0rW3sIZgBLGfSjRMMlPkALvctCftBE
                660pjO3CqNSEtZ2-
                q8A2K6RTvkXQU5g1vAkWQCSywQVtsg3bl1OxSm9dlZOM9TtLIscjjsuEuGtILg1gvdjoewY5G3I58sTGcthGOXfVEcgk4AvMNNGw
                UIW9Dbja8I-rapJm-31tYIgRP1JRKrmjo0la2NTQscO-wCtiyLmCmwF_wkNvSn6NSihahwbAciJCYRvGnKLjPKqFbvqGohMaXehF
                JIU65pQoekKc8haTinvdfkjpY5e0dKB0gBShH98MJgiCaeAjZalzHZJA45iO_8XzyEdJ-BdYxDHDiS7Hq4ybohb7IG8nwzVJC9Mq
                TMyxvnrAEtnJAJxa6Ix-
                7GqWcx69VQb0cBuD7f4Xwmxo2OqWU4tTi2SGPEYxZ2OtTKefqgmpu44YofOvH_Q0vH9ORIV42xE_vKUL7-wnr-b7-
                JA347I1yOvUiqtgcz8OczY8up8cPiV5TfNrFEPB8jEOr9GyZelCuDBO4gk8v_1mXB8bEUQCDNvGbCAAEBppoRkCB0ec8Q11De7cs
                cwDU5IT29Mk9EOcQcUXIqS9HkzTCFBNQabMvo2eWyBuwwh2kQaVM_Ymw5EMy5elCpYYMNj5HaTpApByIk_xt6bnlkVA_wlNohwPn
                MFoLrpnrAu6IZD3CxXOIBgJwfqO_oAv11XbaelIsf37cHtV5uPKp_vL4M9d2ahbe8oCIU-jxXlVHskJ25EKLIlofzmGZ8Xcd4HmW
                NlAe0XvTF_Y3DC08_TA8p79A-
                ZGvTAHmh3YHt3qrP5Xo_I9pTXuUoZ7iWkZXgSDJ1U3996gmgUWBeR4Xk6VFhRAYelEccbzTVoWOeGlBMyk0HVbsxme7nzTVKkKp5
                pNf2XgLlx_JszHND_qQXsq3_qDa0HLCG0l69eqWEMFHDhuBF60AQ2qtIJBFckMVCZJG4RQZlNAnVZf6D6k-sK-
                ruauqE7obXhQUB3WScbFESr_BWkdrRNUcintoHMar9pdEQICFt4uvyUC54X_Dx-hqJZCpy7VHSEXoSi0rpEMsAyqLaPtvCATRQux
                zkQNXeqoerrjOwD6wJzWzXOQztPYuBL5k0J0qzVRVVHAEAC7fvxc4Wg6kas68WgmBywPn1WKixxJnUU4FBaAG-Ks8O_BY_Fk5uXk
                aysjGopKNyaCvQ38mJHHJswyzMXV8qfafzMrVElPxoG79n1d9YWPw5lfc8kespQBLe3Nm155LAYbo2UWfUR4RdNI1-
                TPOW_0e8N3YCpUCzb7EomEOkzIEhCgsiL20LVFbRsW3WxE6_nf1vTTucTdZ3z52g9nMrdQgTe_W34ja3eFwURSsRjtJAl-
                3WuLaRsy7Bsgw7Arw24dKbDtyX1E4pQ1dxLbUfOV0faAjJ6981MoK20Zir9QI5FzSugxl5a-
                7hEzyMDqR5v2oYly1YEO_QqUcS23wEideG9Am4P8GVk21M-
                ovcosTi2KoMtBublqDZb2H6lHMb8u4xO3Yx2Y2GXmcUh91OGvv9zoge4AdaTHzXyXCtIebjXumGmCYdH6j-
                w4WhciQSm7AvC5VDaIlfS2UnrUvbJlHQ9MJ7gtvoT57DLXR2Vd2bsp06aR0Nb6wrsdDEdY1Er93_SC9z9qDE3a7tKtv28UGDh7mH
                MqRvib7uKNXPxqw7ZDz6AfNRW-RGd3aX6xKxkyfq9sUTk8HVt6iZdgTqrPaLJ-GMGZCMrwhq8tKhT-Md0LFtEdgtd35vnVqSJfZS
                pU2nsaT44QDOAdPAMVLfUQWhZAdb2dFKBt1_Pcj1G4163H2WiCYfLC4ghfK5bdHkWn3WFXiY2IeR9CiHw9TkrvbO7JooE9Bx8nS1
                EaXQaPLaO0pXjWXzxN68Y-DZghnHPhsuD-QxLuRDk0mGzlekELjGu1R30VD9Uspz9zAmvc8lb_6E42DYASp9PtDDt5gQdHkD-xQO
                BxzZSDRTUrITuM_MqC9mMxTxHz7-_Yc3b96-
                n8RDm89yHbZ7WXty5StRGmMrhaYqML_gLEHfC3S2oZqcfiE96LpuVfQyTtWl81BKJO-
                q6p7cW_pg9EmBNjzSxwrakU7C7i59P4k2yOmMB_ldqYvEdZwR4l5WEZPNxq9fASTbjHA4N7mKxeGN11wi0SkUQ3kUMZN0PX5j44w
                ts-IutEPXOVWLwmkSpzhkGUVjpfnki-HpcxwkXepuuY6k-
                HmSmjX8Che501vRun0sl7Za8oHbpnDAMj1QRJ1qDD0UPauOisvaVpXIvrE8OUiee0CLMFs8j4BlZU9ce6H2YeZZQmFYSEbfjPluz
                Sf-yJeZle4L-iDIX0hQTnsAQddOIfFfAmp8_mgdAAA
                """#),
        EmbeddedAsset(
            name: "phone.js", type: "text/javascript; charset=utf-8",
            text: #"""
                // A notification as a phone shows it, for each language of a message.
                import { el } from './dom.js';

                /** A text of an alert. One that the app has in its own language is named by its key. */
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

                /** The notifications of a content: that of each language, and that of all others. */
                export function phones(app, { payload, bodies = [] }) {
                  const found = bodies.map((each) => phone(app, each.language, each.payload));
                  if (payload) found.unshift(phone(app, bodies.length ? 'every other language' : 'every language', payload));
                  return found;
                }

                """#,
            gzip: #"""
                H4sIAAAAAAACA4VUwW7bMAy95yt4KCCncJ2dE2RBsfu2Q3cKAkSJ5VirIgmW3DRIDfSvhu24T-
                mXjJTs2M267mLIJEXqPT5yMoFb0MbLQm65l0YDd8DBlkYLcKU5OJA-hcJUIPi2BMX1ruY7AabAsL1wDn-
                ykdxbU3k4gVDQQFGZPbBskpt99t2x2Wg0ub7GOl48-nARqyhR-Qy-
                YBVfco8fAdxaKLG81FjTgTnovpx0oPle5LA5Bue9OGZwPRkVtd7GZ1PCOyyQhFMawsdwGgFsjXaebsA8hi3XVydyw3w-B7Yx-ZHB
                AhiDKbSe5mbdKLO9wUvr1QxzVMLXVVtlSRErWCwgoaQLWL88_7w64bl5ef61xiy1zkUhtcjHs1HTobe1KyPYyCuyXkq9ew3DSSW0
                _4qhCbcuBYmPH6IIFCIM65YMLR6Db_gDl4pvlGArgnHbJokFD_xeuI7ejCCyO_yx_KgMzwPf2rTtYAOkQiUslw8sxaZuFXcOL1JC
                Bk18VcJ-_2DjNARuKAzt7HPERO0ikLoLcJbrV6kIR0hFh3FPEwliKMcZrPHda0pIGDbIrEI15IE18RhUdyYvqBZ5s-
                lZOGmHdEgisoccto5FRr_YzFMz6yOID4zxRytIsNZlrYkU43yFIEkzJyD1TAcBDQz_LtJG0YVOOKukT1jGxpk1NhnD0xO2zlrWRx
                PLGJ0EimD-8W0mKQoNjFeS35Qyz4VmRHBVi57gPunSS6-QFldv2hMhWGGdJQsGytU56RzGY5XtuU0SWgHhJX9NW_AMygTtzS-IO4
                8FMve20Kfv6g6zQ9QeEbn8sMq8-
                WatqD5xJ5LxhRiHbBEPBIgaEhZD695zpTrtanNgmCMU6QjAh4Y4XxlseAzsfPRaXSv1P4UTgVSXsUjQewNGAg6X3vKSpoOzEzeiI
                Gr66aHJHk6Pi2u6XRTTuH3Q9GqVp7iP87MLCQEcYlG5f4-
                YizN26kYoYJSChmq5gmY4aoXBpqM9BlyoaDCvZMv6F4XfbnIDa7KA5DzKIWtWa1fKwieDNG0ZlNbOl7QMxYOojhHQGXBYgtFxNvV
                7YtijUIfY_QMU8UiIJwcAAA
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
                  // A token of FCM is a text: an installation id, a colon, and much more than a name has.
                  if (/^[\w-]{22}:[\w:.%~-]{80,232}$/.test(clean)) return { kind: 'fcm', token: clean };
                  return /^[0-9a-f]{16,510}$/i.test(clean) && !/^\d{1,16}$/.test(clean) ? { token: clean.toLowerCase() } : clean;
                }

                /** Why a message was not delivered, by outcome; the provider is the reason for all others. */
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

                /** What became of a device that has an outcome. */
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

                /** What puts the device into the audience. */
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

                /** A form for a message and a device; `given` has those that are known, and `suggested` is explained at once. */
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
                H4sIAAAAAAACA5VY627cNhb-
                76dgUG8lBbImTtGiO4NZw3CSRYEkBWID_eG6HlrijNhIpCpSngymWvQd9g33SXrOIcWRJs5uN0A8Eslz_86Fms3YT-
                WOaSVYIR5lDj-yYLqlH6Ut2whLu7Uwhm_EnN18uLx6zaRiW90WJjuRdaNby_ZMVClbS1EVKbOyFu7vjfhk4Yk_VML_fNDblD101m
                pFj2ue27fSWE_8z1Z3Tcq2shCsZ-
                tW1yzKZoWus19NtDhIy3kF8oxQVqh8fJQ30h09mT1_zi4Hs7hhrfitE8YapngtmLRzxhVz1nJm9UehMvZ8diI-kYh1p3IrtfIMYg
                uWJGx_wliulbEsrwSQLxmuZ7aVdZwsYHM2A5nEjOk1e3P1jkmD7OGUkwe0oDon1hJ8xYFfpRU8qILVXV6yWreC2RIOc6dqycHPjM
                k1i2e_3P68Pbvbv3zZz-Fpnv3tX_D2_Yv05Tcv-9NZZsHAmFRLEjDYdq0CZ32UqpizaJ3XUeqUm3v9e9TZnwPeL87-
                zs_Wd_vz79Jvz18AQznmyL7-mj2b_fJzsT9Pz787EscuQNCYd2b1W70V7RU3Ik4gQn59cdK72CDw-AAstoUIIeAKUclH0QpwzQMA
                s7O5rsUC_CFY0-
                pHwEWLLsX3VnADXlxjAKuKaVhrDcXQhejD68vrH99fQ5AwbHVnBXrhpgxYp8hvEHEYLGmRMR3LohQofut4y5WViuh-
                AOS4wJa8YA9CIDTyioOq8EBLoIlwpJHSZxVXmw5Mi4D4vWYPutgBxoEL_h82_XENJp89dAWkW-RlGVkBulnTmVIY1M-
                WoF6pO1AaANIZkNs1jh4wK9tgHSYeq2QNBhFZyF5EEmu4MYOFOYfkqapAOQ5G2JsYVom1JQWJF76RAN4VkhLRnaU1H8mdI-xUKza
                Q56L13kRnY8APy94X21arzRliNvJqoQ-Y3TXAUwtHBY4kIXjMBc9H5-
                D_HFiCByWvPB_Qi2SC77ASscMBwhCy4E1DiSjUowQ1atj2DDf8UZx1zaASt1bUDVAgGIAlVwawjmlrgbjAICNhvxiwDusPIsd0Bm
                35gEA6j56EXPRYJwCH6uMXr32hi_17GhQY16SKw59l2LodHjJA0saW7Iyd3y18JfGM2HK5ZFFIusixGxjWGj0ALInzBVsBb3a6Hy
                p7jMsZt0m_guyOogWR-nKyejUwnU-zl8zNc9FAooGbTvdOSp-BlwTmsDteYtsxJZQQPJVOeQQcGL7LVii3D15oxRoCXIHWq5tjub
                TnxaLyF5kvImDbnLk1v-Rt6h37waj34xKFFN6PoP3p3hecW792xy4uBm36Vah7BB8HF_REaGLTwIOAQuY2ti3PxTjIYPUb-
                QlsWLo60fA25HlIQzlkCR7cCcDiEHfil_GiaCHXpdo4AACCW5HLBqhtFDrHKEv5YX-
                OCyWSNh1VM2hqVk_k_y9xW91VWFfY03JXp_vByp6911uU4UhQFSAbaePCcxDlfR94HSfQ5BSgyuk3ZDME7PYu-YvK8_9P9y_p_cy
                JUZBQ914R-
                J0EYcuhODmnDmLCKuEJiYe8ZzXfgbANzGjTbH1aDgG8H5Upiqo9dMnPozsBqoGOBH4VPC8dTNEmfMuoNvv6gpxGwBo3JZxxxgIDd
                o6YQI8fcRDYWkIj9_Bvmi8RQ4OpD9S0iXLHHj3dB5qe-Rc80_tnW8KksCmpDA7P062hZDiHBg_hiGt-XH-eyrQBeXx7N0Wcc6m58
                HU7cQczbIPxbfSDOmq5u2jAsSfMat7E7jnJftVSxdGCRckxsGnUuaf550uy3uERNyJhHdgGSWNaLyJ9QsS64huTSZVXXSFMHBFZl
                DwhxXOPxsCzRlTryPEcOpwbm3DwflIANReatSIcSd2hQAXp7QWseVfZCMOlsM_gXEbQmej1dqDzAwaxTYMSx8a6ie3ejXH3NBs9A
                -x1CsThEHlk9fVkwMPjwPsarhJq80WG3sEessRuijWf2Dc44MRPzgiSZgS6i8XRpT8Bkm-jGygUGIJry22HS9EH6oT49NWVVkqQD
                B8QZJShRzJIOxh54iwLdZQA6EvC8h_h4hffYi1yqQmVJ1hLC4akst9_p27kGmSUpDRS0AHfqfHAf_74Nyi1-
                sqnXx5061d3STJ2EWmpdCFCjbvEYa92t4ZQg3DmG4ayBVttoL-rFU0MttTGz2k4dn8EmPrL2sp0mw1cgESxwi4JM3jFMcxYdfVQJ
                o9vkxTYN6BADEpbuh2TsHGIBqWWcKeOI6mgIIO1bi6jtxrsQeR2tWhlDnt4tXUXANt20NUeedXBCeKcDewA_G4h6E35QONtP8oxy
                1u89T8l_b_K8VnreDLTwOUhL0X-EW-evDIILfBQLkpdwTgGq-
                7uTVP7Z0pAx4UE9UoU8hFVYK2u0G4z4BNuX8bAAs2KJiIGwIGbncoPLveBiaejLV3H4GaITWOwAKd_UN9HBl_TIRj3Eoz2zxmZ7S
                _9qUfNPHwoIPe5M4m7YDNw185LD15GIOCwjl2cPmfEEa2BXahbsvDHnScA_eS8q1JWMI6oGP3SkFcGL8DYgd2T9Sk5zVi8R-
                EJWJhOk4lPK_w3fH-Jp10qOR6NhgYBRXVSY6anEmqAXvcezLJ5yWIYweFonQQX_GWbRNvqlkwapuTALBmkTIZ_-NM94M13CSMAxN
                RSAXJy6T1rWvp95VpA7LkEkNBd4oBDqhUOhfg4UY4-WCEOg9A-
                Pc45prqqAqfQ2Th659ajgCsfiWkGHRG9cmNR6jMzGX0_I5e5N1INL8mYIaQO-S167SyLvMOwXR2VgWRq_dBcwue4GL_GxWh-
                4r7MxS5-yLA_-RM4oas8QxQAAA
                """#),
    ]
}
