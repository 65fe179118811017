import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Rig, settled, until} from './rig.js';
import {Code} from '../worker/wire.js';
import {start} from '../worker/worker.js';

test('a worker that was stopped goes on where it was', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const {browser} = rig;
  const tabId = rig.tabId(a, 't1');
  await rig.call(a, 'Target.createTarget', {url: 'https://b.example/'});
  await rig.call(a, 'Target.activateTarget', {targetId: 't1'});
  browser.chrome.debugger.onEvent.fire({tabId}, 'Page.javascriptDialogOpening', {type: 'confirm', message: 'Sure?', url: 'x', hasBrowserHandler: false});
  browser.chrome.debugger.onEvent.fire({tabId}, 'Target.attachedToTarget', {sessionId: 'S', targetInfo: {targetId: 'F', type: 'iframe', url: 'https://f.example/'}});
  const before = (await rig.call(a, 'Target.getTargets')).targetInfos;
  assert.deepEqual(before[0].dialog, {type: 'confirm', message: 'Sure?'});

  await rig.restartWorker();
  rig.open('a');
  assert.deepEqual((await rig.call(a, 'Target.getTargets')).targetInfos, before);
  browser.commands.length = 0;
  let attaches = 0;
  const {attach} = browser.chrome.debugger;
  browser.chrome.debugger.attach = (/** @type {any} */ t) => {
    attaches++;
    return attach(t);
  };
  assert.deepEqual(await rig.call(a, 'Page.handleJavaScriptDialog', {accept: true}, 't1'), {});
  assert.deepEqual(await rig.call(a, 'Runtime.evaluate', {}, 't1:S'), {});
  assert.equal(attaches, 0);
  browser.chrome.debugger.onEvent.fire({tabId}, 'Page.javascriptDialogClosed', {result: true, userInput: ''});
  assert.equal((await rig.call(a, 'Target.getTargets')).targetInfos[0].dialog, undefined);
});

test('what happened while it was stopped is told when the agent is back', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://b.example/'});
  await rig.call(a, 'Target.attachToTarget', {targetId: 't2'});
  await rig.call(a, 'Target.createTarget', {url: 'https://c.example/'});
  await rig.call(a, 'Target.attachToTarget', {targetId: 't3'});
  const [one, two, three] = [rig.tabId(a, 't1'), rig.tabId(a, 't2'), rig.tabId(a, 't3')];
  await rig.worker.state.saved();
  rig.browser.boot(); // the worker is gone: nobody hears of what follows
  rig.port.open = false;
  rig.browser.closeTab(one);
  rig.browser.attached.delete(two);
  rig.browser.regroup(three, -1);
  const user = rig.browser.makeTab({url: 'https://user.example/', groupId: rig.browser.groups[0].id});
  rig.events.length = 0;
  rig.worker = start();
  await rig.worker.ready;
  assert.equal(rig.events.length, 0, 'nothing before the helper named the agent');
  rig.welcome.agents = [rig.worker.state.agents.get(a)?.info];
  await rig.connect();
  assert.deepEqual(rig.events.map((e) => [e.method, e.params.targetId ?? e.params.sessionId ?? e.params.targetInfo.targetId]), [
    ['Target.targetDestroyed', 't1'], ['Target.detachedFromTarget', 't2'], ['Target.targetDestroyed', 't3'], ['Target.targetCreated', 't4'],
  ]);
  assert.equal(rig.tabId(a, 't4'), user.id);
  // The tab that the user took back is theirs, without the debugger.
  await assert.rejects(rig.call(a, 'Page.captureScreenshot', {}, 't3'), {code: Code.NotYours});
  await until(() => !rig.browser.attached.has(three));
});

test('events that start the worker wait for its memory', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const group = rig.browser.groups[0].id;
  await rig.worker.state.saved();
  rig.browser.boot();
  rig.worker = start();
  const user = rig.browser.makeTab({url: 'https://user.example/'});
  rig.browser.regroup(user.id, group);
  await rig.worker.ready;
  await rig.connect();
  rig.open('a');
  assert.equal(rig.tabId(a, 't2'), user.id);
});

