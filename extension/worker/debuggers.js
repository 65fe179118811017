/**
 * Chrome's debugger on agents' tabs: attached when an agent first needs it, a
 * pass for CDP commands and events, and what the extension itself must know of
 * them (open dialogs, addresses, frames with a session of their own).
 */
import {Code, Failure, notYours, tabGone} from './wire.js';
import {attachable, checkCommand, passesWhenBarred, withoutSecrets} from './policy.js';
import {onlyClickable} from './snapshot.js';
import {slim} from './axtree.js';
import {FileDialogs} from './filedialogs.js';
import {PageFrames} from './pageframes.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Agent} Agent */
/** @typedef {import('./state.js').Tab} Tab */
/** @typedef {import('./wire.js').Message} Message */
/** @typedef {import('./pageframes.js').Frame} Frame */

const CDP_VERSION = '1.3';

/**
 * @param {Agent} agent
 * @param {string} sessionId "t3", or "t3:ABC" for a child session
 */
function find(agent, sessionId) {
  const colon = sessionId.indexOf(':');
  const number = colon < 0 ? sessionId : sessionId.slice(0, colon);
  return {tab: agent.tabs.get(number), number, child: colon < 0 ? '' : sessionId.slice(colon + 1)};
}

/** Said also by “sidekick-mcp doctor” (internal/cause). */
const FORBIDDEN = 'Chrome refuses this tab the debugger, with which Sidekick works pages; most often that is a policy. Tell the user: have whoever administers this computer set DeveloperToolsAvailability to 1; “sidekick-mcp doctor” says where it is.';

/** Chrome's word for a page that extensions are kept from; of files it says the same for another reason. */
const KEPT_OUT = 'Not allowed: Chrome keeps extensions from this page; most often that is a policy (runtime_blocked_hosts in ExtensionSettings). Tell the user: “sidekick-mcp doctor” says where it is.';

export class Debuggers {
  #state;
  #tabs;
  #emit;
  #canceled;
  #opening;
  #asks;
  #answered;
  #gone;
  #dialogs = new FileDialogs((target, method, params) => this.#own(target, method, params));
  #downloads;
  #frames;

  /**
   * @param {{
   *   state: State,
   *   tabs: import('./tabs.js').Tabs,
   *   emit: (agent: Agent, m: Message) => void,
   *   opening: (tab: Tab) => void,
   *   asks: (tab: Tab) => void,
   *   answered: (tab: Tab) => void,
   *   gone: (tab: Tab, sessionId: string) => void,
   *   downloads: import('./downloads.js').Downloads,
   *   canceled: () => void,
   * }} parts `opening` is called when a page is about to open another, `asks` when a dialog
   *   opened and before the agent hears of it, `answered` when it is closed, `gone` likewise when a frame's session is over,
   *   `canceled` when the user pressed Cancel on Chrome's bar
   */
  constructor({state, tabs, emit, opening, asks, answered, gone, downloads, canceled}) {
    this.#state = state;
    this.#tabs = tabs;
    this.#emit = emit;
    this.#opening = opening;
    this.#asks = asks;
    this.#answered = answered;
    this.#gone = gone;
    this.#downloads = downloads;
    this.#frames = new PageFrames({state, tabs});
    this.#canceled = canceled;
  }

