import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Rig, settled, until} from './rig.js';
import {Code, STOPPED} from '../worker/wire.js';

test('commands reach the page in the order in which they come', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await Promise.all(Array.from({length: 50}, (_, i) => rig.call(a, 'Input.insertText', {text: String(i)}, 't1')));
  assert.deepEqual(rig.browser.commands.map((c) => c.params.text), Array.from({length: 50}, (_, i) => String(i)));
});

test('a command is with Chrome in the same task: pipelining costs no turn', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.call(a, 'Input.insertText', {text: '1'}, 't1');
  assert.equal(rig.browser.commands.length, 1);
});

test('the next command does not wait for the answer of the one before', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.onCommand = (_, method) => (method === 'Runtime.evaluate' ? new Promise(() => {}) : {});
  rig.call(a, 'Runtime.evaluate', {}, 't1');
  assert.deepEqual(await rig.call(a, 'Input.insertText', {text: 'x'}, 't1'), {});
});

test('commands behind an attach run after it, in order', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  const all = [
    rig.call(a, 'Target.attachToTarget', {targetId: 't1', flatten: true}),
    rig.call(a, 'Input.insertText', {text: '1'}, 't1'), rig.call(a, 'Input.insertText', {text: '2'}, 't1'),
  ];
  const [attached] = await Promise.all(all);
  assert.equal(attached.sessionId, 't1');
  assert.equal(attached.refBase, 1);
  assert.deepEqual(rig.browser.commands.map((c) => c.params.text ?? c.method),
    ['Emulation.setFocusEmulationEnabled', 'Page.enable', '1', '2']);
});

test('one agent does not hold up another', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  const b = await rig.agentWithTab('b');
  rig.browser.chrome.tabs.create = () => new Promise(() => {});
  rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  assert.deepEqual(await rig.call(b, 'Runtime.evaluate', {}, 't1'), {});
});

test('a page that a policy keeps extensions from is named as such; a file that Chrome refuses is not', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.onCommand = () => {
    throw new Error('{"code":-32000,"message":"Not allowed"}');
  };
  await assert.rejects(rig.call(a, 'Page.navigate', {url: 'https://b.example/'}, 't1'), {code: -32000, message: /runtime_blocked_hosts.*sidekick-mcp doctor/});
  await assert.rejects(rig.call(a, 'DOM.setFileInputFiles', {files: ['/a'], objectId: 'O'}, 't1'), {code: -32000, message: 'Not allowed'});
});

test('Stop answers what is under way, and its late answers are dropped', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const b = await rig.agentWithTab('b');
  /** @type {(() => void)[]} */
  const late = [];
  rig.browser.onCommand = () => new Promise((resolve) => late.push(() => resolve({late: true})));
  const stopped = [rig.call(a, 'Runtime.evaluate', {}, 't1'), rig.call(a, 'Page.navigate', {url: 'https://b.example/'}, 't1')];
  const other = rig.call(b, 'Runtime.evaluate', {}, 't1');
  await settled();
  const page = rig.page();
  assert.deepEqual((await rig.ask(page, 'stop', {agent: a})).result, {});
  for (const p of stopped) await assert.rejects(p, {code: Code.Stopped, message: STOPPED});
  assert.ok(rig.events.some((e) => e.agent === a && e.method === 'Sidekick.stopped' && e.params.message === STOPPED));
  for (const f of late) f();
  assert.deepEqual(await other, {late: true});
  await settled();
  assert.deepEqual(rig.strays, []);

  await assert.rejects(rig.call(a, 'Target.getTargets'), {code: Code.Stopped});
  await assert.rejects(rig.call(a, 'Network.getCookies', {}, 't9'), {code: Code.Stopped});
  await rig.ask(page, 'resume', {agent: a});
  assert.ok(rig.events.some((e) => e.agent === a && e.method === 'Sidekick.resumed'));
  assert.equal((await rig.call(a, 'Target.getTargets')).targetInfos.length, 1);
});

test('what waits behind a slow request is stopped too and never runs', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const {create} = rig.browser.chrome.tabs;
  /** @type {() => void} */
  let go = () => {};
  rig.browser.chrome.tabs.create = (/** @type {any} */ p) => new Promise((resolve) => {
    go = () => resolve(create(p));
  });
  const slow = rig.call(a, 'Target.createTarget', {url: 'https://b.example/'});
  const behind = rig.call(a, 'Input.insertText', {text: 'no'}, 't1');
  await settled();
  await rig.ask(rig.page(), 'stop', {agent: a});
  await assert.rejects(slow, {code: Code.Stopped});
  await assert.rejects(behind, {code: Code.Stopped});
  go();
  await settled();
  assert.deepEqual(rig.browser.commands.filter((c) => c.method === 'Input.insertText'), []);
  assert.deepEqual(rig.strays, []);
});

