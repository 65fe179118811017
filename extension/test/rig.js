/** The worker on a fake browser, with a hand-played helper at its native port. */
import {start} from '../worker/worker.js';
import {FakeBrowser, FakePort} from './fake-chrome.js';

/** @typedef {import('../worker/wire.js').Message} Message */

export class Rig {
  browser = new FakeBrowser();
  /** @type {ReturnType<typeof start>} */
  worker = /** @type {any} */ (null);
  /** @type {Message[]} events for agents */
  events = [];
  /** @type {any} the groups as the helper was told of them last */
  groups = null;
  /** @type {any[]} requests of the extension */
  asked = [];
  /** @type {any} what the helper answers to browser.hello */
  welcome = {version: '1.0.0', pairings: [{id: 'p', name: 'FrogBot'}], agents: []};
  /** @type {(m: any) => any} */
  helper = () => ({});
  #next = 1;
  /** @type {Map<number, {resolve: (v: any) => void, reject: (e: any) => void}>} */
  #waiting = new Map();
  /** @type {Message[]} answers that nobody waited for */
  strays = [];

  /** Starts the worker and connects the helper. */
  async start() {
    this.worker = start();
    await this.worker.ready;
    await this.connect();
    return this;
  }

  get port() {
    return this.browser.ports[this.browser.ports.length - 1];
  }

  async connect() {
    const {port} = this;
    port.onSent = (m) => this.#receive(port, m);
    this.send({method: 'host.connected'});
    await until(() => this.worker.link.phase === 'connected');
  }

  /** @param {FakePort} port @param {any} m */
  #receive(port, m) {
    if (m.id && m.method) {
      this.asked.push(m);
      const result = m.method === 'browser.hello' ? this.welcome : this.helper(m);
      queueMicrotask(() => {
        if (port.open) port.onMessage.fire({id: m.id, result});
      });
    } else if (m.id) {
      const w = this.#waiting.get(m.id);
      if (!w) {
        this.strays.push(m);
        return;
      }
      this.#waiting.delete(m.id);
      if (m.error) w.reject(Object.assign(new Error(m.error.message), {code: m.error.code}));
      else w.resolve(m.result);
    } else if (m.method === 'browser.groups') this.groups = m.params.groups;
    else if (m.method !== 'ping') this.events.push(m);
  }

  /** @param {Message} m */
  send(m) {
    this.port.onMessage.fire(JSON.parse(JSON.stringify(m)));
  }

  /** @param {string} slug @param {Partial<import('../worker/wire.js').AgentInfo>} [more] */
  open(slug, more) {
    const info = {id: `p/${slug}`, pairing: 'p', name: 'FrogBot', slug, title: `FrogBot · ${slug}`, color: 'blue', ...more};
    this.send({method: 'agent.opened', params: info});
    return info.id;
  }

  /**
   * @param {string} agent
   * @param {string} method
   * @param {any} [params]
   * @param {string} [sessionId]
   * @returns {Promise<any>}
   */
  call(agent, method, params = {}, sessionId) {
    return this.begin(agent, method, params, sessionId).done;
  }

  /**
   * As call, with the request's id.
   * @param {string} agent
   * @param {string} method
   * @param {any} [params]
   * @param {string} [sessionId]
   * @returns {{id: number, done: Promise<any>}}
   */
  begin(agent, method, params = {}, sessionId) {
    const id = this.#next++;
    const done = new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.send({id, agent, method, params, ...(sessionId ? {sessionId} : {})});
    });
    done.catch(() => {}); // a test may look at it later
    return {id, done};
  }

  /** An agent with one attached tab. @param {string} slug @param {string} [url] */
  async agentWithTab(slug, url = 'https://a.example/') {
    const agent = this.open(slug);
    const {targetId} = await this.call(agent, 'Target.createTarget', {url});
    await this.call(agent, 'Target.attachToTarget', {targetId, flatten: true});
    await until(() => this.browser.commands.some((c) => c.method === 'Page.enable'));
    this.browser.commands.length = 0;
    return agent;
  }

  /** Chrome's id of an agent's tab. @param {string} agent @param {string} number */
  tabId(agent, number) {
    const tab = this.worker.state.agents.get(agent)?.tabs.get(number);
    if (!tab) throw new Error(`${agent} has no ${number}`);
    return tab.tabId;
  }

  /** Chrome stops the worker and starts it again. */
  async restartWorker() {
    await this.worker.state.saved();
    this.port.open = false;
    this.browser.boot();
    await this.start();
  }

  /** A page of ours, connected to the worker. @param {string} [url] */
  page(url = `chrome-extension://${this.browser.id}/popup.html`) {
    const port = new FakePort('page', {id: this.browser.id, url});
    this.browser.chrome.runtime.onConnect.fire(port);
    return port;
  }

  /** @param {FakePort} port @param {string} method @param {any} params */
  async ask(port, method, params) {
    const id = this.#next++;
    port.onMessage.fire({id, method, params});
    await until(() => port.sent.some((m) => m.id === id));
    return port.sent.find((m) => m.id === id);
  }
}

/**
 * Waits for something that promises of the worker bring about.
 * @param {() => boolean} done
 */
export async function until(done) {
  const end = Date.now() + 5000;
  while (!done()) {
    if (Date.now() > end) throw new Error(`did not come: ${done}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets everything that is ready happen. */
export async function settled() {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}
