/**
 * The tabs that are agents': which there are, what each shows, and whether the
 * agent may see it. Agents are told of each change.
 */
import {Tab} from './state.js';
import {barredTab, blockedSite, blockedFrame} from './policy.js';
import {blockedBy} from './sites.js';
import {Code} from './wire.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Agent} Agent */
/** @typedef {import('./wire.js').Message} Message */

export class Tabs {
  #state;
  #sites;
  #emit;
  #release;
  /** @type {Map<number, (gone: boolean) => void>} who waits for a tab to be gone */
  #waiters = new Map();

  /**
   * @param {{
   *   state: State,
   *   sites: import('./sites.js').Sites,
   *   emit: (agent: Agent, m: Message) => void,
   *   release: (tab: Tab) => void,
   * }} parts `emit` sends an event to an agent; `release` lets go of a tab that
   *   lives on but is nobody's any more
   */
  constructor({state, sites, emit, release}) {
    this.#state = state;
    this.#sites = sites;
    this.#emit = emit;
    this.#release = release;
  }

  /**
   * CDP's TargetInfo of a tab.
   * @param {Tab} tab
   */
  info(tab) {
    const barred = tab.barred?.code === Code.BlockedSite;
    return {
      targetId: tab.number, type: 'page', title: barred ? '' : pageTitle(tab), url: tab.url,
      attached: tab.attached, canAccessOpener: false, active: tab.agent.current === tab.number,
      ...(tab.openerId ? {openerId: tab.openerId} : {}),
      ...(tab.dialog ? {dialog: tab.dialog} : {}),
    };
  }

  /**
   * Makes a tab the agent's and says so.
   * @param {Agent} agent
   * @param {chrome.tabs.Tab} t
   * @param {string} [openerId]
   * @param {boolean} [fresh] whether it was made just now, and so is none of before
   * @returns {Tab}
   */
  add(agent, t, openerId, fresh = openerId !== undefined) {
    const tabId = /** @type {number} */ (t.id);
    const url = t.url || t.pendingUrl || '';
    const old = fresh ? -1 : agent.before.findIndex((b) => b.url === url);
    const number = old >= 0 ? agent.before.splice(old, 1)[0].number : `t${agent.nextTab++}`;
    const tab = new Tab(agent, number, tabId);
    tab.title = t.title ?? '';
    tab.openerId = openerId;
    this.#setURL(tab, url);
    agent.tabs.set(number, tab);
    // The current tab of before a restart may yet come back.
    const {current} = agent;
    if (!current || !agent.tabs.has(current) && !agent.before.some((b) => b.number === current)) agent.current = number;
    this.#state.tabs.set(tabId, tab);
    this.#state.userTabs.delete(tabId);
    this.#state.changed(agent);
    this.#emit(agent, {method: 'Target.targetCreated', params: {targetInfo: this.info(tab)}});
    return tab;
  }