test('Cancel on Chrome\'s bar stops every agent and nobody attaches again', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const b = await rig.agentWithTab('b');
  rig.browser.onCommand = () => new Promise(() => {});
  const call = rig.call(b, 'Runtime.evaluate', {}, 't1');
  const tabId = rig.tabId(a, 't1');
  rig.browser.attached.delete(tabId);
  rig.browser.chrome.debugger.onDetach.fire({tabId}, 'canceled_by_user');
  await assert.rejects(call, {code: Code.Stopped});
  await assert.rejects(rig.call(a, 'Target.attachToTarget', {targetId: 't1'}), {code: Code.Stopped});
  assert.ok(!rig.browser.attached.has(tabId));
  assert.ok(rig.events.some((e) => e.agent === a && e.method === 'Target.detachedFromTarget' && e.params.reason === 'canceled_by_user'));
});

test('a stop outlives the worker and the browser', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  await rig.ask(rig.page(), 'stop', {agent: a});
  await rig.restartWorker();
  rig.open('a');
  await assert.rejects(rig.call(a, 'Target.getTargets'), {code: Code.Stopped});
  await rig.worker.state.saved();
  rig.browser.restart();
  await rig.start();
  rig.open('a');
  await assert.rejects(rig.call(a, 'Target.getTargets'), {code: Code.Stopped});
});

test('a link that broke gets none of the old answers', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  /** @type {(v: any) => void} */
  let finish = () => {};
  rig.browser.onCommand = () => new Promise((resolve) => {
    finish = resolve;
  });
  rig.call(a, 'Runtime.evaluate', {}, 't1');
  await settled();
  rig.send({method: 'host.disconnected', params: {reason: 'killed'}});
  assert.equal(rig.worker.link.phase, 'lost');
  rig.send({method: 'host.connected'});
  await until(() => rig.worker.link.phase === 'connected');
  const sent = rig.port.sent.length;
  finish({old: true});
  await settled();
  assert.deepEqual(rig.port.sent.slice(sent).filter((m) => m.result?.old), []);
});

test('an agent that nobody named is refused, and the port lives on', async () => {
  const rig = await new Rig().start();
  await assert.rejects(rig.call('p/ghost', 'Target.getTargets'), {code: Code.BadRequest});
  for (const m of [null, 7, 'x', {}, {id: 5}, {id: 'x', method: 'y', agent: 'z'}, {method: 'agent.opened'}, {part: {}}]) {
    rig.port.onMessage.fire(m);
  }
  const a = rig.open('a');
  assert.deepEqual(await rig.call(a, 'Target.getTargets'), {targetInfos: []});
  assert.ok(rig.port.open);
});

test('a result over the limit fails that call only', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.onCommand = () => ({data: 'x'.repeat(64 << 20)});
  await assert.rejects(rig.call(a, 'Page.captureScreenshot', {}, 't1'), {code: Code.TooLarge});
  rig.browser.onCommand = () => ({data: 'ok'});
  assert.deepEqual(await rig.call(a, 'Page.captureScreenshot', {}, 't1'), {data: 'ok'});
});

test('Chrome\'s errors say what they mean', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const fail = (/** @type {string} */ text) => {
    rig.browser.onCommand = () => {
      throw new Error(text);
    };
    return rig.call(a, 'Runtime.evaluate', {}, 't1');
  };
  await assert.rejects(fail('{"code":-32602,"message":"Invalid parameters"}'), {code: -32602, message: 'Invalid parameters'});
  await assert.rejects(fail('Detached while handling command.'), {code: Code.HopLost});
  await assert.rejects(fail('Something else'), {code: Code.CDP, message: 'Something else'});
  rig.browser.onCommand = () => {
    rig.browser.closeTab(rig.tabId(a, 't1'));
    throw new Error('Detached while handling command.');
  };
  await assert.rejects(rig.call(a, 'Runtime.evaluate', {}, 't1'), {code: Code.TabGone});
  await assert.rejects(rig.call(a, 'Runtime.evaluate', {}, 't1'), {code: Code.NotYours});
});

test('a command for a tab without the debugger is not run', async () => {
  const rig = await new Rig().start();
  const a = rig.open('a');
  await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  await assert.rejects(rig.call(a, 'Runtime.evaluate', {}, 't1'), {code: Code.NotAttached});
  assert.deepEqual(rig.browser.commands, []);
});
