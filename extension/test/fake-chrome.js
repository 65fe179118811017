/**
 * A browser in memory: as much of chrome.* as the worker uses, with the ways of
 * Chrome that matter (what is stored outlives the worker; a tab that a page in a
 * group opens joins the group and names the front tab as its opener).
 */

/** @template {(...args: any[]) => void} F */
class Event {
  /** @type {Set<F>} */
  listeners = new Set();
  /** @param {F} f */
  addListener(f) {
    this.listeners.add(f);
  }
  /** @param {Parameters<F>} args */
  fire(...args) {
    for (const f of [...this.listeners]) f(...args);
  }
}

class Area {
  /** @type {Record<string, any>} */
  data = {};
  async get() {
    return structuredClone(this.data);
  }
  /** @param {Record<string, any>} items */
  async set(items) {
    Object.assign(this.data, JSON.parse(JSON.stringify(items)));
  }
  /** @param {string} key */
  async remove(key) {
    delete this.data[key];
  }
}

/** One end of a runtime port, as the worker holds it. */
export class FakePort {
  onMessage = new Event();
  onDisconnect = new Event();
  /** @type {any[]} what the worker sent, as the other side reads it */
  sent = [];
  open = true;
  /** @type {((m: any) => void) | null} */
  onSent = null;
  /** @param {string} name @param {any} [sender] */
  constructor(name, sender) {
    this.name = name;
    this.sender = sender;
  }
  /** @param {any} m */
  postMessage(m) {
    if (!this.open) throw new Error('Attempting to use a disconnected port object');
    const copy = JSON.parse(JSON.stringify(m));
    this.sent.push(copy);
    this.onSent?.(copy);
  }
  disconnect() {
    this.open = false;
  }
}

