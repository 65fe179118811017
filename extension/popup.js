/** The popup: who is at work, Stop and Resume. */
import {ask, byId, el, showConnection, swatch, watch} from './page.js';

/** @typedef {import('./page.js').View} View */

byId('settings').addEventListener('click', (e) => {
  e.preventDefault();
  chrome.runtime.openOptionsPage();
  window.close();
});

watch((view) => {
  showConnection(byId('connection'), view.connection);
  const held = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.agent : undefined;
  byId('none').hidden = view.agents.length > 0;
  byId('agents').replaceChildren(...view.agents.map(row));
  if (held) {
    for (const b of document.querySelectorAll('button')) if (b.dataset.agent === held) b.focus();
  }
});

/** @param {View['agents'][number]} a */
function row(a) {
  const method = a.stopped ? 'resume' : 'stop';
  const label = a.stopped ? 'Resume' : 'Stop';
  const button = el('button', {
    type: 'button', class: a.stopped ? 'primary' : 'danger', 'aria-label': `${label} ${a.title}`,
  }, label);
  button.dataset.agent = a.id;
  button.addEventListener('click', async () => {
    byId('error').textContent = '';
    try {
      await ask(method, {agent: a.id});
    } catch (e) {
      byId('error').textContent = /** @type {Error} */ (e).message;
    }
  });
  const tabs = `${a.tabs} ${a.tabs === 1 ? 'tab' : 'tabs'}`;
  const state = a.stopped ? 'stopped' : a.live ? 'connected' : 'not connected';
  return el('li', {}, swatch(a.color),
    el('span', {class: 'what'}, a.title, el('span', {class: 'soft'}, `${state} · ${tabs}`)), button);
}
