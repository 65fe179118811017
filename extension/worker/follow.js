/**
 * Follows what happens to tabs, and so knows whose each is: tabs that an
 * agent's tab opens and tabs that the user drags into its group are its own,
 * tabs that are dragged out are not any more.
 */
import {Code} from './wire.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Tab} Tab */

/**
 * A tab that left its group is let go after this time: a group that is dragged
 * to another window leaves and comes back within it.
 */
const AWAY_MS = 250;
/** How long after a page said that it opens something the tab may come. */
const OPENING_MS = 3000;

export class Follower {
  #state;
  #tabs;
  #groups;
  #sites;
  #fronts;
  #newTabs;
  /** @type {{tab: Tab, until: number}[]} pages that are about to open something, oldest first */
  #openings = [];

  /**
   * @param {{
   *   state: State,
   *   tabs: import('./tabs.js').Tabs,
   *   groups: import('./groups.js').Groups,
   *   sites: import('./sites.js').Sites,
   *   fronts: import('./fronts.js').Fronts,
   *   newTabs: import('./newtabs.js').NewTabs,
   * }} parts
   */
  constructor({state, tabs, groups, sites, fronts, newTabs}) {
    this.#state = state;
    this.#tabs = tabs;
    this.#groups = groups;
    this.#sites = sites;
    this.#fronts = fronts;
    this.#newTabs = newTabs;
  }

  /**
   * A page of an agent is about to open another one. Chrome says so before the
   * tab is there; what it names as the tab's opener is the tab in front.
   * @param {Tab} tab
   */
  opening(tab) {
    const now = Date.now();
    this.#openings = this.#openings.filter((o) => o.until >= now);
    this.#openings.push({tab, until: now + OPENING_MS});
  }

