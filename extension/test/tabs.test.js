import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Rig, settled, until} from './rig.js';
import {Code} from '../worker/wire.js';

test('a group is made once, with the exact title and colour, in the background', async () => {
  const rig = await new Rig().start();
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  const a = rig.open('a', {title: 'FrogBot · “a”', color: 'cyan'});
  await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  await rig.call(a, 'Target.createTarget', {url: 'https://b.example/'});
  assert.deepEqual(rig.browser.groups.map((g) => [g.title, g.color]), [['FrogBot · “a”', 'cyan']]);
  assert.equal(rig.browser.front(), user.id);
  const {targetInfos} = await rig.call(a, 'Target.getTargets');
  assert.deepEqual(targetInfos.map((/** @type {any} */ t) => [t.targetId, t.url, t.active, t.attached]),
    [['t1', 'https://a.example/', false, false], ['t2', 'https://b.example/', true, false]]);
  assert.deepEqual(rig.events.filter((e) => e.method === 'Target.targetCreated').map((e) => e.params.targetInfo.targetId), ['t1', 't2']);
});

test('pipelined openings share one group', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  await Promise.all([1, 2, 3].map(() => rig.call(a, 'Target.createTarget', {url: 'about:blank'})));
  assert.equal(rig.browser.groups.length, 1);
  assert.equal(rig.browser.tabs.filter((t) => t.groupId === rig.browser.groups[0].id).length, 3);
});

test('without a window one is made, not in front', async () => {
  const rig = await new Rig().start();
  rig.browser.windows = [{id: 9, type: 'normal', focused: true, incognito: true}];
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  assert.equal(rig.browser.windows.length, 2);
  assert.equal(rig.browser.windows[1].focused, false);
  assert.equal(rig.browser.tab(rig.tabId(a, 't1')).windowId, rig.browser.windows[1].id);
});

test('agents see and touch their own tabs only', async () => {
  const rig = await new Rig().start();
  rig.browser.makeTab({url: 'https://user.example/'});
  const a = await rig.agentWithTab('a');
  const b = rig.open('b');
  assert.deepEqual(await rig.call(b, 'Target.getTargets'), {targetInfos: []});
  for (const [method, params, session] of /** @type {[string, any, string?][]} */ ([
    ['Target.closeTarget', {targetId: 't1'}], ['Target.activateTarget', {targetId: 't1'}], ['Target.attachToTarget', {targetId: 't1'}],
    ['Target.attachToTarget', {targetId: String(rig.tabId(a, 't1'))}], ['Target.detachFromTarget', {sessionId: 't1'}],
    ['Runtime.evaluate', {}, 't1'], ['Runtime.evaluate', {}, 't1:ABC'], ['Runtime.evaluate', {}, String(rig.tabId(a, 't1'))],
    ['Target.closeTarget', {}],
  ])) await assert.rejects(rig.call(b, method, params, session), {code: Code.NotYours}, method);
  assert.deepEqual(rig.browser.commands, []);
  assert.equal(rig.browser.tabs.length, 2);
});

test('numbers are never given twice', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  for (let i = 1; i <= 3; i++) {
    const {targetId} = await rig.call(a, 'Target.createTarget', {url: 'about:blank'});
    assert.equal(targetId, `t${i}`);
    assert.deepEqual(await rig.call(a, 'Target.closeTarget', {targetId}), {success: true});
  }
  assert.equal((await rig.call(a, 'Sidekick.reserveRefs', {count: 5})).first, 1);
  assert.equal((await rig.call(a, 'Sidekick.reserveRefs', {count: 1})).first, 6);
  await rig.restartWorker();
  rig.open('a');
  assert.equal((await rig.call(a, 'Target.createTarget', {url: 'about:blank'})).targetId, 't4');
  assert.equal((await rig.call(a, 'Sidekick.reserveRefs', {count: 1})).first, 7);
  rig.send({method: 'agent.closed', params: {id: a}});
  rig.open('a');
  assert.equal((await rig.call(a, 'Target.createTarget', {url: 'about:blank'})).targetId, 't5');
  assert.equal((await rig.call(a, 'Sidekick.reserveRefs', {count: 1})).first, 8);
  for (const count of [0, -1, 1.5, 'x', undefined, 1e12]) {
    await assert.rejects(rig.call(a, 'Sidekick.reserveRefs', {count}), {code: Code.BadRequest});
  }
});

