/**
 * Keeps the file dialogs back that an agent's click or key asks for. One would
 * come up before the user, wherever the user is, and wait there; the agent
 * hears of it instead (Page.fileChooserOpened) and gives the files itself. What
 * the user clicks in an agent's tab brings the dialog up as ever.
 */

/** @typedef {{tabId: number, sessionId?: string}} Target */

/** How long after an agent's input a page may still ask for a file by it: as long as it counts as the user's gesture. */
const KEPT_MS = 5000;

/** The commands that a page may take for a user's click or key. */
const INPUT = new Set(['Input.dispatchMouseEvent', 'Input.dispatchKeyEvent', 'Input.dispatchTouchEvent']);

export class FileDialogs {
  #send;
  /** @type {Map<string, ReturnType<typeof setTimeout>>} the ends of those that are kept back now */
  #kept = new Map();

  /** @param {(target: Target, method: string, params: any) => void} send */
  constructor(send) {
    this.#send = send;
  }

  /**
   * An agent's command is about to be sent.
   * @param {Target} target
   * @param {string} method
   */
  before(target, method) {
    if (!INPUT.has(method)) return;
    const key = `${target.tabId}:${target.sessionId ?? ''}`;
    const end = this.#kept.get(key);
    if (end === undefined) this.#send(target, 'Page.setInterceptFileChooserDialog', {enabled: true});
    else clearTimeout(end);
    this.#kept.set(key, setTimeout(() => {
      this.#kept.delete(key);
      this.#send(target, 'Page.setInterceptFileChooserDialog', {enabled: false});
    }, KEPT_MS));
  }

  /**
   * The agent itself has them kept back, or no longer (upload_file).
   * @param {Target} target
   */
  told(target) {
    this.#forget(`${target.tabId}:${target.sessionId ?? ''}`);
  }

  /**
   * The debugger is off a tab: nothing is kept back there any more.
   * @param {number} tabId
   */
  left(tabId) {
    for (const key of this.#kept.keys()) if (key.startsWith(`${tabId}:`)) this.#forget(key);
  }

  /** @param {string} key */
  #forget(key) {
    clearTimeout(this.#kept.get(key));
    this.#kept.delete(key);
  }
}
