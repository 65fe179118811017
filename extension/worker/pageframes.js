/**
 * Which sites the frames of agents' tabs are of, as the rules for blocked sites
 * need it: a page may hold a frame of a site that the user blocked.
 */
import {hostOf} from './sites.js';

/** @typedef {import('./state.js').Tab} Tab */
/** @typedef {{id: string, parentId?: string, url: string, unreachableUrl?: string}} Frame */
/** @typedef {{frame: Frame, childFrames?: FrameTree[]}} FrameTree */

export class PageFrames {
  #state;
  #tabs;

  /** @param {{state: import('./state.js').State, tabs: import('./tabs.js').Tabs}} parts */
  constructor({state, tabs}) {
    this.#state = state;
    this.#tabs = tabs;
  }

  /** Looks at the frames of all tabs; where they are not known as events of them were missed. */
  surveyAll() {
    for (const tab of this.#state.tabs.values()) {
      if (!tab.attached) continue;
      this.survey(tab);
      for (const session of tab.children.keys()) this.survey(tab, session);
    }
  }

  /**
   * Looks at the frames that are there, as the rules for blocked sites need them.
   * @param {Tab} tab
   * @param {string} [sessionId]
   */
  survey(tab, sessionId) {
    if (!this.#state.blocked.length) return;
    const target = sessionId ? {tabId: tab.tabId, sessionId} : tab.debuggee;
    /** @param {FrameTree} tree */
    const walk = ({frame, childFrames}) => {
      if (!tab.shown.has(frame.id)) this.shows(tab, target, frame);
      for (const c of childFrames ?? []) walk(c);
    };
    // A worker has no frames, and a page may be gone by now.
    chrome.debugger.sendCommand(target, 'Page.getFrameTree').then((/** @type {any} */ r) => {
      if (!tab.attached || !r?.frameTree) return;
      walk(r.frameTree);
    }, () => {});
  }

  /**
   * Notes whence a frame's links come: of its address, until Chrome says what
   * its origin is in fact.
   * @param {Tab} tab
   * @param {{tabId: number, sessionId?: string}} target
   * @param {Frame} frame
   */
  shows(tab, target, {id, url, unreachableUrl}) {
    const host = unreachableUrl ? '' : hostOf(url);
    if (host) {
      tab.frames.set(id, host);
      tab.shown.set(id, host);
    } else {
      tab.frames.delete(id);
      tab.shown.delete(id);
    }
    this.#tabs.judge(tab);
    this.#tabs.sync();
    if (unreachableUrl || !this.#state.blocked.length) return;
    /** @param {string} real */
    const is = (real) => {
      if (!tab.attached || tab.frames.get(id) === real) return;
      tab.frames.set(id, real);
      this.#tabs.sync();
    };
    chrome.debugger.sendCommand(target, 'Storage.getStorageKeyForFrame', {frameId: id}).then((/** @type {any} */ r) => {
      if (typeof r?.storageKey === 'string') is(hostOf(r.storageKey));
    }, (e) => {
      if (/opaque/i.test(String(e))) is(''); // otherwise it is gone
    });
  }

  /** @param {Tab} tab @param {string} id of a frame that is gone */
  gone(tab, id) {
    tab.frames.delete(id);
    if (tab.shown.delete(id)) this.#tabs.judge(tab);
  }
}