  /**
   * Forgets a tab and says so.
   * @param {Tab} tab
   * @param {boolean} closed whether it is gone, or only the agent's no more
   */
  drop(tab, closed) {
    const {agent} = tab;
    if (this.#state.tabs.get(tab.tabId) !== tab) return;
    this.#state.tabs.delete(tab.tabId);
    agent.tabs.delete(tab.number);
    if (agent.current === tab.number) {
      agent.current = tab.openerId && agent.tabs.has(tab.openerId)
        ? tab.openerId : [...agent.tabs.keys()].at(-1) ?? null;
    }
    this.#state.changed(agent);
    if (!closed) {
      this.#release(tab);
      this.#state.userTabs.add(tab.tabId);
    }
    this.#emit(agent, {method: 'Target.targetDestroyed', params: {targetId: tab.number}});
    this.sync();
  }

  /**
   * A tab shows something else.
   * @param {Tab} tab
   * @param {{url?: string, title?: string}} change
   */
  update(tab, {url = tab.url, title = tab.title}) {
    if (url === tab.url && title === tab.title) return;
    this.#setURL(tab, url);
    tab.title = title;
    this.#state.changed(tab.agent);
    this.#emit(tab.agent, {method: 'Target.targetInfoChanged', params: {targetInfo: this.info(tab)}});
  }

  /**
   * A tab has another document: Chrome tells of its title only if it has one.
   * @param {Tab} tab
   */
  async retitle(tab) {
    const t = await chrome.tabs.get(tab.tabId).catch(() => null);
    if (t && this.#state.tabs.get(tab.tabId) === tab) this.update(tab, {title: t.title ?? ''});
  }

  /**
   * It turned out which tab opened another one.
   * @param {Tab} tab
   * @param {string} openerId
   */
  opened(tab, openerId) {
    tab.openerId = openerId;
    this.#state.changed(tab.agent);
    this.#emit(tab.agent, {method: 'Target.targetInfoChanged', params: {targetInfo: this.info(tab)}});
  }

  /**
   * The debugger is off a tab, whoever did it.
   * @param {Tab} tab
   * @param {string} [reason] given where the agent is to be told
   */
  detached(tab, reason) {
    tab.attached = false;
    tab.dialog = null;
    tab.children.clear();
    tab.frames.clear();
    tab.shown.clear();
    tab.requests.clear();
    this.judge(tab);
    this.#state.changed(tab.agent);
    this.sync();
    if (reason) this.#emit(tab.agent, {method: 'Target.detachedFromTarget', params: {sessionId: tab.number, reason}});
  }

  /** The list of blocked sites changed: judge what is shown anew. */
  rejudge() {
    for (const tab of this.#state.tabs.values()) {
      this.#setURL(tab, tab.url);
      for (const c of tab.children.values()) c.barred = this.barredFrame(c.url);
    }
  }

  /**
   * Why what a frame shows is barred, or null.
   * @param {string} url
   */
  barredFrame(url) {
    if (!this.#state.blocked.length || !/^(https?|blob):/.test(url)) return null;
    try {
      const host = blockedBy(new URL(url.replace(/^blob:/, '')).hostname, this.#state.blocked);
      return host ? blockedSite(host) : null;
    } catch {
      return null;
    }
  }

  /**
   * Waits for a tab to be gone.
   * @param {Tab} tab
   * @param {number} ms
   * @returns {Promise<boolean>} false when it is not by then, or its page asks
   *   first whether to leave it
   */
  gone(tab, ms) {
    const {tabId} = tab;
    if (!this.#state.tabs.has(tabId)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (/** @type {boolean} */ gone) => {
        clearTimeout(timer);
        this.#waiters.delete(tabId);
        resolve(gone);
      };
      const timer = setTimeout(() => end(false), ms);
      this.#waiters.set(tabId, end);
    });
  }

  /**
   * A tab is gone.
   * @param {number} tabId
   */
  closed(tabId) {
    const tab = this.#state.tabs.get(tabId);
    if (tab) this.drop(tab, true);
    this.#state.userTabs.delete(tabId);
    this.#waiters.get(tabId)?.(true);
  }

  /**
   * A page asks something, which holds up its closing.
   * @param {Tab} tab
   */
  asks(tab) {
    this.#waiters.get(tab.tabId)?.(false);
  }

  /** @param {Tab} tab @param {string} url */
  #setURL(tab, url) {
    tab.url = url;
    this.judge(tab);
  }

  /**
   * Whether agents may touch what a tab shows. A frame of a blocked site that
   * was there before the site was blocked closes the whole tab: it could be
   * read and seen through the page around it. Loading the page again opens it,
   * since the network rules hold the frame then.
   * @param {Tab} tab
   */
  judge(tab) {
    tab.barred = barredTab(tab.url, this.#state.blocked);
    if (tab.barred || !this.#state.blocked.length) return;
    for (const host of tab.shown.values()) {
      const b = blockedBy(host, this.#state.blocked);
      if (b) {
        tab.barred = blockedFrame(b);
        return;
      }
    }
  }

  /** Brings the rules for blocked sites in step. */
  sync() {
    this.#sites.sync().catch((e) => console.error('setting the rules for blocked sites:', e));
  }
}

/**
 * A page's own title: for one without, Chrome gives its address.
 * @param {Tab} tab
 */
function pageTitle({title, url}) {
  return title && (url === title || url.replace(/^[a-z]+:\/\//, '').replace(/\/$/, '') === title.replace(/\/$/, '')) ? '' : title;
}
