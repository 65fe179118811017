import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {Ledger, isKey, withoutKeys} from '../worker/bodies.js';
import {Code} from '../worker/wire.js';
import {Rig, settled} from './rig.js';

/** @type {Rig} */
let rig;
beforeEach(async () => {
  rig = await new Rig().start();
});

/** @param {string} requestId @param {string} url @param {any} [more] */
const began = (requestId, url, more) => ({
  requestId, documentURL: 'https://a.example/', frameId: 'F', request: {url, method: 'GET', headers: {}}, ...more,
});

/** @param {string} agent @param {any} params @param {string} [child] */
function sent(agent, params, child) {
  rig.browser.chrome.debugger.onEvent.fire({tabId: rig.tabId(agent, 't1'), ...(child ? {sessionId: child} : {})}, 'Network.requestWillBeSent', params);
}

const GET = 'Network.getResponseBody';
const POST = 'Network.getRequestPostData';

test('a body is given out of requests that were seen to begin in the agent\'s tab', async () => {
  const a = await rig.agentWithTab('a'), b = await rig.agentWithTab('b');
  sent(a, began('1', 'https://a.example/data'));
  rig.browser.onCommand = (/** @type {any} */ _t, /** @type {string} */ method) => (method === GET ? {body: 'hello', base64Encoded: false} : {});
  assert.deepEqual(await rig.call(a, GET, {requestId: '1'}, 't1'), {body: 'hello', base64Encoded: false});
  rig.browser.commands.length = 0;
  for (const requestId of ['2', '', undefined, 1, {}, '__proto__']) {
    await assert.rejects(rig.call(a, GET, {requestId}, 't1'), {code: Code.NotAllowed, message: /did not see this request/}, String(requestId));
  }
  await assert.rejects(rig.call(b, GET, {requestId: '1'}, 't1'), {code: Code.NotAllowed});
  await assert.rejects(rig.call(b, GET, {requestId: '1'}, 't2'), {code: Code.NotYours});
  assert.deepEqual(rig.browser.commands, []);
});

test('in a sequence it is checked all the same', async () => {
  const a = await rig.agentWithTab('a');
  const {answers} = await rig.call(a, 'Sidekick.run', {steps: [{method: GET, params: {requestId: '9'}}]}, 't1');
  assert.equal(answers[0].error.code, Code.NotAllowed);
  assert.ok(!rig.browser.commands.some((c) => c.method === GET));
});

test('none of a blocked site: by address, on the way, as the document, blocked later', async () => {
  const a = await rig.agentWithTab('a');
  sent(a, began('1', 'https://bank.example/api'));
  sent(a, began('2', 'https://bank.example/api'));
  sent(a, began('2', 'https://a.example/landed', {redirectResponse: {status: 302}}));
  sent(a, began('3', 'https://a.example/x', {documentURL: 'https://login.bank.example/'}));
  sent(a, began('4', 'https://a.example/fine', {documentURL: 'about:srcdoc'}));
  sent(a, began('5', 'chrome-extension://abc/x.json'));
  for (const requestId of ['1', '2', '3', '4']) await rig.call(a, GET, {requestId}, 't1');
  await assert.rejects(rig.call(a, GET, {requestId: '5'}, 't1'), {code: Code.NotAllowed});
  rig.worker.state.blocked = ['bank.example'];
  for (const m of [GET, POST]) {
    for (const requestId of ['1', '2', '3']) await assert.rejects(rig.call(a, m, {requestId}, 't1'), {code: Code.BlockedSite}, m + requestId);
  }
  await rig.call(a, GET, {requestId: '4'}, 't1');
});

test('none of before, once the debugger is off or the tab is gone from the agent', async () => {
  const a = await rig.agentWithTab('a');
  sent(a, began('1', 'https://a.example/x'));
  rig.browser.chrome.debugger.onDetach.fire({tabId: rig.tabId(a, 't1')}, 'target_closed');
  await rig.call(a, 'Target.attachToTarget', {targetId: 't1', flatten: true});
  await settled();
  await assert.rejects(rig.call(a, GET, {requestId: '1'}, 't1'), {code: Code.NotAllowed});
  const tab = rig.worker.state.agents.get(a)?.tabs.get('t1');
  if (tab) tab.away = true; // the user drags it out
  sent(a, began('2', 'https://a.example/x'));
  if (tab) tab.away = false;
  await assert.rejects(rig.call(a, GET, {requestId: '2'}, 't1'), {code: Code.NotAllowed});
});

