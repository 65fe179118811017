/**
 * The connection to the helper, through the native host that Chrome starts for
 * us. An open port keeps the worker alive; a ping is the net for browsers where
 * it does not, an alarm the net for when the worker was stopped all the same.
 */
import {Code, Failure, HOST, OLDEST, PROTOCOL} from './wire.js';
import {Joiner, MAX_FRAME, tooLarge} from './frames.js';

/** @typedef {import('./wire.js').Message} Message */
/** @typedef {import('./state.js').State} State */

/**
 * How the connection stands.
 * - `off`: not tried yet, or waiting to try again
 * - `connecting`: the native host runs; the helper has not answered yet
 * - `connected`
 * - `missing`: this browser knows no native host of ours
 * - `lost`: it was there, or should be
 * - `refused`: the helper does not want us
 * - `ended`: the user ended the helper
 * @typedef {'off' | 'connecting' | 'connected' | 'missing' | 'lost' | 'refused' | 'ended'} Phase
 */

const PING_MS = 20_000;
const HELLO_MS = 10_000;
const REQUEST_MS = 15_000;
const FIRST_RETRY_MS = 200;
const LAST_RETRY_MS = 20_000;
/** Where nothing is installed it is tried so often, and then when the alarm is due. */
const MISSING_TRIES = 6;
const ALARM = 'link';
/** How often the alarm rings in the user's browser: Chrome's least for an installed extension. */
const ALARM_MINUTES = 0.5;
/**
 * And in Sidekick's own browser, where the extension is always an unpacked one,
 * for which there is no least. A headless browser takes no second command: the
 * worker has to come back by itself there.
 */
const MANAGED_ALARM_MINUTES = 1 / 60;

const INSTALL = 'Sidekick\'s program is not installed for this browser. Run “sidekick-mcp install” in a terminal, then open this again; “sidekick-mcp doctor” says what else may be wrong.';

export class Link {
  /** @type {Phase} */
  phase = 'off';
  /** Why it is not connected, as a sentence for the user. */
  reason = '';
  #state;
  #on;
  /** @type {chrome.runtime.Port | null} */
  #port = null;
  #joiner = new Joiner();
  #nextId = 1;
  /** @type {Map<number, {resolve: (v: any) => void, reject: (e: Error) => void, timer: any}>} */
  #pending = new Map();
  #delay = FIRST_RETRY_MS;
  #missing = 0;
  /** @type {any} */
  #retry = null;
  /** @type {any} */
  #ping = null;

  /**
   * @param {State} state
   * @param {{
   *   message: (m: Message) => void,
   *   hello: () => void,
   *   up: (result: any) => void,
   *   down: () => void,
   *   change: () => void,
   *   gate: <A extends any[]>(f: (...args: A) => void) => (...args: A) => void,
   * }} on `gate` puts a handler off until the state is back; `message` gets what the link does not handle itself; `hello` is called
   *   when a helper is there and before anything of it can come, `down` when
   *   nothing more can come of the helper that was there
   */
  constructor(state, on) {
    this.#state = state;
    this.#on = on;
  }