test('the debugger is on no tab before an agent needs it there', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  rig.browser.regroup(user.id, rig.browser.group('FrogBot · a').id);
  await rig.call(a, 'Target.getTargets');
  await settled();
  assert.deepEqual([...rig.browser.attached], []);
  await rig.call(a, 'Target.attachToTarget', {targetId: 't1'});
  assert.deepEqual([...rig.browser.attached], [rig.tabId(a, 't1')]);
});

test('a closed group is made anew', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.closeTab(rig.tabId(a, 't1'));
  assert.ok(rig.events.some((e) => e.method === 'Target.targetDestroyed' && e.params.targetId === 't1'));
  assert.equal(rig.browser.groups.length, 0);
  await rig.call(a, 'Target.createTarget', {url: 'about:blank'});
  assert.deepEqual(rig.browser.groups.map((g) => g.title), ['FrogBot · a']);
});

test('the browser is not closed with an agent\'s last tab', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'about:blank'});
  await rig.call(a, 'Target.closeTarget', {targetId: 't1'});
  assert.equal(rig.browser.tabs.length, 1);
  assert.deepEqual((await rig.call(a, 'Target.getTargets')).targetInfos, []);
});

test('what an agent\'s page opens is its own, and the user\'s tab stays in front', async () => {
  const rig = await new Rig().start();
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  const a = await rig.agentWithTab('a');
  const opener = rig.tabId(a, 't1');
  // As Chrome does it: said first, then the tab, in the group, in front, with the front tab as its opener.
  rig.browser.chrome.debugger.onEvent.fire({tabId: opener}, 'Page.windowOpen', {url: 'https://pop.example/'});
  const pop = rig.browser.makeTab({url: '', openerTabId: user.id, groupId: rig.browser.tab(opener).groupId});
  await settled();
  assert.equal(rig.browser.front(), user.id);
  const made = rig.events.find((e) => e.method === 'Target.targetCreated' && e.params.targetInfo.targetId === 't2');
  assert.equal(made?.params.targetInfo.openerId, 't1');
  rig.browser.load(pop.id, 'https://pop.example/', 'Pop');
  assert.deepEqual(rig.events.filter((e) => e.method === 'Target.targetInfoChanged').at(-1)?.params.targetInfo,
    {targetId: 't2', type: 'page', title: 'Pop', url: 'https://pop.example/', attached: false, canAccessOpener: false, active: false, openerId: 't1'});
});

test('a tab that got to a blocked site before the rules knew it is loaded again, not by a reload', async () => {
  const rig = await new Rig().start();
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  const a = await rig.agentWithTab('a');
  await rig.ask(rig.page(), 'blocked.add', {site: 'bank.example'});
  /** @type {any[]} */
  const updates = [];
  const {update} = rig.browser.chrome.tabs;
  rig.browser.chrome.tabs.update = (/** @type {number} */ id, /** @type {any} */ p) => {
    if (p.url) {
      assert.ok(rig.browser.rules[0].condition.tabIds.includes(id), 'the rules know the tab before it loads');
      updates.push([id, p.url]);
    }
    return update(id, p);
  };
  const opener = rig.tabId(a, 't1');
  rig.browser.chrome.debugger.onEvent.fire({tabId: opener}, 'Page.windowOpen', {url: 'https://bank.example/'});
  const pop = rig.browser.makeTab({url: 'https://bank.example/', openerTabId: user.id, groupId: rig.browser.tab(opener).groupId});
  await until(() => updates.length === 1);
  assert.deepEqual(updates, [[pop.id, 'https://bank.example/']]);
  await settled();
  assert.deepEqual(rig.browser.reloaded, []);
  assert.equal(updates.length, 1);
});

