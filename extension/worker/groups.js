/**
 * An agent's tab group: made when it is needed, in the window that is in use
 * and without bringing anything forward; made anew when it was closed; found
 * again by its title after the browser was restarted.
 */

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Agent} Agent */

const RETRY_MS = 150;
const RETRIES = 20;

export class Groups {
  #state;

  /** @param {State} state */
  constructor(state) {
    this.#state = state;
  }

  /**
   * The agent whose group it is.
   * @param {number | undefined} groupId
   * @returns {Agent | null}
   */
  owner(groupId) {
    if (groupId === undefined || groupId === -1) return null;
    for (const a of this.#state.agents.values()) if (a.groupId === groupId) return a;
    return null;
  }

  /**
   * The window for an agent's next tab, or null when there is none.
   * @param {Agent} agent
   * @returns {Promise<number | null>}
   */
  async window(agent) {
    if (agent.groupId !== null) {
      try {
        return (await chrome.tabGroups.get(agent.groupId)).windowId;
      } catch {
        this.lost(agent);
      }
    }
    const windows = await chrome.windows.getAll({windowTypes: ['normal']});
    const usable = windows.filter((w) => !w.incognito && w.id !== undefined);
    const focused = usable.find((w) => w.focused);
    if (focused) return /** @type {number} */ (focused.id);
    if (!usable.length) return null;
    try {
      const last = await chrome.windows.getLastFocused({windowTypes: ['normal']});
      if (usable.some((w) => w.id === last.id)) return /** @type {number} */ (last.id);
    } catch {
      // none was ever focused
    }
    return /** @type {number} */ (usable[usable.length - 1].id);
  }

  /**
   * Puts a tab into the agent's group, which it makes where there is none.
   * @param {Agent} agent
   * @param {number} tabId
   * @param {number} [windowId] of the tab, where that has a tab strip
   */
  async put(agent, tabId, windowId) {
    agent.grouping++;
    try {
      if (agent.groupId !== null) {
        const groupId = agent.groupId;
        try {
          await patient(() => chrome.tabs.group({groupId, tabIds: [tabId]}));
          return;
        } catch (e) {
          const there = await chrome.tabGroups.get(groupId).then(() => true, () => false);
          if (there) throw e;
          if (agent.groupId === groupId) this.lost(agent);
        }
      }
      if (windowId === undefined) {
        windowId = (await this.window(agent)) ?? undefined;
        // Another tab of the agent may have made the group meanwhile.
        if (agent.groupId !== null) {
          const groupId = agent.groupId;
          await patient(() => chrome.tabs.group({groupId, tabIds: [tabId]}));
          return;
        }
      }
      agent.groupId = await patient(() => chrome.tabs.group({tabIds: [tabId], createProperties: {windowId}}));
      this.#state.changed(agent);
      await this.dress(agent);
    } finally {
      agent.grouping--;
    }
  }

  /**
   * Gives the group the agent's title and colour.
   * @param {Agent} agent
   */
  async dress(agent) {
    if (agent.groupId === null) return;
    agent.groupTitle = agent.info.title;
    this.#state.changed(agent);
    await patient(() => chrome.tabGroups.update(/** @type {number} */ (agent.groupId),
      {title: agent.info.title, color: /** @type {any} */ (agent.info.color || 'grey')}));
  }

  /** @param {Agent} agent */
  lost(agent) {
    agent.groupId = null;
    agent.groupTitle = agent.info.title;
    this.#state.changed(agent);
  }

  /**
   * The group that the agent had before the browser was restarted: the one with
   * its title that is nobody's. Only for agents that had tabs then.
   * @param {Agent} agent
   * @returns {Promise<boolean>} whether it was found
   */
  async find(agent) {
    if (agent.groupId !== null || !agent.before.length) return false;
    const groups = await chrome.tabGroups.query({});
    const found = groups.find((g) => g.title === agent.groupTitle && !this.owner(g.id));
    if (!found || agent.groupId !== null) return false;
    agent.groupId = found.id;
    this.#state.changed(agent);
    return true;
  }
}

/**
 * Repeats what Chrome refuses while the user drags a tab.
 * @template T
 * @param {() => Promise<T>} f
 * @returns {Promise<T>}
 */
export async function patient(f) {
  for (let i = 1; ; i++) {
    try {
      return await f();
    } catch (e) {
      if (i >= RETRIES || !/cannot be edited right now/i.test(String(e))) throw e;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
