/**
 * What our own pages (popup, settings, wake) see and may ask for. They talk
 * through a port each; nobody else is listened to.
 */
import {normalise} from './sites.js';

/** @typedef {import('./state.js').State} State */

/**
 * What the pages show.
 * @typedef {{
 *   connection: {phase: import('./link.js').Phase, reason: string, version: string},
 *   agents: {id: string, title: string, color: string, live: boolean, stopped: boolean, tabs: number}[],
 *   blocked: string[],
 *   pairings: Pairing[],
 * }} View
 *
 * @typedef {{
 *   id: string, name: string, created_at?: string, last_used_at?: string,
 *   managed?: boolean, here?: boolean, no_evaluate?: boolean,
 * }} Pairing
 */

const PORT = 'page';
/** Requests of the settings page that the helper answers. */
const HELPERS = new Set(['pairings.list', 'pairings.add', 'pairings.rename', 'pairings.revoke', 'pairings.limit']);

export class UI {
  /** @type {Pairing[]} */
  pairings = [];
  /** The version of the program on this computer. */
  version = '';
  #state;
  #link;
  #requests;
  #fronts;
  #setBlocked;
  /** @type {Set<chrome.runtime.Port>} */
  #ports = new Set();
  #due = false;
  /** What the helper was told of the groups last. */
  #told = '';

  /**
   * @param {{
   *   state: State,
   *   link: import('./link.js').Link,
   *   requests: import('./requests.js').Requests,
   *   fronts: import('./fronts.js').Fronts,
   *   setBlocked: (hosts: string[]) => Promise<void>,
   * }} parts
   */
  constructor({state, link, requests, fronts, setBlocked}) {
    this.#state = state;
    this.#link = link;
    this.#requests = requests;
    this.#fronts = fronts;
    this.#setBlocked = setBlocked;
  }

  /**
   * Whether a port is one of our own pages'.
   * @param {chrome.runtime.Port} port
   */
  accepts({name, sender}) {
    return name === PORT && sender?.id === chrome.runtime.id &&
      sender.url?.startsWith(chrome.runtime.getURL('')) === true;
  }

  /** @param {chrome.runtime.Port} port */
  onConnect(port) {
    this.#ports.add(port);
    port.onDisconnect.addListener(() => this.#ports.delete(port));
    // A page that is opened is somebody who wants to see it work.
    this.#link.wake();
    port.postMessage({view: this.view()});
  }

  /** Something that pages or the badge show has changed. */
  changed() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      this.#badge();
      this.#tell();
      if (!this.#ports.size) return;
      const view = this.view();
      for (const port of this.#ports) port.postMessage({view});
    });
  }

  /** @returns {View} */
  view() {
    const agents = [...this.#state.agents.values()]
      .filter((a) => a.live || a.tabs.size || a.stopped)
      .map((a) => ({
        id: a.info.id, title: a.info.title, color: a.info.color,
        live: a.live, stopped: a.stopped, tabs: a.tabs.size,
      }))
      .sort((a, b) => Number(b.live) - Number(a.live) || a.title.localeCompare(b.title));
    return {
      connection: {phase: this.#link.phase, reason: this.#link.reason, version: this.version},
      agents, blocked: this.#state.blocked, pairings: this.pairings,
    };
  }

  /**
   * Answers a request of a page.
   * @param {chrome.runtime.Port} port
   * @param {any} m
   */
  async onMessage(port, m) {
    /** @type {any} */
    let reply;
    try {
      reply = {id: m.id, result: (await this.#run(m.method, m.params ?? {})) ?? {}};
    } catch (e) {
      reply = {id: m.id, error: e instanceof Error ? e.message : String(e)};
    }
    if (this.#ports.has(port)) port.postMessage(reply);
  }

  /** @param {string} method @param {any} params */
  async #run(method, params) {
    if (HELPERS.has(method)) {
      const result = await this.#link.request(method, params);
      await this.#list().catch(() => {}); // the page sees the list of now with the answer
      return result;
    }
    switch (method) {
      case 'stop':
      case 'resume': {
        const agent = this.#state.agents.get(params.agent);
        if (!agent) throw new Error('This agent is no longer there.');
        if (method === 'stop') this.#requests.stop(agent);
        else this.#requests.resume(agent);
        await this.#state.saved();
        this.changed();
        return {};
      }
      case 'front.before': // what the wake page gives way to
        return {tabId: this.#fronts.before(params.windowId)};
      case 'blocked.add': {
        const host = normalise(String(params.site ?? ''));
        const {blocked} = this.#state;
        if (!blocked.includes(host)) await this.#setBlocked([...blocked, host].sort());
        return {host};
      }
      case 'blocked.remove':
        await this.#setBlocked(this.#state.blocked.filter((b) => b !== params.site));
        return {};
      default:
        throw new Error(`Unknown request ${method}.`);
    }
  }

  async #list() {
    const {pairings} = await this.#link.request('pairings.list', {});
    if (Array.isArray(pairings)) this.pairings = pairings;
    this.changed();
  }

  /** Asks for the list of pairings as this profile sees it. */
  refresh() {
    this.#list().catch((e) => console.warn('listing the pairings:', e.message));
  }

  /** Tells the helper what “sidekick-mcp status” shows of the groups: numbers alone, nothing of what is in the tabs. */
  #tell() {
    if (this.#link.phase !== 'connected') {
      this.#told = '';
      return;
    }
    const groups = this.view().agents
      .filter((a) => a.live || a.tabs)
      .map(({id, title, tabs, stopped}) => ({agent: id, title, tabs, stopped}));
    const told = JSON.stringify(groups);
    if (told === this.#told) return;
    this.#told = told;
    this.#link.send({method: 'browser.groups', params: {groups}});
  }

  #badge() {
    const agents = [...this.#state.agents.values()];
    const live = agents.filter((a) => a.live).length;
    const stopped = agents.filter((a) => a.live && a.stopped).length;
    const {phase, reason} = this.#link;
    const trouble = phase === 'missing' || phase === 'refused' || phase === 'lost';
    const text = trouble || stopped ? '!' : live ? String(live) : '';
    const title = trouble ? `Sidekick: not connected. ${reason}`
      : stopped ? `Sidekick: ${stopped} of ${live} agents stopped`
      : live ? `Sidekick: ${live} ${live === 1 ? 'agent' : 'agents'} connected` : 'Sidekick';
    Promise.all([
      chrome.action.setBadgeText({text}),
      chrome.action.setBadgeBackgroundColor({color: trouble || stopped ? '#b3261e' : '#3559c7'}),
      chrome.action.setTitle({title}),
    ]).catch((e) => console.warn('setting the badge:', e));
  }
}
