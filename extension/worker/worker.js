/**
 * Puts the worker together. All of Chrome's events are listened to from the
 * first moment on, as Chrome wants it; they are handled, in their order, once
 * the state of before is back.
 */
import {Agent, State} from './state.js';
import {Debuggers} from './debuggers.js';
import {Downloads} from './downloads.js';
import {Follower} from './follow.js';
import {Fronts} from './fronts.js';
import {Groups} from './groups.js';
import {Link} from './link.js';
import {NewTabs} from './newtabs.js';
import {Requests} from './requests.js';
import {Restorer} from './restore.js';
import {Sites} from './sites.js';
import {Tabs} from './tabs.js';
import {Targets} from './targets.js';
import {UI} from './ui.js';

/** @typedef {import('./wire.js').Message} Message */
/** @typedef {import('./wire.js').AgentInfo} AgentInfo */

/** How long the debugger stays on the tabs of an agent that has left. */
const GRACE_MS = 5000;
/** How long the wake page has to close itself. */
const WAKE_MS = 1000;
/** How soon recovery is tried again should Chrome's storage fail. */
const RETRY_MS = 1000;
/** How many events are kept for an agent while the link is down. */
const MAX_MISSED = 200;

/**
 * Starts the worker.
 * @returns {{ready: Promise<void>, state: State, link: Link, requests: Requests, ui: UI}}
 */