// Node 20 has no navigator of its own.
Object.defineProperty(globalThis, 'navigator', {
  value: {userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'},
  configurable: true,
});

export class FakeBrowser {
  id = 'kebocaojpdepmdeepcjdclbbefiipehc';
  /** @type {any[]} */
  tabs = [];
  /** @type {any[]} */
  groups = [];
  /** @type {any[]} */
  windows = [{id: 1, type: 'normal', focused: true, incognito: false}];
  /** @type {Set<number>} tabs that our debugger is attached to */
  attached = new Set();
  /** @type {any[]} */
  rules = [];
  session = new Area();
  local = new Area();
  /** @type {any[]} */
  downloads = [];
  /** @type {FakePort[]} every native port that the worker opened, oldest first */
  ports = [];
  /** @type {string | null} why connectNative fails */
  noHost = null;
  /** @type {{target: any, method: string, params: any}[]} CDP commands in the order in which they came */
  commands = [];
  /** @type {(target: any, method: string, params: any) => any} */
  onCommand = () => ({});
  /** @type {number[]} tabs that the worker loaded again */
  reloaded = [];
  badge = '';
  /** @type {Map<string, {name: string, periodInMinutes: number}>} they outlive the worker */
  alarms = new Map();
  #next = 100;
  /** @type {any} */
  chrome;

  constructor() {
    this.boot();
  }

  /** A worker starts: the browser is the same, its listeners are gone. */
  boot() {
    const b = this;
    const event = () => new Event();
    this.chrome = {
      runtime: {
        id: this.id,
        lastError: undefined,
        connectNative() {
          const port = new FakePort('native');
          b.ports.push(port);
          if (b.noHost) queueMicrotask(() => b.endPort(/** @type {string} */ (b.noHost)));
          return port;
        },
        getManifest: () => ({version: '0.1.0'}),
        getURL: (/** @type {string} */ p) => `chrome-extension://${b.id}/${p}`,
        onConnect: event(), onStartup: event(), onInstalled: event(),
      },
      storage: {session: this.session, local: this.local},
      alarms: {
        get: async (/** @type {string} */ name) => structuredClone(b.alarms.get(name)),
        create: async (/** @type {string} */ name, /** @type {any} */ info) => {
          b.alarms.set(name, {name, ...info});
        },
        onAlarm: event(),
      },
      action: {
        setBadgeText: async (/** @type {any} */ {text}) => {
          b.badge = text;
        },
        setBadgeBackgroundColor: async () => {}, setTitle: async () => {},
      },
      declarativeNetRequest: {
        updateSessionRules: async (/** @type {any} */ {removeRuleIds, addRules}) => {
          b.rules = b.rules.filter((r) => !removeRuleIds.includes(r.id)).concat(addRules);
        },
      },
      downloads: {
        onCreated: event(), onChanged: event(),
        search: async (/** @type {any} */ {id}) => structuredClone(b.downloads.filter((d) => id === undefined || d.id === id)),
      },
      webNavigation: {onCreatedNavigationTarget: event(), onErrorOccurred: event()},
      windows: {
        getAll: async () => structuredClone(b.windows),
        getLastFocused: async () => structuredClone(b.windows.find((w) => w.focused) ?? b.windows[0]),
        get: async (/** @type {number} */ id) => structuredClone(b.windows.find((w) => w.id === id)),
        create: async (/** @type {any} */ p) => {
          const w = {id: b.#next++, type: 'normal', focused: p.focused !== false, incognito: false};
          b.windows.push(w);
          return {...w, tabs: [b.makeTab({windowId: w.id, url: p.url, active: true})]};
        },
        onRemoved: event(),
      },
      tabs: {
        query: async (/** @type {any} */ q) =>
          b.tabs.filter((t) => (q.groupId === undefined || t.groupId === q.groupId) && (q.url === undefined || t.url === q.url)).map((t) => ({...t})),
        get: async (/** @type {number} */ id) => ({...b.tab(id)}),
        create: async (/** @type {any} */ p) => b.makeTab(p),
        update: async (/** @type {number} */ id, /** @type {any} */ p) => {
          const t = b.tab(id);
          if (p.url) b.load(id, p.url);
          if (p.active) b.activate(id);
          return {...t};
        },
        reload: async (/** @type {number} */ id) => {
          b.reloaded.push(b.tab(id).id);
        },
        remove: async (/** @type {number} */ id) => {
          b.tab(id);
          b.closeTab(id);
        },
        group: async (/** @type {any} */ p) => {
          let {groupId} = p;
          if (groupId === undefined) {
            groupId = b.#next++;
            b.groups.push({id: groupId, title: '', color: 'grey', windowId: p.createProperties?.windowId ?? 1});
          } else if (!b.groups.some((g) => g.id === groupId)) throw new Error(`No group with id: ${groupId}.`);
          for (const id of p.tabIds) b.regroup(id, groupId);
          return groupId;
        },
        onCreated: event(), onUpdated: event(), onActivated: event(), onReplaced: event(), onRemoved: event(),
      },
      tabGroups: {
        query: async () => structuredClone(b.groups),
        get: async (/** @type {number} */ id) => {
          const g = b.groups.find((x) => x.id === id);
          if (!g) throw new Error(`No group with id: ${id}.`);
          return {...g};
        },
        update: async (/** @type {number} */ id, /** @type {any} */ p) => {
          const g = b.groups.find((x) => x.id === id);
          if (!g) throw new Error(`No group with id: ${id}.`);
          Object.assign(g, p);
          b.chrome.tabGroups.onUpdated.fire({...g});
          return {...g};
        },
        onCreated: event(), onUpdated: event(), onRemoved: event(),
      },
      debugger: {
        getTargets: async () => b.tabs.map((t) => ({tabId: t.id, attached: b.attached.has(t.id), url: t.url})),
        attach: async (/** @type {any} */ {tabId}) => {
          b.tab(tabId);
          b.attached.add(tabId);
        },
        detach: async (/** @type {any} */ {tabId}) => {
          b.attached.delete(tabId);
        },
        sendCommand: (/** @type {any} */ target, /** @type {string} */ method, /** @type {any} */ params) => {
          if (!b.attached.has(target.tabId)) {
            return Promise.reject(new Error(`Debugger is not attached to the tab with id: ${target.tabId}.`));
          }
          b.commands.push({target, method, params});
          return Promise.resolve().then(() => b.onCommand(target, method, params));
        },
        onEvent: event(), onDetach: event(),
      },
    };
    /** @type {any} */ (globalThis).chrome = this.chrome;
  }

  /** @param {number} id */
  tab(id) {
    const t = this.tabs.find((x) => x.id === id);
    if (!t) throw new Error(`No tab with id: ${id}.`);
    return t;
  }

  /** @param {string} title */
  group(title) {
    return this.groups.find((g) => g.title === title);
  }

  /**
   * Opens a tab as somebody who is not an agent does, or a page.
   * @param {any} p
   */
  makeTab(p) {
    const t = {
      id: this.#next++, windowId: p.windowId ?? 1, url: p.url ?? '', title: '', groupId: p.groupId ?? -1,
      active: p.active !== false, discarded: false, status: 'complete',
      ...(p.openerTabId === undefined ? {} : {openerTabId: p.openerTabId}),
      ...(p.pendingUrl === undefined ? {} : {pendingUrl: p.pendingUrl}),
    };
    this.tabs.push(t);
    this.chrome.tabs.onCreated.fire({...t});
    if (t.active) this.activate(t.id);
    return {...t};
  }

  /** @param {number} id */
  activate(id) {
    const t = this.tab(id);
    for (const x of this.tabs) if (x.windowId === t.windowId) x.active = x === t;
    this.chrome.tabs.onActivated.fire({tabId: id, windowId: t.windowId});
  }

  /** @param {number} windowId */
  front(windowId = 1) {
    return this.tabs.find((t) => t.windowId === windowId && t.active)?.id;
  }

  /** @param {number} id @param {string} url @param {string} [title] */
  load(id, url, title = '') {
    const t = this.tab(id);
    Object.assign(t, {url, title});
    this.chrome.tabs.onUpdated.fire(id, {url}, {...t});
    if (title) this.chrome.tabs.onUpdated.fire(id, {title}, {...t});
  }

  /** @param {number} id @param {number} groupId */
  regroup(id, groupId) {
    const t = this.tab(id);
    if (t.groupId === groupId) return;
    const old = t.groupId;
    t.groupId = groupId;
    this.chrome.tabs.onUpdated.fire(id, {groupId}, {...t});
    this.#dropEmpty(old);
  }

  /** @param {number} id */
  closeTab(id) {
    const t = this.tab(id);
    this.tabs = this.tabs.filter((x) => x !== t);
    if (this.attached.delete(id)) this.chrome.debugger.onDetach.fire({tabId: id}, 'target_closed');
    this.chrome.tabs.onRemoved.fire(id, {windowId: t.windowId, isWindowClosing: false});
    this.#dropEmpty(t.groupId);
  }

  /** @param {number} groupId */
  #dropEmpty(groupId) {
    if (groupId === -1 || this.tabs.some((t) => t.groupId === groupId)) return;
    const g = this.groups.find((x) => x.id === groupId);
    this.groups = this.groups.filter((x) => x !== g);
    if (g) this.chrome.tabGroups.onRemoved.fire(g);
  }

  /** @param {string} why */
  endPort(why) {
    const port = this.ports[this.ports.length - 1];
    port.open = false;
    this.chrome.runtime.lastError = {message: why};
    port.onDisconnect.fire(port);
    this.chrome.runtime.lastError = undefined;
  }

  /** The browser is closed and started again: only local storage is left. */
  restart() {
    this.session = new Area();
    this.attached.clear();
    this.rules = [];
    this.alarms.clear();
    this.tabs = [];
    this.groups = [];
    this.boot();
  }
}