test('a tab whose opener Chrome tells late is put in its place then', async () => {
  const rig = await new Rig().start();
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  const a = await rig.agentWithTab('a');
  const opener = rig.tabId(a, 't1');
  // A form: nothing was said before, and the tab names the front tab.
  const pop = rig.browser.makeTab({url: '', openerTabId: user.id, groupId: rig.browser.tab(opener).groupId});
  await settled();
  rig.browser.chrome.webNavigation.onCreatedNavigationTarget.fire({sourceTabId: opener, tabId: pop.id, url: 'https://pop.example/'});
  await settled();
  assert.equal(rig.browser.front(), user.id);
  assert.equal(rig.events.at(-1)?.params.targetInfo.openerId, 't1');
  // One outside the group, in a window of no kind that is known.
  const other = rig.browser.makeTab({url: 'https://pop.example/', active: false});
  rig.browser.chrome.webNavigation.onCreatedNavigationTarget.fire({sourceTabId: opener, tabId: other.id, url: 'https://pop.example/'});
  await settled();
  assert.equal(rig.tabId(a, 't3'), other.id);
  assert.equal(rig.browser.tab(other.id).groupId, rig.browser.tab(opener).groupId);
  // The user's pages' tabs are theirs.
  const theirs = rig.browser.makeTab({url: 'https://u.example/', openerTabId: user.id});
  rig.browser.chrome.webNavigation.onCreatedNavigationTarget.fire({sourceTabId: user.id, tabId: theirs.id, url: 'https://u.example/'});
  await settled();
  assert.equal(rig.worker.state.tabs.has(theirs.id), false);
});

test('where the user looks on at the agent\'s tab, what it opens may show', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const opener = rig.tabId(a, 't1');
  rig.browser.activate(opener);
  rig.browser.chrome.debugger.onEvent.fire({tabId: opener}, 'Page.windowOpen', {url: 'https://pop.example/'});
  const pop = rig.browser.makeTab({url: '', openerTabId: opener, groupId: rig.browser.tab(opener).groupId});
  await settled();
  assert.equal(rig.browser.front(), pop.id);
});

test('a pop-up window is taken into the group', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const opener = rig.tabId(a, 't1');
  rig.browser.windows.push({id: 2, type: 'popup', focused: true, incognito: false});
  rig.browser.chrome.debugger.onEvent.fire({tabId: opener}, 'Page.windowOpen', {url: 'https://pop.example/'});
  const pop = rig.browser.makeTab({url: '', openerTabId: opener, windowId: 2});
  await settled();
  assert.equal(rig.tabId(a, 't2'), pop.id);
  assert.equal(rig.browser.tab(pop.id).groupId, rig.browser.group('FrogBot · a').id);
});

test('a pop-up window without an opener is the agent\'s; other tabs of that moment are not', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.windows.push({id: 2, type: 'popup', focused: true, incognito: false});
  rig.browser.chrome.debugger.onEvent.fire({tabId: rig.tabId(a, 't1')}, 'Page.windowOpen', {url: 'https://pop.example/'});
  rig.browser.makeTab({url: 'https://user.example/'});
  const pop = rig.browser.makeTab({url: '', windowId: 2});
  await settled();
  assert.equal(rig.tabId(a, 't2'), pop.id);
  assert.equal(rig.worker.state.tabs.size, 2);
});

test('a tab that the user opens beside an agent\'s is the user\'s', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.activate(rig.tabId(a, 't1'));
  rig.browser.makeTab({url: '', pendingUrl: 'chrome://newtab/', openerTabId: rig.tabId(a, 't1')});
  await settled();
  assert.equal(rig.worker.state.tabs.size, 1);
});

test('dragged in it is the agent\'s, dragged out no longer, at once', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  rig.browser.regroup(user.id, rig.browser.group('FrogBot · a').id);
  assert.equal(rig.tabId(a, 't2'), user.id);
  await rig.call(a, 'Target.attachToTarget', {targetId: 't2'});
  rig.browser.regroup(user.id, -1);
  await assert.rejects(rig.call(a, 'Runtime.evaluate', {}, 't2'), {code: Code.NotYours});
  for (const method of ['Target.attachToTarget', 'Target.activateTarget', 'Target.closeTarget']) {
    await assert.rejects(rig.call(a, method, {targetId: 't2'}), {code: Code.NotYours}, method);
  }
  await assert.rejects(rig.call(a, 'Target.detachFromTarget', {sessionId: 't2'}), {code: Code.NotYours});
  assert.equal((await rig.call(a, 'Target.getTargets')).targetInfos.length, 1);
  await until(() => rig.events.some((e) => e.method === 'Target.targetDestroyed' && e.params.targetId === 't2'));
  await until(() => !rig.browser.attached.has(user.id));
});

test('dragged from one agent\'s group into another\'s', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const b = await rig.agentWithTab('b');
  const id = rig.tabId(a, 't1');
  rig.browser.regroup(id, rig.browser.group('FrogBot · b').id);
  assert.equal(rig.tabId(b, 't2'), id);
  await assert.rejects(rig.call(a, 'Runtime.evaluate', {}, 't1'), {code: Code.NotYours});
});

