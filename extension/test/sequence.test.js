import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Rig, settled, until} from './rig.js';
import {Code} from '../worker/wire.js';

/** The steps of a click. */
const CLICK = [
  {method: 'DOM.resolveNode', params: {backendNodeId: 7}},
  {method: 'Runtime.callFunctionOn', params: {functionDeclaration: 'prepare'}, uses: [{from: 0, path: 'object.objectId', as: 'objectId'}]},
  {
    method: 'Input.dispatchMouseEvent', params: {type: 'mousePressed'},
    uses: [{from: 1, path: 'result.value.x', as: 'x'}, {from: 1, path: 'result.value.y', as: 'y'}],
  },
  {method: 'Input.dispatchMouseEvent', params: {type: 'mouseReleased'}, uses: [{from: 1, path: 'result.value.x', as: 'x'}]},
  {method: 'Runtime.releaseObjectGroup', params: {objectGroup: 'sidekick'}},
];

/**
 * A page that resolves nodes and prepares them.
 * @param {any} [prepared]
 * @returns {(tabId: any, method: string, params: any) => any}
 */
const page = (prepared = {x: 3, y: 0}) => (_, method) => {
  if (method === 'DOM.resolveNode') return {object: {objectId: 'O'}};
  if (method === 'Runtime.callFunctionOn') return {result: {value: prepared}};
  return {};
};

/** @param {Rig} rig */
const sent = (rig) => rig.browser.commands.map((c) => [c.method, c.params])
  .filter(([method]) => method !== 'Page.setInterceptFileChooserDialog'); // the extension's own, before input

test('a step uses what earlier ones were answered with', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.onCommand = page();
  const {answers} = await rig.call(a, 'Sidekick.run', {steps: CLICK}, 't1');
  assert.deepEqual(sent(rig), [
    ['DOM.resolveNode', {backendNodeId: 7}],
    ['Runtime.callFunctionOn', {functionDeclaration: 'prepare', objectId: 'O'}],
    ['Input.dispatchMouseEvent', {type: 'mousePressed', x: 3, y: 0}],
    ['Input.dispatchMouseEvent', {type: 'mouseReleased', x: 3}],
    ['Runtime.releaseObjectGroup', {objectGroup: 'sidekick'}],
  ]);
  assert.deepEqual(answers[0], {result: {object: {objectId: 'O'}}});
  assert.deepEqual(answers.slice(2), [{result: {}}, {result: {}}, {result: {}}]);
});

test('a step whose values are not there is not run, and the next ones are', async () => {
  for (const [prepared, path] of [[{error: 'it is covered'}, 'x'], [{x: null}, 'x'], [7, 'x']]) {
    const rig = await new Rig().start();
    const a = await rig.agentWithTab('a');
    rig.browser.onCommand = page(prepared);
    const {answers} = await rig.call(a, 'Sidekick.run', {steps: CLICK}, 't1');
    assert.deepEqual(sent(rig).map(([m]) => m), ['DOM.resolveNode', 'Runtime.callFunctionOn', 'Runtime.releaseObjectGroup']);
    assert.equal(answers[2].error.code, Code.NotRun);
    assert.match(answers[2].error.message, new RegExp(`result\\.value\\.${path}`));
    assert.equal(answers[3].error.code, Code.NotRun);
  }
});

test('the error of a step is its own', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.onCommand = (_, method) => {
    if (method === 'DOM.resolveNode') throw new Error('{"code":-32000,"message":"No node with given id found"}');
    return {};
  };
  const {answers} = await rig.call(a, 'Sidekick.run', {steps: CLICK}, 't1');
  assert.deepEqual(answers[0], {error: {code: -32000, message: 'No node with given id found'}});
  assert.deepEqual(answers.slice(1, 4).map((/** @type {any} */ x) => x.error.code), [Code.NotRun, Code.NotRun, Code.NotRun]);
  assert.deepEqual(answers[4], {result: {}});
});

