import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Rig} from './rig.js';

test('a group is made in the window in use, and its tabs follow it', async () => {
  const rig = await new Rig().start();
  const {browser} = rig;
  browser.windows = [1, 2, 3].map((id) => ({id, type: 'normal', focused: id === 2, incognito: false}));
  browser.makeTab({url: 'https://user.example/', windowId: 3});
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'about:blank'});
  assert.equal(browser.group('FrogBot · a').windowId, 2);
  // The user goes to another window: the next group is there, the next tab with its group.
  browser.windows.forEach((w) => { w.focused = w.id === 3; });
  const b = rig.open('b');
  await rig.call(b, 'Target.createTarget', {url: 'about:blank'});
  await rig.call(a, 'Target.createTarget', {url: 'about:blank'});
  assert.equal(browser.group('FrogBot · b').windowId, 3);
  assert.deepEqual(['t1', 't2'].map((n) => browser.tab(rig.tabId(a, n)).windowId), [2, 2]);
  // Another program is in front: the window in use is the one that was so last. A private one never is.
  browser.windows.push({id: 4, type: 'normal', focused: true, incognito: true});
  browser.windows.forEach((w) => { if (w.id !== 4) w.focused = false; });
  browser.chrome.windows.getLastFocused = async () => ({...browser.windows[0]});
  const c = rig.open('c');
  await rig.call(c, 'Target.createTarget', {url: 'about:blank'});
  assert.equal(browser.group('FrogBot · c').windowId, 1);
});

test('a group that the user closes while a tab is on its way into it is made anew', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'about:blank'});
  const {group} = rig.browser.chrome.tabs;
  rig.browser.chrome.tabs.group = (/** @type {any} */ p) => {
    if (p.groupId !== undefined) rig.browser.closeTab(rig.tabId(a, 't1'));
    return group(p);
  };
  assert.equal((await rig.call(a, 'Target.createTarget', {url: 'about:blank'})).targetId, 't2');
  assert.deepEqual(rig.browser.groups.map((g) => g.title), ['FrogBot · a']);
  assert.equal(rig.browser.tab(rig.tabId(a, 't2')).groupId, rig.browser.groups[0].id);
});
