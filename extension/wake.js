/**
 * Sidekick's program opens this page to start the worker, which nothing else
 * outside the browser can. It leaves as soon as the worker is connected.
 */
import {ask, watch} from './page.js';

const LONGEST_MS = 3000;

let leaving = false;

watch((view) => {
  if (view.connection.phase === 'connected') leave();
});
setTimeout(leave, LONGEST_MS);

/** Closes this tab, with the tab in front that was there before it. */
async function leave() {
  if (leaving) return;
  leaving = true;
  const me = await chrome.tabs.getCurrent();
  if (me?.id === undefined) return;
  const all = await chrome.tabs.query({});
  // The browser would end with its last tab.
  if (all.length === 1) {
    await chrome.tabs.update(me.id, {url: 'chrome://newtab/'});
    return;
  }
  if (me.active) {
    // Chrome would show the tab beside this one.
    const {tabId} = await ask('front.before', {windowId: me.windowId}).catch(() => ({}));
    if (tabId !== undefined) await chrome.tabs.update(tabId, {active: true}).catch(() => {});
  }
  await chrome.tabs.remove(me.id);
}
