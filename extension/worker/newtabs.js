/**
 * The user's own new tabs. The rule that holds what agents' pages open off
 * blocked sites (sites.js) also holds a new tab that a page of the user's opens,
 * where an agent is at work on the same host, until the tab is known to be the
 * user's. It is loaded again then.
 */
import {blockedBy, hostOf} from './sites.js';

/** @typedef {import('./state.js').State} State */

/** How Chrome names what a rule of an extension held. */
const HELD = 'net::ERR_BLOCKED_BY_CLIENT';

export class NewTabs {
  #state;
  #sites;
  /** @type {Set<number>} new tabs that were held */
  #held = new Set();
  /** @type {Set<number>} tabs that were loaded again: not twice, as another extension may hold them */
  #again = new Set();
  /** @type {Set<number>} tabs that a page of an agent opened, whatever else is known of them */
  #agents = new Set();

  /** @param {{state: State, sites: import('./sites.js').Sites}} parts */
  constructor({state, sites}) {
    this.#state = state;
    this.#sites = sites;
  }

  /**
   * The worker starts: all tabs that are no agent's are the user's.
   * @param {chrome.tabs.Tab[]} all
   */
  load(all) {
    for (const {id} of all) {
      if (id !== undefined && !this.#state.tabs.has(id)) this.#state.userTabs.add(id);
    }
  }

  /**
   * A tab is the user's.
   * @param {number} tabId
   */
  users(tabId) {
    if (!this.#agents.has(tabId)) this.#state.userTabs.add(tabId);
    this.#settle(tabId);
  }

  /** @param {{tabId: number, sourceTabId: number}} details */
  onOpened({tabId, sourceTabId}) {
    if (!this.#state.tabs.has(sourceTabId)) return;
    this.#agents.add(tabId);
    if (this.#state.userTabs.delete(tabId)) this.#settle(tabId);
  }

  /** @param {{tabId: number, frameId: number, url: string, error?: string}} details */
  onError({tabId, frameId, url, error}) {
    if (frameId !== 0 || error !== HELD || !blockedBy(hostOf(url), this.#state.blocked)) return;
    this.#held.add(tabId);
    this.#settle(tabId);
  }

  /** @param {number} tabId */
  onRemoved(tabId) {
    for (const set of [this.#held, this.#again, this.#agents]) set.delete(tabId);
  }

  /** @param {number} tabId */
  #settle(tabId) {
    this.#sites.sync().then(() => {
      if (!this.#held.has(tabId) || !this.#state.userTabs.has(tabId)) return;
      this.#held.delete(tabId);
      if (this.#again.has(tabId)) return;
      this.#again.add(tabId);
      return chrome.tabs.reload(tabId);
    }).catch((e) => console.warn('letting go of a tab of the user\'s:', e));
  }
}
