/**
 * The browser level of an agent's virtual browser: CDP's Target.* over the tabs
 * of its group, and nothing else.
 */
import {Code, Failure, notYours} from './wire.js';
import {checkURL} from './policy.js';
import {patient} from './groups.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Agent} Agent */

/** How long a page may hold up its closing, by a dialog for example. */
const CLOSE_MS = 3000;
const MAX_REFS = 1_000_000;

export class Targets {
  #state;
  #tabs;
  #restorer;
  #groups;
  #sites;
  #debuggers;

  /**
   * @param {{
   *   state: State,
   *   tabs: import('./tabs.js').Tabs,
   *   restorer: import('./restore.js').Restorer,
   *   groups: import('./groups.js').Groups,
   *   sites: import('./sites.js').Sites,
   *   debuggers: import('./debuggers.js').Debuggers,
   * }} parts
   */
  constructor({state, tabs, restorer, groups, sites, debuggers}) {
    this.#state = state;
    this.#tabs = tabs;
    this.#restorer = restorer;
    this.#groups = groups;
    this.#sites = sites;
    this.#debuggers = debuggers;
  }

  /**
   * Runs a browser-level method.
   * @param {Agent} agent
   * @param {string} method
   * @param {any} params
   * @returns {any} the result, or a promise of it where Chrome has to be asked
   * @throws {Failure}
   */
  call(agent, method, params) {
    switch (method) {
      case 'Target.getTargets':
        return this.#list(agent);
      case 'Target.createTarget':
        return this.#create(agent, params?.url);
      case 'Target.closeTarget':
        return this.#close(agent, params?.targetId);
      case 'Target.activateTarget':
        agent.current = this.#own(agent, params?.targetId).number;
        this.#state.changed(agent);
        return {};
      case 'Target.attachToTarget':
        return this.#attach(agent, params?.targetId);
      case 'Target.detachFromTarget':
        return this.#detach(agent, params?.sessionId);
      case 'Target.setDiscoverTargets': // always on
      case 'Target.setAutoAttach': // attaching is asked for
        return {};
      case 'Sidekick.reserveRefs':
        return this.#reserve(agent, params?.count);
      default:
        throw new Failure(Code.NotAllowed, `Sidekick does not let agents use ${method} without a tab's session.`);
    }
  }

  /** @param {Agent} agent @param {unknown} targetId */
  #own(agent, targetId) {
    const tab = agent.tabs.get(String(targetId));
    if (!tab || tab.away) throw notYours(String(targetId));
    return tab;
  }

  /** @param {Agent} agent */
  #list(agent) {
    if (agent.before.length && agent.groupId === null) {
      return this.#restorer.find(agent).then(() => this.#infos(agent));
    }
    return this.#infos(agent);
  }

  /** @param {Agent} agent */
  #infos(agent) {
    const tabs = [...agent.tabs.values()].filter((t) => !t.away);
    return {targetInfos: tabs.map((t) => this.#tabs.info(t))};
  }

  /** @param {Agent} agent @param {unknown} url */
  async #create(agent, url) {
    if (url === undefined || url === '') url = 'about:blank';
    checkURL(url, this.#state.blocked);
    const address = /** @type {string} */ (url);
    await this.#restorer.find(agent);
    // The rules for blocked sites must know the tab before it loads anything.
    const ruled = this.#state.blocked.length > 0 && address !== 'about:blank';
    const first = ruled ? 'about:blank' : address;
    const windowId = await this.#groups.window(agent);
    let t;
    if (windowId === null) {
      const w = await chrome.windows.create({url: first, focused: false});
      t = w?.tabs?.[0];
    } else {
      t = await patient(() => chrome.tabs.create({windowId, url: first, active: false}));
    }
    if (t?.id === undefined) throw new Failure(Code.CDP, 'Chrome did not open a tab. Try again.');
    const tab = this.#tabs.add(agent, t, undefined, true);
    tab.groupless = true; // until it is in the group
    agent.current = tab.number;
    try {
      await Promise.all([this.#groups.put(agent, tab.tabId, t.windowId), this.#sites.sync()]);
      tab.groupless = false;
      if (ruled) await chrome.tabs.update(tab.tabId, {url: address});
      this.#state.changed(agent);
      await this.#state.saved();
    } catch (e) {
      chrome.tabs.remove(tab.tabId).catch(() => {});
      throw e;
    }
    return {targetId: tab.number};
  }

  /** @param {Agent} agent @param {unknown} targetId */
  async #close(agent, targetId) {
    const tab = this.#own(agent, targetId);
    // The browser ends with its last tab, and all agents' work with it.
    if ((await chrome.tabs.query({})).length === 1) await chrome.tabs.create({active: false});
    const gone = this.#tabs.gone(tab, CLOSE_MS);
    // Chrome answers only when the page lets itself be closed.
    const refused = patient(() => chrome.tabs.remove(tab.tabId)).then(() => gone);
    if (await Promise.race([gone, refused])) return {success: true};
    throw new Failure(Code.CDP, tab.dialog
      ? `Tab ${tab.number} is not closed yet: its page asks ${tab.dialog.message ? JSON.stringify(tab.dialog.message) : 'whether to leave it'} (a ${tab.dialog.type} dialog). Answer it with handle_dialog.`
      : `Tab ${tab.number} was not closed within ${CLOSE_MS / 1000} s. Try again.`);
  }

  /** @param {Agent} agent @param {unknown} targetId */
  async #attach(agent, targetId) {
    const tab = this.#own(agent, targetId);
    await this.#debuggers.attach(tab);
    // Not before the rules for what its page opens hold.
    await this.#sites.sync();
    return {sessionId: tab.number, targetInfo: this.#tabs.info(tab), refBase: agent.nextRef};
  }

  /** @param {Agent} agent @param {unknown} sessionId */
  async #detach(agent, sessionId) {
    const number = String(sessionId);
    if (number.includes(':')) {
      throw new Failure(Code.NotAllowed, 'Only a tab\'s own session can be detached.');
    }
    await this.#debuggers.detach(this.#own(agent, number));
    return {};
  }

  /** @param {Agent} agent @param {unknown} count */
  async #reserve(agent, count) {
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_REFS) {
      throw new Failure(Code.BadRequest, `Sidekick.reserveRefs needs a count from 1 to ${MAX_REFS}.`);
    }
    const first = agent.nextRef;
    agent.nextRef += count;
    this.#state.changed(agent);
    await this.#state.saved();
    return {first};
  }
}
