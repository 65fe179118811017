/**
 * What the worker remembers. Chrome stops a worker when it likes, so memory is
 * only a copy: chrome.storage.session holds everything (it lives as long as the
 * browser), chrome.storage.local what must outlive a restart of the browser
 * (numbers that are never given twice, who is stopped, blocked sites). Handlers
 * run only once `ready` is fulfilled.
 */

import {Ledger} from './bodies.js';

/** @typedef {import('./wire.js').AgentInfo} AgentInfo */

/**
 * A JavaScript dialog that a page has open.
 * @typedef {{type: string, message: string, defaultPrompt?: string, sessionId?: string}} Dialog
 */

/**
 * A part of a page with a debugger session of its own: a cross-origin frame, a
 * worker.
 * @typedef {{targetId: string, url: string, barred: import('./wire.js').Failure | null}} Child
 */

/** One tab of an agent. */
export class Tab {
  /**
   * @param {Agent} agent
   * @param {string} number "t3"
   * @param {number} tabId Chrome's
   */
  constructor(agent, number, tabId) {
    this.agent = agent;
    this.number = number;
    this.tabId = tabId;
    this.url = '';
    this.title = '';
    /** Whether our debugger is attached. */
    this.attached = false;
    /** @type {Promise<void> | null} an attach under way */
    this.attaching = null;
    /** @type {Dialog | null} */
    this.dialog = null;
    /** @type {string | undefined} the number of the tab that opened this one */
    this.openerId = undefined;
    /** @type {Map<string, Child>} by the debugger's child session */
    this.children = new Map();
    /**
     * The hosts of its frames' origins, by CDP's frame ids; '' where a frame has
     * an origin of its own, as a sandboxed one has.
     * @type {Map<string, string>}
     */
    this.frames = new Map();
    /**
     * The hosts of its frames' addresses, by CDP's frame ids, those of frames in
     * other processes included.
     * @type {Map<string, string>}
     */
    this.shown = new Map();
    /**
     * A tab in a window that has no tab strip (a pop-up window) cannot be in a
     * group; it is the agent's all the same.
     */
    this.groupless = false;
    /** Seen outside the group; about to be let go unless it comes back. */
    this.away = false;
    /** @type {import('./wire.js').Failure | null} why agents may not touch what it shows */
    this.barred = null;
    /** What began in it since it is debugged; gone with the worker. */
    this.requests = new Ledger();
    /** What chrome.debugger takes; made once, because it is used all the time. */
    this.debuggee = {tabId};
  }

  /** @returns {Record<string, unknown>} */
  toJSON() {
    return {
      number: this.number, tabId: this.tabId, url: this.url, title: this.title,
      attached: this.attached, dialog: this.dialog, openerId: this.openerId,
      children: [...this.children].map(([session, c]) => [session, c.targetId, c.url]),
      groupless: this.groupless,
    };
  }
}

/** One agent and its group. */
export class Agent {
  /** @param {AgentInfo} info */
  constructor(info) {
    this.info = info;
    /** Connected now, as far as is known. */
    this.live = false;
    /** The helper said so on the connection of now. */
    this.confirmed = false;
    /** When it last came, in ms since 1970. */
    this.usedAt = Date.now();
    /** The user pressed Stop. */
    this.stopped = false;
    /** @type {number | null} Chrome's, null while there is no group */
    this.groupId = null;
    /** The group's title as it is: the user may have changed it. */
    this.groupTitle = info.title;
    this.nextTab = 1;
    this.nextRef = 1;
    /** @type {string | null} the number of the current tab */
    this.current = null;
    /** @type {Map<string, Tab>} by number */
    this.tabs = new Map();
    /**
     * Tabs that the agent had when the browser was closed, to give them their
     * numbers back should Chrome restore them.
     * @type {{number: string, url: string}[]}
     */
    this.before = [];
    /** How many of our own moves into the group are under way. */
    this.grouping = 0;
    /** @type {Promise<void> | null} a search for its group of before */
    this.searching = null;
    /** @type {import('./wire.js').Message[]} events that it missed while there was no connection */
    this.missed = [];
  }

  /** @returns {Record<string, unknown>} what lives as long as the browser */
  toSession() {
    return {
      info: this.info, usedAt: this.usedAt, live: this.live, stopped: this.stopped, groupId: this.groupId,
      groupTitle: this.groupTitle, nextTab: this.nextTab, nextRef: this.nextRef,
      current: this.current, tabs: [...this.tabs.values()].map((t) => t.toJSON()),
      before: this.before,
    };
  }

  /** @returns {Record<string, unknown>} what outlives the browser */
  toLocal() {
    return {
      info: this.info, usedAt: this.usedAt, stopped: this.stopped, groupTitle: this.groupTitle,
      nextTab: this.nextTab, nextRef: this.nextRef, current: this.current,
      tabs: [...this.tabs.values()].map((t) => ({number: t.number, url: t.url}))
        .concat(this.before),
    };
  }
}

const AGENT = 'agent/';
/** Agents that did not come for so long are forgotten. */
const FORGET_MS = 90 * 24 * 3600_000;
/** How many tabs of before a restart are remembered. */
const MAX_BEFORE = 100;

