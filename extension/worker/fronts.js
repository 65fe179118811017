/**
 * Keeps the user's front tab in front. Chrome shows a tab that a page opens at
 * once, also when that page is an agent's in the background; the tab that was
 * in front is then put back.
 */

/** How long after a tab was opened its coming to the front is not the user's doing. */
const OPENING_MS = 500;

export class Fronts {
  /** @type {Map<number, number>} window → its front tab */
  #front = new Map();
  /** @type {Map<number, number>} window → the one before */
  #before = new Map();
  #remember;
  /** @type {Map<number, {until: number, back: number}>} tabs just opened by agents' tabs */
  #opening = new Map();

  /** @param {(fronts: [number, number][]) => void} remember keeps the front tabs for the next start of the worker */
  constructor(remember) {
    this.#remember = remember;
  }

  /**
   * The worker starts.
   * @param {chrome.tabs.Tab[]} tabs all there are
   * @param {[number, number][]} remembered what was in front when it last knew
   */
  load(tabs, remembered) {
    const there = new Set(tabs.map((t) => t.id));
    for (const [windowId, tabId] of remembered) if (there.has(tabId)) this.#front.set(windowId, tabId);
    for (const t of tabs) {
      if (t.active && t.id !== undefined) this.onActivated({tabId: t.id, windowId: t.windowId});
    }
  }

  /**
   * The tab of a window that was in front before the one of now.
   * @param {number} windowId
   * @returns {number | undefined}
   */
  before(windowId) {
    return this.#before.get(windowId);
  }

  /**
   * An agent's tab opened another one.
   * @param {chrome.tabs.Tab} tab
   * @param {number} openerTabId
   */
  opened(tab, openerTabId) {
    if (tab.id === undefined) return;
    const front = this.#front.get(tab.windowId);
    const back = front === tab.id ? this.#before.get(tab.windowId) : front;
    // Where the user looks on at the agent's tab, the new one may show as usual;
    // a window of its own has no other tab.
    if (back === undefined || back === openerTabId) return;
    if (tab.active || front === tab.id) this.#putBack(back);
    else {
      const now = Date.now();
      for (const [id, o] of this.#opening) if (o.until < now) this.#opening.delete(id);
      this.#opening.set(tab.id, {until: now + OPENING_MS, back});
    }
  }

  /** @param {{tabId: number, windowId: number}} info */
  onActivated({tabId, windowId}) {
    const was = this.#front.get(windowId);
    if (was !== tabId) {
      if (was !== undefined) this.#before.set(windowId, was);
      this.#front.set(windowId, tabId);
      this.#remember([...this.#front]);
    }
    const o = this.#opening.get(tabId);
    if (!o) return;
    this.#opening.delete(tabId);
    if (o.until >= Date.now()) this.#putBack(o.back);
  }

  /** @param {number} tabId */
  onRemoved(tabId) {
    this.#opening.delete(tabId);
  }

  /** @param {number} windowId */
  onWindowRemoved(windowId) {
    this.#front.delete(windowId);
    this.#before.delete(windowId);
  }

  /** @param {number} tabId */
  #putBack(tabId) {
    chrome.tabs.update(tabId, {active: true}).catch((e) => console.warn('putting the front tab back:', e));
  }
}
