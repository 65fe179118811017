import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Rig, settled, until} from './rig.js';

/** @param {number} id @param {any} more */
const item = (id, more) => ({
  id, url: 'https://a.example/f', finalUrl: 'https://a.example/f', filename: '', state: 'in_progress', danger: 'safe',
  bytesReceived: 0, totalBytes: 3, startTime: new Date().toISOString(), ...more,
});

class Player {
  /** @param {Rig} rig @param {string} agent */
  constructor(rig, agent) {
    this.rig = rig;
    this.tabId = rig.tabId(agent, 't1');
  }

  get chrome() {
    return this.rig.browser.chrome;
  }

  /** The debugger tells of a download. @param {string} guid @param {string} [url] @param {string} [sessionId] */
  began(guid, url = 'https://a.example/f', sessionId) {
    this.chrome.debugger.onEvent.fire({tabId: this.tabId, sessionId}, 'Page.downloadWillBegin', {guid, url, suggestedFilename: 'f'});
  }

  /** @param {string} guid @param {string} state */
  progress(guid, state) {
    this.chrome.debugger.onEvent.fire({tabId: this.tabId}, 'Page.downloadProgress', {guid, state, receivedBytes: 3, totalBytes: 3});
  }

  /** chrome.downloads has one more. @param {any} d */
  created(d) {
    this.rig.browser.downloads.push(d);
    this.chrome.downloads.onCreated.fire(structuredClone(d));
  }

  /** One of them changes. @param {number} id @param {any} now */
  changed(id, now) {
    Object.assign(this.rig.browser.downloads.find((d) => d.id === id), now);
    const delta = Object.fromEntries(Object.entries(now).map(([k, v]) => [k, {current: v}]));
    this.chrome.downloads.onChanged.fire({id, ...delta});
  }

  /** What agents heard of downloads. */
  heard() {
    return this.rig.events.filter((e) => e.method?.startsWith('Page.download'));
  }

  last() {
    return this.heard().at(-1)?.params;
  }
}

async function player() {
  const rig = await new Rig().start();
  return new Player(rig, await rig.agentWithTab('a'));
}

test('the end of a download says where the file lies', async () => {
  const p = await player();
  // The user downloaded the same shortly before.
  p.created(item(1, {state: 'complete', filename: '/d/f'}));
  p.began('g1');
  p.created(item(2, {}));
  p.began('g2');
  p.created(item(3, {}));
  p.progress('g2', 'inProgress');
  assert.equal(p.last().filePath, undefined);
  p.changed(2, {filename: '/d/f (1)'});
  p.changed(3, {filename: '/d/f (2)'});
  p.changed(3, {state: 'complete'});
  p.progress('g2', 'completed');
  await until(() => p.last().state === 'completed');
  assert.deepEqual(p.last(), {guid: 'g2', state: 'completed', receivedBytes: 3, totalBytes: 3, filePath: '/d/f (2)'});
  p.changed(2, {state: 'complete'});
  p.progress('g1', 'completed');
  await until(() => p.last().guid === 'g1' && p.last().state === 'completed');
  assert.equal(p.last().filePath, '/d/f (1)');
});

test('the end of a download says why it failed', async () => {
  const p = await player();
  p.began('g1');
  p.created(item(1, {}));
  p.changed(1, {state: 'interrupted', error: 'NETWORK_FAILED', filename: '/d/f'});
  p.progress('g1', 'canceled');
  await until(() => p.last().state === 'canceled');
  assert.deepEqual(p.last(), {guid: 'g1', state: 'canceled', receivedBytes: 3, totalBytes: 3, error: 'NETWORK_FAILED'});
});

test('a file that is held back is told of', async () => {
  const p = await player();
  p.began('g1');
  p.created(item(1, {}));
  p.changed(1, {danger: 'asyncScanning'});
  await settled();
  assert.equal(p.heard().length, 1);
  p.changed(1, {danger: 'file', filename: '/d/Unconfirmed 1.crdownload'});
  await until(() => p.last().danger === 'file');
  assert.equal(p.last().state, 'inProgress');
  assert.equal(p.last().filePath, undefined);
  p.changed(1, {danger: 'accepted', state: 'complete', filename: '/d/f.exe'});
  p.progress('g1', 'completed');
  await until(() => p.last().state === 'completed');
  assert.equal(p.last().filePath, '/d/f.exe');
});

test('the user\'s downloads are nobody\'s business', async () => {
  const p = await player();
  p.created(item(1, {}));
  p.changed(1, {danger: 'file'});
  p.changed(1, {state: 'complete', filename: '/home/user/secret'});
  p.rig.browser.makeTab({url: 'https://user.example/'});
  p.chrome.webNavigation.onCreatedNavigationTarget.fire({tabId: 999, sourceTabId: 998, url: 'https://b.example/'});
  p.created(item(2, {url: 'https://b.example/', finalUrl: 'https://b.example/'}));
  p.changed(2, {state: 'complete', filename: '/home/user/secret'});
  await settled();
  assert.deepEqual(p.heard(), []);
});

for (const first of ['opening', 'download']) {
  test(`a file that a page opens in a tab of its own: first the ${first} is told`, async () => {
    const p = await player();
    const url = 'https://a.example/open?x=1';
    const opened = () => p.chrome.webNavigation.onCreatedNavigationTarget.fire({tabId: 999, sourceTabId: p.tabId, url});
    const created = () => p.created(item(1, {url, finalUrl: 'https://cdn.example/dir/f.pdf?sig=1'}));
    if (first === 'opening') {
      opened();
      created();
    } else {
      created();
      opened();
    }
    p.changed(1, {filename: '/d/f.pdf'});
    p.changed(1, {state: 'complete', bytesReceived: 3});
    await until(() => p.last()?.state === 'completed');
    assert.deepEqual(p.heard()[0], {
      agent: 'p/a', sessionId: 't1', method: 'Page.downloadWillBegin',
      params: {guid: 'download-1', url: 'https://cdn.example/dir/f.pdf?sig=1', suggestedFilename: 'f.pdf'},
    });
    assert.equal(p.last().filePath, '/d/f.pdf');
  });
}

test('a tab that is no longer the agent\'s tells it nothing', async () => {
  const p = await player();
  p.began('g1');
  p.created(item(1, {}));
  p.progress('g1', 'completed');
  p.chrome.tabs.onRemoved.fire(p.tabId, {});
  await settled();
  assert.deepEqual(p.heard().map((e) => e.method), ['Page.downloadWillBegin']);
});
