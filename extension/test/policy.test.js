import assert from 'node:assert/strict';
import {test} from 'node:test';
import {attachable, barredTab, barredURL, checkCommand, checkURL, passesWhenBarred, withoutSecrets} from '../worker/policy.js';
import {Code} from '../worker/wire.js';

const blocked = ['bank.example', 'corp.example'];

test('web addresses are open to agents', () => {
  for (const url of ['http://a.example/', 'https://a.example:8443/x', 'about:blank', 'about:blank#x', 'data:text/html,hi',
    'blob:https://a.example/1', 'blob:null/1', 'https://notbank.example/', 'https://bank.example.org/', 'HTTPS://A.EXAMPLE']) {
    assert.equal(barredURL(url, blocked), null, url);
  }
});

test('other schemes are not', () => {
  for (const url of ['file:///etc/passwd', 'chrome://settings', 'chrome-extension://abc/x', 'javascript:alert(1)',
    'view-source:https://a.example', 'devtools://devtools/x', 'about:srcdoc', 'about:settings', 'ftp://a.example', 'filesystem:https://a.example/t/x',
    ' javascript:alert(1)', 'edge://settings']) {
    const no = barredURL(url, blocked);
    assert.equal(no?.code, Code.NotAllowed, url);
  }
});

test('data: addresses, which Chrome opens for no extension, are refused with that reason', () => {
  assert.throws(() => checkURL('data:text/html,hi', blocked), {code: Code.NotAllowed, message: /no extension open data:/});
});

test('what is no address is said to be none', () => {
  for (const url of ['a.example', '/x', 'http://', 'https://[', 'x y']) {
    assert.equal(barredURL(url, [])?.code, Code.BadRequest, url);
  }
  for (const url of [undefined, null, '', 7, {}]) assert.throws(() => checkURL(url, []), {code: Code.BadRequest});
});

test('a blocked site is named as the user wrote it', () => {
  for (const url of ['https://bank.example/', 'http://login.bank.example:8080/x', 'https://BANK.example', 'https://bank.example./',
    'https://user:pw@bank.example/', 'blob:https://bank.example/1', 'https://b%61nk.example/']) {
    const no = barredURL(url, blocked);
    assert.equal(no?.code, Code.BlockedSite, url);
    assert.equal(no?.message, 'The user blocked bank.example for agents in Sidekick. Do not try another way in; tell the user.');
  }
});

test('off the list is refused, whatever the domain', () => {
  for (const m of ['Network.getCookies', 'Storage.getCookies', 'Target.createTarget', 'Target.attachToTarget', 'Tracing.start', 'Fetch.enable',
    'Page.bringToFront', 'Browser.close', 'Network.getResponseBodyForInterception', 'Network.loadNetworkResource', 'IO.read', 'DOMDebugger.setDOMBreakpoint', 'DOMDebugger.getEventListeners', 'toString', '__proto__', '']) {
    assert.throws(() => checkCommand(m, {}, null, []), {code: Code.NotAllowed}, m);
  }
  for (const m of ['Runtime.evaluate', 'Page.captureScreenshot', 'Input.dispatchKeyEvent', 'WebMCP.invokeTool', 'CSS.disable', 'Page.printToPDF']) {
    checkCommand(m, {}, null, []);
  }
});

test('Page.navigate is checked by its address', () => {
  checkCommand('Page.navigate', {url: 'https://a.example/'}, null, blocked);
  assert.throws(() => checkCommand('Page.navigate', {url: 'https://bank.example/'}, null, blocked), {code: Code.BlockedSite});
  assert.throws(() => checkCommand('Page.navigate', {url: 'javascript:1'}, null, blocked), {code: Code.NotAllowed});
  assert.throws(() => checkCommand('Page.navigate', {}, null, blocked), {code: Code.BadRequest});
});

test('only flat sessions are attached', () => {
  checkCommand('Target.setAutoAttach', {autoAttach: true, flatten: true}, null, []);
  assert.throws(() => checkCommand('Target.setAutoAttach', {autoAttach: true}, null, []), {code: Code.NotAllowed});
});

test('no worker is attached that the user\'s tabs have too', () => {
  const own = [{type: 'iframe'}, {type: 'worker'}, {exclude: true}];
  for (const filter of [undefined, null, {}, 'x', [{}], [{type: 'service_worker'}], [{type: 'iframe'}, {type: 'shared_worker'}], [{type: 'page'}], [null],
    [{type: 'service_worker', exclude: false}]]) {
    assert.deepEqual(attachable(filter), own, JSON.stringify(filter));
  }
  for (const filter of [own, [{type: 'iframe'}], [{type: 'service_worker', exclude: true}, {type: 'worker'}], []]) assert.equal(attachable(filter), filter);
});

test('a blocked page can be left and nothing else', () => {
  const no = barredTab('https://bank.example/', blocked);
  for (const m of ['Page.stopLoading', 'Page.getNavigationHistory', 'Page.navigateToHistoryEntry']) checkCommand(m, {}, no, blocked);
  checkCommand('Page.navigate', {url: 'https://a.example/'}, no, blocked);
  for (const m of ['Runtime.evaluate', 'Page.captureScreenshot', 'Accessibility.getFullAXTree', 'Input.dispatchMouseEvent', 'DOM.getDocument',
    'Page.reload', 'Page.addScriptToEvaluateOnNewDocument', 'Network.enable', 'Page.handleJavaScriptDialog']) {
    assert.throws(() => checkCommand(m, {}, no, blocked), {code: Code.BlockedSite}, m);
  }
  assert.ok(passesWhenBarred('Page.loadEventFired'));
  for (const m of ['Runtime.consoleAPICalled', 'Network.responseReceived', 'Log.entryAdded', 'WebMCP.toolsAdded']) assert.ok(!passesWhenBarred(m), m);
});

test('a page of Chrome\'s own is not for agents', () => {
  assert.equal(barredTab('chrome://settings/', [])?.code, Code.NotAllowed);
  assert.equal(barredTab('chrome-error://chromewebdata/', []), null);
  assert.equal(barredTab('', []), null);
});

test('events of the network have nothing in them that lets another act as the user', () => {
  const headers = {'Cookie': 'a=1', 'authorization': 'Bearer x', 'X-CSRF-Token': 'y', 'Accept': '*/*', 'set-cookie': 'b=2'};
  const sent = withoutSecrets('Network.requestWillBeSent', {
    requestId: '1', request: {url: 'https://a.example/', method: 'POST', headers, postData: 'password=z'},
    redirectResponse: {status: 302, headers, requestHeaders: headers, headersText: 'set-cookie: b=2'},
  });
  assert.deepEqual(sent, {
    requestId: '1', request: {url: 'https://a.example/', method: 'POST', headers: {Accept: '*/*'}},
    redirectResponse: {status: 302, headers: {Accept: '*/*'}},
  });
  const got = withoutSecrets('Network.responseReceived', {requestId: '1', response: {status: 200, headers, requestHeadersText: 'Cookie: a=1'}});
  assert.deepEqual(got, {requestId: '1', response: {status: 200, headers: {Accept: '*/*'}}});
  for (const m of ['Network.requestWillBeSentExtraInfo', 'Network.responseReceivedExtraInfo', 'Network.webSocketFrameSent']) assert.equal(withoutSecrets(m, {headers}), null, m);
  assert.throws(() => checkCommand('Network.getCookies', {}, null, []), {code: Code.NotAllowed});
});
