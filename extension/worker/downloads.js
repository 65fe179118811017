/**
 * Downloads that agents' tabs begin. Chrome's debugger tells of them, but not
 * where in the user's file system they lie, nor why one failed or is held back:
 * that only chrome.downloads says. It tells of the user's own downloads too;
 * those are nobody's business, and only what a debugger told of as well, or what
 * a tab that an agent's page opened came from, goes to an agent.
 */

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Tab} Tab */
/** @typedef {chrome.downloads.DownloadItem} Item */

/**
 * @typedef {object} Begun a download that an agent's tab began
 * @property {string} guid the debugger's name for it
 * @property {string} url
 * @property {number} at
 * @property {number} [id] chrome.downloads' name for it
 * @property {boolean} [alone] no debugger tells of it
 * @property {(method: string, params: any) => void} pass gives the agent an event of its tab
 */

/** How far apart the two may tell of the same download. */
const TOGETHER_MS = 3000;
/** As many are followed at once. */
const MAX_BEGUN = 200;
/** What Chrome says of files that it does not hold back, or not yet. */
const FREE = new Set(['safe', 'accepted', 'allowlistedByPolicy', 'deepScannedSafe', 'asyncScanning', 'asyncLocalPasswordScanning']);

export class Downloads {
  #state;
  #emit;
  /** @type {Map<string, Begun>} by guid */
  #begun = new Map();
  /** @type {{item: Item, at: number}[]} those that no debugger has told of yet */
  #loose = [];
  /** @type {{tab: Tab, url: string, at: number}[]} what agents' pages opened in tabs of its own just now */
  #opened = [];

  /** @param {{state: State, emit: (agent: import('./state.js').Agent, m: import('./wire.js').Message) => void}} parts */
  constructor({state, emit}) {
    this.#state = state;
    this.#emit = emit;
  }

  /**
   * The debugger tells that a tab of an agent began one.
   * @param {any} params of Page.downloadWillBegin
   * @param {Begun['pass']} pass
   */
  began(params, pass) {
    const {guid, url} = params;
    if (this.#begun.size >= MAX_BEGUN) this.#begun.delete(/** @type {string} */ (this.#begun.keys().next().value));
    this.#begun.set(guid, {guid, url, at: Date.now(), pass});
  }

  /**
   * The debugger tells how far one is. What it says of one that is over is passed
   * on with the file's path, or why there is none.
   * @param {any} params of Page.downloadProgress
   * @returns {boolean} whether the event is taken, to be passed on later
   */
  progress(params) {
    const b = this.#begun.get(params.guid);
    if (!b || params.state === 'inProgress') return false;
    this.#begun.delete(params.guid);
    this.#end(b, params);
    return true;
  }

  /** @param {Begun} b @param {any} params */
  async #end(b, params) {
    const item = await this.#item(b).catch((e) => {
      console.warn('asking for a download:', e);
      return undefined;
    });
    b.pass('Page.downloadProgress', {...params, ...(item ? whereabouts(item) : {})});
  }

  /**
   * @param {Begun} b
   * @returns {Promise<Item | undefined>}
   */
  async #item(b) {
    if (b.id !== undefined) return (await chrome.downloads.search({id: b.id}))[0];
    // Its beginning was missed: the nearest in time of those from there.
    const taken = new Set([...this.#begun.values()].map((o) => o.id));
    const off = (/** @type {Item} */ i) => Math.abs(Date.parse(i.startTime) - b.at);
    const list = await chrome.downloads.search({orderBy: ['-startTime'], limit: 50});
    return list.filter((i) => i.finalUrl === b.url && !taken.has(i.id) && off(i) < TOGETHER_MS)
      .sort((x, y) => off(x) - off(y))[0];
  }

  /**
   * The browser has one more download. It says so right after the debugger did.
   * @param {Item} item
   */
  onCreated(item) {
    for (const b of this.#begun.values()) {
      if (b.id === undefined && b.url === item.finalUrl && Date.now() - b.at < TOGETHER_MS) {
        b.id = item.id;
        return;
      }
    }
    this.#forget();
    const i = this.#opened.findIndex(({url}) => url === item.url);
    if (i >= 0) this.#alone(this.#opened.splice(i, 1)[0].tab, item);
    else this.#loose.push({item, at: Date.now()});
  }

  /**
   * A page opened an address in a tab of its own. If that is a file the tab is
   * gone again before a debugger could be attached to it, and the download is
   * that of the tab whose page opened it.
   * @param {{sourceTabId: number, url: string}} details
   */
  onOpened({sourceTabId, url}) {
    const tab = this.#state.tabs.get(sourceTabId);
    if (!tab?.attached) return;
    this.#forget();
    const i = this.#loose.findIndex(({item}) => item.url === url);
    if (i >= 0) this.#alone(tab, this.#loose.splice(i, 1)[0].item);
    else this.#opened.push({tab, url, at: Date.now()});
  }

  /** @param {Tab} tab @param {Item} item */
  #alone(tab, item) {
    const guid = `download-${item.id}`, {agent, number} = tab;
    /** @type {Begun} */
    const b = {
      guid, url: item.finalUrl, at: Date.now(), id: item.id, alone: true,
      pass: (method, params) => {
        if (agent.tabs.get(number) === tab) this.#emit(agent, {sessionId: number, method, params});
      },
    };
    this.#begun.set(guid, b);
    b.pass('Page.downloadWillBegin', {guid, url: item.finalUrl, suggestedFilename: item.filename ? baseName(item.filename) : baseName(item.finalUrl.replace(/[?#].*$/, ''))});
    this.#tell(b);
  }

  /** @param {chrome.downloads.DownloadDelta} delta */
  onChanged(delta) {
    for (const b of this.#begun.values()) {
      if (b.id !== delta.id) continue;
      const held = delta.danger?.current && !FREE.has(delta.danger.current);
      if (held || b.alone) this.#tell(b);
      return;
    }
  }

  /** Tells how far a download is, in the place of the debugger. @param {Begun} b */
  async #tell(b) {
    const [item] = await chrome.downloads.search({id: b.id}).catch(() => []);
    if (!item) return;
    if (b.alone && item.state !== 'in_progress') this.#begun.delete(b.guid);
    b.pass('Page.downloadProgress', {
      guid: b.guid, receivedBytes: item.bytesReceived, totalBytes: Math.max(item.totalBytes, 0),
      state: item.state === 'complete' ? 'completed' : item.state === 'interrupted' ? 'canceled' : 'inProgress',
      ...whereabouts(item),
    });
  }

  #forget() {
    const now = Date.now();
    this.#loose = this.#loose.filter(({at}) => now - at < TOGETHER_MS);
    this.#opened = this.#opened.filter(({at}) => now - at < TOGETHER_MS);
  }
}

/**
 * What the debugger does not say of a download.
 * @param {Item} item
 */
function whereabouts(item) {
  /** @type {{filePath?: string, error?: string, danger?: string}} */
  const w = {};
  if (item.state === 'complete' && item.filename) w.filePath = item.filename;
  if (item.error) w.error = item.error;
  if (!FREE.has(item.danger)) w.danger = item.danger;
  return w;
}

/** @param {string} path of whatever system, or an address */
const baseName = (path) => path.replace(/^.*[/\\]/, '');
