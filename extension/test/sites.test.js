import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';
import {FakeBrowser} from './fake-chrome.js';
import {Sites, blockedBy, hostOf, normalise} from '../worker/sites.js';
import {Agent, State, Tab} from '../worker/state.js';

test('what users type becomes a host', () => {
  for (const [typed, host] of [
    ['bank.example', 'bank.example'], ['  Bank.Example ', 'bank.example'], ['*.corp.example', 'corp.example'],
    ['.corp.example', 'corp.example'], ['https://bank.example/login?x=1#y', 'bank.example'], ['bank.example:8443', 'bank.example'],
    ['http://user:pw@bank.example:8443/x', 'bank.example'], ['//bank.example/x', 'bank.example'], ['bank.example.', 'bank.example'],
    ['bücher.example', 'xn--bcher-kva.example'], ['https://*.bücher.example/', 'xn--bcher-kva.example'], ['localhost', 'localhost'],
    ['10.1.2.3', '10.1.2.3'], ['[::1]:80', '[::1]'], ['例え.テスト', 'xn--r8jz45g.xn--zckzah'], ['a.example/x@b.example', 'a.example'],
  ]) assert.equal(normalise(typed), host, typed);
});

test('what is no site is refused with a sentence', () => {
  for (const typed of ['', '   ', '*', '*.', 'a b.example', 'a.*.example', 'mailto:me@x.example', 'javascript:alert(1)', 'http://', 'a..example', '<b>', 'exa%mple']) {
    assert.throws(() => normalise(typed), (e) => e instanceof Error && /[.]$/.test(e.message) && /example/.test(e.message), typed);
  }
});

test('a pattern is the host and everything under it', () => {
  const list = ['bank.example', '10.1.2.3'];
  for (const h of ['bank.example', 'BANK.example', 'www.bank.example', 'a.b.bank.example.', '10.1.2.3']) assert.notEqual(blockedBy(h, list), '', h);
  for (const h of ['xbank.example', 'bank.example.org', 'example', '110.1.2.3', '']) assert.equal(blockedBy(h, list), '', h);
});

/** @type {FakeBrowser} */
let browser;
/** @type {State} */
let state;
/** @type {Sites} */
let sites;
const agent = new Agent({id: 'p/a', pairing: 'p', name: 'n', slug: 'a', title: 't', color: 'blue'});

beforeEach(() => {
  browser = new FakeBrowser();
  state = new State();
  sites = new Sites(state);
});

test('an address is blocked however it is written', () => {
  for (const url of ['http://127.0.0.1:8123/', 'http://[::ffff:127.0.0.1]:8123/', 'http://[::ffff:7f00:1]/', 'http://0/', 'http://0.0.0.0/', 'http://2130706433/', 'http://127.1/']) {
    assert.equal(blockedBy(new URL(url).hostname, ['127.0.0.1']), '127.0.0.1', url);
  }
  assert.equal(blockedBy(new URL('http://[::ffff:7f00:2]/').hostname, ['127.0.0.1']), '');
});

test('the rules hold agents\' tabs only, and all kinds of requests', async () => {
  state.blocked = ['bank.example'];
  state.tabs.set(7, new Tab(agent, 't1', 7));
  await sites.sync();
  assert.equal(browser.rules.length, 1);
  const {action, condition} = browser.rules[0];
  assert.equal(action.type, 'block');
  assert.deepEqual(condition.tabIds, [7]);
  assert.deepEqual(condition.requestDomains, ['bank.example']);
  for (const t of ['main_frame', 'sub_frame', 'xmlhttprequest', 'websocket']) assert.ok(condition.resourceTypes.includes(t), t);
});

test('no tab or no site: no rule (a rule without tabs would hold the user)', async () => {
  state.blocked = ['bank.example'];
  await sites.sync();
  assert.deepEqual(browser.rules, []);
  state.tabs.set(7, new Tab(agent, 't1', 7));
  await sites.sync();
  state.blocked = [];
  await sites.sync();
  assert.deepEqual(browser.rules, []);
});

test('what agents\' pages open in new tabs is held by the hosts it comes of, except in the user\'s tabs', async () => {
  state.blocked = ['bank.example'];
  const tab = new Tab(agent, 't1', 7);
  state.tabs.set(7, tab);
  state.userTabs = new Set([9, 8]);
  tab.url = 'https://shop.example/x';
  tab.frames.set('F', 'ads.example');
  await sites.sync();
  assert.equal(browser.rules.length, 1, 'no agent is at work without the debugger');
  tab.attached = true;
  await sites.sync();
  const rule = () => browser.rules.find((r) => r.id !== browser.rules[0].id);
  assert.deepEqual(rule().action, {type: 'block'});
  assert.deepEqual(rule().condition, {
    requestDomains: ['bank.example'], resourceTypes: ['main_frame'], excludedTabIds: [8, 9], initiatorDomains: ['ads.example', 'shop.example'],
  });
  // A sandboxed frame comes of no host.
  tab.frames.set('S', '');
  await sites.sync();
  assert.equal('initiatorDomains' in rule().condition, false);
  assert.deepEqual(rule().condition.excludedTabIds, [8, 9]);
  tab.attached = false;
  await sites.sync();
  assert.equal(browser.rules.length, 1);
});

test('the host of an address', () => {
  for (const [url, host] of [
    ['https://A.example:8443/x', 'a.example'], ['blob:https://a.example/1', 'a.example'], ['http://[::1]/', '[::1]'],
    ['https://ads.example/^0https://shop.example', 'ads.example'], ['about:blank', ''], ['data:text/html,x', ''], ['blob:null/1', ''], ['', ''], ['://', ''],
  ]) assert.equal(hostOf(url), host, url);
});

test('a worker that starts takes old rules away', async () => {
  browser.rules = [{id: 1}];
  sites.reset();
  await sites.sync();
  assert.deepEqual(browser.rules, []);
});

test('a change while Chrome is at it is not lost', async () => {
  state.blocked = ['bank.example'];
  state.tabs.set(7, new Tab(agent, 't1', 7));
  const first = sites.sync();
  state.tabs.set(8, new Tab(agent, 't2', 8));
  await Promise.all([first, sites.sync()]);
  assert.deepEqual(browser.rules[0].condition.tabIds, [7, 8]);
});