test('a group that comes under a new id in another window stays the agent\'s', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const id = rig.tabId(a, 't1');
  rig.browser.regroup(id, -1);
  rig.browser.groups.push({id: 999, title: 'FrogBot · a', color: 'blue', windowId: 2});
  rig.browser.regroup(id, 999);
  await until(() => rig.worker.state.agents.get(a)?.groupId === 999);
  assert.deepEqual(await rig.call(a, 'Runtime.evaluate', {}, 't1'), {});
});

test('a rename of the pairing renames the group', async () => {
  const rig = await new Rig().start();
  await rig.agentWithTab('a');
  rig.open('a', {title: 'Toad · a', name: 'Toad'});
  await until(() => rig.browser.groups[0].title === 'Toad · a');
});

test('an agent that leaves keeps its tabs and loses the debugger; it finds them again', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const id = rig.tabId(a, 't1');
  rig.send({method: 'agent.closed', params: {id: a}});
  assert.ok(rig.browser.attached.has(id));
  t.mock.timers.tick(5000);
  await until(() => !rig.browser.attached.has(id));
  rig.open('a');
  assert.deepEqual((await rig.call(a, 'Target.getTargets')).targetInfos.map((/** @type {any} */ x) => x.targetId), ['t1']);
});

test('where a dialog is open the debugger stays until that is answered', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const {onEvent} = rig.browser.chrome.debugger;
  const id = rig.tabId(a, 't1');
  onEvent.fire({tabId: id}, 'Page.javascriptDialogOpening', {type: 'alert', message: 'Hi'});
  rig.send({method: 'agent.closed', params: {id: a}});
  await settled();
  t.mock.timers.tick(5000);
  await settled();
  assert.ok(rig.browser.attached.has(id));
  onEvent.fire({tabId: id}, 'Page.javascriptDialogClosed', {result: true, userInput: ''});
  t.mock.timers.tick(5000);
  await until(() => !rig.browser.attached.has(id));
});

test('blocked sites hold from the first request on', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const page = rig.page();
  assert.deepEqual((await rig.ask(page, 'blocked.add', {site: 'https://*.Bank.example/x'})).result, {host: 'bank.example'});
  assert.equal(rig.browser.rules[0].condition.tabIds.length, 1);
  await assert.rejects(rig.call(a, 'Target.createTarget', {url: 'https://www.bank.example/'}), {code: Code.BlockedSite});
  await assert.rejects(rig.call(a, 'Page.navigate', {url: 'https://bank.example/'}, 't1'), {code: Code.BlockedSite});

  /** @type {string[]} */
  const loaded = [];
  const {update} = rig.browser.chrome.tabs;
  rig.browser.chrome.tabs.update = (/** @type {number} */ id, /** @type {any} */ p) => {
    if (p.url) {
      assert.ok(rig.browser.rules[0].condition.tabIds.includes(id), 'the rules know the tab before it loads');
      loaded.push(p.url);
    }
    return update(id, p);
  };
  // An address may redirect to the bank, so that none is loaded before that.
  const {create} = rig.browser.chrome.tabs;
  rig.browser.chrome.tabs.create = (/** @type {any} */ p) => {
    assert.equal(p.url, 'about:blank', 'what a new tab begins with');
    return create(p);
  };
  await rig.call(a, 'Target.createTarget', {url: 'https://b.example/'});
  assert.deepEqual(loaded, ['https://b.example/']);

  // A tab that got there all the same shows the agent nothing.
  rig.browser.load(rig.tabId(a, 't1'), 'https://bank.example/', 'Your money');
  await assert.rejects(rig.call(a, 'Runtime.evaluate', {}, 't1'), {code: Code.BlockedSite});
  const info = (await rig.call(a, 'Target.getTargets')).targetInfos[0];
  assert.equal(info.title, '');
  rig.browser.chrome.debugger.onEvent.fire({tabId: rig.tabId(a, 't1')}, 'Runtime.consoleAPICalled', {secret: 1});
  assert.ok(!rig.events.some((e) => e.params?.secret));
  await rig.ask(page, 'blocked.remove', {site: 'bank.example'});
  assert.deepEqual(await rig.call(a, 'Runtime.evaluate', {}, 't1'), {});
});