test('after a restart of the browser the group is found by its title, tabs by their addresses', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://b.example/'});
  await rig.worker.state.saved();
  const {browser} = rig;
  browser.restart();
  browser.groups.push({id: 50, title: 'FrogBot · a', color: 'blue', windowId: 1}, {id: 51, title: 'FrogBot · ab', color: 'blue', windowId: 1});
  const b = browser.makeTab({url: 'https://b.example/', groupId: 50});
  const other = browser.makeTab({url: 'https://new.example/', groupId: 50});
  browser.makeTab({url: 'https://a.example/', groupId: 51});
  await rig.start();
  rig.open('a');
  const {targetInfos} = await rig.call(a, 'Target.getTargets');
  assert.deepEqual(targetInfos.map((/** @type {any} */ t) => [t.targetId, t.url]), [['t2', 'https://b.example/'], ['t3', 'https://new.example/']]);
  assert.equal(rig.tabId(a, 't2'), b.id);
  assert.equal(rig.tabId(a, 't3'), other.id);
  assert.equal((await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'})).targetId, 't4');
  assert.equal(browser.groups.filter((g) => g.title === 'FrogBot · a').length, 1);
});

test('a group that Chrome restores late is joined with the one made meanwhile', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.worker.state.saved();
  const {browser} = rig;
  browser.restart();
  await rig.start();
  rig.open('a');
  assert.equal((await rig.call(a, 'Target.createTarget', {url: 'https://c.example/'})).targetId, 't2');
  browser.groups.push({id: 50, title: 'FrogBot · a', color: 'blue', windowId: 1});
  const old = browser.makeTab({url: 'https://a.example/', groupId: 50, active: false});
  browser.chrome.tabGroups.onUpdated.fire({...browser.groups.find((g) => g.id === 50)});
  await until(() => rig.worker.state.tabs.has(old.id));
  assert.equal(rig.tabId(a, 't1'), old.id);
  await until(() => browser.groups.length === 1);
});

test('a group of a name that no agent had before is nobody\'s', async () => {
  const rig = await new Rig().start();
  rig.browser.groups.push({id: 50, title: 'FrogBot · a', color: 'blue', windowId: 1});
  rig.browser.makeTab({url: 'https://user.example/', groupId: 50});
  const a = rig.open('a');
  assert.deepEqual(await rig.call(a, 'Target.getTargets'), {targetInfos: []});
  await rig.call(a, 'Target.createTarget', {url: 'about:blank'});
  assert.equal((await rig.call(a, 'Target.getTargets')).targetInfos.length, 1);
});

test('agents that the helper does not name any more have left', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const b = await rig.agentWithTab('b');
  rig.welcome.agents = [rig.worker.state.agents.get(b)?.info];
  rig.send({method: 'host.disconnected', params: {reason: 'restarted'}});
  await rig.connect();
  assert.equal(rig.worker.state.agents.get(a)?.live, false);
  assert.equal(rig.worker.state.agents.get(b)?.live, true);
});

test('a revoked pairing\'s agents are forgotten, their tabs stay', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const id = rig.tabId(a, 't1');
  rig.send({method: 'agent.closed', params: {id: a}});
  rig.send({method: 'pairings.changed', params: {pairings: []}});
  await until(() => !rig.browser.attached.has(id));
  assert.equal(rig.worker.state.agents.size, 0);
  assert.ok(rig.browser.tab(id));
  await until(() => !Object.keys(rig.browser.session.data).concat(Object.keys(rig.browser.local.data)).some((k) => k.startsWith('agent/')));
});

test('the profile keeps its id', async () => {
  const rig = await new Rig().start();
  const first = rig.asked.find((m) => m.method === 'browser.hello').params;
  assert.match(first.profile, /^[0-9a-f]{32}$/);
  assert.equal(first.protocol, 1);
  assert.equal(first.browser, 'Chrome/156.0');
  rig.asked.length = 0;
  rig.browser.restart();
  await rig.start();
  assert.equal(rig.asked.find((m) => m.method === 'browser.hello').params.profile, first.profile);
});

test('after the user ended the helper nothing starts it but the user', async () => {
  const rig = await new Rig().start();
  rig.send({method: 'helper.stopping'});
  assert.equal(rig.port.open, false);
  assert.equal(rig.worker.link.phase, 'ended');
  const ports = rig.browser.ports.length;
  rig.browser.chrome.alarms.onAlarm.fire({name: 'link'});
  rig.browser.boot();
  rig.worker = start();
  await rig.worker.ready;
  rig.browser.chrome.alarms.onAlarm.fire({name: 'link'});
  await settled();
  assert.equal(rig.browser.ports.length, ports);
  rig.page();
  assert.equal(rig.browser.ports.length, ports + 1);
  await rig.connect();
});

test('a lost host is called again; a missing one some times, and then by the alarm only', async (t) => {
  t.mock.timers.enable({apis: ['setTimeout']});
  const rig = await new Rig().start();
  rig.browser.endPort('Native host has exited.');
  assert.equal(rig.worker.link.phase, 'lost');
  t.mock.timers.tick(200);
  assert.equal(rig.browser.ports.length, 2);
  rig.browser.noHost = 'Specified native messaging host not found.';
  rig.browser.endPort('Native host has exited.');
  for (let i = 0; i < 20; i++) {
    t.mock.timers.tick(60_000);
    await settled();
  }
  assert.equal(rig.worker.link.phase, 'missing');
  assert.match(rig.worker.link.reason, /install/);
  const ports = rig.browser.ports.length;
  assert.ok(ports < 12, `${ports} tries`);
  t.mock.timers.tick(600_000);
  await settled();
  assert.equal(rig.browser.ports.length, ports);
  rig.browser.noHost = null;
  rig.browser.chrome.alarms.onAlarm.fire({name: 'link'});
  assert.equal(rig.browser.ports.length, ports + 1);
});