  /**
   * Starts a CDP command of an agent, in this very task: the order of calls is
   * the order in which the page gets them.
   * @param {Agent} agent
   * @param {string} sessionId "t3", or "t3:ABC" for a child session
   * @param {string} method
   * @param {any} params
   * @returns {Promise<any>}
   * @throws {Failure} when the agent may not; nothing was sent then
   */
  command(agent, sessionId, method, params) {
    const {tab, number, child} = find(agent, sessionId);
    if (!tab || tab.away) throw notYours(number);
    // chromedp asks for it on each session; a tab has no targets to discover.
    if (method === 'Target.setDiscoverTargets') return Promise.resolve({});
    let {barred} = tab;
    /** @type {{tabId: number, sessionId?: string}} */
    let target = tab.debuggee;
    if (child) {
      barred ??= tab.children.get(child)?.barred ?? null;
      target = {tabId: tab.tabId, sessionId: child};
    }
    checkCommand(method, params, barred, this.#state.blocked);
    if (!tab.attached) throw notAttached(number, method);
    if (method === 'Page.setInterceptFileChooserDialog') this.#dialogs.told(target);
    else this.#dialogs.before(target, method);
    if (method === 'Target.setAutoAttach') params = {...params, filter: attachable(params.filter)};
    const fit = tab.requests.check(method, params, this.#state.blocked);
    const answer = this.#send(tab, target, method, params);
    return fit ? answer.then(fit) : answer;
  }

  /**
   * Input is about to come, behind commands that the page answers before it: what
   * is done for it now is done when it comes.
   * @param {Agent} agent
   * @param {string} sessionId
   * @param {string} method
   */
  expect(agent, sessionId, method) {
    const {tab, child} = find(agent, sessionId);
    if (tab?.attached && !tab.away) this.#dialogs.before(child ? {tabId: tab.tabId, sessionId: child} : tab.debuggee, method);
  }

  /**
   * @param {Tab} tab
   * @param {{tabId: number, sessionId?: string}} target
   * @param {string} method
   * @param {any} params
   */
  async #send(tab, target, method, params) {
    try {
      const answer = await chrome.debugger.sendCommand(target, method, params);
      if (method === 'DOMSnapshot.captureSnapshot') return onlyClickable(answer);
      return method.startsWith('Accessibility.') ? slim(answer) : answer;
    } catch (e) {
      throw await this.#explain(tab, method, e);
    }
  }

  /**
   * Attaches; at once where it is attached already.
   * @param {Tab} tab
   * @returns {Promise<void>}
   */
  attach(tab) {
    if (tab.attached) return Promise.resolve();
    tab.attaching ??= this.#attach(tab).finally(() => {
      tab.attaching = null;
    });
    return tab.attaching;
  }

  /** @param {Tab} tab */
  async #attach(tab) {
    if (tab.barred?.code === Code.NotAllowed) throw tab.barred;
    const {tabId} = tab;
    const t = await chrome.tabs.get(tabId).catch(() => {
      throw tabGone(tab.number);
    });
    // A tab that Chrome put to sleep has no page to talk with.
    if (t.discarded || /** @type {any} */ (t.status) === 'unloaded') await chrome.tabs.reload(tabId).catch(() => {});
    try {
      await chrome.debugger.attach({tabId}, CDP_VERSION);
    } catch (e) {
      // Chrome's words for a tab that a policy keeps the debugger from.
      if (/cannot attach to this target/i.test(String(e))) throw new Failure(Code.CDP, FORBIDDEN);
      if (!/already attached/i.test(String(e))) throw await this.#explain(tab, 'attach', e);
      // Perhaps it is ours, of before the extension was loaded anew.
      try {
        await chrome.debugger.detach({tabId});
        await chrome.debugger.attach({tabId}, CDP_VERSION);
      } catch {
        throw new Failure(Code.CDP, `Another extension is debugging tab ${tab.number}. Use another tab, or ask the user to end it.`);
      }
    }
    tab.attached = true;
    tab.dialog = null;
    tab.children.clear();
    this.#state.changed(tab.agent);
    // Not waited for: what the agent sends next comes after them anyway, and a
    // page with a dialog answers nothing. Without focus emulation a tab in the
    // background swallows input.
    this.#own({tabId}, 'Emulation.setFocusEmulationEnabled', {enabled: true});
    this.#own({tabId}, 'Page.enable', {});
    this.#frames.survey(tab);
    this.#tabs.sync();
    chrome.tabs.update(tabId, {autoDiscardable: false}).catch(() => {});
  }

  /**
   * @param {{tabId: number, sessionId?: string}} target
   * @param {string} method
   * @param {any} params
   */
  #own(target, method, params) {
    chrome.debugger.sendCommand(target, method, params).catch((e) => {
      if (!/Detached|not attached|No tab|not found/i.test(String(e))) console.warn(`${method}:`, e);
    });
  }

  /** Looks at the frames of all tabs, as their rules changed or events of them were missed. */
  survey() {
    this.#frames.surveyAll();
  }

  /**
   * Lets go of a tab, which goes on without us.
   * @param {Tab} tab
   */
  async detach(tab) {
    if (tab.attaching) await tab.attaching.catch(() => {});
    if (!tab.attached) return;
    this.#tabs.detached(tab);
    this.#dialogs.left(tab.tabId);
    const {tabId} = tab;
    chrome.tabs.update(tabId, {autoDiscardable: true}).catch(() => {});
    await chrome.debugger.detach({tabId}).catch(() => {}); // it was detached or closed meanwhile
  }

  /**
   * @param {{tabId?: number}} source
   * @param {string} reason
   */
  onDetach(source, reason) {
    const tab = source.tabId === undefined ? undefined : this.#state.tabs.get(source.tabId);
    if (tab?.attached) {
      this.#tabs.detached(tab, reason);
      this.#dialogs.left(tab.tabId);
    }
    if (reason === 'canceled_by_user') this.#canceled();
  }

  /**
   * @param {{tabId?: number, sessionId?: string}} source
   * @param {string} method
   * @param {any} params
   */
  onEvent(source, method, params) {
    const tab = this.#state.tabs.get(source.tabId ?? -1);
    if (!tab) return;
    const child = source.sessionId;
    switch (method) {
      case 'Page.javascriptDialogOpening':
        tab.dialog = {
          type: params.type, message: params.message,
          ...(params.defaultPrompt ? {defaultPrompt: params.defaultPrompt} : {}),
          ...(child ? {sessionId: `${tab.number}:${child}`} : {}),
        };
        this.#state.changed(tab.agent);
        this.#tabs.asks(tab);
        this.#asks(tab);
        break;
      case 'Page.javascriptDialogClosed':
        tab.dialog = null;
        this.#state.changed(tab.agent);
        this.#answered(tab);
        break;
      case 'Page.downloadWillBegin':
        this.#downloads.began(params, (m, p) => this.#pass(tab, child, m, p));
        break;
      case 'Page.downloadProgress':
        if (this.#downloads.progress(params)) return;
        break;
      case 'Page.windowOpen':
        this.#opening(tab);
        break;
      case 'Page.frameNavigated':
        this.#navigated(tab, child, params.frame);
        break;
      case 'Page.frameDetached':
        // Swapped, it goes on in another process.
        if (params.reason !== 'swap') this.#frames.gone(tab, params.frameId);
        break;
      case 'Target.attachedToTarget':
        tab.children.set(params.sessionId, {
          targetId: params.targetInfo.targetId, url: params.targetInfo.url,
          barred: this.#tabs.barredFrame(params.targetInfo.url),
        });
        this.#state.changed(tab.agent);
        if (params.targetInfo.type === 'iframe') {
          // Its dialogs and addresses are known by its own events only.
          this.#own({tabId: tab.tabId, sessionId: params.sessionId}, 'Page.enable', {});
          this.#frames.survey(tab, params.sessionId);
        }
        params = {...params, sessionId: `${tab.number}:${params.sessionId}`};
        break;
      case 'Target.detachedFromTarget':
        tab.children.delete(params.sessionId);
        this.#state.changed(tab.agent);
        params = {...params, sessionId: `${tab.number}:${params.sessionId}`};
        this.#gone(tab, params.sessionId);
        break;
    }
    if (method.startsWith('Network.')) {
      if (method === 'Network.requestWillBeSent' && !tab.away) tab.requests.sent(params);
      params = withoutSecrets(method, params);
      if (!params) return;
    }
    this.#pass(tab, child, method, params);
  }

  /**
   * Passes an event on to the agent of its tab.
   * @param {Tab} tab
   * @param {string | undefined} child
   * @param {string} method
   * @param {any} params
   */
  #pass(tab, child, method, params) {
    if (this.#state.tabs.get(tab.tabId) !== tab) return;
    const barred = tab.barred ?? (child ? tab.children.get(child)?.barred : null);
    if (barred && !passesWhenBarred(method)) return;
    this.#emit(tab.agent, {
      sessionId: child ? `${tab.number}:${child}` : tab.number, method, params,
    });
  }

  /**
   * @param {Tab} tab
   * @param {string | undefined} child
   * @param {Frame} frame
   */
  #navigated(tab, child, frame) {
    if (!child && !frame.parentId) {
      tab.frames.clear();
      tab.shown.clear();
    }
    this.#frames.shows(tab, child ? {tabId: tab.tabId, sessionId: child} : tab.debuggee, frame);
    const url = frame.unreachableUrl || frame.url;
    if (!child) {
      if (frame.parentId) return;
      tab.dialog = null;
      this.#tabs.update(tab, {url});
      this.#tabs.retitle(tab);
      return;
    }
    const c = tab.children.get(child);
    if (c?.targetId !== frame.id) return;
    c.url = url;
    c.barred = this.#tabs.barredFrame(url);
    this.#state.changed(tab.agent);
  }

  /**
   * What Chrome's error means.
   * @param {Tab} tab
   * @param {string} method
   * @param {unknown} e
   * @returns {Promise<Failure>}
   */
  async #explain(tab, method, e) {
    const text = e instanceof Error ? e.message : String(e);
    if (text.startsWith('{')) {
      try {
        const {code, message, data} = JSON.parse(text);
        if (message === 'Not allowed' && !data && method !== 'DOM.setFileInputFiles') return new Failure(code ?? Code.CDP, KEPT_OUT);
        return new Failure(code ?? Code.CDP, data ? `${message} (${data})` : message);
      } catch {
        return new Failure(Code.CDP, text);
      }
    }
    if (/Detached while|No tab with|not attached|No target/i.test(text)) {
      const there = await chrome.tabs.get(tab.tabId).then(() => true, () => false);
      if (!there || this.#state.tabs.get(tab.tabId) !== tab) return tabGone(tab.number);
      if (/Detached while/i.test(text)) {
        return new Failure(Code.HopLost,
          `Chrome's debugger was detached from tab ${tab.number} while ${method} was under way; its outcome is unknown: read the page.`);
      }
      if (/not attached/i.test(text) && tab.attached) this.#tabs.detached(tab);
      return notAttached(tab.number, method);
    }
    return new Failure(Code.CDP, text);
  }
}

/** @param {string} number @param {string} method */
function notAttached(number, method) {
  return new Failure(Code.NotAttached, `${method} was not run: attach to tab ${number} first.`);
}