export function start() {
  const state = new State();
  const groups = new Groups(state);
  const sites = new Sites(state);
  const fronts = new Fronts((f) => state.setFronts(f));
  const tabs = new Tabs({
    state, sites, emit,
    release: (tab) => {
      debuggers.detach(tab);
    },
  });
  const newTabs = new NewTabs({state, sites});
  const follower = new Follower({state, tabs, groups, sites, fronts, newTabs});
  const restorer = new Restorer({state, tabs, groups, sites});
  const downloads = new Downloads({state, emit});
  const debuggers = new Debuggers({
    state, tabs, emit, downloads,
    opening: (tab) => follower.opening(tab),
    asks: (tab) => requests.interrupt(tab.agent, tab.number),
    answered: (tab) => {
      if (!tab.agent.live) setTimeout(letGo, GRACE_MS);
    },
    gone: (tab, sessionId) => requests.detached(tab.agent, sessionId),
    canceled: () => {
      for (const agent of state.agents.values()) requests.stop(agent);
      ui.changed();
    },
  });
  const targets = new Targets({state, tabs, restorer, groups, sites, debuggers});
  const link = new Link(state, {
    message, up, gate,
    hello: () => {
      for (const a of state.agents.values()) a.confirmed = false;
    },
    down: () => {
      requests.forgetAll();
      for (const a of state.agents.values()) a.confirmed = false;
    },
    change: () => ui.changed(),
  });
  const requests = new Requests({state, targets, debuggers, send: (m) => link.send(m), emit});
  const ui = new UI({
    state, link, requests, fronts,
    setBlocked: async (hosts) => {
      await state.setBlocked(hosts);
      tabs.rejudge();
      debuggers.survey();
      ui.changed();
      await sites.sync();
    },
  });

  /**
   * Sends an event to an agent. While there is no connection, what changed about
   * its tabs is kept for it.
   * @param {Agent} agent
   * @param {Message} m
   */
  function emit(agent, m) {
    if (!m.sessionId) ui.changed();
    if (!agent.live) return;
    if (agent.confirmed) link.send({agent: agent.info.id, ...m});
    else if (!m.sessionId && agent.missed.length < MAX_MISSED) agent.missed.push(m);
  }

  /** @param {Message} m */
  function message(m) {
    if (m.id) {
      requests.handle(m);
      return;
    }
    switch (m.method) {
      case '$/cancel':
        requests.cancel(m.agent, m.params?.id);
        break;
      case 'agent.opened':
        opened(m.params);
        break;
      case 'agent.closed':
        closed(m.params?.id);
        break;
      case 'pairings.changed':
        paired(m.params?.pairings);
        ui.refresh();
        break;
    }
  }

  /** @param {AgentInfo} info */
  function opened(info) {
    if (!info || typeof info.id !== 'string' || typeof info.title !== 'string') return;
    let agent = state.agents.get(info.id);
    if (agent) {
      const redress = agent.info.title !== info.title || agent.info.color !== info.color;
      agent.info = info;
      if (redress) {
        if (agent.groupId === null && !agent.before.length) agent.groupTitle = info.title;
        groups.dress(agent).catch((e) => console.warn('renaming a group:', e.message));
      }
    } else {
      agent = new Agent(info);
      state.agents.set(info.id, agent);
    }
    agent.usedAt = Date.now();
    agent.live = true;
    agent.confirmed = true;
    state.changed(agent);
    for (const m of agent.missed.splice(0)) emit(agent, m);
    restorer.find(agent).catch((e) => console.warn('finding a group of before:', e.message));
    ui.changed();
  }

  /** @param {string} id */
  function closed(id) {
    const agent = state.agents.get(id);
    if (!agent) return;
    agent.live = false;
    agent.confirmed = false;
    agent.missed.length = 0;
    requests.left(agent);
    state.changed(agent);
    setTimeout(letGo, GRACE_MS);
    ui.changed();
  }

  /**
   * Takes the debugger off the tabs of agents that have left. It stays where a
   * dialog is open: Chrome tells a debugger only of dialogs that open while it
   * is there, and lets it answer no other. The agent that is back would have a
   * page that never answers.
   */
  function letGo() {
    for (const agent of state.agents.values()) {
      if (agent.live) continue;
      for (const tab of agent.tabs.values()) if (tab.attached && !tab.dialog) debuggers.detach(tab);
    }
  }

  /** @param {any} result of browser.hello (wire.BrowserWelcome) */
  function up(result) {
    ui.version = typeof result?.version === 'string' ? result.version : '';
    link.watch(result?.managed === true).catch((e) => console.error('setting the alarm:', e));
    paired(result?.pairings);
    ui.refresh();
    // The helper names the agents that are there; the others have left.
    for (const info of Array.isArray(result?.agents) ? result.agents : []) opened(info);
    for (const a of state.agents.values()) if (a.live && !a.confirmed) closed(a.info.id);
    setTimeout(rewake, WAKE_MS);
  }

  /**
   * A browser that is started on the wake page may come to it before it has
   * loaded the extension, and shows an error in its place: load it again, so
   * that it closes itself.
   */
  async function rewake() {
    try {
      const stuck = await chrome.tabs.query({url: chrome.runtime.getURL('wake.html')});
      await Promise.all(stuck.map((t) => chrome.tabs.reload(/** @type {number} */ (t.id))));
    } catch (e) {
      console.warn('loading the wake page again:', e);
    }
  }

  /**
   * What was remembered of agents whose pairing is gone is forgotten.
   * @param {any} list
   */
  function paired(list) {
    if (!Array.isArray(list)) return;
    const ids = new Set(list.map((p) => p.id));
    for (const agent of [...state.agents.values()]) {
      if (ids.has(agent.info.pairing) || agent.confirmed) continue;
      for (const tab of [...agent.tabs.values()]) tabs.drop(tab, false);
      state.forget(agent).catch((e) => console.warn('forgetting an agent:', e));
    }
  }

  /** @type {(() => void)[]} what came before the state was back */
  let early = [];

  /**
   * @template {any[]} A
   * @param {(...args: A) => void} f
   * @returns {(...args: A) => void}
   */
  function gate(f) {
    return (...args) => {
      const run = () => {
        try {
          f(...args);
        } catch (e) {
          console.error('handling an event of Chrome:', e);
        }
      };
      if (state.isReady) run();
      else early.push(run);
    };
  }

  chrome.debugger.onEvent.addListener(gate((source, method, params) => debuggers.onEvent(source, method, params)));
  chrome.debugger.onDetach.addListener(gate((source, reason) => debuggers.onDetach(source, reason)));
  chrome.tabs.onCreated.addListener(gate((t) => follower.onCreated(t)));
  chrome.tabs.onUpdated.addListener(gate((id, change, t) => follower.onUpdated(id, change, t)));
  chrome.tabs.onActivated.addListener(gate((info) => fronts.onActivated(info)));
  chrome.tabs.onReplaced.addListener(gate((added, removed) => follower.onReplaced(added, removed)));
  chrome.tabs.onRemoved.addListener(gate((id) => {
    tabs.closed(id);
    newTabs.onRemoved(id);
    fronts.onRemoved(id);
  }));
  chrome.webNavigation.onCreatedNavigationTarget.addListener(gate((d) => {
    newTabs.onOpened(d);
    downloads.onOpened(d);
    follower.onOpened(d);
  }));
  chrome.webNavigation.onErrorOccurred.addListener(gate((d) => newTabs.onError(d)));
  chrome.downloads.onCreated.addListener(gate((item) => downloads.onCreated(item)));
  chrome.downloads.onChanged.addListener(gate((delta) => downloads.onChanged(delta)));
  chrome.windows.onRemoved.addListener(gate((id) => fronts.onWindowRemoved(id)));
  chrome.tabGroups.onCreated.addListener(gate((g) => restorer.onGroupUpdated(g)));
  chrome.tabGroups.onUpdated.addListener(gate((g) => restorer.onGroupUpdated(g)));
  chrome.tabGroups.onRemoved.addListener(gate((g) => follower.onGroupRemoved(g)));
  chrome.alarms.onAlarm.addListener(gate((alarm) => link.onAlarm(alarm)));
  chrome.runtime.onConnect.addListener((port) => {
    if (!ui.accepts(port)) {
      port.disconnect();
      return;
    }
    // What a page says before somebody listens is lost, so the listener is there at once.
    port.onMessage.addListener(gate((m) => {
      ui.onMessage(port, m);
    }));
    gate(() => ui.onConnect(port))();
  });
  // Being called is all that is needed: the worker runs, and so connects.
  chrome.runtime.onStartup.addListener(() => {});
  chrome.runtime.onInstalled.addListener(() => {});

  async function recover() {
    const [all, inGroups, debugged] = await Promise.all([
      chrome.tabs.query({}), chrome.tabGroups.query({}), chrome.debugger.getTargets(),
      // The native host starts while the rest is read; what it says waits.
      state.load(() => link.connect()),
    ]);
    fronts.load(all, state.fronts);
    restorer.reconcile(all, inGroups, debugged);
    newTabs.load(all);
    sites.reset();
    state.isReady = true;
    const waiting = early;
    early = [];
    for (const run of waiting) run();
    debuggers.survey();
    sites.sync().catch((e) => console.error('setting the rules for blocked sites:', e));
    link.watch().catch((e) => console.error('setting the alarm:', e));
    setTimeout(letGo, GRACE_MS);
    ui.changed();
  }

  /** @returns {Promise<void>} */
  async function untilRecovered() {
    for (;;) {
      try {
        await recover();
        return;
      } catch (e) {
        console.error('starting the worker:', e);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  const ready = untilRecovered();
  return {ready, state, link, requests, ui};
}
