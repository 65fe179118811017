import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Rig, settled, until} from './rig.js';
import {Code} from '../worker/wire.js';

test('a frame on a blocked site is closed from the moment that it is there', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.ask(rig.page(), 'blocked.add', {site: 'bank.example'});
  const tabId = rig.tabId(a, 't1');
  rig.browser.chrome.debugger.onEvent.fire({tabId}, 'Target.attachedToTarget',
    {sessionId: 'S', targetInfo: {targetId: 'F', type: 'iframe', url: 'https://bank.example/'}});
  rig.events.length = 0;
  for (const method of ['Runtime.evaluate', 'Accessibility.getFullAXTree', 'DOM.resolveNode']) {
    await assert.rejects(rig.call(a, method, {}, 't1:S'), {code: Code.BlockedSite}, method);
  }
  rig.browser.chrome.debugger.onEvent.fire({tabId, sessionId: 'S'}, 'Runtime.consoleAPICalled', {secret: 1});
  assert.ok(!rig.events.some((e) => e.params?.secret), 'its events stay here');
});

test('a new tab of an agent\'s page that turns out to be on a blocked site is loaded again', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.ask(rig.page(), 'blocked.add', {site: 'bank.example'});
  const opener = rig.tabId(a, 't1');
  rig.browser.chrome.debugger.onEvent.fire({tabId: opener}, 'Page.windowOpen', {url: 'https://shop.example/'});
  const pop = rig.browser.makeTab({url: '', openerTabId: opener, groupId: rig.browser.tab(opener).groupId});
  await settled(); // nothing is known of where it goes
  /** @type {any[]} */
  const updates = [];
  const {update} = rig.browser.chrome.tabs;
  rig.browser.chrome.tabs.update = (/** @type {number} */ id, /** @type {any} */ p) => {
    if (p.url) updates.push([id, p.url]);
    return update(id, p);
  };
  rig.browser.load(pop.id, 'https://bank.example/');
  await until(() => updates.length === 1);
  await settled();
  assert.deepEqual(updates, [[pop.id, 'https://bank.example/']]);
});

test('an agent gets at a page only when the rules hold what that opens', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  await rig.ask(rig.page(), 'blocked.add', {site: 'bank.example'});
  const {updateSessionRules} = rig.browser.chrome.declarativeNetRequest;
  /** @type {() => void} */
  let letGo = () => {};
  const held = new Promise((resolve) => { letGo = () => resolve(undefined); });
  rig.browser.chrome.declarativeNetRequest.updateSessionRules = async (/** @type {any} */ change) => {
    await held;
    return updateSessionRules(change);
  };
  let attached = false;
  const attach = rig.call(a, 'Target.attachToTarget', {targetId: 't1'}).then(() => { attached = true; });
  await until(() => rig.browser.attached.has(rig.tabId(a, 't1')));
  await settled();
  assert.equal(attached, false);
  letGo();
  await attach;
  assert.deepEqual(rig.browser.rules.find((r) => r.id === 2)?.condition.initiatorDomains, ['a.example']);
});

test('a tab that turns out late to be of an agent\'s page does not stay in front', async () => {
  const rig = await new Rig().start();
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  const a = await rig.agentWithTab('a');
  const pop = rig.browser.makeTab({url: 'https://pop.example/'});
  assert.equal(rig.browser.front(), pop.id);
  rig.browser.chrome.webNavigation.onCreatedNavigationTarget.fire({tabId: pop.id, sourceTabId: rig.tabId(a, 't1'), sourceFrameId: 0, url: 'https://pop.example/', timeStamp: 0});
  await until(() => rig.worker.state.agents.get(a)?.tabs.size === 2);
  await until(() => rig.browser.front() === user.id);
});
