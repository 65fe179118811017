import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Rig} from './rig.js';

test('an agent hears of the network without what lets another act as the user', async () => {
  const rig = await new Rig().start();
  const a = await rig.agentWithTab('a');
  const {onEvent} = rig.browser.chrome.debugger;
  const tabId = rig.tabId(a, 't1');
  const headers = {Cookie: 'sid=secret', Authorization: 'Bearer secret', Accept: '*/*'};
  onEvent.fire({tabId}, 'Target.attachedToTarget', {sessionId: 'S', targetInfo: {targetId: 'F', type: 'iframe', url: 'https://f.example/'}});
  rig.events.length = 0;
  for (const source of [{tabId}, {tabId, sessionId: 'S'}]) {
    onEvent.fire(source, 'Network.requestWillBeSent', {requestId: '1', request: {url: 'https://a.example/', headers, postData: 'secret'}});
    onEvent.fire(source, 'Network.requestWillBeSentExtraInfo', {requestId: '1', headers, associatedCookies: [{cookie: {value: 'secret'}}]});
    onEvent.fire(source, 'Network.responseReceived', {requestId: '1', response: {status: 200, headers: {'Set-Cookie': 'secret', Server: 'x'}}});
    onEvent.fire(source, 'Network.responseReceivedExtraInfo', {requestId: '1', headers: {'Set-Cookie': 'secret'}});
  }
  assert.ok(!JSON.stringify(rig.events).includes('secret'), JSON.stringify(rig.events));
  assert.deepEqual(rig.events.map((e) => [e.sessionId, e.method]), [
    ['t1', 'Network.requestWillBeSent'], ['t1', 'Network.responseReceived'],
    ['t1:S', 'Network.requestWillBeSent'], ['t1:S', 'Network.responseReceived'],
  ]);
  assert.equal(rig.events[0].params.request.headers.Accept, '*/*');
});