test('steps that need no answer are with Chrome in the same task; await waits for all before', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  /** @type {(() => void)[]} */
  const answer = [];
  rig.browser.onCommand = () => new Promise((resolve) => answer.push(() => resolve({})));
  const done = rig.call(a, 'Sidekick.run', {
    steps: [
      {method: 'Input.insertText', params: {text: '1'}}, {method: 'Input.insertText', params: {text: '2'}},
      {method: 'Runtime.evaluate', params: {}, await: true},
    ],
  }, 't1');
  assert.equal(rig.browser.commands.length, 2);
  await until(() => answer.length === 2);
  answer[1]();
  await settled();
  assert.equal(rig.browser.commands.length, 2);
  answer[0]();
  await until(() => answer.length === 3);
  answer[2]();
  assert.equal((await done).answers.length, 3);
});

test('each step is one that agents may take', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const {answers} = await rig.call(a, 'Sidekick.run', {
    steps: [{method: 'Network.getAllCookies'}, {method: 'Page.navigate', params: {url: 'file:///etc/passwd'}}, {method: 'Sidekick.run', params: {steps: []}}],
  }, 't1');
  for (const x of answers) assert.equal(x.error.code, Code.NotAllowed);
  assert.deepEqual(rig.browser.commands, []);
  await assert.rejects(rig.call(a, 'Sidekick.run', {steps: CLICK}, 't9').then((r) => {
    throw Object.assign(new Error(), r.answers[0].error);
  }), {code: Code.NotYours});
});

test('steps that make no sense are refused before any is begun', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const ok = {method: 'Input.insertText', params: {}};
  for (const steps of [
    undefined, [], 'x', [null], [{}], [ok, {...ok, uses: [{from: 1, path: 'a'}]}], [{...ok, uses: [{from: 0, path: 'a'}]}],
    [ok, {...ok, uses: [{from: -1, path: 'a'}]}], [ok, {...ok, uses: [{from: 0}]}], [ok, {...ok, uses: {}}],
    [ok, {...ok, uses: [null]}], Array(501).fill(ok),
  ]) {
    await assert.rejects(rig.call(a, 'Sidekick.run', {steps}, 't1'), {code: Code.BadRequest});
  }
  assert.deepEqual(rig.browser.commands, []);
});

test('a dialog ends a sequence: what was answered comes before the word of the dialog', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  rig.browser.onCommand = (id, method, params) => (method === 'Input.dispatchMouseEvent' ? new Promise(() => {}) : page()(id, method, params));
  /** @type {string[]} */
  const order = [];
  const done = rig.call(a, 'Sidekick.run', {steps: [...CLICK.slice(0, 3), {method: 'Runtime.evaluate', await: true}]}, 't1');
  done.then(() => order.push('answer'));
  await until(() => sent(rig).length === 3);
  const before = rig.port.sent.length;
  rig.browser.chrome.debugger.onEvent.fire({tabId: rig.tabId(a, 't1')}, 'Page.javascriptDialogOpening', {type: 'alert', message: 'Hi'});
  const {answers, ended} = await done;
  assert.equal(ended, 'dialog');
  assert.ok('result' in answers[1]);
  assert.equal(answers[2], null, 'it was begun');
  assert.equal(answers[3].error.code, Code.NotRun);
  const [first, second] = rig.port.sent.slice(before);
  assert.ok(first.result?.answers && second.method === 'Page.javascriptDialogOpening');
  await settled();
  assert.equal(sent(rig).length, 3, 'nothing more is begun');
});

test('a dialog of another tab does not end it', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const {targetId} = await rig.call(a, 'Target.createTarget', {url: 'https://a.example/'});
  await rig.call(a, 'Target.attachToTarget', {targetId, flatten: true});
  /** @type {((v: any) => void)[]} */
  const answer = [];
  rig.browser.onCommand = () => new Promise((resolve) => { answer.push(resolve); });
  const done = rig.call(a, 'Sidekick.run', {steps: [{method: 'Runtime.evaluate'}]}, 't1');
  rig.browser.chrome.debugger.onEvent.fire({tabId: rig.tabId(a, 't2')}, 'Page.javascriptDialogOpening', {type: 'alert', message: 'Hi'});
  await until(() => answer.length === 1);
  answer[0]({ok: 1});
  assert.deepEqual(await done, {answers: [{result: {ok: 1}}]});
});