test('an agent that asks for every session gets those of its tab alone', async () => {
  const a = await rig.agentWithTab('a');
  await rig.call(a, 'Target.setAutoAttach', {autoAttach: true, flatten: true, waitForDebuggerOnStart: false}, 't1');
  assert.deepEqual(rig.browser.commands.find((c) => c.method === 'Target.setAutoAttach')?.params, {
    autoAttach: true, flatten: true, waitForDebuggerOnStart: false, filter: [{type: 'iframe'}, {type: 'worker'}, {exclude: true}],
  });
});

test('the ledger is bounded', () => {
  const l = new Ledger();
  for (let i = 0; i < 1500; i++) l.sent(began(String(i), 'https://a.example/'));
  assert.throws(() => l.check(GET, {requestId: '499'}, []), {code: Code.NotAllowed});
  assert.ok(l.check(GET, {requestId: '500'}, []));
  assert.equal(l.check('Page.reload', {}, []), null);
});

/** @param {string} method @param {any} result @param {string} [type] */
function fitted(method, result, type = '') {
  const l = new Ledger();
  l.sent(began('1', 'https://a.example/', {request: {url: 'https://a.example/', headers: {'content-Type': type}}}));
  return /** @type {(r: any) => any} */ (l.check(method, {requestId: '1'}, []))(result);
}

test('what is no text is told by its size, what is long is cut', () => {
  assert.deepEqual(fitted(GET, {body: btoa('x'.repeat(1001)), base64Encoded: true}), {body: '', base64Encoded: true, bytes: 1001});
  const cut = fitted(GET, {body: '😀'.repeat(70_000) + '"password":"x', base64Encoded: false});
  assert.equal(cut.body, '😀'.repeat(50_000));
  assert.equal(cut.total, 70_013);
  assert.match(fitted(GET, {body: 'x'.repeat(99_980) + '"password":"abcdefghijklmnop"'}).body, /x"password":"\[left out by Sidekick\]"$/);
});

test('passwords and keys are left out, in whatever form they are sent', () => {
  const json = '{"user":"ada","password":"x\\"y", "n": 3, "deep":{"accessToken":"abc","api_key":12345},"tokens":7,"session_id":"q","pass\\u0077ord":"z"}';
  const out = '[left out by Sidekick]';
  assert.equal(withoutKeys(json),
    `{"user":"ada","password":"${out}", "n": 3, "deep":{"accessToken":"${out}","api_key":"${out}"},"tokens":7,"session_id":"${out}","pass\\u0077ord":"${out}"}`);
  assert.equal(fitted(POST, {postData: 'user=ada&login%5Bpassword%5D=geheim+1&q=1'}, 'application/x-www-form-urlencoded').postData,
    `user=ada&login%5Bpassword%5D=${out}&q=1`);
  const part = (/** @type {string} */ name, /** @type {string} */ v) => `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${v}\r\n`;
  assert.equal(fitted(POST, {postData: part('user', 'ada') + part('userPassword', 'a\r\nb') + part('note', 'hi') + '--B--'}, 'multipart/form-data; boundary=B').postData,
    part('user', 'ada') + part('userPassword', out) + part('note', 'hi') + '--B--');
  assert.equal(withoutKeys('{"refresh_token":"cut of'), `{"refresh_token":"${out}"`);
  assert.equal(withoutKeys('<a href="/x?a=1&amp;reset_token=abc">'), `<a href="/x?a=1&amp;reset_token=${out}">`);
  assert.equal(fitted(GET, {body: '{"id_token":"e"}'}).body, `{"id_token":"${out}"}`);
  assert.equal(withoutKeys('a = b; if (x == y) { "k": 1 }'), 'a = b; if (x == y) { "k": 1 }');
});

test('what a page sends in a form that nobody can read is not shown', () => {
  for (const [type, postData] of [['text/plain', 'user ada password x'], ['application/xml', '<password>x</password>'], ['', 'x']]) {
    assert.throws(() => fitted(POST, {postData}, type), {code: Code.NotAllowed, message: /cannot tell passwords/}, type);
  }
  assert.equal(fitted(POST, {postData: '{"a":1}'}, 'text/plain;charset=UTF-8').postData, '{"a":1}');
  assert.equal(fitted(POST, {postData: '{"a":1}'}, 'application/vnd.api+json').postData, '{"a":1}');
});

test('names that say so, and names that do not', () => {
  for (const n of ['password', 'userPassword', 'user_passwd', 'passwd', 'newPassword2', 'PIN', 'clientSecret', 'X-Auth-Token', 'apiKey', 'api_key', 'csrfmiddlewaretoken',
    'session_id', 'sessionId', 'JWT', 'login[password]']) assert.ok(isKey(n), n);
  for (const n of ['user', 'keyboard', 'key', 'tokens', 'spinner', 'opinion', 'id', 'sessions', 'passenger', '']) assert.ok(!isKey(n), n);
});
