/**
 * Brings what is remembered in step with what there is: after Chrome stopped the
 * worker, and after the browser was restarted, when an agent's group is found
 * again by its title and its tabs by their addresses.
 */

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Agent} Agent */

export class Restorer {
  #state;
  #tabs;
  #groups;
  #sites;

  /**
   * @param {{
   *   state: State,
   *   tabs: import('./tabs.js').Tabs,
   *   groups: import('./groups.js').Groups,
   *   sites: import('./sites.js').Sites,
   * }} parts
   */
  constructor({state, tabs, groups, sites}) {
    this.#state = state;
    this.#tabs = tabs;
    this.#groups = groups;
    this.#sites = sites;
  }

  /**
   * The worker starts: brings what it remembers in step with what there is.
   * @param {chrome.tabs.Tab[]} all
   * @param {chrome.tabGroups.TabGroup[]} groups
   * @param {chrome.debugger.TargetInfo[]} targets
   */
  reconcile(all, groups, targets) {
    const real = new Map(all.map((t) => [t.id, t]));
    const attached = new Set(targets.filter((t) => t.attached).map((t) => t.tabId));
    for (const agent of this.#state.agents.values()) {
      const {groupId} = agent;
      if (groupId === null) continue;
      if (groups.some((g) => g.id === groupId)) continue;
      // A group that was dragged to another window may have a new id.
      const moved = groups.find((g) => g.title === agent.groupTitle && !this.#groups.owner(g.id));
      if (moved && [...agent.tabs.values()].some((tab) => real.get(tab.tabId)?.groupId === moved.id)) {
        agent.groupId = moved.id;
        this.#state.changed(agent);
      } else this.#groups.lost(agent);
    }
    for (const tab of [...this.#state.tabs.values()]) {
      const t = real.get(tab.tabId);
      if (!t) this.#tabs.drop(tab, true);
      else if (t.groupId !== tab.agent.groupId && !tab.groupless) this.#tabs.drop(tab, false);
      else {
        if (tab.attached && !attached.has(tab.tabId)) this.#tabs.detached(tab, 'target_closed');
        this.#tabs.update(tab, {url: t.url || t.pendingUrl || '', title: t.title ?? ''});
      }
    }
    for (const t of all) {
      const agent = this.#groups.owner(t.groupId);
      if (agent && t.id !== undefined && !this.#state.tabs.has(t.id)) this.#tabs.add(agent, t);
    }
    this.#tabs.rejudge();
  }

  /**
   * Gives an agent its group and tabs of before a restart of the browser back.
   * @param {Agent} agent
   * @returns {Promise<void>}
   */
  find(agent) {
    if (agent.groupId !== null || !agent.before.length) return Promise.resolve();
    agent.searching ??= (async () => {
      try {
        if (!(await this.#groups.find(agent))) return;
        await this.#take(agent, /** @type {number} */ (agent.groupId));
      } finally {
        agent.searching = null;
      }
    })();
    return agent.searching;
  }

  /** @param {Agent} agent @param {number} groupId */
  async #take(agent, groupId) {
    for (const t of await chrome.tabs.query({groupId})) {
      if (t.id !== undefined && !this.#state.tabs.has(t.id)) this.#tabs.add(agent, t);
    }
    await this.#sites.sync();
  }

  /** @param {chrome.tabGroups.TabGroup} g */
  onGroupUpdated(g) {
    const owner = this.#groups.owner(g.id);
    if (owner) {
      if (g.title !== undefined && g.title !== owner.groupTitle && !owner.grouping) {
        owner.groupTitle = g.title; // the user's wish; it is found again by this one
        this.#state.changed(owner);
      }
      return;
    }
    if (!g.title) return;
    // Chrome restores groups while agents may be at work already.
    for (const agent of this.#state.agents.values()) {
      if (!agent.before.length || agent.groupTitle !== g.title) continue;
      if (agent.groupId === null) {
        this.find(agent).catch((e) => console.warn('taking a restored group back:', e));
      } else if (!agent.grouping) {
        this.#merge(agent, g.id).catch((e) => console.warn('joining a restored group:', e));
      }
      return;
    }
  }

  /** @param {Agent} agent @param {number} groupId */
  async #merge(agent, groupId) {
    const tabs = await chrome.tabs.query({groupId});
    for (const t of tabs) if (t.id !== undefined) await this.#groups.put(agent, t.id);
  }
}