export class State {
  /** @type {Map<string, Agent>} */
  agents = new Map();
  /** @type {Map<number, Tab>} by Chrome's tab id */
  tabs = new Map();
  /** @type {Set<number>} Chrome's ids of the tabs that are known to be the user's own */
  userTabs = new Set();
  /** @type {string[]} hosts that are blocked for agents */
  blocked = [];
  /** Names this browser profile to the helper. */
  profile = '';
  /** The user ended the helper: do not start it again by ourselves. */
  quiet = false;
  /** @type {[number, number][]} windows and their front tabs, when the worker last ran */
  fronts = [];
  /** Whether the above is filled. */
  isReady = false;
  /** @type {Set<Agent>} */
  #changed = new Set();
  #flushing = false;
  /** @type {Map<string, string>} what local holds, so that it is written only on change */
  #durable = new Map();
  /** @type {Promise<unknown>} */
  #written = Promise.resolve();

  /**
   * Reads everything back.
   * @param {() => void} begun called as soon as `quiet` is known
   */
  async load(begun) {
    const locally = chrome.storage.local.get();
    locally.catch(() => {}); // it is awaited below, if the session can be read
    const session = await chrome.storage.session.get();
    this.quiet = session.quiet === true;
    begun();
    const local = await locally;
    this.fronts = Array.isArray(session.fronts) ? session.fronts : [];
    this.blocked = Array.isArray(local.blocked) ? local.blocked : [];
    this.profile = typeof local.profile === 'string' ? local.profile : '';
    if (!this.profile) {
      this.profile = crypto.randomUUID().replaceAll('-', '');
      await chrome.storage.local.set({profile: this.profile});
    }
    for (const [key, value] of Object.entries(local)) {
      if (!key.startsWith(AGENT)) continue;
      this.#durable.set(key, JSON.stringify(value));
      const a = this.#restore(value);
      if (a.usedAt < Date.now() - FORGET_MS && !a.stopped) {
        this.forget(a).catch((e) => console.warn('forgetting an agent:', e));
        continue;
      }
      a.before = (value.tabs ?? []).slice(-MAX_BEFORE);
      this.agents.set(a.info.id, a);
    }
    for (const [key, value] of Object.entries(session)) {
      if (!key.startsWith(AGENT)) continue;
      const a = this.#restore(value);
      a.live = value.live;
      a.groupId = value.groupId;
      a.before = value.before ?? [];
      this.agents.set(a.info.id, a);
      for (const t of value.tabs) {
        const tab = new Tab(a, t.number, t.tabId);
        Object.assign(tab, {
          url: t.url, title: t.title, attached: t.attached, dialog: t.dialog ?? null,
          openerId: t.openerId, groupless: t.groupless === true,
          children: new Map((t.children ?? []).map((/** @type {string[]} */ [session, targetId, url]) =>
            [session, {targetId, url, barred: null}])),
        });
        a.tabs.set(tab.number, tab);
        this.tabs.set(tab.tabId, tab);
      }
    }
  }

  /** @param {any} v */
  #restore(v) {
    const a = new Agent(v.info);
    a.usedAt = v.usedAt ?? Date.now();
    a.stopped = v.stopped === true;
    a.groupTitle = v.groupTitle ?? v.info.title;
    a.nextTab = v.nextTab ?? 1;
    a.nextRef = v.nextRef ?? 1;
    a.current = v.current ?? null;
    return a;
  }

  /**
   * Says that an agent is to be written. It is written in this very task: a
   * worker that is stopped right after has lost nothing.
   * @param {Agent} agent
   */
  changed(agent) {
    this.#changed.add(agent);
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => this.#flush());
  }

  /** Waits until what has changed is written. */
  async saved() {
    this.#flush();
    await this.#written;
  }

  #flush() {
    this.#flushing = false;
    if (!this.#changed.size) return;
    /** @type {Record<string, unknown>} */
    const session = {};
    /** @type {Record<string, unknown>} */
    const local = {};
    for (const a of this.#changed) {
      const key = AGENT + a.info.id;
      session[key] = a.toSession();
      const durable = a.toLocal();
      const text = JSON.stringify(durable);
      if (this.#durable.get(key) !== text) {
        this.#durable.set(key, text);
        local[key] = durable;
      }
    }
    this.#changed.clear();
    const writes = [this.#written, chrome.storage.session.set(session)];
    if (Object.keys(local).length) writes.push(chrome.storage.local.set(local));
    this.#written = Promise.all(writes).catch((e) => console.error('saving the state:', e));
  }

  /** @param {Agent} agent */
  async forget(agent) {
    this.agents.delete(agent.info.id);
    this.#changed.delete(agent);
    const key = AGENT + agent.info.id;
    this.#durable.delete(key);
    await Promise.all([chrome.storage.session.remove(key), chrome.storage.local.remove(key)]);
  }

  /** @param {boolean} quiet */
  setQuiet(quiet) {
    if (this.quiet === quiet) return;
    this.quiet = quiet;
    chrome.storage.session.set({quiet}).catch((e) => console.error('saving the state:', e));
  }

  /** @param {[number, number][]} fronts */
  setFronts(fronts) {
    this.fronts = fronts;
    chrome.storage.session.set({fronts}).catch((e) => console.error('saving the state:', e));
  }

  /** @param {string[]} blocked */
  async setBlocked(blocked) {
    this.blocked = blocked;
    await chrome.storage.local.set({blocked});
  }
}
