/**
 * How our pages talk with the worker: a view that comes on each change, and
 * requests. When Chrome stops the worker, the page connects anew, which starts
 * it again.
 *
 * @typedef {import('./worker/ui.js').View} View
 */

const RECONNECT_MS = 300;

/** @type {chrome.runtime.Port | null} */
let port = null;
let nextId = 1;
/** @type {Map<number, {resolve: (v: any) => void, reject: (e: Error) => void}>} */
const pending = new Map();

/**
 * Calls back with the view of now and after each change.
 * @param {(view: View) => void} show
 */
export function watch(show) {
  const p = chrome.runtime.connect(undefined, {name: 'page'});
  p.onMessage.addListener((/** @type {any} */ m) => {
    if (m.view) {
      port = p;
      show(m.view);
      return;
    }
    const r = pending.get(m.id);
    pending.delete(m.id);
    if (m.error !== undefined) r?.reject(new Error(m.error));
    else r?.resolve(m.result);
  });
  p.onDisconnect.addListener(() => {
    port = null;
    for (const r of pending.values()) r.reject(new Error('Sidekick was restarted by the browser. Try again.'));
    pending.clear();
    setTimeout(() => watch(show), RECONNECT_MS);
  });
}

/**
 * Asks the worker for something.
 * @param {string} method
 * @param {Record<string, unknown>} [params]
 * @returns {Promise<any>} rejected with a sentence for the user
 */
export function ask(method, params = {}) {
  const p = port;
  if (!p) return Promise.reject(new Error('Sidekick is starting. Try again.'));
  const id = nextId++;
  return new Promise((resolve, reject) => {
    pending.set(id, {resolve, reject});
    p.postMessage({id, method, params});
  });
}

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props] properties; `class` and names with a dash are attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (k === 'class' || k === 'for' || k.includes('-')) e.setAttribute(k, v);
    else /** @type {any} */ (e)[k] = v;
  }
  e.append(...children);
  return e;
}

/** @param {string} id */
export function byId(id) {
  const e = document.getElementById(id);
  if (!e) throw new Error(`no element ${id}`);
  return e;
}

/**
 * Shows how the connection stands.
 * @param {HTMLElement} where
 * @param {View['connection']} c
 */
export function showConnection(where, c) {
  const good = c.phase === 'connected';
  const bad = c.phase === 'missing' || c.phase === 'refused' || c.phase === 'lost' || c.phase === 'ended';
  const text = good ? 'Connected' : bad ? 'Not connected' : 'Connecting…';
  where.dataset.state = good ? 'good' : bad ? 'bad' : 'wait';
  where.replaceChildren(
    el('span', {class: 'dot', 'aria-hidden': 'true'}),
    el('span', {class: 'connection-text'},
      el('strong', {}, text),
      ...(good && c.version ? [` to Sidekick ${c.version}`] : []),
      ...(c.reason ? [el('span', {class: 'reason'}, c.reason)] : [])),
  );
}

/**
 * Chrome's tab-group colours, as far as they say something in a list.
 * @param {string} color
 */
export function swatch(color) {
  const known = ['grey', 'blue', 'red', 'yellow', 'green', 'pink', 'purple', 'cyan', 'orange'];
  return el('span', {class: `swatch ${known.includes(color) ? color : 'grey'}`, 'aria-hidden': 'true'});
}
