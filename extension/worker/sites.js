/**
 * Blocked sites: what the user types, what it matches, and the network rules
 * that hold it in agents' tabs (redirects and frames included) without touching
 * the user's own tabs.
 *
 * A tab that an agent's page opens asks for its address before anybody has
 * heard of the tab. So a second rule holds what comes of the hosts on which
 * agents are at work, in every tab that is not known to be the user's. A tab of
 * the user's that it catches is loaded again at once (newtabs.js).
 */

/** @typedef {import('./state.js').State} State */

const TABS_RULE = 1;
const NEW_TABS_RULE = 2;

/** @type {chrome.declarativeNetRequest.ResourceType[]} */
const EVERYTHING = /** @type {any} */ ([
  'main_frame', 'sub_frame', 'stylesheet', 'script', 'image', 'font', 'object',
  'xmlhttprequest', 'ping', 'csp_report', 'media', 'websocket', 'webtransport', 'webbundle', 'other',
]);

/**
 * The host that a typed pattern means: the site and everything under it.
 * Takes `bank.example`, `*.bank.example`, and pasted addresses.
 * @param {string} text
 * @returns {string} the host in its ASCII form, lower case
 * @throws {Error} with a sentence for the user
 */
export function normalise(text) {
  const typed = text.trim();
  if (!typed) throw new Error('Type a site, for example bank.example.');
  let rest = typed.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  if (rest === typed && /^[a-z][a-z0-9+-]*:(?!\d)/i.test(typed)) {
    throw new Error(`“${typed}” is not a web site. Type its name, for example bank.example.`);
  }
  rest = rest.replace(/^\/\//, '').replace(/[/?#\\].*$/s, '').replace(/^.*@/s, '');
  rest = rest.replace(/^(\*\.|\.)+/, '');
  if (!rest || rest === '*') {
    throw new Error(`“${typed}” would block every site. Type one site, for example bank.example.`);
  }
  if (/[\s*%"<>^`{|}]/.test(rest)) {
    throw new Error(`“${typed}” is not a web site. A * may only stand in front, as in *.corp.example.`);
  }
  let host;
  try {
    host = new URL(`http://${rest}/`).hostname;
  } catch {
    throw new Error(`“${typed}” is not a web site. Type its name, for example bank.example.`);
  }
  host = host.replace(/\.+$/, '');
  if (!host || host.split('.').some((label) => label === '')) {
    throw new Error(`“${typed}” is not a web site. Type its name, for example bank.example.`);
  }
  return host;
}

/**
 * An address of the fourth version as itself, where it is written as one of the
 * sixth, or as "this machine".
 * @param {string} host
 */
function plain(host) {
  if (host === '0.0.0.0' || host === '[::]') return '127.0.0.1';
  const m = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (!m) return host;
  const [hi, lo] = [parseInt(m[1], 16), parseInt(m[2], 16)];
  return [hi >> 8, hi & 255, lo >> 8, lo & 255].join('.');
}

/**
 * The pattern that blocks a host, or '' when none does.
 * @param {string} hostname as URL.hostname gives it
 * @param {string[]} blocked
 */
export function blockedBy(hostname, blocked) {
  if (!blocked.length) return '';
  const host = plain(hostname.toLowerCase().replace(/\.+$/, '')); // bank.example. is bank.example
  for (const b of blocked) {
    if (host === b || (host.endsWith(b) && host[host.length - b.length - 1] === '.')) return b;
  }
  return '';
}

/**
 * The host of a web address or origin, '' where it has none.
 * @param {string} url
 */
export function hostOf(url) {
  try {
    const {protocol, hostname} = new URL(url.replace(/^blob:/, ''));
    return protocol === 'http:' || protocol === 'https:' ? hostname : '';
  } catch {
    return '';
  }
}

/** Keeps Chrome's session rules in step with the list and with agents' tabs. */
export class Sites {
  #state;
  /** @type {Promise<void> | null} */
  #running = null;
  #again = false;
  #applied = '';

  /** @param {State} state */
  constructor(state) {
    this.#state = state;
  }

  /** The worker starts: what Chrome holds is unknown. */
  reset() {
    this.#applied = '?';
  }

  /**
   * Brings the rules up to date; resolves when they hold what was true at the
   * call. Calls that come while Chrome is at it share the next round.
   * @returns {Promise<void>}
   */
  sync() {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    if (this.#wanted().text === this.#applied) return Promise.resolve();
    this.#running = (async () => {
      try {
        do {
          this.#again = false;
          const {text, rules} = this.#wanted();
          if (text === this.#applied) continue;
          await chrome.declarativeNetRequest.updateSessionRules({removeRuleIds: [TABS_RULE, NEW_TABS_RULE], addRules: rules});
          this.#applied = text;
        } while (this.#again);
      } finally {
        this.#running = null;
      }
    })();
    return this.#running;
  }

  #wanted() {
    const tabIds = [...this.#state.tabs.keys()].sort((a, b) => a - b);
    const requestDomains = this.#state.blocked;
    if (!tabIds.length || !requestDomains.length) return {text: '', rules: []};
    /** @type {chrome.declarativeNetRequest.Rule[]} */
    const rules = [{
      id: TABS_RULE,
      priority: 1,
      action: {type: /** @type {any} */ ('block')},
      condition: {requestDomains, tabIds, resourceTypes: EVERYTHING},
    }];
    const initiatorDomains = this.#hosts();
    if (initiatorDomains.length) {
      rules.push({
        id: NEW_TABS_RULE,
        priority: 1,
        action: {type: /** @type {any} */ ('block')},
        condition: {
          requestDomains, resourceTypes: /** @type {any} */ (['main_frame']),
          excludedTabIds: [...this.#state.userTabs].sort((a, b) => a - b),
          // A frame with an origin of its own comes of no host, so that only a
          // rule for everybody holds what it opens.
          ...(initiatorDomains.includes('') ? {} : {initiatorDomains}),
        },
      });
    }
    return {text: JSON.stringify(rules), rules};
  }

  /**
   * The hosts whose pages an agent may click in: those of tabs with the debugger
   * attached, and of the frames in them.
   */
  #hosts() {
    /** @type {Set<string>} */
    const hosts = new Set();
    for (const tab of this.#state.tabs.values()) {
      if (!tab.attached) continue;
      const host = hostOf(tab.url);
      if (host) hosts.add(host);
      for (const h of tab.frames.values()) hosts.add(h);
    }
    return [...hosts].sort();
  }
}