  /** Connects unless it is connected, or the user wants quiet. */
  connect() {
    if (this.#port || this.#state.quiet) {
      if (!this.#port) this.#set('ended', 'Sidekick was stopped on this computer. It starts again with the next call of an agent, or now that you look here.');
      return;
    }
    clearTimeout(this.#retry);
    this.#retry = null;
    let port;
    try {
      port = chrome.runtime.connectNative(HOST);
    } catch (e) {
      this.#again(e instanceof Error ? e.message : String(e));
      return;
    }
    this.#port = port;
    if (this.phase !== 'missing') this.#set('connecting', 'Waiting for Sidekick\'s program to answer.');
    port.onMessage.addListener(this.#on.gate((/** @type {any} */ m) => {
      if (port === this.#port) this.#receive(m);
    }));
    port.onDisconnect.addListener(() => {
      const why = chrome.runtime.lastError?.message ?? '';
      if (port !== this.#port) return;
      this.#port = null;
      this.#down();
      this.#again(why);
    });
    clearInterval(this.#ping);
    this.#ping = setInterval(() => this.send({method: 'ping'}), PING_MS);
  }

  /** The user, or an agent's program, wants the connection now. */
  wake() {
    this.#state.setQuiet(false);
    this.#delay = FIRST_RETRY_MS;
    this.#missing = 0;
    this.connect();
  }

  /**
   * Sets the alarm that brings the connection back.
   * @param {boolean} [managed] whether this is Sidekick's own browser, once the
   *   helper has said so
   */
  async watch(managed) {
    const have = await chrome.alarms.get(ALARM);
    if (have && managed === undefined) return;
    const periodInMinutes = managed ? MANAGED_ALARM_MINUTES : ALARM_MINUTES;
    if (have?.periodInMinutes === periodInMinutes) return;
    await chrome.alarms.create(ALARM, {periodInMinutes});
  }

  /** @param {chrome.alarms.Alarm} alarm */
  onAlarm(alarm) {
    if (alarm.name === ALARM) this.connect();
  }

  /**
   * Sends a message; without a connection it is dropped, as whoever waits for
   * it has been told by the helper.
   * @param {Message} m
   */
  send(m) {
    if (!this.#port) return;
    try {
      if (tooLarge(m)) {
        if (!m.id) {
          console.warn(`an event ${m.method} over ${MAX_FRAME} bytes was dropped`);
          return;
        }
        m = {
          id: m.id, agent: m.agent, sessionId: m.sessionId,
          error: {code: Code.TooLarge, message: `The browser's answer is over the limit of ${MAX_FRAME >> 20} MiB. Ask for less at once.`},
        };
      }
      this.#port.postMessage(m);
    } catch (e) {
      console.warn('sending to the native host:', e);
    }
  }

  /**
   * Asks the helper something of our own.
   * @param {string} method
   * @param {unknown} params
   * @param {number} [timeout] in ms
   * @returns {Promise<any>}
   */
  request(method, params, timeout = REQUEST_MS) {
    if (!this.#port) return Promise.reject(new Error(this.reason || 'Sidekick is not connected to its program.'));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new Error(`Sidekick's helper did not answer ${method} within ${timeout / 1000} s.`));
      }, timeout);
      this.#pending.set(id, {resolve, reject, timer});
      this.send({id, method, params: params ?? {}});
    });
  }

  /** @param {any} m */
  #receive(m) {
    if (m?.part) {
      try {
        m = this.#joiner.add(m.part);
      } catch (e) {
        console.warn('joining a long message:', e);
        return;
      }
      if (m === undefined) return;
    }
    if (m === null || typeof m !== 'object') return;
    if (m.id && !m.method) {
      const p = this.#pending.get(m.id);
      if (!p) return;
      this.#pending.delete(m.id);
      clearTimeout(p.timer);
      if (m.error) p.reject(new Failure(m.error.code, m.error.message));
      else p.resolve(m.result ?? {});
      return;
    }
    switch (m.agent ? '' : m.method) {
      case 'host.connected':
        this.#hello();
        return;
      case 'host.disconnected':
        this.#down();
        this.#set('lost', `Sidekick's helper is not there: ${m.params?.reason || 'the connection ended'}. Trying again.`);
        return;
      case 'helper.stopping': {
        this.#state.setQuiet(true);
        const port = this.#port;
        this.#port = null;
        this.#down();
        clearInterval(this.#ping);
        port?.disconnect();
        this.connect(); // only says why there is no connection
        return;
      }
      default:
        this.#on.message(m);
    }
  }

  async #hello() {
    if (this.phase === 'connected') this.#down();
    this.#delay = FIRST_RETRY_MS;
    this.#set('connecting', 'Waiting for Sidekick\'s helper to answer.');
    this.#on.hello();
    const port = this.#port;
    try {
      const result = await this.request('browser.hello', {
        protocol: PROTOCOL,
        oldest: OLDEST,
        version: ownVersion(),
        profile: this.#state.profile,
        browser: browserName(navigator.userAgent),
      }, HELLO_MS);
      this.#set('connected', '');
      this.#on.up(result);
    } catch (e) {
      if (port !== this.#port || !port) return; // said already
      this.#set('refused', e instanceof Error ? e.message : String(e));
    }
  }

  /** Nothing more comes of the helper that was there. */
  #down() {
    this.#joiner.clear();
    for (const p of this.#pending.values()) {
      clearTimeout(p.timer);
      p.reject(new Error('The connection to Sidekick\'s helper broke before it answered. Try again.'));
    }
    this.#pending.clear();
    this.#on.down();
  }

  /** @param {string} why what Chrome says of the port's end */
  #again(why) {
    clearInterval(this.#ping);
    if (/not found|forbidden/i.test(why)) this.#set('missing', INSTALL);
    else this.#set('lost', `Sidekick's program ended${why ? ` (${why.replace(/\.$/, '')})` : ''}. Trying again.`);
    this.#missing = this.phase === 'missing' ? this.#missing + 1 : 0;
    if (this.#missing > MISSING_TRIES) return;
    this.#retry = setTimeout(() => this.connect(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, LAST_RETRY_MS);
  }

  /** @param {Phase} phase @param {string} reason */
  #set(phase, reason) {
    if (this.phase === phase && this.reason === reason) return;
    this.phase = phase;
    this.reason = reason;
    this.#on.change();
  }
}

/**
 * The browser's name and version for people: "Chrome/156.0".
 * @param {string} userAgent
 */
export function browserName(userAgent) {
  const m = /\b(Edg|OPR|Vivaldi|YaBrowser)\/(\d+)/.exec(userAgent) ?? /(Chrome)\/(\d+)/.exec(userAgent);
  if (!m) return 'Chromium';
  return `${{Edg: 'Edge', OPR: 'Opera'}[m[1]] ?? m[1]}/${m[2]}.0`;
}

/** The extension's version as people know it: the managed browser's copy has one more part. */
function ownVersion() {
  const {version, version_name: name} = chrome.runtime.getManifest();
  return name ?? version;
}