/** The rule for new tabs. @param {Rig} rig */
const newTabsRule = (rig) => rig.browser.rules.find((r) => r.id === 2)?.condition;

test('the rule for new tabs knows the frames of the pages that agents are at', async () => {
  const rig = await new Rig().start();
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  const page = rig.page();
  await rig.ask(page, 'blocked.add', {site: 'bank.example'});
  assert.equal(newTabsRule(rig), undefined);
  rig.browser.onCommand = (_target, method, params) => {
    if (method === 'Page.getFrameTree') {
      return {frameTree: {frame: {id: 'M', url: 'https://a.example/'}, childFrames: [{frame: {id: 'C', parentId: 'M', url: 'https://child.example/'}}]}};
    }
    if (method !== 'Storage.getStorageKeyForFrame') return {};
    if (params.frameId === 'S') throw new Error('{"code":-32000,"message":"Frame corresponds to an opaque origin and its storage key cannot be serialized"}');
    return {storageKey: {M: 'https://a.example/', C: 'https://child.example/^0https://a.example'}[/** @type {'M'} */ (params.frameId)]};
  };
  await rig.call(a, 'Target.attachToTarget', {targetId: 't1'});
  assert.deepEqual(newTabsRule(rig).excludedTabIds, [user.id]);
  await until(() => newTabsRule(rig).initiatorDomains.length === 2);
  assert.deepEqual(newTabsRule(rig).initiatorDomains, ['a.example', 'child.example']);
  const tabId = rig.tabId(a, 't1');
  rig.browser.chrome.debugger.onEvent.fire({tabId}, 'Page.frameNavigated', {frame: {id: 'S', parentId: 'M', url: 'https://sandboxed.example/'}});
  await until(() => !newTabsRule(rig).initiatorDomains);
  // The frames go with their page.
  rig.browser.load(tabId, 'https://b.example/');
  rig.browser.chrome.debugger.onEvent.fire({tabId}, 'Page.frameNavigated', {frame: {id: 'M2', url: 'https://b.example/'}});
  await until(() => newTabsRule(rig).initiatorDomains?.join() === 'b.example');
  // A worker that starts anew knows them again.
  rig.browser.onCommand = (_target, method) => (method === 'Page.getFrameTree'
    ? {frameTree: {frame: {id: 'M2', url: 'https://b.example/'}, childFrames: [{frame: {id: 'D', parentId: 'M2', url: 'https://d.example/'}}]}} : {});
  await rig.restartWorker();
  await until(() => newTabsRule(rig)?.initiatorDomains?.join() === 'b.example,d.example');
  assert.deepEqual(newTabsRule(rig).excludedTabIds, [user.id]);
  const mine = rig.browser.makeTab({url: 'https://user.example/2'});
  await until(() => newTabsRule(rig).excludedTabIds.length === 2);
  rig.browser.closeTab(mine.id);
  await rig.call(a, 'Target.detachFromTarget', {sessionId: 't1'}).catch(() => {});
});

test('a new tab of the user\'s that the rule held is loaded again, once; an agent\'s is not', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.ask(rig.page(), 'blocked.add', {site: 'bank.example'});
  const {browser} = rig;
  const fail = (/** @type {number} */ tabId, more = {}) => browser.chrome.webNavigation.onErrorOccurred.fire(
    {tabId, frameId: 0, url: 'https://www.bank.example/', error: 'net::ERR_BLOCKED_BY_CLIENT', ...more});

  const user = browser.makeTab({url: '', pendingUrl: 'https://www.bank.example/'});
  assert.deepEqual(browser.reloaded, []);
  fail(user.id);
  await until(() => browser.reloaded.length === 1);
  assert.deepEqual(browser.reloaded, [user.id]);
  assert.ok(newTabsRule(rig).excludedTabIds.includes(user.id), 'it is let go first');
  fail(user.id); // another extension blocks it
  await settled();
  assert.deepEqual(browser.reloaded, [user.id]);

  const other = browser.makeTab({url: 'https://ok.example/'});
  fail(other.id, {url: 'https://ok.example/'});
  fail(other.id, {frameId: 3});
  fail(other.id, {error: 'net::ERR_NAME_NOT_RESOLVED'});
  // Told to be opened by an agent's page, in whatever window.
  browser.chrome.webNavigation.onCreatedNavigationTarget.fire({sourceTabId: rig.tabId(a, 't1'), tabId: 777, url: 'https://www.bank.example/'});
  browser.tabs.push({id: 777, windowId: 1, url: '', title: '', groupId: -1, active: false});
  browser.chrome.tabs.onCreated.fire({...browser.tab(777)});
  fail(777);
  await settled();
  assert.deepEqual(browser.reloaded, [user.id]);
  assert.ok(!newTabsRule(rig).excludedTabIds.includes(777));
});