test('in Sidekick\'s own browser the alarm rings each second, in the user\'s seldom', async () => {
  const rig = await new Rig().start();
  await settled();
  assert.equal(rig.browser.alarms.get('link')?.periodInMinutes, 0.5);
  rig.welcome.managed = true;
  await rig.restartWorker();
  await settled();
  assert.equal(rig.browser.alarms.get('link')?.periodInMinutes, 1 / 60);

  // A worker that starts anew and reaches nobody yet keeps what was said.
  await rig.worker.state.saved();
  rig.port.open = false;
  rig.browser.boot();
  rig.worker = start();
  await rig.worker.ready;
  await settled();
  assert.equal(rig.browser.alarms.get('link')?.periodInMinutes, 1 / 60);
  const ports = rig.browser.ports.length;
  rig.browser.chrome.alarms.onAlarm.fire({name: 'link'});
  assert.equal(rig.browser.ports.length, ports, 'an alarm is nothing where there is a connection');
});

test('only our own pages are listened to', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  for (const url of ['https://evil.example/', `chrome-extension://${rig.browser.id}.evil.example/`, 'chrome-extension://otherotherotherotherotherotherothe/popup.html']) {
    const port = rig.page(url);
    assert.equal(port.open, false, url);
    port.onMessage.fire({id: 1, method: 'stop', params: {agent: a}});
  }
  await settled();
  assert.equal(rig.worker.state.agents.get(a)?.stopped, false);
});

test('pages see changes and the badge counts', async () => {
  const rig = await new Rig().start();
  const page = rig.page();
  const a = rig.open('a');
  rig.open('b');
  await settled();
  assert.deepEqual(page.sent.at(-1).view.agents.map((/** @type {any} */ x) => [x.title, x.live, x.tabs]), [['FrogBot · a', true, 0], ['FrogBot · b', true, 0]]);
  assert.equal(rig.browser.badge, '2');
  await rig.ask(page, 'stop', {agent: a});
  await settled();
  assert.equal(rig.browser.badge, '!');
  assert.equal((await rig.ask(page, 'nonsense', {})).error, 'Unknown request nonsense.');
  assert.match((await rig.ask(page, 'blocked.add', {site: '*'})).error, /every site/);
});

test('the settings page\'s requests go to the helper, its errors come back as sentences', async () => {
  const rig = await new Rig().start();
  const page = rig.page();
  rig.helper = (m) => (m.method === 'pairings.add' ? {token: 'skt_x', name: m.params.name} : {pairings: [{id: 'p', name: 'FrogBot'}]});
  const r = await rig.ask(page, 'pairings.add', {name: 'Toad'});
  assert.deepEqual(r.result, {token: 'skt_x', name: 'Toad'});
  const stored = JSON.stringify([rig.browser.session.data, rig.browser.local.data]);
  assert.ok(!stored.includes('skt_x'), 'a token is never stored');
  rig.browser.endPort('Native host has exited.');
  assert.match((await rig.ask(page, 'pairings.list', {})).error, /program ended/);
});

test('an agent that did not come for 90 days is forgotten, unless it is stopped', async () => {
  const rig = await new Rig().start();
  await rig.agentWithTab('old');
  const stopped = await rig.agentWithTab('stopped');
  await rig.agentWithTab('new');
  await rig.ask(rig.page(), 'stop', {agent: stopped});
  await rig.worker.state.saved();
  for (const id of ['p/old', stopped]) rig.browser.local.data[`agent/${id}`].usedAt -= 91 * 24 * 3600_000;
  rig.browser.restart();
  await rig.start();
  assert.deepEqual([...rig.worker.state.agents.keys()].sort(), ['p/new', 'p/stopped']);
  await until(() => !('agent/p/old' in rig.browser.local.data));
});

test('the current tab of before a restart is the current one again', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://b.example/'});
  await rig.worker.state.saved();
  const {browser} = rig;
  browser.restart();
  browser.groups.push({id: 50, title: 'FrogBot · a', color: 'blue', windowId: 1});
  for (const url of ['https://a.example/', 'https://b.example/']) browser.makeTab({url, groupId: 50});
  await rig.start();
  rig.open('a');
  assert.deepEqual((await rig.call(a, 'Target.getTargets')).targetInfos.map((/** @type {any} */ t) => [t.targetId, t.active]),
    [['t1', false], ['t2', true]]);
});