  /**
   * The tab whose page opened something just now.
   * @param {(tab: Tab) => boolean} fits
   */
  #opener(fits) {
    const now = Date.now();
    const i = this.#openings.findIndex((o) => o.until >= now && fits(o.tab));
    return i < 0 ? undefined : this.#openings.splice(i, 1)[0].tab;
  }

  /** @param {chrome.tabs.Tab} t */
  onCreated(t) {
    if (t.id === undefined || this.#state.tabs.has(t.id)) return;
    const named = t.openerTabId === undefined ? undefined : this.#state.tabs.get(t.openerTabId);
    const owner = this.#groups.owner(t.groupId);
    if (owner) {
      // Chrome puts what a page in a group opens into that group.
      const opener = openedByPage(t)
        ? this.#opener((tab) => tab.agent === owner) ?? (named?.agent === owner ? named : undefined)
        : undefined;
      if (opener) this.#fronts.opened(t, opener.tabId);
      this.#shut(this.#tabs.add(owner, t, opener?.number));
      return;
    }
    // A window of its own has no tab strip, and so no groups.
    if (named && openedByPage(t)) this.#adopt(t, this.#opener((tab) => tab === named) ?? named);
    else if (t.openerTabId === undefined && this.#openings.length && openedByPage(t)) this.#adoptWindow(t);
    else this.#newTabs.users(t.id);
  }

  /**
   * Chrome says for sure which tab's page opened another one, some time after the
   * tab is there: what could not be told before is told now.
   * @param {{tabId: number, sourceTabId: number}} details
   */
  async onOpened({tabId, sourceTabId}) {
    const opener = this.#state.tabs.get(sourceTabId);
    if (!opener || this.#state.tabs.get(tabId)?.openerId) return;
    const t = await chrome.tabs.get(tabId).catch(() => null);
    if (!t || this.#state.tabs.get(sourceTabId) !== opener) return;
    const tab = this.#state.tabs.get(tabId);
    if (!tab) {
      this.#adopt(t, opener);
    } else if (!tab.openerId && tab.agent === opener.agent) {
      this.#fronts.opened(t, sourceTabId);
      this.#tabs.opened(tab, opener.number);
      this.#shut(tab);
    }
  }

  /**
   * Takes a tab in that is outside the group.
   * @param {chrome.tabs.Tab} t
   * @param {Tab} opener
   */
  #adopt(t, opener) {
    const {agent} = opener;
    this.#fronts.opened(t, opener.tabId);
    const tab = this.#tabs.add(agent, t, opener.number);
    this.#shut(tab);
    tab.groupless = true; // until it is in the group: it is the agent's in any case
    this.#groups.put(agent, tab.tabId).then(() => {
      tab.groupless = false;
      this.#state.changed(agent);
    }, (e) => console.warn('a tab that an agent opened stays outside its group:', e.message));
  }

  /**
   * A pop-up window that a page opened without a way back to itself (noopener)
   * names no opener; a tab in a window with a tab strip may be anybody's.
   * @param {chrome.tabs.Tab} t
   */
  async #adoptWindow(t) {
    const w = await chrome.windows.get(t.windowId).catch(() => null);
    if (this.#state.tabs.has(/** @type {number} */ (t.id))) return;
    const opener = w?.type === 'popup' ? this.#opener(() => true) : undefined;
    if (opener) this.#adopt(t, opener);
    else this.#newTabs.users(/** @type {number} */ (t.id));
  }

  /**
   * A page that an agent opened may have reached a blocked site before the rules
   * knew its tab: load it again, now that they do. Not by a reload: of a form's
   * answer Chrome asks first, and brings the tab forward for that.
   * @param {Tab} tab
   */
  #shut(tab) {
    this.#sites.sync().then(() => {
      if (tab.barred?.code !== Code.BlockedSite || this.#state.tabs.get(tab.tabId) !== tab) return;
      return chrome.tabs.update(tab.tabId, {url: tab.url});
    }).catch((e) => console.warn('holding a new tab off a blocked site:', e));
  }

  /** @param {number} tabId @param {any} change @param {chrome.tabs.Tab} t */
  onUpdated(tabId, change, t) {
    const tab = this.#state.tabs.get(tabId);
    if (!tab) {
      const owner = change.groupId === undefined ? null : this.#groups.owner(change.groupId);
      if (owner) {
        this.#tabs.add(owner, t);
        this.#tabs.sync();
      }
      return;
    }
    if (change.groupId !== undefined) this.#regrouped(tab, change.groupId, t);
    if (this.#state.tabs.get(tabId) !== tab) return;
    const was = tab.barred;
    this.#tabs.update(tab, change);
    if (tab.openerId && !was && tab.barred) this.#shut(tab);
  }

  /** @param {Tab} tab @param {number} groupId @param {chrome.tabs.Tab} t */
  #regrouped(tab, groupId, t) {
    const {agent} = tab;
    if (groupId === agent.groupId) {
      tab.away = false;
      tab.groupless = false;
      return;
    }
    const other = this.#groups.owner(groupId);
    if (other) {
      this.#tabs.drop(tab, false);
      this.#tabs.add(other, t);
      this.#tabs.sync();
      return;
    }
    if (agent.grouping || tab.away || (tab.groupless && groupId === -1)) return;
    tab.away = true;
    setTimeout(() => this.#settle(tab), AWAY_MS);
  }

  /** @param {Tab} tab */
  async #settle(tab) {
    const {agent} = tab;
    const t = await chrome.tabs.get(tab.tabId).catch(() => null);
    if (!t || !tab.away || this.#state.tabs.get(tab.tabId) !== tab) return;
    if (t.groupId !== -1 && t.groupId !== agent.groupId && !this.#groups.owner(t.groupId)) {
      // The whole group may have moved to another window, under a new id.
      const [old, now] = await Promise.all([
        agent.groupId === null ? null : chrome.tabGroups.get(agent.groupId).catch(() => null),
        chrome.tabGroups.get(t.groupId).catch(() => null),
      ]);
      if (!old && now && now.title === agent.groupTitle) {
        agent.groupId = t.groupId;
        this.#state.changed(agent);
      }
    }
    if (t.groupId === agent.groupId && agent.groupId !== null) tab.away = false;
    else this.#tabs.drop(tab, false);
  }

  /** @param {number} added @param {number} removed */
  onReplaced(added, removed) {
    if (this.#state.userTabs.delete(removed)) this.#newTabs.users(added);
    const tab = this.#state.tabs.get(removed);
    if (!tab) return;
    this.#state.tabs.delete(removed);
    tab.tabId = added;
    tab.debuggee = {tabId: added};
    this.#state.tabs.set(added, tab);
    this.#state.changed(tab.agent);
    this.#tabs.sync();
  }

  /** @param {chrome.tabGroups.TabGroup} g */
  onGroupRemoved(g) {
    const agent = this.#groups.owner(g.id);
    if (!agent) return;
    // Its tabs say by themselves whether they were closed or let out. A group
    // that was dragged to another window is found by #settle, which needs the
    // title it had.
    const {groupTitle} = agent;
    this.#groups.lost(agent);
    if (agent.tabs.size) agent.groupTitle = groupTitle;
  }
}

/**
 * Whether a page opened the tab. Chrome names an opener also for a tab that the
 * user opens while an agent's tab is in front; that one shows a page of Chrome's.
 * @param {chrome.tabs.Tab} t
 */
function openedByPage(t) {
  const url = t.pendingUrl || t.url || '';
  return url === '' || /^(https?|data|blob|about|file):/.test(url);
}