test('a click that waits for its element is not made after the user stopped the agent, it left, or the link broke', async () => {
  for (const end of [
    async (/** @type {Rig} */ rig, /** @type {string} */ a) => { await rig.ask(rig.page(), 'stop', {agent: a}); },
    async (/** @type {Rig} */ rig, /** @type {string} */ a) => rig.send({method: 'agent.closed', params: {id: a}}),
    async (/** @type {Rig} */ rig) => rig.send({method: 'host.disconnected', params: {reason: 'it ended'}}),
  ]) {
    const rig = await new Rig().start();
    const a = await rig.agentWithTab('a');
    /** @type {((v: any) => void)[]} */
    const ready = [];
    rig.browser.onCommand = (id, method, params) => (method === 'Runtime.callFunctionOn' ? new Promise((resolve) => { ready.push(resolve); }) : page()(id, method, params));
    rig.call(a, 'Sidekick.run', {steps: CLICK}, 't1');
    await until(() => ready.length === 1);
    await end(rig, a);
    ready[0]({result: {value: {x: 1, y: 1}}});
    await settled();
    assert.deepEqual(sent(rig).map(([m]) => m), ['DOM.resolveNode', 'Runtime.callFunctionOn']);
    assert.deepEqual(rig.strays, []);
  }
});

test('a sequence that is called off begins nothing more, and says how far it came', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  /** @type {((v: any) => void)[]} */
  const ready = [];
  rig.browser.onCommand = (id, method, params) => (method === 'Runtime.callFunctionOn' ? new Promise((resolve) => { ready.push(resolve); }) : page()(id, method, params));
  const {id, done} = rig.begin(a, 'Sidekick.run', {steps: CLICK}, 't1');
  const other = rig.call(a, 'Sidekick.run', {steps: [{method: 'Runtime.callFunctionOn'}]}, 't1');
  await until(() => ready.length === 2);
  rig.send({agent: 'p/nobody', method: '$/cancel', params: {id}});
  await settled();
  assert.equal(rig.worker.state.agents.get(a)?.live, true);
  rig.send({agent: a, method: '$/cancel', params: {id}});
  const {answers, ended} = await done;
  assert.equal(ended, 'cancel');
  assert.ok('result' in answers[0]);
  assert.equal(answers[1], null);
  assert.deepEqual(answers.slice(2).map((/** @type {any} */ x) => x.error.code), [Code.NotRun, Code.NotRun, Code.NotRun]);
  for (const r of ready) r({result: {value: {x: 1, y: 1}}});
  assert.equal((await other).answers.length, 1, 'another is not touched');
  assert.deepEqual(sent(rig).map(([m]) => m), ['DOM.resolveNode', 'Runtime.callFunctionOn', 'Runtime.callFunctionOn']);
  assert.deepEqual(rig.strays, []);
});

test('what was asked in a frame that goes away is answered', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const tabId = rig.tabId(a, 't1');
  const {onEvent} = rig.browser.chrome.debugger;
  onEvent.fire({tabId}, 'Target.attachedToTarget', {sessionId: 'F', targetInfo: {targetId: 'X', type: 'iframe', url: 'https://b.example/'}});
  rig.browser.commands.length = 0;
  rig.browser.onCommand = (id, method, params) => (method === 'Runtime.callFunctionOn' ? new Promise(() => {}) : page()(id, method, params));
  const run = rig.call(a, 'Sidekick.run', {steps: CLICK}, 't1:F');
  const one = rig.call(a, 'Runtime.callFunctionOn', {}, 't1:F');
  const elsewhere = rig.call(a, 'Runtime.evaluate', {}, 't1');
  await until(() => sent(rig).length >= 4);
  onEvent.fire({tabId}, 'Target.detachedFromTarget', {sessionId: 'F'});
  const {answers, ended} = await run;
  assert.equal(ended, 'detached');
  assert.equal(answers[1], null);
  await assert.rejects(one, {code: Code.CDP, message: 'Inspected target navigated or closed'});
  assert.deepEqual(await elsewhere, {});
});