test('a frame with its own session on a blocked site is closed to agents', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.ask(rig.page(), 'blocked.add', {site: 'bank.example'});
  const tabId = rig.tabId(a, 't1');
  const fire = (/** @type {any} */ source, /** @type {string} */ method, /** @type {any} */ params) =>
    rig.browser.chrome.debugger.onEvent.fire(source, method, params);
  fire({tabId}, 'Target.attachedToTarget', {sessionId: 'S', targetInfo: {targetId: 'F', type: 'iframe', url: 'https://ok.example/'}});
  const e = rig.events.at(-1);
  assert.equal(e?.sessionId, 't1');
  assert.equal(e?.params.sessionId, 't1:S');
  assert.deepEqual(await rig.call(a, 'Runtime.evaluate', {}, 't1:S'), {});
  assert.deepEqual(rig.browser.commands.at(-1)?.target, {tabId, sessionId: 'S'});
  fire({tabId, sessionId: 'S'}, 'Page.frameNavigated', {frame: {id: 'F', parentId: 'M', url: 'https://x.bank.example/'}});
  assert.equal(rig.events.at(-1)?.sessionId, 't1:S');
  await assert.rejects(rig.call(a, 'Runtime.evaluate', {}, 't1:S'), {code: Code.BlockedSite});
  await assert.rejects(rig.call(a, 'Page.captureScreenshot', {}, 't1'), {code: Code.BlockedSite});
  fire({tabId}, 'Page.frameDetached', {frameId: 'F', reason: 'remove'});
  assert.deepEqual(await rig.call(a, 'Runtime.evaluate', {}, 't1'), {});
});

test('a frame that was there before its site was blocked closes the tab until it is gone', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const tabId = rig.tabId(a, 't1');
  const fire = (/** @type {string} */ method, /** @type {any} */ params) =>
    rig.browser.chrome.debugger.onEvent.fire({tabId}, method, params);
  fire('Page.frameNavigated', {frame: {id: 'F', parentId: 'M', url: 'https://late.example/form'}});
  assert.deepEqual(await rig.call(a, 'Runtime.evaluate', {}, 't1'), {});
  await rig.ask(rig.page(), 'blocked.add', {site: 'late.example'});
  for (const method of ['Runtime.evaluate', 'Accessibility.getFullAXTree', 'Page.captureScreenshot', 'Input.dispatchMouseEvent']) {
    await assert.rejects(rig.call(a, method, {}, 't1'), {code: Code.BlockedSite, message: /frame of late\.example/}, method);
  }
  assert.deepEqual(await rig.call(a, 'Page.reload', {}, 't1'), {});
  fire('Page.frameNavigated', {frame: {id: 'F', parentId: 'M', url: 'chrome-error://chromewebdata/', unreachableUrl: 'https://late.example/form'}});
  assert.deepEqual(await rig.call(a, 'Runtime.evaluate', {}, 't1'), {});
  await rig.ask(rig.page(), 'blocked.remove', {site: 'late.example'});
  fire('Page.frameNavigated', {frame: {id: 'F', parentId: 'M', url: 'https://late.example/form'}});
  assert.deepEqual(await rig.call(a, 'Runtime.evaluate', {}, 't1'), {});
});

test('a page without a title has not that of the page before', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const id = rig.tabId(a, 't1');
  const chromeTab = rig.browser.tabs.find((t) => t.id === id);
  if (!chromeTab) throw new Error('no tab');
  chromeTab.title = 'Alpha';
  rig.browser.chrome.tabs.onUpdated.fire(id, {title: 'Alpha'}, chromeTab);
  const title = async () => (await rig.call(a, 'Target.getTargets')).targetInfos[0].title;
  assert.equal(await title(), 'Alpha');
  chromeTab.url = 'https://a.example/next';
  chromeTab.title = 'a.example/next';
  rig.browser.chrome.debugger.onEvent.fire({tabId: id}, 'Page.frameNavigated', {frame: {id: 'F', url: chromeTab.url}});
  await settled();
  assert.equal(await title(), '');
});
